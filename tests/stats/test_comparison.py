import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from attunement.stats.comparison import compare, decided, holm, signed_rank

RNG = np.random.default_rng(5)


def test_signed_rank_is_rs_exact_test():
    # comparison.R: wilcox.test on the depression data of Hollander and Wolfe (1973), p. 29
    x = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
    y = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])
    result = signed_rank(x - y)
    assert (result.statistic, result.p_value) == (40, 0.0390625)
    assert result.effect_size == pytest.approx((40 - 5) / 45)


def test_many_differences_use_rs_normal_approximation():
    # comparison.R: wilcox.test(exact = FALSE, correct = FALSE)
    i = np.arange(1, 61)
    result = signed_rank(np.sin(i) + 0.3 + i / 1000)
    assert result.statistic == 1376
    assert result.p_value == pytest.approx(0.000689554423867, rel=1e-9)
    assert "normal" in result.method


def test_ties_and_zeros_agree_with_scipy():
    d = RNG.integers(-3, 5, size=80).astype(float)
    theirs = stats.wilcoxon(d, zero_method="pratt", method="asymptotic")
    ours = signed_rank(d)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-10)


def test_ties_and_zeros_of_a_small_sample_are_exact_as_scipys_permutations():
    d = np.array([0, 1, 1, -2, 2, 2, 3, 0, -1, 4, 4])
    theirs = stats.wilcoxon(
        d, zero_method="pratt", method=stats.PermutationMethod(n_resamples=100_000)
    )
    assert signed_rank(d).p_value == pytest.approx(theirs.pvalue, rel=1e-10)


def test_nothing_to_rank_is_said():
    zeros, none = signed_rank([0, 0, 0]), signed_rank([math.nan])
    assert (zeros.p_value, zeros.reason) == (1, "every difference is zero")
    assert math.isnan(zeros.effect_size)
    assert math.isnan(none.p_value)
    assert (none.n, none.n_missing, none.reason) == (0, 1, "no pairs")
    assert signed_rank([-1.0]).p_value == 1


def test_under_no_difference_p_values_are_uniform():
    p = [signed_rank(RNG.normal(size=60)).p_value for _ in range(800)]
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_holm_is_that_of_r_and_statsmodels():
    p = [0.01, 0.02, 0.03, 0.04, 0.05, math.nan, 0.0005]
    # comparison.R: p.adjust(method = "holm")
    expected = [0.050, 0.080, 0.090, 0.090, 0.090, math.nan, 0.003]
    assert holm(p) == pytest.approx(expected, nan_ok=True)
    full = RNG.uniform(size=20)
    assert holm(full) == pytest.approx(multipletests(full, method="holm")[1])


def test_holm_of_nothing_is_nothing():
    assert holm([]).size == 0
    assert np.isnan(holm([math.nan])).all()


def test_a_pair_that_lacks_one_side_is_left_out_and_counted():
    result = compare([1, 2, math.nan, 4], [2, math.nan, 3, 6])
    assert result.difference.estimate == -1.5
    assert (result.difference.n, result.difference.n_missing) == (2, 2)
    assert (result.test.n, result.test.n_missing) == (2, 2)
    with pytest.raises(ValueError, match="equally long"):
        compare([1], [1, 2])


def test_a_true_difference_is_found_and_its_side_named():
    a = np.abs(RNG.normal(size=200))
    b = a + RNG.normal(0.4, 0.5, size=200)
    assert compare(a, b).favors() == -1
    assert compare(b, a).favors() == 1
    assert compare(a, b).favors(p_value=0.2) == 0


def test_a_side_is_named_only_where_mean_and_ranks_agree():
    assert decided(0.1, 0.4, 0.001, -0.5) == 0
    assert decided(0.1, 0.4, math.nan, 0.5) == 0
    assert decided(math.nan, math.nan, 0.001, 0.5) == 1  # differences all the same: no interval
    assert decided(0.1, 0.4, 0.001, 0.5) == 1


def test_a_difference_that_is_the_same_everywhere_is_shown_by_the_test() -> None:
    x = np.linspace(0.1, 2.9, 12)
    found = compare(x + 0.3, x)
    assert math.isnan(found.difference.ci_low)  # rounding is no spread
    assert found.difference.reason == "all values are the same: no interval"
    assert found.favors() == 1


def test_differences_of_decimal_numbers_tie_as_they_do_on_paper() -> None:
    a = np.array([3.4, 3.0, 2.6, 4.2, 3.8, 1.2, 2.0])
    b = np.array([3.2, 2.8, 2.8, 3.8, 3.4, 1.8, 1.8])
    on_paper = signed_rank([0.2, 0.2, -0.2, 0.4, 0.4, -0.6, 0.2])
    assert signed_rank(a - b).statistic == on_paper.statistic
    assert signed_rank(a - b).p_value == on_paper.p_value


def test_a_difference_that_is_only_rounding_is_zero() -> None:
    noise = 0.1 + 0.2 - 0.3
    assert signed_rank([noise, 1.0, 2.0]).p_value == signed_rank([0.0, 1.0, 2.0]).p_value
