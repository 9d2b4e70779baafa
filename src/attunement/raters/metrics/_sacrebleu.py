"""What BLEU and chrF ask of `sacrebleu`.

Its public calls give a corpus score, and an interval at 95 % with one sentence a draw. Here whole
items are drawn, at any level, and answers come in batches: so the counts of each sentence are kept,
by the method that the library's own bootstrap uses. A test holds the sums to its public score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attunement.raters.metrics.base import Batch
from attunement.raters.metrics.whole import Floats


def pairs(batch: Batch) -> Iterator[tuple[str, str]]:
    """Yield each answer with its reference, empty where there is none."""
    return zip(batch.answers, batch.references or [""] * len(batch), strict=True)


def one(metric: Any, answer: str, reference: str) -> float:
    """Return the score of one answer."""
    return float(metric.sentence_score(answer, [reference]).score)


def counts(metric: Any, batch: Batch) -> list[list[int]]:
    """Return each answer's counts, which can be added up."""
    answers, references = zip(*pairs(batch), strict=True) if len(batch) else ((), ())
    found: list[list[int]] = metric._extract_corpus_statistics(list(answers), [list(references)])
    return found


def of_counts(metric: Any, sums: Floats) -> float:
    """Return the score that belongs to added counts."""
    return float(metric._compute_score_from_stats(sums.tolist()).score)


def said(metric: Any) -> Mapping[str, object]:
    """Return the library's signature, with its version under its own name."""
    metric.num_refs = 1
    found = dict(metric.get_signature().info)
    version = found.pop("version")
    return {**{k: v for k, v in found.items() if v is not None}, "sacrebleu": version}
