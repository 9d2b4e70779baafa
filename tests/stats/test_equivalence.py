import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW, ttost_paired

from attunement.stats.equivalence import tost

RNG = np.random.default_rng(2)


@pytest.mark.parametrize("shift", [0.0, 0.15, -0.3, 0.9])
def test_p_and_interval_are_those_of_statsmodels(shift):
    x, y = RNG.normal(size=50), RNG.normal(shift, 1, size=50)
    ours = tost(x - y, 0.5)
    theirs = ttost_paired(x, y, -0.5, 0.5)
    assert ours.p_value == pytest.approx(theirs[0], rel=1e-10)
    assert (ours.ci_low, ours.ci_high) == pytest.approx(DescrStatsW(x - y).tconfint_mean(0.1))
    assert ours.ci_level == 0.9


def test_the_interval_lies_within_the_margin_just_where_equivalence_is_shown():
    for shift in np.linspace(-1, 1, 41):
        result = tost(RNG.normal(shift, 1, size=30), 0.6)
        assert result.equivalent == (result.ci_low > -0.6 and result.ci_high < 0.6)


def test_at_the_margin_equivalence_is_shown_in_five_of_a_hundred():
    shown = [tost(RNG.normal(0.5, 1, size=40), 0.5).equivalent for _ in range(2000)]
    assert stats.binomtest(sum(map(bool, shown)), 2000, 0.05).pvalue > 0.01


def test_what_cannot_be_tested_says_why():
    for values, margin, reason in [
        ([], 1, "no pairs"),
        ([0.1, math.nan], 1, "one pair: no test and no interval"),
        ([0.1, 0.2], math.nan, "no margin"),
    ]:
        result = tost(values, margin)
        assert result.reason == reason
        assert result.equivalent is None
        assert math.isnan(result.p_value)
    assert tost([0.1, math.nan], 1).n_missing == 1
    with pytest.raises(ValueError, match="larger than 0"):
        tost([1, 2], 0)


def test_differences_without_spread_are_decided_by_where_they_lie():
    assert tost([0.2, 0.2], 0.5).equivalent is True
    assert tost([0.7, 0.7], 0.5).p_value == 1
    assert tost([0.7, 0.7], 0.5).as_test().p_value == 1
