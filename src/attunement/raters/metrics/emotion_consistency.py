"""Emotion consistency: whether answer and reference show the same emotions in the same order.

Source: *nuance*, Algorithm 1. The paper ranks the emotions by a fine-tuned RoBERTa and compares
the rankings by rank-biased overlap; it gives neither a threshold nor the persistence p.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from functools import lru_cache

from attunement.raters.metrics.base import Batch, Metric, Score, Variant
from attunement.raters.metrics.rbo import rbo, tie_groups

P = 0.9
"""Persistence of the overlap: the first three ranks weigh about half."""


def rate(batch: Batch, variant: Variant) -> list[Score]:
    """Return the overlap of each answer's emotions with its reference's, 0 to 1.

    One list empty gives 0; both empty is not applicable. ``standard`` is tie-aware; ``paper`` is
    the plain overlap, where equal weights keep the order of the labels.
    """
    # Many answers share a reference: each text is classified once.
    texts = list(dict.fromkeys(t for t in (*batch.answers, *batch.references) if t.strip()))
    ranked = dict(zip(texts, batch.emotions.rank(texts), strict=True)) if texts else {}
    groups = {
        t: tuple(
            map(tuple, tie_groups(r) if variant == "standard" else ([label] for label, _ in r))
        )
        for t, r in ranked.items()
    }
    references = batch.references or [""] * len(batch)
    return [
        _score(_overlap(groups.get(answer, ()), groups.get(reference, ())))
        for answer, reference in zip(batch.answers, references, strict=True)
    ]


def _score(value: float) -> Score:
    if math.isnan(value):
        return Score(None, "neither the answer nor the reference shows an emotion")
    return Score(value)


@lru_cache(maxsize=16_384)
def _overlap(
    answer: tuple[tuple[Hashable, ...], ...], reference: tuple[tuple[Hashable, ...], ...]
) -> float:
    return rbo(answer, reference, p=P)


def _parameters(batch: Batch, variant: Variant) -> Mapping[str, object]:
    ties = "a" if variant == "standard" else "none"
    return {"overlap": "rbo_ext", "p": P, "ties": ties, "emotion": batch.emotions.name}


METRIC = Metric(
    name="emotion_consistency",
    summary="Overlap of the answer's ranked emotions with the reference's; 0 to 1.",
    rate=rate,
    needs=("reference",),
    variants=("standard", "paper"),
    category=1,
    english=True,
    parameters=_parameters,
)
