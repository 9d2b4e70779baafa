import math

import numpy as np
import pytest

from attunement.stats.descriptive import column_stats, mean, settle, t_interval

SLEEP = [-1.2, -2.4, -1.3, -1.3, 0, -1, -1.8, -0.8, -4.6, -1.4]


def test_mean_and_interval_are_those_of_r():
    # comparison.R: t.test of R's sleep data
    result = mean([*SLEEP, math.nan])
    assert result.estimate == pytest.approx(-1.58)
    limits = (-2.459885763277, -0.700114236723)
    assert (result.ci_low, result.ci_high) == pytest.approx(limits, abs=1e-11)
    assert (result.n, result.n_missing) == (10, 1)
    assert result.reason is None


def test_one_value_has_no_interval_and_none_no_mean():
    one, none = mean([3.0]), mean([math.nan])
    assert one.estimate == 3
    assert math.isnan(one.ci_low)
    assert one.reason == "one value: no interval"
    assert math.isnan(none.estimate)
    assert (none.n, none.n_missing, none.reason) == (0, 1, "no values")


@pytest.mark.parametrize("values", [[2, 2, 2], [0.1 + 0.2, 0.3, 0.3], [0, 0]])
def test_values_that_are_all_the_same_have_no_interval(values):
    """R's t.test refuses them as "essentially constant"."""
    result = mean(values)
    assert result.estimate == pytest.approx(values[-1])
    assert math.isnan(result.ci_low)
    assert math.isnan(result.ci_high)
    assert result.reason == "all values are the same: no interval"


def test_a_constant_column_has_no_spread_though_its_mean_is_rounded():
    x = np.full((12, 1), 22 / 3)
    assert np.mean(x) != 22 / 3
    assert column_stats(x)[1] == [0.0]


@pytest.mark.parametrize(
    ("value", "size", "settled"),
    [
        (0.1 + 0.2 - 0.3, 0.3, 0.0),
        (0.3 - 0.2, 0.3, 0.1),
        (1e6 + 0.1 - 1e6, 1e6, 0.1),
        (-2.5e-9, 2.5e-9, -2.5e-9),
        (math.inf, 1.0, math.inf),
        (0.0, 0.0, 0.0),
    ],
)
def test_numbers_settle_to_what_they_are_on_paper(value, size, settled):
    assert settle(value, size) == settled
    assert np.isnan(settle([math.nan, 1.0])).tolist() == [True, False]


def test_columns_are_treated_one_by_one():
    x = np.array([[1.0, np.nan, 5.0], [3.0, np.nan, np.nan], [8.0, np.nan, np.nan]])
    center, spread, n = column_stats(x)
    assert n.tolist() == [3, 0, 1]
    assert center[0] == 4
    assert spread[0] == pytest.approx(np.std([1, 3, 8], ddof=1))
    assert np.isnan(center[1])
    assert np.isnan(spread[1:]).all()
    low, high = t_interval(x)
    assert low[0] == pytest.approx(mean([1, 3, 8]).ci_low)
    assert np.isnan(high[1:]).all()
