import math

import numpy as np
import pytest

from attunement.stats.median import median


@pytest.mark.parametrize(("n", "low", "high"), [(6, 1, 6), (10, 2, 9), (25, 8, 18), (100, 40, 61)])
def test_the_interval_lies_between_the_order_statistics_that_r_gives(n, low, high):
    # groups.R: qbinom and pbinom
    values = np.random.default_rng(1).permutation(np.arange(1, n + 1))
    result = median(values)
    assert result.estimate == np.median(values)
    assert (result.ci_low, result.ci_high) == (low, high)


def test_few_values_have_no_interval_and_none_no_median():
    few, none = median([3, 1, 2]), median([math.nan])
    assert few.estimate == 2
    assert math.isnan(few.ci_low)
    assert few.reason == "3 values are too few for an interval"
    assert math.isnan(none.estimate)
    assert (none.n, none.n_missing, none.reason) == (0, 1, "no values")


def test_it_covers_the_median_as_often_as_it_says():
    rng = np.random.default_rng(2)
    inside = 0
    for _ in range(400):
        result = median(rng.exponential(size=25))
        inside += result.ci_low <= math.log(2) <= result.ci_high
    assert inside / 400 > 0.93
