"""How many words an answer has."""

from __future__ import annotations

from attunement.raters.metrics._tokens import why_no_words
from attunement.raters.metrics.base import RESPONSE_METRICS, Batch, Metric, Score, Variant


def rate(batch: Batch, variant: Variant) -> list[Score]:
    """Return each answer's number of words, as `attunement.text.words` finds them.

    An answer without words, or in a script without spaces between them, is not applicable.
    """
    return [
        Score(None, why) if (why := why_not(answer, words)) else Score(float(len(words)))
        for answer, words in zip(batch.answers, batch.words, strict=True)
    ]


def why_not(answer: str, words: list[str]) -> str | None:
    """Return why the words of an answer cannot be counted, or None."""
    return why_no_words((("answer", answer),)) or (None if words else "the answer has no words")


METRIC = Metric(
    name="length",
    summary="Words of the answer.",
    rate=rate,
    instrument=RESPONSE_METRICS,
    by_default=False,
)
