"""From several people's answers to a question: which is the gold standard, which the baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attunement.datasets.base import stable_hash
from attunement.tables import REFERENCE

THERAPIST = "therapist"
"""The ``source`` of a person's answer that is not the gold standard."""


@dataclass
class Answer:
    """One answer; ``upvotes`` is None where it is not known."""

    text: str
    upvotes: int | None = None


def ranked(answers: list[Answer], seed: int) -> list[Answer]:
    """Return the answers, most upvoted first; the first is the gold standard.

    Answers with equally many upvotes stand in the order of a hash of seed and text, which has to do
    neither with their order in the file nor with their length. Unknown upvotes come last.
    """
    return sorted(
        answers,
        key=lambda a: (a.upvotes is None, -(a.upvotes or 0), stable_hash(seed, a.text)),
    )


def is_tied(answers: list[Answer]) -> bool:
    """Say whether the first of the ranked answers was chosen among equals."""
    return len(answers) > 1 and answers[0].upvotes == answers[1].upvotes


def responses(item_id: str, answers: list[Answer]) -> list[dict[str, Any]]:
    """Return response rows: the first answer as ``reference``, the others as ``therapist`` 0, 1."""
    rows = []
    for place, answer in enumerate(answers):
        source, candidate = (REFERENCE, 0) if place == 0 else (THERAPIST, place - 1)
        rows.append(
            {"item_id": item_id, "source": source, "candidate": candidate, "text": answer.text}
        )
    return rows


def tie_note(tied: int, several: int, voted: bool) -> str | None:
    """Say in a sentence how often the gold standard was drawn; None where it never was."""
    if not tied:
        return None
    if not voted:
        return (
            f"No answer has an upvote: the reference of the {several} questions with several "
            "answers was drawn by the seed."
        )
    return (
        f"Of {several} questions with several answers, {tied} have more than one most upvoted "
        "answer; there the reference was drawn by the seed."
    )


def whole_number(text: str | None) -> int | None:
    """Return a count of upvotes, None where the text is none."""
    try:
        return int(float(text or ""))
    except (ValueError, OverflowError):
        return None
