"""Relative sentiment change: how much more positive the answer is than the question.

Source: *nuance*, Algorithm 2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from attunement.raters.metrics.base import Batch, Metric, Score, Variant

ZERO = 1e-9
"""A polarity this near to 0 is 0: means of words that cancel leave some 1e-17."""


def rate(batch: Batch, variant: Variant) -> list[Score]:
    """Return each answer's polarity minus its question's, -2 to 2; ``paper``: see `percentage`."""
    questions = batch.questions or [""] * len(batch)
    # A question has several answers: each is read once.
    distinct = list(dict.fromkeys(questions))
    asked = dict(zip(distinct, batch.sentiment.polarity(distinct), strict=True))
    answered = batch.sentiment.polarity(batch.answers)
    pairs = ((asked[q], a) for q, a in zip(questions, answered, strict=True))
    if variant == "standard":
        return [Score(a - q) for q, a in pairs]
    return [Score(percentage(q, a)) for q, a in pairs]


def percentage(question: float, answer: float) -> float:
    """Return the paper's form: the sigmoid of (answer - question) / |question|, 0 to 1.

    Where the question's polarity is 0 the quotient has no value, and the sigmoid's limit is taken:
    1 for a positive answer, 0 for a negative one, 0.5 for an answer of polarity 0.

    Parameters
    ----------
    question, answer
        Polarities, -1 to 1.

    >>> percentage(-0.5, 0.5), percentage(0.0, -0.2), percentage(0.3, 0.3)
    (0.8807970779778823, 0.0, 0.5)

    """
    answer = 0.0 if abs(answer) < ZERO else answer
    if abs(question) < ZERO:
        return 0.5 if answer == 0 else float(answer > 0)
    return sigmoid((answer - question) / abs(question))


def sigmoid(x: float) -> float:
    """Return 1 / (1 + exp(-x)), also where exp would overflow."""
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    grown = math.exp(x)
    return grown / (1 + grown)


def sentiment_parameters(batch: Batch, variant: Variant) -> Mapping[str, object]:
    """Return what a sentiment metric's signature says of its model."""
    return {"sentiment": batch.sentiment.name}


METRIC = Metric(
    name="sentiment_change",
    summary="Polarity of the answer minus that of the question; -2 to 2 (paper: 0 to 1).",
    rate=rate,
    needs=("question",),
    variants=("standard", "paper"),
    english=True,
    parameters=sentiment_parameters,
)
