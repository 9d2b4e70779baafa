import math

import numpy as np
import pytest
from scipy import stats

from attunement.stats.correlation import (
    euclidean,
    fisher_independent,
    fisher_interval,
    meng,
    normalize_paper,
    paper_test,
    paper_z,
    pearson,
    spearman,
    steiger_nonoverlapping,
    steiger_overlapping,
)

RNG = np.random.default_rng(7)
X = RNG.normal(size=30)
Y = 0.5 * X + RNG.normal(size=30)


def test_pearson_agrees_with_scipy_interval_included():
    ours, theirs = pearson(X, Y), stats.pearsonr(X, Y)
    assert ours.estimate == pytest.approx(theirs.statistic, abs=1e-14)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-10)
    interval = theirs.confidence_interval(0.95)
    assert (ours.ci_low, ours.ci_high) == pytest.approx((interval.low, interval.high), abs=1e-12)
    assert ours.n == 30
    assert ours.as_test().p_value == ours.p_value


def test_spearman_with_ties_agrees_with_scipy():
    x, y = np.round(X, 0), np.round(Y, 0)
    ours, theirs = spearman(x, y), stats.spearmanr(x, y)
    assert ours.estimate == pytest.approx(theirs.statistic, abs=1e-14)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-10)


@pytest.mark.parametrize("y", [[2, 1, 3, 6, 4, 5], [2, 2, 3, 6, 4, 4]])
def test_spearman_of_few_points_is_exact_as_scipys_permutation_test(y):
    x = np.array([1.0, 2, 3, 4, 5, 6])
    exact = stats.permutation_test(
        (x,),
        lambda v: stats.spearmanr(v, y).statistic,
        permutation_type="pairings",
        alternative="two-sided",
    )
    # SciPy doubles the smaller tail, which is the same where the distribution is symmetric.
    both = np.mean(np.abs(exact.null_distribution) >= abs(exact.statistic) - 1e-9)
    assert spearman(x, y).p_value == pytest.approx(both)


def test_spearman_interval_is_that_of_the_r_package_statpsych():
    # statpsych::ci.spear, documented example: .8699639, 95 % [.5840951, .9638297]
    y = [21, 4, 9, 12, 35, 18, 10, 22, 24, 1, 6, 8, 13, 16, 19]
    x = [67, 28, 30, 28, 52, 40, 25, 37, 44, 10, 14, 20, 28, 40, 51]
    result = spearman(y, x)
    assert result.estimate == pytest.approx(0.8699639, abs=1e-7)
    assert (result.ci_low, result.ci_high) == pytest.approx((0.5840951, 0.9638297), abs=1e-7)


def test_a_pair_with_a_missing_value_is_left_out_and_counted():
    result = pearson([1, 2, math.nan, 4, 5, 7], [2, 1, 3, math.nan, 5, 9])
    assert (result.n, result.n_missing) == (4, 2)
    assert result.estimate == pytest.approx(stats.pearsonr([1, 2, 5, 7], [2, 1, 5, 9]).statistic)


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "no points"),
        ([1], [2], "one point"),
        ([1, 1, 1, 1], [1, 2, 3, 4], "constant"),
        ([0.1 + 0.2, 0.3, 0.3, 0.3], [1, 2, 3, 4], "constant"),  # apart by rounding only
    ],
)
@pytest.mark.parametrize("correlate", [pearson, spearman])
def test_an_undefined_correlation_is_nan_with_a_reason(correlate, x, y, reason):
    result = correlate(x, y)
    assert math.isnan(result.estimate)
    assert math.isnan(result.p_value)
    assert reason in result.reason


@pytest.mark.parametrize("points", [3, 4, 7])
def test_a_perfect_line_is_one_whatever_the_rounding(points):
    x = np.arange(points) / 10
    result = pearson(x, 3 * x + 0.1)
    # SciPy: r = 1 (but for rounding), p = 0
    assert (result.estimate, result.p_value) == (1.0, 0.0)
    assert math.isnan(result.ci_low)


@pytest.mark.parametrize("scale", [1e300, 1e-310])
def test_pearson_does_not_depend_on_the_scale(scale):
    x, y = np.array([1.0, 5.0, 2.0, 8.0]), [1.0, 2.0, 3.0, 4.0]
    assert pearson(x * scale, y).estimate == pytest.approx(stats.pearsonr(x, y).statistic)


@pytest.mark.parametrize("correlate", [pearson, spearman])
def test_too_few_points_for_an_interval_say_so(correlate):
    two, three = correlate([1, 2], [3, 4]), correlate([1, 2, 3], [1, 3, 2])
    assert math.isnan(two.p_value)
    assert "two points" in two.reason
    assert math.isfinite(three.p_value)
    assert math.isnan(three.ci_low)
    assert "no interval" in three.reason


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="equally long"):
        pearson([1, 2], [1, 2, 3])


@pytest.mark.parametrize("correlate", [pearson, spearman])
def test_a_perfect_correlation_has_no_interval(correlate):
    result = correlate([1, 2, 3, 4], [2, 4, 6, 8])
    assert result.estimate == 1
    assert math.isnan(result.ci_low)
    assert result.reason == "a correlation of 1 or -1 has no interval"


def test_fisher_interval_is_that_of_rs_psych():
    # comparison.R: psych::r.con(.5, 30)
    assert fisher_interval(0.5, 30) == pytest.approx((0.170431365112, 0.728958556388), abs=1e-11)


def test_euclidean():
    assert euclidean([1, 2, math.nan], [4, 6, 1]).estimate == 5
    assert euclidean([], []).reason == "no points"


@pytest.mark.parametrize(
    ("r", "n", "z", "digits"),
    [
        # Meng, Rosenthal and Rubin (1992), the paper's own example
        ((0.63, -0.03, -0.19), 15, 1.68, 2),
        # DEPCOR (Silver, Hittner and May 2006), as documented in R's cocor
        ((0.3, 0.4, 0.5), 100, -1.0707, 4),
        # May and Hittner (1997), Table 1
        ((0.5, 0.2, 0.0), 50, 1.62, 2),
        ((0.5, 0.2, 0.4), 50, 2.06, 2),
        ((0.5, 0.2, 0.8), 50, 3.50, 2),
        ((0.7, 0.4, 0.0), 50, 2.03, 2),
        ((0.7, 0.4, 0.4), 50, 2.47, 2),
        ((0.7, 0.4, 0.8), 50, 4.05, 2),
    ],
)
def test_meng_repeats_published_examples(r, n, z, digits):
    assert round(meng(*r, n).statistic, digits) == z


def test_mengs_own_example_has_its_p_value():
    assert round(meng(0.63, -0.03, -0.19, 15).p_value / 2, 3) == 0.047  # one-sided in the paper
    assert round(meng(0.3, 0.4, 0.5, 100).p_value, 4) == 0.2843  # DEPCOR


def test_steiger_overlapping_repeats_published_examples():
    # Steiger (1980), case A: -.8913 by hand with a covariance of .0042; cocor gives -0.8887185.
    assert round(steiger_overlapping(0.4, 0.5, 0.1, 103).statistic, 7) == -0.8887185
    assert steiger_overlapping(0.4, 0.5, 0.1, 103).statistic == pytest.approx(-0.8913, abs=0.003)
    depcor = steiger_overlapping(0.3, 0.4, 0.5, 100)
    assert (round(depcor.statistic, 4), round(depcor.p_value, 4)) == (-1.0718, 0.2838)


def test_steiger_nonoverlapping_repeats_published_examples():
    # Steiger (1980), case B: -1.4045 by hand; cocor gives -1.4050.
    case_b = steiger_nonoverlapping(0.5, 0.6, r_jh=0.8, r_jm=0.5, r_kh=0.5, r_km=0.7, n=103)
    assert round(case_b.statistic, 4) == -1.4050
    depcor = steiger_nonoverlapping(0.3, 0.4, r_jh=0.5, r_jm=0.8, r_kh=0.6, r_km=0.7, n=100)
    assert (round(depcor.statistic, 4), round(depcor.p_value, 4)) == (-1.0744, 0.2827)


def test_fisher_independent_repeats_published_examples():
    # Guilford and Fruchter (1978), p. 164; Cohen et al. (2003), p. 49; cocor's tests.
    assert round(fisher_independent(0.92, 60, 0.82, 50).statistic, 2) == 2.19
    assert round(fisher_independent(0.657, 62, 0.430, 143).statistic, 6) == 2.110737
    result = fisher_independent(0.4, 100, 0.5, 100)
    assert round(result.statistic, 10) == -0.8751012342
    assert round(result.p_value, 10) == 0.3815188256
    assert result.n == 200


@pytest.mark.parametrize(
    "test",
    [
        lambda r, n: meng(r, 0.2, 0.1, n),
        lambda r, n: steiger_overlapping(r, 0.2, 0.1, n),
        lambda r, n: steiger_nonoverlapping(r, 0.2, r_jh=0.1, r_jm=0.1, r_kh=0.1, r_km=0.1, n=n),
        lambda r, n: fisher_independent(r, n, 0.2, n),
    ],
)
def test_a_comparison_that_cannot_be_made_says_why(test):
    assert "at least 4" in test(0.5, 3).reason
    assert "Fisher z" in test(1.0, 10).reason
    assert "undefined" in test(math.nan, 10).reason
    assert math.isnan(test(1.0, 10).p_value)
    with pytest.raises(ValueError, match="not a correlation"):
        test(1.5, 10)


def test_two_copies_of_one_variable_cannot_be_compared():
    assert meng(0.5, 0.5, 1.0, 10).reason == "the two variables are the same"
    assert steiger_overlapping(0.5, 0.5, 1.0, 10).reason == "the two correlations move as one"


def test_paper_z_repeats_the_papers_tables():
    # nuance, Tables 4, 6 and 7
    assert paper_z(0.727230, 0.796242) == pytest.approx(-0.198997, abs=5e-6)
    assert paper_z(0.548494, 0.616159) == pytest.approx(-0.155581, abs=5e-6)
    assert paper_test(0.727230, 0.796242, 6).p_value == pytest.approx(
        2 * stats.norm.sf(0.198997), abs=1e-5
    )
    assert math.isnan(paper_z(1, 1))
    assert paper_test(math.nan, 0.5, 6).reason == "a correlation is undefined"


def test_normalize_paper_and_pearson_repeat_table_3():
    # nuance, Tables 2 and 3: GS, GPT4 Preview r = 0.830253, p = 0.040775
    names = [
        "sentiment_change",
        "sentiment_slope",
        "simplicity",
        "recycling",
        "agreeability",
        "active_listening",
    ]
    gold = normalize_paper(
        dict(zip(names, [0.7017, 0.5003, 86.8240, 0.0725, 6.6000, 7.3294], strict=True))
    )
    model = normalize_paper(
        dict(zip(names, [0.7141, 0.5003, 53.9883, 0.0696, 7.7694, 8.4884], strict=True))
    )
    result = pearson([gold[n] for n in names], [model[n] for n in names])
    assert result.estimate == pytest.approx(0.830253, abs=5e-6)
    assert result.p_value == pytest.approx(0.040775, abs=5e-6)
