import math

import numpy as np
import pytest
from scipy import stats

from attunement.stats.groups import chi_squared, common_units, kruskal_wallis, permute_raters

# airquality, shipped with R: ozone by month (groups.R)
OZONE = [
    "41 36 12 18 28 23 19 8 7 16 11 14 18 14 34 6 30 11 1 11 4 32 23 45 115 37",
    "29 71 39 23 21 37 20 12 13",
    "135 49 32 64 40 77 97 97 85 10 27 7 48 35 61 79 63 16 80 108 20 52 82 50 64 59",
    "39 9 16 78 35 66 122 89 110 44 28 65 22 59 23 31 44 21 9 45 168 73 76 118 84 85",
    "96 78 73 91 47 32 20 23 21 24 44 21 28 9 13 46 18 13 24 16 13 23 36 7 14 30 14 18 20",
]
RATERS, BANDS, UNITS, EACH = 40, 4, 60, 8


def simulated(seed: int, *, spread: float, effect: float = 0.0):
    """Ratings 1 to 5 by raters in four bands, each answer by eight raters at random.

    ``spread`` is the standard deviation of raters' own strictness; ``effect`` is what the last band
    gives more.
    """
    rng = np.random.default_rng(seed)
    band = rng.permutation(np.repeat(np.arange(BANDS), RATERS // BANDS))
    strict, quality = rng.normal(0, spread, RATERS), rng.normal(0, 0.7, UNITS)
    unit = np.repeat(np.arange(UNITS), EACH)
    rater = np.concatenate([rng.choice(RATERS, EACH, replace=False) for _ in range(UNITS)])
    given = 3 + strict[rater] + quality[unit] + effect * (band[rater] == BANDS - 1)
    values = np.clip(np.rint(given + rng.normal(0, 0.7, unit.size)), 1, 5)
    return values, unit.tolist(), rater.tolist(), band[rater].tolist()


def plain_p(values, units, raters, bands):
    kept = np.array(common_units(units, bands))
    member = np.array(bands)[kept]
    return kruskal_wallis([values[kept][member == b] for b in range(BANDS)]).p_value


def test_kruskal_wallis_is_rs():
    # groups.R: kruskal.test on Hollander and Wolfe (1973), p. 116
    groups = [[2.9, 3.0, 2.5, 2.6, 3.2], [3.8, 2.7, 4.0, 2.4], [2.8, 3.4, 3.7, 2.2, 2.0]]
    result = kruskal_wallis(groups)
    assert result.statistic == pytest.approx(0.771428571429, rel=1e-9)
    assert result.p_value == pytest.approx(0.679964773579, rel=1e-9)


def test_kruskal_wallis_corrects_for_ties_as_r_does():
    # groups.R: kruskal.test(Ozone ~ Month)
    result = kruskal_wallis([[float(v) for v in month.split()] for month in OZONE])
    assert result.statistic == pytest.approx(29.2665763061, rel=1e-9)
    assert result.p_value == pytest.approx(6.90071411855e-06, rel=1e-9)
    assert result.n == 116


def test_missing_values_are_left_out_and_counted():
    result = kruskal_wallis([[1, 2, math.nan], [3, 4]])
    assert (result.n, result.n_missing) == (4, 1)
    assert result.statistic == pytest.approx(stats.kruskal([1, 2], [3, 4]).statistic)


@pytest.mark.parametrize("groups", [[[2, 2], [2, 2]], [[1, 2, 3], []], [], [[math.nan], [1]]])
def test_where_nothing_can_be_compared_the_reason_is_said(groups):
    result = kruskal_wallis(groups)
    assert math.isnan(result.statistic)
    assert math.isnan(result.p_value)
    assert result.reason


def test_chi_squared_is_rs_without_correction():
    # groups.R: chisq.test of Agresti's table, and of a 2 x 2 table with correct = FALSE
    result = chi_squared([[762, 327, 468], [484, 239, 477]])
    assert result.statistic == pytest.approx(30.0701490958, rel=1e-9)
    assert result.p_value == pytest.approx(2.95358918321e-07, rel=1e-9)
    assert result.reason is None
    small = chi_squared([[12, 5], [3, 9]])
    assert small.statistic == pytest.approx(5.85483193277, rel=1e-9)
    assert small.effect_size == pytest.approx(
        stats.contingency.association([[12, 5], [3, 9]], method="cramer"), rel=1e-9
    )


def test_chi_squared_leaves_empty_rows_and_columns_out_and_names_thin_cells():
    whole = chi_squared([[12, 0, 5], [0, 0, 0], [3, 0, 9]])
    assert whole.statistic == pytest.approx(5.85483193277, rel=1e-9)
    assert "rough" in str(chi_squared([[1, 2], [2, 1]]).reason)
    assert math.isnan(chi_squared([[3, 0], [4, 0]]).statistic)
    assert math.isnan(chi_squared(np.zeros((2, 0))).statistic)


def test_chi_squared_refuses_what_is_no_table_of_counts():
    with pytest.raises(ValueError, match="counts"):
        chi_squared([[1, -1], [2, 3]])
    with pytest.raises(ValueError, match="counts"):
        chi_squared([1, 2, 3])


def test_common_units_are_those_that_every_group_rated():
    assert common_units(["a", "b", "a", "b", "c"], ["x", "x", "y", "x", "y"]) == [
        True,
        False,
        True,
        False,
        False,
    ]


def test_the_permuted_statistic_is_the_plain_one_on_common_units():
    values, units, raters, bands = simulated(3, spread=0.5)
    kept = np.array(common_units(units, bands))
    member = np.array(bands)[kept]
    plain = kruskal_wallis([values[kept][member == b] for b in range(BANDS)])
    permuted = permute_raters(values, units, raters, bands, replicates=9)
    assert permuted.statistic == pytest.approx(plain.statistic, rel=1e-12)
    assert permuted.n == plain.n


@pytest.mark.parametrize("statistic", ["kruskal_wallis", "chi_squared"])
def test_without_a_difference_permuting_raters_is_right_however_strict_each_of_them_is(statistic):
    p = [
        permute_raters(
            *simulated(s, spread=1.0), statistic=statistic, replicates=99, seed=s
        ).p_value
        for s in range(200)
    ]
    assert stats.kstest(p, "uniform").pvalue > 0.01
    assert np.mean(np.array(p) <= 0.05) < 0.10


def test_without_a_difference_kruskal_wallis_rejects_far_too_often():
    rejected = np.mean([plain_p(*simulated(s, spread=1.0)) < 0.05 for s in range(200)])
    assert rejected > 0.5
    # It is the raters' own strictness that does it: without it the test keeps its level.
    level = np.mean([plain_p(*simulated(s, spread=0.0)) < 0.05 for s in range(200)])
    assert level < 0.12


def test_a_difference_between_bands_is_found():
    found = [
        permute_raters(*simulated(s, spread=0.3, effect=1.0), replicates=199, seed=s).p_value
        for s in range(20)
    ]
    assert np.mean(np.array(found) < 0.05) > 0.9


def test_the_seed_repeats_it_and_the_order_of_rows_does_not_matter_for_the_statistic():
    values, units, raters, bands = simulated(5, spread=0.5)
    first = permute_raters(values, units, raters, bands, replicates=50, seed=2)
    assert permute_raters(values, units, raters, bands, replicates=50, seed=2) == first
    back = permute_raters(values[::-1], units[::-1], raters[::-1], bands[::-1], replicates=50)
    assert back.statistic == pytest.approx(first.statistic, rel=1e-12)


def test_a_rating_without_a_value_counts_for_who_rated_what_and_for_nothing_else():
    values, units, raters, bands = simulated(6, spread=0.5)
    values = values.copy()
    values[:30] = math.nan
    result = permute_raters(values, units, raters, bands, replicates=20)
    assert result.n_missing == 30
    kept = np.array(common_units(units, bands)) & np.isfinite(values)
    assert result.n == kept.sum()


def test_no_common_unit_is_nothing_to_compare():
    result = permute_raters([1, 2, 3], ["a", "b", "c"], ["r", "s", "t"], ["x", "y", "x"])
    assert math.isnan(result.p_value)
    assert result.reason
    assert math.isnan(permute_raters([], [], [], []).p_value)


def test_a_rater_in_two_groups_and_unequal_lengths_are_refused():
    with pytest.raises(ValueError, match="two groups"):
        permute_raters([1, 2], ["a", "b"], ["r", "r"], ["x", "y"])
    with pytest.raises(ValueError, match="same length"):
        permute_raters([1, 2], ["a"], ["r", "r"], ["x", "x"])
    with pytest.raises(ValueError, match="same length"):
        common_units(["a"], [])
