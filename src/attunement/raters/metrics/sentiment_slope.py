"""Intra-response sentiment: whether the answer grows more positive from beginning to end.

Source: *nuance*, Algorithm 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from attunement.raters.metrics.base import Batch, Metric, Score, Variant
from attunement.raters.metrics.sentiment_change import sentiment_parameters, sigmoid


def rate(batch: Batch, variant: Variant) -> list[Score]:
    """Return the slope of polarity over each answer.

    ``standard``: over its sentences at positions 0 to 1, so that the slope is the change from
    beginning to end whatever the length; at least two sentences. ``paper``: the sigmoid of the
    slope over the pieces between full stops, empty ones kept, at positions 0, 1, 2, ...; one piece
    is 0.5.
    """
    if variant == "standard":
        pieces = batch.sentences
    else:
        pieces = [answer.split(".") for answer in batch.answers]
    # One call for the whole batch: a model that works in batches is not asked answer by answer.
    polarities = iter(batch.sentiment.polarity(list(chain.from_iterable(pieces))))
    values = [[next(polarities) for _ in of_one] for of_one in pieces]
    if variant == "paper":
        return [Score(sigmoid(slope(y)) if len(y) > 1 else 0.5) for y in values]
    return [
        Score(slope(y) * (len(y) - 1)) if len(y) > 1 else Score(None, "only one sentence")
        for y in values
    ]


def slope(values: Sequence[float]) -> float:
    """Return the least-squares slope of two or more values at positions 0, 1, 2, ...

    >>> slope([0.0, 0.5, 1.0])
    0.5
    """
    n = len(values)
    middle = (n - 1) / 2
    # The squared distances of 0, 1, ..., n - 1 from their middle sum to n (n^2 - 1) / 12.
    return sum((x - middle) * y for x, y in enumerate(values)) * 12 / (n * (n * n - 1))


METRIC = Metric(
    name="sentiment_slope",
    summary="Change of polarity from the answer's beginning to its end (paper: 0 to 1).",
    rate=rate,
    variants=("standard", "paper"),
    english=True,
    parameters=sentiment_parameters,
)
