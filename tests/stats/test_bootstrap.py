import math

import numpy as np
import pytest
from scipy import stats

from attunement.stats.bootstrap import (
    bca_interval,
    bootstrap_mean,
    bootstrap_means,
    counts,
    mean_intervals,
    percentile_interval,
    probability_of_least,
    rank_draws,
)

SKEWED = np.random.default_rng(3).exponential(size=40)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_intervals_agree_with_scipys_bootstrap(method):
    theirs = stats.bootstrap(
        (SKEWED,),
        np.mean,
        n_resamples=20_000,
        method={"bca": "BCa", "percentile": "percentile"}[method],
        rng=np.random.default_rng(1),
    ).confidence_interval
    ours = bootstrap_mean(SKEWED, replicates=20_000, method=method)
    # Two sets of 20,000 resamples differ by about 0.006 at the limits.
    assert (ours.ci_low, ours.ci_high) == pytest.approx((theirs.low, theirs.high), abs=0.015)


def test_bca_of_given_draws_follows_the_formula():
    draws = bootstrap_means(SKEWED[:, None], replicates=999, seed=5)
    low, high = bca_interval(draws, SKEWED[:, None])
    # Efron and Tibshirani (1993), 14.10, 14.14 and 14.15, the jackknife done item by item
    z0 = stats.norm.ppf(np.mean(draws[:, 0] < SKEWED.mean()))
    jack = np.array([np.delete(SKEWED, i).mean() for i in range(SKEWED.size)])
    d = jack.mean() - jack
    a = (d**3).sum() / (6 * (d**2).sum() ** 1.5)
    for z, limit in ((stats.norm.ppf(0.025), low), (stats.norm.ppf(0.975), high)):
        p = stats.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z)))
        assert limit[0] == pytest.approx(np.quantile(draws[:, 0], p))


def test_the_seed_repeats_the_draws_and_another_changes_them():
    x = SKEWED[:, None]
    assert np.array_equal(bootstrap_means(x, seed=4), bootstrap_means(x, seed=4))
    assert not np.array_equal(bootstrap_means(x, seed=4), bootstrap_means(x, seed=5))


def test_every_resample_has_as_many_items_as_the_sample():
    blocks = list(counts(7, 100, 1))
    assert sum(len(b) for b in blocks) == 100
    assert all((b.sum(axis=1) == 7).all() for b in blocks)


def test_large_samples_are_drawn_in_blocks_of_bounded_size():
    sizes = [b.size for b in counts(300_000, 20, 1)]
    assert max(sizes) <= 2_000_000
    assert sum(sizes) == 20 * 300_000


def test_missing_values_are_left_out_of_their_column_only():
    x = np.column_stack([SKEWED, SKEWED])
    x[::2, 1] = np.nan
    draws = bootstrap_means(x)
    assert draws[:, 1].mean() == pytest.approx(np.nanmean(x[:, 1]), abs=0.02)
    assert np.allclose(draws[:, 0], bootstrap_means(SKEWED[:, None])[:, 0], atol=1e-12)


def test_few_values_get_students_interval():
    x = np.array([1.0, 2, 4, 8, 9])
    low, high, how = mean_intervals(x[:, None])
    interval = stats.t.interval(0.95, 4, loc=x.mean(), scale=stats.sem(x))
    assert (low[0], high[0]) == pytest.approx(interval)
    assert how == ["t"]
    assert "Student" in bootstrap_mean(x).method


def test_edge_cases_are_defined():
    constant = bootstrap_mean(np.ones(20))
    assert math.isnan(constant.ci_low)
    assert constant.reason == "all values are the same: no interval"
    assert bootstrap_mean([]).reason == "no values"
    one = bootstrap_mean([1.0, math.nan])
    assert (one.n, one.n_missing, one.reason) == (1, 1, "one value: no interval")
    with pytest.raises(ValueError, match="cannot draw"):
        bootstrap_means(np.empty((0, 2)))
    with pytest.raises(ValueError, match="two dimensions"):
        bootstrap_means(np.ones(3))


def test_the_interval_covers_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(11)
    samples = rng.normal(size=(30, 400))
    low, high, _ = mean_intervals(samples, replicates=1000)
    assert np.mean((low <= 0) & (high >= 0)) == pytest.approx(0.94, abs=0.03)


def test_draws_with_missing_means_still_give_percentiles():
    draws = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, np.nan], [3.0, np.nan]])
    low, high = percentile_interval(draws, level=0.5)
    assert (low[0], high[0]) == (1.5, 2.5)
    assert np.isnan(low[1])


def test_ranks_and_the_probability_of_being_best_share_ties():
    draws = [[0.1, 0.2, 0.3], [0.2, 0.2, 0.3]]
    assert rank_draws(draws).tolist() == [[1, 2, 3], [1.5, 1.5, 3]]
    assert probability_of_least(draws).tolist() == [0.75, 0.25, 0]


def test_the_size_of_the_blocks_does_not_change_the_draws():
    whole = np.concatenate(list(counts(41, 60, 1)))
    assert np.array_equal(whole, np.concatenate(list(counts(41, 60, 1, cells=100))))
