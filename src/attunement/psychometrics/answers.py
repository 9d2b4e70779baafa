"""Answers to a scale: a wide table or a table of ratings as one matrix, reversed items turned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from attunement import tables
from attunement.errors import UserError, did_you_mean, first_of
from attunement.psychometrics.cells import Given
from attunement.psychometrics.ratings import from_ratings
from attunement.psychometrics.scale import Scale
from attunement.psychometrics.wide import from_wide

Floats = NDArray[np.float64]

_SHOWN = 3


@dataclass(frozen=True)
class Answers:
    """Answers of respondents to items, reversed items turned round already.

    Parameters
    ----------
    values
        Shape (n, k), NaN where there is no answer.
    items
        The columns.
    respondents
        Who answered each row.
    sources
        The chatbot that each row is about, empty where the table does not say.
    ends
        The lowest and the highest answer of each item, shape (k, 2).
    scale
        What was asked.
    n_empty
        Respondents without any answer: left out.
    notes
        How the table was read.

    """

    values: Floats
    items: tuple[str, ...]
    respondents: tuple[str, ...]
    sources: tuple[str, ...]
    ends: Floats
    scale: Scale
    n_empty: int = 0
    notes: tuple[str, ...] = ()

    def of(self, items: Sequence[str]) -> tuple[Floats, Floats]:
        """Return the answers to some items, and their ends."""
        places = [self.items.index(i) for i in items]
        return self.values[:, places], self.ends[places]

    def about(self, source: str) -> Answers:
        """Return the answers about one chatbot.

        Raises
        ------
        UserError
            Where nothing is about it.

        """
        rows = [i for i, s in enumerate(self.sources) if s == source]
        if not rows:
            known = sorted(set(self.sources))
            raise UserError(
                f"no answers about {source!r}{did_you_mean(source, known)}",
                fix=f"The table has {', '.join(known)}."
                if known
                else "A column 'source' says which chatbot a row is about.",
            )
        return replace(
            self,
            values=self.values[rows],
            respondents=tuple(self.respondents[i] for i in rows),
            sources=tuple(self.sources[i] for i in rows),
        )


def read_answers(
    path: str | Path,
    scale: Scale,
    *,
    id_column: str | None = None,
    missing: Sequence[str] = (),
) -> Answers:
    """Read a wide table (a row a respondent, a column an item) or a table of ratings.

    Parameters
    ----------
    path
        The file; a table with the columns ``dimension`` and ``value`` is one of ratings.
    scale
        What was asked; its reversed items are turned here, and nowhere else.
    id_column
        The column that names the respondent, by default one of `IDS` of the module `wide`, or else
        the rows are counted.
    missing
        Words that stand for no answer, beside the usual ones.

    Raises
    ------
    UserError
        Where an item has no column, a cell is no number or is off the scale, a respondent stands
        twice, or there is no answer at all.

    """
    frame = tables.read_frame(path)
    if not frame.height:
        raise UserError(
            "the table has no rows.",
            where=str(path),
            fix="Below the names of the columns comes one row a respondent.",
        )
    if {"dimension", "value"} <= set(frame.columns):
        given = from_ratings(tables.require(frame, "ratings", where=str(path)), scale, path)
    else:
        given = from_wide(frame, scale, path, id_column, missing)
    if np.isnan(given.values).all():
        raise UserError(
            "nobody answered any item.",
            where=str(path),
            fix="Fill in the columns of the items, or name others with --items.",
        )
    return _turned(given, scale)


def from_matrix(values: Floats, scale: Scale) -> Answers:
    """Return answers from a matrix of what was chosen, shape (n, items of the scale)."""
    x = np.array(values, dtype=np.float64)
    return _turned(Given(x, tuple(str(i + 1) for i in range(len(x)))), scale)


def _turned(given: Given, scale: Scale) -> Answers:
    """Turn reversed items round, and leave out who answered nothing."""
    x = given.values.copy()
    there = ~np.isnan(x)
    if not there.any():
        raise UserError("nobody answered any item.")
    seen = float(np.nanmin(x)), float(np.nanmax(x))
    ends = np.array([scale.ends.get(i, seen) for i in scale.items])
    notes = [*scale.notes, *given.notes]
    backward = [j for j, item in enumerate(scale.items) if item in scale.reversed]
    x[:, backward] = ends[backward].sum(axis=1) - x[:, backward]
    if backward:
        turned = ", ".join(scale.items[j] for j in backward)
        about = "" if scale.ends else f", about the answers that occur, {seen[0]:g} to {seen[1]:g}"
        notes.append(f"Turned round before anything else: {turned}{about}.")
    rows = np.flatnonzero(there.any(axis=1))
    empty = len(x) - len(rows)
    if empty:
        left = [given.respondents[i] for i in np.flatnonzero(~there.any(axis=1))]
        notes.append(f"Left out, as without any answer ({empty}): {first_of(left, _SHOWN)}.")
    return Answers(
        values=x[rows],
        items=scale.items,
        respondents=tuple(given.respondents[i] for i in rows),
        sources=tuple(given.sources[i] for i in rows) if given.sources else (),
        ends=ends,
        scale=scale,
        n_empty=empty,
        notes=tuple(notes),
    )
