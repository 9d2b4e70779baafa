"""BLEU: how many n-grams of the answer are in the reference.

Source: Papineni et al. (2002), as `sacrebleu` computes it (Post 2018).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from attunement.raters.metrics import _sacrebleu
from attunement.raters.metrics._tokens import why_no_words
from attunement.raters.metrics.base import RESPONSE_METRICS, Batch, Metric, Score, Variant
from attunement.raters.metrics.whole import Floats, Whole, of_sums

ORDER = 4


def rate(batch: Batch, variant: Variant) -> list[Score]:
    """Return BLEU of each answer against its reference, 0 to 100.

    Of an answer with fewer than four tokens only the orders that it has count, and an order without
    a match is smoothed (``eff:yes``, ``smooth:exp`` in the signature). An answer or a reference in
    a script without spaces between words is not applicable: its tokens would be whole sentences.
    """
    bleu = _bleu(effective_order=True)
    scores = []
    for answer, reference in _sacrebleu.pairs(batch):
        why = why_no_words((("answer", answer), ("reference", reference)))
        scores.append(Score(None, why) if why else Score(_sacrebleu.one(bleu, answer, reference)))
    return scores


def corpus(sums: Floats, variant: Variant) -> Floats:
    """Return BLEU of summed counts, shape (b, 10); NaN where no answer has four tokens.

    The columns are those of `_sacrebleu.counts`: length of answers and of references, matches of
    each order, n-grams of each order.
    """
    bleu = _bleu(effective_order=False)
    possible = sums[:, 2 + ORDER :].min(axis=1) > 0
    return np.array(
        [
            _sacrebleu.of_counts(bleu, row) if there else np.nan
            for row, there in zip(sums, possible, strict=True)
        ]
    )


@cache
def _bleu(*, effective_order: bool) -> Any:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(effective_order=effective_order, force=True)


def _parts(batch: Batch, variant: Variant) -> list[list[int]]:
    return _sacrebleu.counts(_bleu(effective_order=False), batch)


def _parameters(*, effective_order: bool) -> Mapping[str, object]:
    return _sacrebleu.said(_bleu(effective_order=effective_order))


METRIC = Metric(
    name="bleu",
    summary="BLEU against the reference, 0 to 100; of a system over all its answers.",
    rate=rate,
    needs=("reference",),
    category=1,
    parameters=lambda batch, variant: _parameters(effective_order=True),
    instrument=RESPONSE_METRICS,
    by_default=False,
    whole=Whole(
        parts=_parts,
        combine=of_sums(
            "bleu",
            corpus,
            method="corpus BLEU",
            undefined="no answer has four tokens",
        ),
        parameters=lambda batch, variant: _parameters(effective_order=False),
    ),
)
