import math

import krippendorff
import numpy as np
import pytest

from attunement.stats.agreement import LEVELS, alpha, alpha_with_distance
from attunement.stats.agreement import krippendorff as module

NAN = math.nan
# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C: four observers, twelve
# units.
FOUR_OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T
PUBLISHED = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}


def random_table(rng, items=40, raters=4, missing=0.3):
    table = rng.integers(1, 7, size=(items, raters)).astype(float)
    table[rng.random(table.shape) < missing] = NAN
    return table


@pytest.mark.parametrize("level", LEVELS)
def test_the_published_example_comes_out(level):
    result = alpha(FOUR_OBSERVERS, level)
    assert round(result.estimate, 3) == PUBLISHED[level]
    assert result.ci_low < result.estimate < result.ci_high
    assert (result.n, result.n_missing) == (11, 1)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(8))
def test_random_tables_with_missing_ratings_equal_the_krippendorff_package(level, seed):
    rng = np.random.default_rng(seed)
    table = random_table(rng, items=int(rng.integers(3, 60)), raters=int(rng.integers(2, 7)))
    theirs = krippendorff.alpha(reliability_data=table.T, level_of_measurement=level)
    assert alpha(table, level, replicates=0).estimate == pytest.approx(theirs, abs=1e-9)


def test_values_that_are_almost_all_different_equal_the_krippendorff_package():
    table = np.random.default_rng(1).gamma(2, size=(60, 1)) + np.random.default_rng(2).gamma(
        1, size=(60, 3)
    )
    for level in LEVELS:
        theirs = krippendorff.alpha(reliability_data=table.T, level_of_measurement=level)
        assert alpha(table, level, replicates=0).estimate == pytest.approx(theirs, abs=1e-9)


def test_both_ways_to_the_ordinal_alpha_agree_in_every_replicate(monkeypatch):
    table = random_table(np.random.default_rng(3))
    few = alpha(table, "ordinal")
    monkeypatch.setattr(module, "_FEW", 0)
    many = alpha(table, "ordinal")
    ours = (few.estimate, few.ci_low, few.ci_high)
    assert ours == pytest.approx((many.estimate, many.ci_low, many.ci_high), abs=1e-12)


def test_the_interval_is_that_of_resampled_tables_given_to_the_krippendorff_package():
    table = random_table(np.random.default_rng(4), missing=0.1)
    rng = np.random.default_rng(9)
    draws = [
        krippendorff.alpha(
            reliability_data=table[rng.integers(0, len(table), len(table))].T,
            level_of_measurement="ordinal",
        )
        for _ in range(1000)
    ]
    ours = alpha(table, "ordinal", replicates=4000)
    # Two bootstraps of 1,000 and 4,000 differ by about 0.01 at the limits.
    expected = np.quantile(draws, [0.025, 0.975])
    assert (ours.ci_low, ours.ci_high) == pytest.approx(tuple(expected), abs=0.02)


def test_a_shift_of_large_values_loses_no_digits():
    table = random_table(np.random.default_rng(5))
    near, far = alpha(table, "interval"), alpha(table + 1e7, "interval")
    assert far.estimate == pytest.approx(near.estimate, abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
def test_identical_ratings_say_nothing_and_why(level):
    result = alpha(np.full((5, 3), 4.1), level)
    assert math.isnan(result.estimate)
    assert math.isnan(result.ci_low)
    assert "all ratings are the same" in result.reason


@pytest.mark.parametrize(
    ("table", "n", "n_missing"),
    [
        (np.empty((0, 3)), 0, 0),
        (np.empty((3, 0)), 0, 3),
        ([[1.0], [2.0]], 0, 2),
        ([[1, NAN], [NAN, 2]], 0, 2),
    ],
)
@pytest.mark.parametrize("level", LEVELS)
def test_nothing_to_compare_is_said(table, n, n_missing, level):
    result = alpha(table, level)
    assert math.isnan(result.estimate)
    assert (result.n, result.n_missing) == (n, n_missing)
    assert result.reason == "no item has two ratings"


def test_one_item_has_an_estimate_and_no_interval():
    result = alpha([[1, 2]], "interval")
    assert result.estimate == 0
    assert math.isnan(result.ci_low)
    assert result.reason == "fewer than two items: no interval"


def test_a_constant_rater_beside_one_who_varies_is_below_chance():
    table = [[3, 1], [3, 2], [3, 4], [3, 5]]
    theirs = krippendorff.alpha(reliability_data=np.array(table).T, level_of_measurement="ordinal")
    assert alpha(table, "ordinal").estimate == pytest.approx(theirs, abs=1e-9)


def test_a_distance_of_ones_own_gives_the_alpha_of_that_level():
    codes = np.array([[0, 1], [1, 1], [2, 0], [2, -1]])
    values = np.array([1.0, 2.0, 4.0])
    table = np.where(codes < 0, NAN, values[codes])
    squared = np.square(values[:, None] - values)
    mine = alpha_with_distance(codes, squared, name="mine")
    assert mine.name == "krippendorff_alpha_mine"
    assert mine.estimate == pytest.approx(alpha(table, "interval").estimate, abs=1e-12)


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match="level must be one of"):
        alpha([[1, 2]], "ordnial")
    with pytest.raises(ValueError, match="must not be negative"):
        alpha([[-1, 2]], "ratio")
    with pytest.raises(ValueError, match="more than 5000"):
        alpha(np.arange(12_000.0).reshape(-1, 2), "ratio")
    with pytest.raises(ValueError, match="symmetric"):
        alpha_with_distance([[0, 1]], [[0, 1], [2, 0]], name="x")
    with pytest.raises(ValueError, match="from itself is 0"):
        alpha_with_distance([[0, 1]], [[1, 1], [1, 0]], name="x")
    with pytest.raises(ValueError, match="index into the distances"):
        alpha_with_distance([[0, 2]], [[0, 1], [1, 0]], name="x")


def test_the_signature_repeats_the_interval():
    table = random_table(np.random.default_rng(6))
    one, two, other = alpha(table), alpha(table), alpha(table, seed=2)
    assert one == two
    assert (other.ci_low, other.signature) != (one.ci_low, one.signature)
    assert "replicates:1000|seed:1|hash:" in one.signature
