"""Perplexity: how much a language model is surprised by the answer."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from attunement.raters.metrics.base import RESPONSE_METRICS, Batch, Metric, Score, Variant
from attunement.raters.metrics.whole import Floats, Whole, of_sums

_TOO_MUCH = 700.0
"""Nats a token above which the exponential leaves the range of a double."""


def rate(batch: Batch, variant: Variant) -> list[Score]:
    """Return exp(nats / tokens) of each answer, 1 and above; what was said before is not read."""
    return [
        Score(math.exp(nats / tokens))
        if tokens and nats / tokens < _TOO_MUCH
        else Score(None, _IMPOSSIBLE if tokens else _NO_TOKENS)
        for nats, tokens in batch.surprises
    ]


_NO_TOKENS = "the answer has no token that follows another"
_IMPOSSIBLE = "the model gives it no probability"


def corpus(sums: Floats, variant: Variant) -> Floats:
    """Return the number of a system from sums, shape (b, 2).

    ``standard``: exp of all nats over all tokens. ``paper``: the mean of the answers' perplexities,
    as the library *evaluate* has it, in which one unreadable answer outweighs a thousand others.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        each = np.where(sums[:, 1] > 0, sums[:, 0] / sums[:, 1], np.nan)
    return each if variant == "paper" else np.exp(each)


def _parts(batch: Batch, variant: Variant) -> list[tuple[float, float]]:
    if variant == "standard":
        return [(nats, float(tokens)) for nats, tokens in batch.surprises]
    return [(score.value or 0.0, float(score.value is not None)) for score in rate(batch, variant)]


def _parameters(batch: Batch, variant: Variant) -> Mapping[str, object]:
    return {"model": batch.language.name, "window": batch.language.window}


def _of_system(batch: Batch, variant: Variant) -> Mapping[str, object]:
    over = "answers" if variant == "paper" else "tokens"
    return {**_parameters(batch, variant), "over": over}


METRIC = Metric(
    name="perplexity",
    summary="Perplexity of the answer under a language model, 1 and above.",
    rate=rate,
    variants=("standard", "paper"),
    parameters=_parameters,
    instrument=RESPONSE_METRICS,
    by_default=False,
    whole=Whole(
        parts=_parts,
        combine=of_sums(
            "perplexity",
            corpus,
            method="perplexity of all answers",
            undefined=_IMPOSSIBLE,
        ),
        parameters=_of_system,
    ),
)
