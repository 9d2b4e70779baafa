"""Whether a judge marks the sentences that people marked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Unpack

import numpy as np

from attunement.judges_vs_people._panel import Panel, Spans
from attunement.stats.agreement import Bootstrap, tokens_of
from attunement.stats.agreement.spans import marked_sentences
from attunement.stats.detection import Detection, detection

AGREED = 2
"""People who have to mark a sentence for it to count as flagged."""


@dataclass(frozen=True)
class Flagged:
    """Sentences of the answers that the judge and at least two people looked at.

    Parameters
    ----------
    found
        Recall, precision and F1 of the judge.
    answers, sentences
        How many there were.
    agreed, single
        Sentences that at least two people flagged, and that one did; the latter are left out.
    judge
        Sentences that the judge flagged.
    unlocated
        Answers whose text was not at hand, or is shorter than a span says.
    unusable
        Spans of the judge and of people that are no place in a text: they begin before it, or end
        where they begin or earlier. They mark nothing.

    """

    found: Detection
    answers: int
    sentences: int
    agreed: int
    single: int
    judge: int
    unlocated: int
    unusable: int = 0


def flagged(
    panel: Panel, judge: str, texts: dict[str, str], **bootstrap: Unpack[Bootstrap]
) -> Flagged | None:
    """Hold the sentences that a judge flagged against those that at least two people flagged.

    A sentence is flagged where spans cover at least half of its tokens. One that a single person
    flagged is neither right nor wrong to flag and is left out.

    Parameters
    ----------
    panel
        The dimension.
    judge
        The judge's name.
    texts
        The answers by id.
    bootstrap
        See `Bootstrap`.

    Returns
    -------
    Flagged or None
        None where people marked nothing at all on this dimension, or the judge never could.

    """
    people = [p for p in panel.people if p in panel.spans]
    if judge not in panel.spans or not any(panel.spans[p].values() for p in people):
        return None
    if not any(any(marks) for p in people for marks in panel.spans[p].values()):
        return None
    counts, items, unlocated, unusable = [], [], 0, 0
    totals = np.zeros(4, dtype=np.int64)
    for unit, own in panel.spans[judge].items():
        theirs = [panel.spans[p][unit] for p in people if unit in panel.spans[p]]
        if len(theirs) < AGREED:
            continue
        text = texts.get(panel.units[unit])
        if text is None or any(end > len(text) for marks in (own, *theirs) for _, end in marks):
            unlocated += 1
            continue
        unusable += sum(not _usable(span) for marks in (own, *theirs) for span in marks)
        votes = np.sum([_marks(text, marks) for marks in theirs], axis=0)
        said = _marks(text, own)
        agreed, nobody = votes >= AGREED, votes == 0
        counts.append(
            ((said & agreed).sum(), (said & nobody).sum(), (~said & agreed).sum()),
        )
        totals += (votes.size, agreed.sum(), (votes == 1).sum(), said.sum())
        items.append(panel.items[unit])
    hits, alarms, misses = np.array(counts, dtype=np.float64).reshape(-1, 3).T
    if items:
        bootstrap["clusters"] = np.array(items)
    sentences, agreed, single, judged = (int(total) for total in totals)
    return Flagged(
        found=detection(hits, alarms, misses, prefix="flag_", n_missing=unlocated, **bootstrap),
        answers=len(items),
        sentences=sentences,
        agreed=agreed,
        single=single,
        judge=judged,
        unlocated=unlocated,
        unusable=unusable,
    )


def _usable(span: tuple[int, int]) -> bool:
    return 0 <= span[0] < span[1]


def _marks(text: str, spans: Spans) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    tokens, sentences = _pieces(text)
    real = [span for span in spans if _usable(span)]
    return np.asarray(marked_sentences(real, tokens, sentences), dtype=np.bool_).reshape(-1)


@lru_cache(maxsize=4096)
def _pieces(text: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return where the tokens and the sentences that have any stand."""
    import sentencex

    tokens = tokens_of(text)
    sentences, at = [], 0
    for piece in sentencex.segment("en", text):
        start, at = at, at + len(piece)
        if any(start <= begin < at for begin, _ in tokens):
            sentences.append((start, at))
    return tokens, sentences
