"""BERTScore: how near the answer's words are to those of another text, in what they mean.

Source: Zhang et al. (2020), without weights by rarity and without rescaling.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from attunement.models.token_embeddings import TokenVectors
from attunement.raters.metrics.base import RESPONSE_METRICS, Batch, Metric, Score, Variant

_ROWS = 1024
"""Tokens compared at once, so that two long texts need no table of all with all."""


def greedy_match(answer: TokenVectors, other: TokenVectors) -> tuple[float, float, float]:
    """Return precision, recall and F, -1 to 1: each token's cosine with the nearest of the other.

    F is NaN where one of the two is below 0 and the other above, as it may be under a model whose
    vectors do not all point one way: the harmonic mean would then be any number.

    Tokens that stand for beginning and end are no words of the text, so their own match does not
    count; others may be nearest to them, as in the authors' package.

    Raises
    ------
    ValueError
        Where a text has no tokens.

    """
    if not answer.counted.any() or not other.counted.any():
        raise ValueError("a text has no tokens")
    # In blocks of the answer's rows, keeping the best of each column so far
    best_of_other = np.full(len(other.vectors), -np.inf)
    best_of_answer = np.empty(len(answer.vectors))
    for start in range(0, len(answer.vectors), _ROWS):
        block = answer.vectors[start : start + _ROWS] @ other.vectors.T
        best_of_answer[start : start + _ROWS] = block.max(axis=1)
        best_of_other = np.maximum(best_of_other, block.max(axis=0))
    precision = float(best_of_answer[answer.counted].mean())
    recall = float(best_of_other[other.counted].mean())
    return precision, recall, _f(precision, recall)


def _f(precision: float, recall: float) -> float:
    if precision * recall < 0:
        return math.nan
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0


_NO_F = "precision and recall have opposite signs, and no F"


def _against(batch: Batch, others: Sequence[str], name: str) -> list[Score]:
    # Many answers share their item's text.
    distinct = list(dict.fromkeys(others))
    known = dict(zip(distinct, batch.token_model.embed(distinct), strict=True))
    scores = []
    for answer, other in zip(batch.token_vectors, others, strict=True):
        if not answer.counted.any():
            scores.append(Score(None, "the answer has no tokens"))
        elif not known[other].counted.any():
            scores.append(Score(None, f"the {name} has no tokens"))
        else:
            f = greedy_match(answer, known[other])[2]
            scores.append(Score(None, _NO_F) if math.isnan(f) else Score(f))
    return scores


def to_reference(batch: Batch, variant: Variant) -> list[Score]:
    """Return BERTScore's F of each answer and its reference."""
    return _against(batch, batch.references or [""] * len(batch), "reference")


def to_context(batch: Batch, variant: Variant) -> list[Score]:
    """Return BERTScore's F of each answer and all that was said before it."""
    contexts = batch.contexts or batch.questions or [""] * len(batch)
    return _against(batch, contexts, "context")


def _parameters(batch: Batch, variant: Variant) -> Mapping[str, object]:
    return {
        "model": batch.token_model.name,
        "score": "f",
        "idf": "no",
        "rescaled": "no",
        "window": batch.token_model.window,
    }


METRICS = (
    Metric(
        name="bert_score",
        summary="BERTScore (F) against the reference; about 0.8 to 1 with RoBERTa large.",
        rate=to_reference,
        needs=("reference",),
        category=1,
        parameters=_parameters,
        instrument=RESPONSE_METRICS,
        by_default=False,
    ),
    Metric(
        name="bert_score_context",
        summary="BERTScore (F) against what was said before; high where the answer repeats it.",
        rate=to_context,
        needs=("question",),
        parameters=_parameters,
        instrument=RESPONSE_METRICS,
        by_default=False,
    ),
)
