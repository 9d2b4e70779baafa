"""Distinct-n: how little an answer, or a system over all its answers, repeats itself.

Source: Li et al. (2016), section 5.3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attunement.raters.metrics.base import RESPONSE_METRICS, Batch, Metric, Score, Variant
from attunement.raters.metrics.length import why_not
from attunement.raters.metrics.whole import Answers, Whole
from attunement.stats.agreement.resampling import Bootstrap
from attunement.stats.result import Result, input_hash, signature


def distinct(words: Sequence[str], n: int, variant: Variant = "standard") -> float:
    """Return the share of n-grams that are different; NaN where there is none.

    ``standard`` divides by the n-grams, so that 1 is no repetition at all; ``paper`` by the words,
    as Li et al. do, so that distinct-2 of a text of m words is at most (m - 1) / m.

    >>> distinct("i am sad i am".split(), 2)
    0.75
    >>> distinct("i am sad i am".split(), 2, "paper")
    0.6

    """
    grams = ngrams(words, n)
    return len(set(grams)) / _size(len(words), n, variant) if grams else math.nan


def ngrams(words: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """Return the sequences of n words, in order."""
    return list(zip(*(words[i:] for i in range(n)), strict=False))


def _size(words: int, n: int, variant: Variant) -> int:
    return words if variant == "paper" else words - n + 1


def _rate(n: int) -> Callable[[Batch, Variant], list[Score]]:
    def rate(batch: Batch, variant: Variant) -> list[Score]:
        """Return distinct-n of each answer, 0 to 1."""
        return [
            Score(None, why_not(answer, words) or f"the answer has fewer than {n} words")
            if len(words) < n or why_not(answer, words)
            else Score(distinct(words, n, variant))
            for answer, words in zip(batch.answers, batch.words, strict=True)
        ]

    return rate


Part = tuple[NDArray[np.int64], int]
"""The hash of every n-gram of an answer, and what distinct-n divides by."""


def _parts(n: int) -> Callable[[Batch, Variant], list[Part]]:
    def parts(batch: Batch, variant: Variant) -> list[Part]:
        return [
            # A number an n-gram, of 8 bytes: the words of a large study would not fit.
            (np.array([hash(gram) for gram in set(ngrams(words, n))], dtype=np.int64), size)
            for words in batch.words
            for size in [_size(len(words), n, variant)]
        ]

    return parts


def _combine(n: int) -> Any:
    def combine(
        answers: Answers,
        variant: Variant,
        parameters: Mapping[str, object],
        bootstrap: Bootstrap,
    ) -> Result:
        level = bootstrap.get("ci_level", 0.95)
        types, owned, sizes = _count(answers)
        total = sum(sizes)
        found = types / total if total else math.nan
        without = [
            (types - own) / (total - size)
            for own, size in zip(owned, sizes, strict=True)
            if total > size
        ]
        low, high = _jackknife(found, np.array(without), level)
        return Result(
            name=f"distinct_{n}",
            estimate=found,
            ci_low=low,
            ci_high=high,
            ci_level=level,
            n=len(answers.parts),
            method=f"distinct-{n} over all answers; jackknife over items, Student's t interval",
            signature=signature(
                f"distinct_{n}",
                **parameters,
                ci="jackknife",
                level=level,
                inputs=input_hash(np.array([types, *owned, *sizes])),
            ),
            reason=_reason(len(sizes)),
        )

    return combine


def _count(answers: Answers) -> tuple[int, list[int], list[int]]:
    """Return all n-grams, and of each item those that no other has, and what it divides by."""
    grams: dict[str, list[NDArray[np.int64]]] = {}
    sizes: dict[str, int] = {}
    for (found, size), item in zip(answers.parts, answers.items, strict=True):
        grams.setdefault(item, []).append(found)
        sizes[item] = sizes.get(item, 0) + size
    each = [np.unique(np.concatenate(parts)) for parts in grams.values()]
    if not each:
        return 0, [], []
    owner = np.repeat(np.arange(len(each)), [part.size for part in each])
    unique, first, count = np.unique(np.concatenate(each), return_index=True, return_counts=True)
    own = np.bincount(owner[first[count == 1]], minlength=len(each))
    return int(unique.size), own.tolist(), list(sizes.values())


def _jackknife(found: float, without: NDArray[np.float64], level: float) -> tuple[float, float]:
    """Return Student's interval around a number with the standard error of leaving one item out.

    Efron and Tibshirani (1993), equation 11.5. Not a bootstrap: a resample holds items twice, whose
    n-grams are then repeated, and its distinct-n lies below that of the answers.
    """
    m = without.size
    if m < 2:
        return math.nan, math.nan
    from scipy.special import stdtrit

    error = math.sqrt((m - 1) / m * float(np.sum((without - without.mean()) ** 2)))
    half = float(stdtrit(m - 1, (1 + level) / 2)) * error
    return max(0.0, found - half), min(1.0, found + half)


def _reason(items: int) -> str | None:
    return {0: "no values", 1: "one item: no interval"}.get(items)


def _parameters(batch: Batch, variant: Variant) -> Mapping[str, object]:
    return {"words": "lower-case", "per": "word" if variant == "paper" else "n-gram"}


def _metric(n: int, what: str) -> Metric:
    return Metric(
        name=f"distinct_{n}",
        summary=f"Share of {what} that are different; 0 to 1; of a system over all its answers.",
        rate=_rate(n),
        variants=("standard", "paper"),
        parameters=_parameters,
        instrument=RESPONSE_METRICS,
        by_default=False,
        whole=Whole(parts=_parts(n), combine=_combine(n), parameters=_parameters),
    )


METRICS = (_metric(1, "words"), _metric(2, "pairs of words"))
