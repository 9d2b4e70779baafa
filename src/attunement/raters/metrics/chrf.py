"""chrF: an F score of character n-grams, which needs no words.

Source: Popović (2015), as `sacrebleu` computes it (Post 2018).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from attunement.raters.metrics import _sacrebleu
from attunement.raters.metrics.base import RESPONSE_METRICS, Batch, Metric, Score, Variant
from attunement.raters.metrics.whole import Floats, Whole, of_sums


def rate(batch: Batch, variant: Variant) -> list[Score]:
    """Return chrF2 of each answer against its reference, 0 to 100: six orders, recall weighs 2."""
    pairs = _sacrebleu.pairs(batch)
    return [Score(_sacrebleu.one(_chrf(), answer, reference)) for answer, reference in pairs]


def corpus(sums: Floats, variant: Variant) -> Floats:
    """Return chrF2 of summed counts, shape (b, 18), as `_sacrebleu.counts` has them."""
    return np.array([_sacrebleu.of_counts(_chrf(), row) for row in sums])


@cache
def _chrf() -> Any:
    from sacrebleu.metrics.chrf import CHRF

    return CHRF()


METRIC = Metric(
    name="chrf",
    summary="chrF2 against the reference, 0 to 100; of a system over all its answers.",
    rate=rate,
    needs=("reference",),
    category=1,
    parameters=lambda batch, variant: _sacrebleu.said(_chrf()),
    instrument=RESPONSE_METRICS,
    by_default=False,
    whole=Whole(
        parts=lambda batch, variant: _sacrebleu.counts(_chrf(), batch),
        combine=of_sums("chrf", corpus, method="corpus chrF2", undefined="no characters"),
        parameters=lambda batch, variant: _sacrebleu.said(_chrf()),
    ),
)
