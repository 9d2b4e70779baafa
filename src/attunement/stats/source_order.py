"""In which order a judge puts sources, beside the people who rated them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from attunement.stats.agreement.resampling import Bools, Bootstrap, Floats, estimate, ratio
from attunement.stats.bootstrap import rank_draws
from attunement.stats.judge_agreement import SAME, correlation, differences, people_mean
from attunement.stats.result import Result, input_hash


@dataclass(frozen=True)
class PairOfSources:
    """Two sources as people and as the judge tell them apart.

    Parameters
    ----------
    a, b
        The sources.
    people, judge
        Difference of means a less b, with an interval that holds for all pairs together.
    order
        ``same`` or ``opposite`` where both intervals leave 0 out, else ``open``.

    """

    a: str
    b: str
    people: Result
    judge: Result
    order: Literal["same", "opposite", "open"]


@dataclass(frozen=True)
class SourceOrder:
    """How the judge orders sources, beside the people.

    Parameters
    ----------
    spearman
        Rank correlation of the sources' means; ``n`` sources.
    discordant
        Share of pairs of sources that the judge orders the other way, the judge's tie counted as
        half; ``n`` pairs. Pairs that people's means tie have no order: ``n_missing``.
    pairs
        Each pair.

    """

    spearman: Result
    discordant: Result
    pairs: tuple[PairOfSources, ...]


def source_order(
    judge: ArrayLike,
    people: ArrayLike,
    sources: Sequence[str],
    **bootstrap: Unpack[Bootstrap],
) -> SourceOrder:
    """Compare the order of the sources by the judge with that by the people's means.

    Parameters
    ----------
    judge
        Shape (n,), NaN where missing.
    people
        Shape (n, p), NaN where a person did not rate the item.
    bootstrap
        ``replicates``, ``ci_level``, ``seed`` and ``clusters``; see `Bootstrap`.
    sources
        The source of each item.

    Returns
    -------
    SourceOrder
        Means are over the items that judge and people rated. The intervals of the pairs are at a
        level by Bonferroni, so that with the coverage that was asked for all of them hold at once.
    """
    f, y = np.asarray(judge, dtype=np.float64), np.asarray(people, dtype=np.float64)
    differences(f, y)
    center = people_mean(y)
    kept = np.isfinite(f) & np.isfinite(center)
    labels = np.asarray(sources, dtype=object)
    names = list(dict.fromkeys(labels[kept].tolist()))
    member = (labels[kept][:, None] == np.array(names, dtype=object)).astype(np.float64)
    values = np.stack([center[kept], f[kept]])

    def means(weights: Floats) -> Floats:
        """Shape (2, b, sources): people's and the judge's."""
        total = weights @ member
        return np.stack([ratio(weights @ (member * v[:, None]), total) for v in values])

    index = list(combinations(range(len(names)), 2))

    def spearman(weights: Floats) -> Floats:
        ranks = [rank_draws(np.round(m, 9)) for m in means(weights)]
        whole = np.isfinite(means(weights)).all(axis=(0, 2))
        r = correlation(ranks[0], ranks[1], np.ones(ranks[0].shape))
        return np.where(whole, r, np.nan)

    def discordant(weights: Floats) -> Floats:
        by_people, by_judge = means(weights)
        signs = [_signs(m, index) for m in (by_people, by_judge)]
        decided = signs[0] != 0
        apart = np.where(decided, (1 - signs[0] * signs[1]) / 2, 0.0)
        return ratio(apart.sum(axis=1), decided.sum(axis=1).astype(np.float64))

    inputs = input_hash(f, y, labels.astype(str))
    by_people = means(np.ones((1, int(kept.sum()))))[0]
    tied = int((_signs(by_people, index) == 0).sum()) if index else 0
    few = None if len(names) > 1 else "one source: there is no order"
    results = []
    for name, statistic, method, n, left_out in (
        ("spearman_by_source", spearman, "Spearman correlation of sources' means", len(names), 0),
        (
            "discordant_pairs",
            discordant,
            "share of pairs of sources in the other order",
            len(index) - tied,
            tied,
        ),
    ):
        result = estimate(
            name,
            statistic,
            kept if few is None else np.zeros_like(kept),
            method=method,
            inputs=inputs,
            nothing=few or "no item was rated by the judge and a person",
            constant="one side gives all sources the same mean",
            **bootstrap,
        )
        results.append(replace(result, n=n if few is None else 0, n_missing=left_out))
    pairs = _pairs(names, index, means, kept, inputs, bootstrap)
    return SourceOrder(results[0], results[1], pairs)


def _signs(means: Floats, index: list[tuple[int, int]]) -> Floats:
    apart = np.stack([means[:, a] - means[:, b] for a, b in index], axis=1)
    return np.asarray(np.where(np.abs(apart) <= SAME, 0.0, np.sign(apart)), dtype=np.float64)


def _pairs(
    names: list[str],
    index: list[tuple[int, int]],
    means: Callable[[Floats], Floats],
    kept: Bools,
    inputs: str,
    bootstrap: Bootstrap,
) -> tuple[PairOfSources, ...]:
    level = bootstrap.get("ci_level", 0.95)
    together: Bootstrap = {**bootstrap, "ci_level": 1 - (1 - level) / max(1, len(index))}
    found = []
    for a, b in index:
        both = []
        for which, who in enumerate(("people", "judge")):

            def statistic(weights: Floats, which: int = which, a: int = a, b: int = b) -> Floats:
                drawn = means(weights)[which]
                return np.asarray(drawn[:, a] - drawn[:, b], dtype=np.float64)

            both.append(
                estimate(
                    f"{who}_difference",
                    statistic,
                    kept,
                    method=f"difference of two sources' means by {who}, Bonferroni over pairs",
                    inputs=inputs,
                    parameters={"a": names[a], "b": names[b]},
                    **together,
                )
            )
        order: Literal["same", "opposite", "open"] = "open"
        sides = [_side(result) for result in both]
        if all(sides):
            order = "same" if sides[0] == sides[1] else "opposite"
        found.append(PairOfSources(names[a], names[b], both[0], both[1], order))
    return tuple(found)


def _side(result: Result) -> int:
    if result.ci_low > 0:
        return 1
    return -1 if result.ci_high < 0 else 0
