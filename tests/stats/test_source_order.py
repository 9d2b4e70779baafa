"""In which order a judge puts sources."""

import math

import numpy as np
import pytest
from scipy import stats

from attunement.stats.source_order import source_order

MEANS = {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.9}


def rated(judge_means: dict[str, float], n: int = 60, noise: float = 0.5):
    rng = np.random.default_rng(1)
    sources = np.tile(list(MEANS), n)
    people = np.stack(
        [np.array([MEANS[s] for s in sources]) + rng.normal(0, noise, sources.size)] * 3, axis=1
    )
    judge = np.array([judge_means[s] for s in sources]) + rng.normal(0, noise, sources.size)
    return judge, people, list(sources), np.repeat(np.arange(n), 4)


def test_the_same_order() -> None:
    judge, people, sources, clusters = rated(MEANS)
    order = source_order(judge, people, sources, clusters=clusters)
    means = [[np.mean(x[np.array(sources) == s]) for s in MEANS] for x in (judge, people[:, 0])]
    assert order.spearman.estimate == pytest.approx(stats.spearmanr(*means).statistic)
    tau = stats.kendalltau(*means).statistic
    assert order.discordant.estimate == pytest.approx((1 - tau) / 2)
    assert (order.spearman.n, order.discordant.n) == (4, 6)
    said = {(p.a, p.b): p.order for p in order.pairs}
    assert said["a", "b"] == said["b", "c"] == said["a", "d"] == "same"
    assert said["c", "d"] == "open"


def test_the_other_order_is_found_and_named() -> None:
    swapped = {**MEANS, "a": 3.0, "b": 4.0}
    judge, people, sources, clusters = rated(swapped)
    order = source_order(judge, people, sources, clusters=clusters)
    (pair,) = [p for p in order.pairs if p.order == "opposite"]
    assert (pair.a, pair.b) == ("a", "b")
    assert pair.people.estimate == pytest.approx(1.0, abs=0.15)
    assert pair.judge.estimate == pytest.approx(-1.0, abs=0.15)
    assert pair.judge.ci_level == pytest.approx(1 - 0.05 / 6)
    # the pair that people hardly tell apart may go either way in a resample
    assert order.discordant.ci_low <= 1 / 6 + 1e-9 <= order.discordant.ci_high + 1e-9


def test_a_tie_by_the_judge_is_half_and_a_tie_by_people_does_not_count() -> None:
    sources = ["a", "b", "c"]
    tied = source_order([1, 1, 2], [[1], [2], [3]], sources, replicates=0)
    assert tied.discordant.estimate == pytest.approx((0.5 + 0 + 0) / 3)
    people = source_order([1, 2, 3], [[1], [1], [3]], sources, replicates=0)
    assert people.discordant.estimate == 0
    assert (people.discordant.n, people.discordant.n_missing) == (2, 1)
    everyone = source_order([1, 2, 3], [[1], [1], [1]], sources, replicates=0)
    assert math.isnan(everyone.discordant.estimate)
    assert everyone.discordant.reason == "one side gives all sources the same mean"


def test_one_source_has_no_order() -> None:
    order = source_order([1, 2], [[1], [2]], ["a", "a"])
    assert order.pairs == ()
    assert order.spearman.reason == order.discordant.reason == "one source: there is no order"
