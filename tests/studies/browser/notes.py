"""What people gave in a study, as they noted it down, and as an export has it."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any, Protocol

import polars as pl

Note = tuple[float | None, str, str | None, tuple[tuple[int, int, str | None], ...], str | None]
"""Value, status, labels, passages as code points with their label, and reason."""
Notes = dict[tuple[str, str], Note]
"""What somebody gave, by the text it is about and the question."""


class Noting(Protocol):
    """Somebody with a code, who notes down what they give by kind of page."""

    code: str
    notes: dict[str, Notes]


def opinion(person: str, about: str, dimension: str, top: int, low: int = 1) -> int:
    """Return a rating that is another for other people, texts and questions, and always the same.

    Whatever comes out at a wrong place is then seen.
    """
    return low + zlib.crc32(f"{person}|{about}|{dimension}".encode()) % (top - low + 1)


def passage(text: str, words: str, label: str | None = None) -> tuple[int, int, str | None]:
    """Return where words are in a text, in code points."""
    assert text.count(words) == 1
    start = text.index(words)
    return start, start + len(words), label


def exported(
    frame: pl.DataFrame, texts: dict[str, str], names: dict[str, str] | None = None
) -> dict[str, list[tuple[Any, Note]]]:
    """Return an exported table of ratings as notes, by rater.

    Parameters
    ----------
    frame
        Ratings.
    texts
        What the people read, by the unit's id: passages have to be in it where they say.
    names
        What the notes call a unit, where that is not its id.

    """
    found: dict[str, list[tuple[Any, Note]]] = {}
    for row in frame.iter_rows(named=True):
        unit = row["unit_id"]
        spans = row["spans"] or []
        assert all(texts[unit][s["start"] : s["end"]] == s["text"] for s in spans)
        note = (
            row["value"],
            row["status"],
            None if row["labels"] is None else "|".join(sorted(row["labels"])),
            tuple(sorted((s["start"], s["end"], s["label"]) for s in spans)),
            row["rationale"],
        )
        about = (names or {}).get(unit, unit)
        found.setdefault(row["rater"], []).append(((about, row["dimension"]), note))
    return {rater: sorted(rows, key=lambda row: row[0]) for rater, rows in found.items()}


def noted(people: Iterable[Noting], kind: str) -> dict[str, list[tuple[Any, Note]]]:
    """Return what people gave, by rater, as `exported` has it."""
    return {
        person.code: sorted(person.notes[kind].items(), key=lambda row: row[0])
        for person in people
        if person.notes.get(kind)
    }


def differences(
    people: Iterable[Noting],
    kind: str,
    found: dict[str, list[tuple[Any, Note]]],
) -> list[str]:
    """Return what an export has more, less, twice or otherwise than people noted down."""
    wanted = noted(people, kind)
    said = []
    for rater in sorted({*wanted, *found}):
        mine, theirs = wanted.get(rater, []), found.get(rater, [])
        said += [f"{rater}: {row} was never given so" for row in theirs if row not in mine]
        said += [f"{rater}: {row} is not there" for row in mine if row not in theirs]
        if len(theirs) != len(mine):
            said.append(f"{rater}: {len(theirs)} rows of {len(mine)}")
    return said
