"""Statistics of one item of a Delphi, worked by hand or by SciPy and scikit-learn."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from attunement.stats.borda import borda, places, points_of
from attunement.stats.delphi import (
    agreement,
    describe,
    interquartile_range,
    redundancy_flags,
    third_quartile,
)
from attunement.stats.stability import item_stability, overall_stability

NAN = math.nan
# Sixteen ratings with the statistics that CES-LCC prints for UR1 in its first round: agreement
# 100 %, mean 4.88, sd 0.34, median 5, range 4 to 5, interquartile range 0.
UR1 = [5] * 14 + [4] * 2


def test_an_item_of_the_paper_comes_out_as_printed() -> None:
    found = describe(UR1)
    printed = {"mean": 4.88, "sd": 0.34, "median": 5, "min": 4, "max": 5, "iqr": 0}
    assert {k: round(found[k].estimate, 2) for k in printed} == printed
    assert found["agreement"].estimate == 1
    assert {r.n for r in found.values()} == {16}


def test_the_intervals_are_wilsons_and_students() -> None:
    values = [5, 4, 4, 3, 2, 5, 4, 1, 5, 4, 3, 4]
    found = describe(values)
    share = stats.binomtest(8, 12).proportion_ci(0.95, method="wilson")
    assert (found["agreement"].ci_low, found["agreement"].ci_high) == pytest.approx(share)
    t = stats.t.interval(0.95, 11, np.mean(values), stats.sem(values))
    assert (found["mean"].ci_low, found["mean"].ci_high) == pytest.approx(t)
    for name in ("sd", "iqr", "median"):
        assert found[name].ci_low <= found[name].estimate <= found[name].ci_high


def test_the_interval_of_a_mean_does_not_leave_the_scale() -> None:
    assert describe(UR1)["mean"].ci_high == 5


def test_quartiles_are_linearly_interpolated() -> None:
    # By hand: 1 3 4 8, the quartiles at places 1.75 and 3.25 are 2.5 and 5.
    assert interquartile_range([8, 1, 3, 4]).estimate == 2.5


def test_missing_ratings_are_counted_and_never_zero() -> None:
    found = describe([5, NAN, 4, NAN, 1])
    assert found["agreement"].estimate == pytest.approx(2 / 3)
    assert (found["agreement"].n, found["agreement"].n_missing) == (3, 2)
    assert found["mean"].estimate == pytest.approx(10 / 3)


def test_an_item_that_nobody_rated_is_undefined_with_a_reason() -> None:
    for result in describe([NAN, NAN]).values():
        assert math.isnan(result.estimate)
        assert result.reason


def test_a_constant_item_has_no_spread_and_no_interval_but_of_its_median() -> None:
    found = describe([4] * 12)
    assert found["sd"].estimate == found["iqr"].estimate == 0
    for name in ("mean", "sd", "iqr"):
        assert math.isnan(found[name].ci_high)
        assert found[name].reason == "all values are the same: no interval"
    # Six fours or more enclose the median whatever else the panel might have said
    assert (found["median"].ci_low, found["median"].ci_high) == (4, 4)


def test_a_panel_of_one_has_a_mean_and_no_standard_deviation() -> None:
    found = describe([3])
    assert found["mean"].estimate == 3
    assert math.isnan(found["sd"].estimate)
    assert found["sd"].reason == "one value"


def test_too_few_for_resampling_is_said() -> None:
    assert math.isnan(interquartile_range([1, 2, 3]).ci_low)
    assert "fewer than 10" in str(interquartile_range([1, 2, 3]).reason)


def test_translation_is_divided_by_raters_or_as_the_paper_does_by_the_panel() -> None:
    # CES-LCC's UR1: eleven of eleven agreed, fifteen took part, 73.33 % is printed.
    ratings = [5] * 8 + [4] * 3 + [NAN] * 4
    assert agreement(ratings).estimate == 1
    paper = agreement(ratings, panel=15, variant="paper")
    assert round(100 * paper.estimate, 2) == 73.33
    assert paper.n == 15
    with pytest.raises(ValueError, match="panel"):
        agreement(ratings, variant="paper")


def test_flags_are_counted_of_those_asked() -> None:
    found = redundancy_flags([1, 0, 1, NAN])
    assert (found.estimate, found.n, found.n_missing) == (2, 3, 1)
    assert 0 < found.ci_low < 2 < found.ci_high < 3
    assert redundancy_flags([NAN]).reason == "nobody was asked"
    assert third_quartile([0, 1, 2, 5]).estimate == 2.75


def test_the_last_rank_gets_one_point() -> None:
    # Three experts rank three items; by hand 3+2+3, 2+3+1, 1+1+2 points.
    found = borda([[1, 2, 3], [2, 1, 3], [1, 3, 2]])
    assert [r.estimate for r in found] == [8, 6, 4]
    assert all(r.n == 3 and r.n * 1 <= r.ci_low <= r.ci_high <= r.n * 3 for r in found)


def test_equal_ranks_share_points_and_half_a_ranking_does_not_count() -> None:
    assert points_of([[1, 1, 3]]).tolist() == [[2.5, 2.5, 1]]
    found = borda([[1, 2, 3], [1, NAN, 2]])
    assert [(r.estimate, r.n, r.n_missing) for r in found] == [(3, 1, 1), (2, 1, 1), (1, 1, 1)]
    assert borda([[NAN, 1]])[0].reason == "no whole ranking"


def test_places_are_shared_by_equal_points() -> None:
    assert places([52, 81, 52, 10, NAN]) == [2, 1, 2, 4, None]


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_kappa_between_rounds_is_scikit_learns(weights: str) -> None:
    rng = np.random.default_rng(7)
    before = rng.integers(1, 6, (16, 3)).astype(float)
    after = np.where(rng.random((16, 3)) < 0.6, before, rng.integers(1, 6, (16, 3)))
    scale = [1, 2, 3, 4, 5]
    for item in range(3):
        found = item_stability(before[:, item], after[:, item], weights=weights)  # type: ignore[arg-type]
        expected = cohen_kappa_score(
            before[:, item].astype(int), after[:, item].astype(int), labels=scale, weights=weights
        )
        assert found.kappa.estimate == pytest.approx(expected)
        assert found.unchanged.estimate == pytest.approx(np.mean(before[:, item] == after[:, item]))
    whole = overall_stability(before, after, weights=weights)  # type: ignore[arg-type]
    expected = cohen_kappa_score(
        before.ravel().astype(int), after.ravel().astype(int), labels=scale, weights=weights
    )
    assert whole.kappa.estimate == pytest.approx(expected)
    assert whole.kappa.ci_low < expected < whole.kappa.ci_high
    assert whole.unchanged.n == 48


def test_stability_leaves_out_who_lacks_a_round() -> None:
    found = item_stability([5, 4, NAN, 3], [5, 3, 4, NAN])
    assert (found.unchanged.estimate, found.unchanged.n, found.unchanged.n_missing) == (0.5, 2, 2)
    assert math.isnan(found.kappa.ci_low)
    assert "fewer than 10" in str(found.kappa.reason)


def test_kappa_of_one_value_throughout_is_undefined_with_a_reason() -> None:
    found = item_stability([4, 4, 4], [4, 4, 4])
    assert found.unchanged.estimate == 1
    assert math.isnan(found.kappa.estimate)
    assert found.kappa.reason == "all gave one and the same value in both rounds"
    nobody = item_stability([NAN], [3])
    assert nobody.kappa.reason == nobody.unchanged.reason == "nobody rated it in both rounds"
