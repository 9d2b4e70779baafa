"""A judge against several people, held against scikit-learn and SciPy."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from attunement.stats.judge_agreement import (
    absolute_error,
    bias,
    correlation,
    kappa_with_people,
    people_mean,
    spearman_by_item,
)

NAN = math.nan


def table(seed: int = 1, n: int = 80, p: int = 4):
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1, n)
    people = np.clip(np.rint(truth[:, None] + rng.normal(0, 0.8, (n, p))), 1, 5)
    people[rng.random((n, p)) < 0.25] = NAN
    judge = np.clip(np.rint(truth + 0.5 + rng.normal(0, 0.8, n)), 1, 5)
    judge[:3] = NAN
    return judge, people


def test_bias_and_error_are_means_over_items() -> None:
    judge, people = table()
    both = np.isfinite(judge) & np.isfinite(people).any(axis=1)
    there = judge[both] - np.nanmean(people[both], axis=1)
    result = bias(judge, people)
    assert result.estimate == pytest.approx(there.mean(), abs=1e-12)
    assert (result.n, result.n_missing) == (there.size, 80 - there.size)
    assert result.ci_low < result.estimate < result.ci_high
    half = 1.96 * there.std(ddof=1) / math.sqrt(there.size)
    assert result.ci_high - result.ci_low == pytest.approx(2 * half, rel=0.15)
    assert absolute_error(judge, people).estimate == pytest.approx(np.abs(there).mean(), abs=1e-12)


def test_answers_to_one_question_are_drawn_together() -> None:
    judge, people = table()
    clusters = np.arange(80) // 4
    shift = np.where(clusters % 2, 1.0, -1.0)
    together = bias(judge + shift, people, clusters=clusters)
    alone = bias(judge + shift, people)
    assert together.estimate == alone.estimate
    assert together.ci_high - together.ci_low > 1.3 * (alone.ci_high - alone.ci_low)


@pytest.mark.parametrize("weights", ["quadratic", "identity"])
def test_kappa_is_the_mean_of_scikit_learns(weights) -> None:
    judge, people = table()
    expected = []
    for person in people.T:
        both = np.isfinite(person) & np.isfinite(judge)
        used = None if weights == "identity" else weights
        expected.append(
            cohen_kappa_score(
                judge[both], person[both], weights=used, labels=[1.0, 2.0, 3.0, 4.0, 5.0]
            )
        )
    result = kappa_with_people(judge, people, weights)
    assert result.estimate == pytest.approx(np.mean(expected), abs=1e-12)
    assert result.ci_low < result.estimate < result.ci_high


def test_a_judge_that_always_says_the_same_agrees_no_more_than_chance() -> None:
    _, people = table()
    assert kappa_with_people(np.ones(80), people).estimate == pytest.approx(0, abs=1e-12)
    constant = kappa_with_people(np.ones(20), np.ones((20, 2)))
    assert math.isnan(constant.estimate)
    assert constant.reason is not None
    assert "one and the same value" in constant.reason


def test_no_interval_where_people_share_few_items_with_the_judge() -> None:
    judge, people = table()
    people[12:] = NAN
    result = kappa_with_people(judge, people)
    assert math.isnan(result.ci_low)
    assert result.reason is not None
    assert "no interval: half of the people share" in result.reason


def test_spearman_is_scipys_and_so_is_each_resample() -> None:
    judge, people = table()
    center = people_mean(people)
    kept = np.isfinite(judge) & np.isfinite(center)
    expected = stats.spearmanr(judge[kept], np.round(center[kept], 9)).statistic
    result = spearman_by_item(judge, people)
    assert result.estimate == pytest.approx(expected, abs=1e-12)
    rows = np.random.default_rng(2).integers(0, 80, 80)
    drawn = spearman_by_item(judge[rows], people[rows]).estimate
    both = np.isfinite(judge[rows]) & np.isfinite(center[rows])
    assert drawn == pytest.approx(
        stats.spearmanr(judge[rows][both], np.round(center[rows][both], 9)).statistic, abs=1e-12
    )
    low, high = stats.bootstrap(
        (judge[kept], np.round(center[kept], 9)),
        lambda a, b: stats.spearmanr(a, b).statistic,
        paired=True,
        method="percentile",
        n_resamples=1000,
        rng=np.random.default_rng(3),
    ).confidence_interval
    assert (result.ci_low, result.ci_high) == pytest.approx((low, high), abs=0.03)


def test_undefined_has_a_reason() -> None:
    assert spearman_by_item([1, 1, 1], [[1], [2], [3]]).reason == "one side is constant"
    assert bias([NAN], [[1.0]]).reason == "no item was rated by the judge and a person"
    assert kappa_with_people([NAN], [[1.0]]).n == 0
    with pytest.raises(ValueError, match="must be"):
        bias([1, 2], [[1]])


def test_a_weighted_correlation_is_that_of_repeated_rows() -> None:
    rng = np.random.default_rng(5)
    x, y, w = rng.normal(size=9), rng.normal(size=9), rng.integers(0, 4, 9)
    expected = np.corrcoef(np.repeat(x, w), np.repeat(y, w))[0, 1]
    assert correlation(x[None], y[None], w[None].astype(float))[0] == pytest.approx(expected)
