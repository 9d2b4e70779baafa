"""Answers to a scale: a wide table or a table of ratings as one matrix, reversed items turned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from attunement import tables
from attunement.errors import UserError, nearest
from attunement.psychometrics.cells import numbers
from attunement.psychometrics.scale import Scale

Floats = NDArray[np.float64]

IDS = ("respondent", "respondent_id", "participant", "participant_id", "rater", "id", "rownames")
"""Columns of a wide table that name the respondent, the first that is there."""
SOURCE = "source"
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
            guess = nearest(source, known)
            raise UserError(
                f"no answers about {source!r}" + (f"; did you mean {guess!r}?" if guess else "."),
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
        The column that names the respondent, by default one of `IDS`, or else the rows are counted.
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
        raise UserError("the table has no rows.", where=str(path))
    if {"dimension", "value"} <= set(frame.columns):
        return _turned(
            _from_ratings(tables.require(frame, "ratings", where=str(path)), scale, path)
        )
    return _turned(_from_wide(frame, scale, path, id_column, missing))


def from_matrix(values: Floats, scale: Scale) -> Answers:
    """Return answers from a matrix of what was chosen, shape (n, items of the scale)."""
    x = np.array(values, dtype=np.float64)
    who = tuple(str(i + 1) for i in range(len(x)))
    return _turned(Answers(x, scale.items, who, (), np.zeros((x.shape[1], 2)), scale))


def _from_wide(
    frame: pl.DataFrame,
    scale: Scale,
    path: str | Path,
    id_column: str | None,
    missing: Sequence[str],
) -> Answers:
    columns = _columns(frame, scale, path)
    name = _id_column(frame, id_column, columns, path)
    who = [str(i + 1) for i in range(frame.height)]
    if name is not None:
        given = frame[name].cast(pl.String).to_list()
        for row, value in enumerate(given, start=1):
            if value is None or not value.strip():
                raise UserError(f"the column {name!r} is empty.", where=f"{path}, row {row}")
        who = [value.strip() for value in given if value is not None]
    sources: tuple[str, ...] = ()
    if SOURCE in frame.columns and SOURCE not in columns:
        sources = tuple(s or "" for s in frame[SOURCE].cast(pl.String).to_list())
    _refuse_twice(who, sources, path)
    values = np.stack(
        [
            numbers(frame[c], item, scale, path, missing)
            for item, c in zip(scale.items, columns, strict=True)
        ],
        axis=1,
    )
    notes = () if name is not None else ("No column names the respondents: each row is one.",)
    return Answers(
        values, scale.items, tuple(who), sources, np.zeros((len(columns), 2)), scale, 0, notes
    )


def _columns(frame: pl.DataFrame, scale: Scale, path: str | Path) -> list[str]:
    """Return the column of each item; a difference of case does not matter where it is clear."""
    lower = Counter(c.lower() for c in frame.columns)
    by_lower = {c.lower(): c for c in frame.columns if lower[c.lower()] == 1}
    found = [i if i in frame.columns else by_lower.get(i.lower()) for i in scale.items]
    lacking = [i for i, c in zip(scale.items, found, strict=True) if c is None]
    if lacking:
        guess = nearest(lacking[0], frame.columns)
        more = f" ({len(lacking)} such items)" if len(lacking) > 1 else ""
        raise UserError(
            f"no column for the item {lacking[0]!r}{more}"
            + (f"; did you mean {guess!r}?" if guess else "."),
            where=str(path),
            fix="Give each item a column, or choose items that have one with --items.",
        )
    return [c for c in found if c is not None]


def _id_column(
    frame: pl.DataFrame, wanted: str | None, items: list[str], path: str | Path
) -> str | None:
    if wanted is not None:
        if wanted not in frame.columns:
            guess = nearest(wanted, frame.columns)
            raise UserError(
                f"no column {wanted!r}" + (f"; did you mean {guess!r}?" if guess else "."),
                where=str(path),
            )
        return wanted
    return next((c for c in (*IDS, "") if c in frame.columns and c not in items), None)


def _refuse_twice(who: list[str], sources: tuple[str, ...], path: str | Path) -> None:
    rows = list(zip(who, sources or [""] * len(who), strict=True))
    twice = [pair for pair, times in Counter(rows).items() if times > 1]
    if twice:
        name, source = twice[0]
        at = [str(i + 1) for i, pair in enumerate(rows) if pair == twice[0]][:_SHOWN]
        about = f" about {source!r}" if source else ""
        more = f" ({len(twice)} such respondents)" if len(twice) > 1 else ""
        raise UserError(
            f"the respondent {name!r} answered{about} more than once{more}.",
            where=f"{path}, rows {', '.join(at)}",
            fix="Keep one row a respondent, or add a column 'source' that tells the rows apart.",
        )


def _from_ratings(frame: pl.DataFrame, scale: Scale, path: str | Path) -> Answers:
    own = frame
    notes = []
    if scale.name != "items":
        name = scale.name.partition(",")[0]
        own = frame.filter(pl.col("instrument") == name)
        if not own.height:
            known = ", ".join(sorted(set(frame["instrument"].to_list())))
            raise UserError(
                f"no ratings with the instrument {name}.", where=str(path), fix=f"It has {known}."
            )
    own = own.filter(pl.col("dimension").is_in(scale.items))
    lacking = [i for i in scale.items if i not in set(own["dimension"].to_list())]
    if lacking:
        raise UserError(f"no ratings of the item {lacking[0]!r}.", where=str(path))
    keys = ["rater", "unit_id", "dimension"]
    kept = own.sort(["replicate", "round"], descending=[False, True]).unique(
        keys, keep="first", maintain_order=True
    )
    if kept.height < own.height:
        notes.append(
            f"{own.height - kept.height:,} ratings are left out: the first replicate and the last "
            "round of each respondent count."
        )
    if len(set(own["instrument"].to_list())) > 1:
        raise UserError(
            "the ratings are of several instruments.", where=str(path), fix="Use --instrument."
        )
    rows = sorted(set(zip(kept["rater"], kept["unit_id"], strict=True)))
    row_of = {pair: i for i, pair in enumerate(rows)}
    place = {item: j for j, item in enumerate(scale.items)}
    values = np.full((len(rows), len(place)), np.nan)
    sources = [""] * len(rows)
    for row in kept.select("rater", "unit_id", "dimension", "value", "status", SOURCE).iter_rows():
        i = row_of[row[0], row[1]]
        sources[i] = row[5] or ""
        if row[4] == "ok" and row[3] is not None:
            values[i, place[row[2]]] = row[3]
    _refuse_off(values, rows, scale, path)
    named = tuple(sources) if any(sources) else ()
    raters = Counter((r, s) for (r, _), s in zip(rows, sources, strict=True))
    who = [r if raters[r, s] == 1 else f"{r} {u}" for (r, u), s in zip(rows, sources, strict=True)]
    if any(times > 1 for times in raters.values()):
        notes.append(
            "Some respondents answered more than once: their answers are taken as independent, "
            "which makes intervals too narrow."
        )
    return Answers(
        values, scale.items, tuple(who), named, np.zeros((len(place), 2)), scale, 0, tuple(notes)
    )


def _refuse_off(
    values: Floats, rows: Sequence[tuple[str, str]], scale: Scale, path: str | Path
) -> None:
    for j, item in enumerate(scale.items):
        if item not in scale.ends:
            continue
        low, high = scale.ends[item]
        column = values[:, j]
        wrong = (column < low) | (column > high)
        if item in scale.whole_numbers:
            wrong |= np.isfinite(column) & (column != np.rint(column))
        if wrong.any():
            i = int(np.flatnonzero(wrong)[0])
            raise UserError(
                f"the value {column[i]:g} of {item} is off its scale, {low:g} to {high:g}.",
                where=f"{path}, rater {rows[i][0]!r}, unit {rows[i][1]!r}",
            )


def _turned(answers: Answers) -> Answers:
    """Turn reversed items round, and leave out who answered nothing."""
    scale, x = answers.scale, answers.values.copy()
    there = ~np.isnan(x)
    if not there.any():
        raise UserError("nobody answered any item.")
    seen = float(np.nanmin(x)), float(np.nanmax(x))
    ends = np.array([scale.ends.get(i, seen) for i in scale.items])
    notes = list(answers.notes)
    for j, item in enumerate(scale.items):
        if item in scale.reversed:
            x[:, j] = ends[j].sum() - x[:, j]
    if scale.reversed:
        turned = ", ".join(i for i in scale.items if i in scale.reversed)
        about = "" if scale.ends else f", about the answers that occur, {seen[0]:g} to {seen[1]:g}"
        notes.append(f"Turned round before anything else: {turned}{about}.")
    any_answer = there.any(axis=1)
    empty = int((~any_answer).sum())
    if empty:
        whose = [answers.respondents[i] for i in np.flatnonzero(~any_answer)[:_SHOWN]]
        more = f" and {empty - _SHOWN} more" if empty > _SHOWN else ""
        notes.append(f"Left out, as without any answer ({empty}): {', '.join(whose)}{more}.")
    rows = np.flatnonzero(any_answer)
    return replace(
        answers,
        values=x[rows],
        respondents=tuple(answers.respondents[i] for i in rows),
        sources=tuple(answers.sources[i] for i in rows) if answers.sources else (),
        ends=ends,
        n_empty=empty,
        notes=(*scale.notes, *notes),
    )
