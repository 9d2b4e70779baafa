import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import cochrans_q, mcnemar

from attunement.stats.contingency import cochran_q, mcnemar_exact

RNG = np.random.default_rng(8)
# The outcomes of groups.R
OUTCOMES = np.array(
    [
        [1, 1, 0, 0],
        [1, 1, 0, 1],
        [0, 1, 0, 0],
        [1, 1, 1, 1],
        [1, 0, 0, 0],
        [0, 0, 0, 0],
        [1, 1, 0, 1],
        [1, 0, 1, 0],
        [0, 1, 0, 0],
        [1, 1, 0, 0],
    ]
)


def discordant(only_a: int, only_b: int, both: int = 4):
    a = [1] * only_a + [0] * only_b + [1] * both
    b = [0] * only_a + [1] * only_b + [1] * both
    return a, b


def test_mcnemar_is_rs_binomial_test_of_the_discordant_pairs():
    # groups.R: binom.test(3, 15), binom.test(1, 9)
    assert mcnemar_exact(*discordant(3, 12)).p_value == pytest.approx(0.03515625, rel=1e-12)
    assert mcnemar_exact(*discordant(8, 1)).p_value == pytest.approx(0.0390625, rel=1e-12)


def test_mcnemar_is_that_of_statsmodels():
    a, b = RNG.integers(0, 2, 60), RNG.integers(0, 2, 60)
    table = [[((a == i) & (b == j)).sum() for j in (1, 0)] for i in (1, 0)]
    assert mcnemar_exact(a, b).p_value == pytest.approx(mcnemar(table, exact=True).pvalue)


def test_mcnemar_gives_the_difference_of_shares_and_counts_what_is_missing():
    result = mcnemar_exact([1, 1, 0, math.nan, 1], [0, 1, 0, 1, math.nan])
    assert (result.n, result.n_missing, result.statistic) == (3, 2, 1)
    assert result.effect_size == pytest.approx(1 / 3)


def test_mcnemar_without_a_difference_is_certain_of_nothing():
    same = mcnemar_exact([1, 0, 1], [1, 0, 1])
    assert (same.p_value, same.effect_size) == (1, 0)
    assert same.reason == "the two agree on every item"
    none = mcnemar_exact([math.nan], [1])
    assert math.isnan(none.p_value)
    assert none.reason == "no pairs"


def test_cochran_is_rs_friedman_statistic_of_binary_outcomes():
    # groups.R: friedman.test
    result = cochran_q(OUTCOMES)
    assert result.statistic == pytest.approx(9.22222222222, rel=1e-9)
    assert result.p_value == pytest.approx(0.0264776759826, rel=1e-9)
    assert result.n == 10


def test_cochran_is_that_of_statsmodels():
    outcomes = RNG.integers(0, 2, (40, 5))
    ours, theirs = cochran_q(outcomes), cochrans_q(outcomes)
    assert ours.statistic == pytest.approx(theirs.statistic)
    assert ours.p_value == pytest.approx(theirs.pvalue)


def test_cochran_leaves_incomplete_rows_out_and_counts_them():
    outcomes = np.vstack([OUTCOMES, [[1, math.nan, 0, 1]]])
    result = cochran_q(outcomes)
    assert (result.n, result.n_missing) == (10, 1)
    assert result.statistic == pytest.approx(9.22222222222, rel=1e-9)


def test_the_effect_of_cochran_is_one_where_one_system_alone_always_fails():
    assert cochran_q([[1, 0]] * 6).effect_size == pytest.approx(1)


def test_cochran_without_a_difference_or_rows_says_so():
    same = cochran_q([[1, 1], [0, 0]])
    assert math.isnan(same.p_value)
    assert same.reason == "the systems agree on every item"
    assert cochran_q([[math.nan, 1]]).reason == "no item has an outcome of every system"


def test_under_no_difference_cochrans_p_is_uniform():
    p = [cochran_q(RNG.integers(0, 2, (60, 5))).p_value for _ in range(400)]
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_what_is_no_outcome_is_refused():
    with pytest.raises(ValueError, match="0 or 1"):
        mcnemar_exact([2, 1], [0, 1])
    with pytest.raises(ValueError, match="equally long"):
        mcnemar_exact([1, 1], [0])
    with pytest.raises(ValueError, match="dimensions"):
        cochran_q([1, 0])
    with pytest.raises(ValueError, match="two systems"):
        cochran_q([[1], [0]])
