"""A table of ratings as answers: one row a rater and unit, one column a dimension."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from attunement import tables
from attunement.errors import UserError
from attunement.psychometrics.cells import Given
from attunement.psychometrics.scale import Scale

Floats = NDArray[np.float64]


def from_ratings(frame: pl.DataFrame, scale: Scale, path: str | Path) -> Given:
    """Return the answers of a valid ratings table: what people said, where people are among raters.

    Raises
    ------
    UserError
        Where an item has no ratings, the ratings are of several instruments, or a value is off the
        scale.

    """
    notes: list[str] = []
    own = _last(_people(_own(frame, scale, path), notes), notes)
    rows = sorted(set(zip(own["rater"], own["unit_id"], strict=True)))
    row_of = {pair: i for i, pair in enumerate(rows)}
    place = {item: j for j, item in enumerate(scale.items)}
    values = np.full((len(rows), len(place)), np.nan)
    sources = [""] * len(rows)
    columns = ("rater", "unit_id", "dimension", "value", "status", "source")
    for rater, unit, item, value, status, source in own.select(columns).iter_rows():
        i = row_of[rater, unit]
        sources[i] = source or ""
        if status == "ok" and value is not None:
            values[i, place[item]] = value
    _refuse_off(values, rows, scale, path)
    who = _names(rows, sources, notes)
    return Given(values, who, tuple(sources) if any(sources) else (), tuple(notes))


def _own(frame: pl.DataFrame, scale: Scale, path: str | Path) -> pl.DataFrame:
    """Return the ratings of the scale's items."""
    own = frame
    if scale.name != "items":
        own = frame.filter(pl.col("instrument") == scale.name)
        if not own.height:
            known = ", ".join(sorted(set(frame["instrument"].to_list())))
            raise UserError(
                f"no ratings with the instrument {scale.name}.",
                where=str(path),
                fix=f"It has {known}.",
            )
    own = own.filter(pl.col("dimension").is_in(scale.items))
    rated = set(own["dimension"].to_list())
    lacking = [i for i in scale.items if i not in rated]
    if lacking:
        raise UserError(f"no ratings of the item {lacking[0]!r}.", where=str(path))
    if own["instrument"].n_unique() > 1:
        raise UserError(
            "the ratings are of several instruments.", where=str(path), fix="Use --instrument."
        )
    return own


def _people(own: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """Return people's ratings where there are any: a judge is no respondent among people."""
    human = own.filter(pl.col("rater_kind") == "human")
    if human.height in (0, own.height):
        return own
    notes.append(
        f"Only people are respondents: {own.height - human.height:,} ratings by judges or metrics "
        "are left out."
    )
    return human


def _last(own: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """Return each respondent's last round of each item, and of its replicates the first.

    An item that was skipped in the first and answered in a later one stays unanswered.
    """
    last = pl.col("round") == pl.col("round").max().over("rater", "unit_id", "dimension")
    kept = own.filter(tables.of_first_replicate() & last)
    if kept.height < own.height:
        notes.append(
            f"{own.height - kept.height:,} ratings are left out: the first replicate and the last "
            "round of each respondent count."
        )
    return kept


def _names(
    rows: Sequence[tuple[str, str]], sources: Sequence[str], notes: list[str]
) -> tuple[str, ...]:
    """Return the raters' names, with the unit where one rated a chatbot more than once."""
    times = Counter((rater, s) for (rater, _), s in zip(rows, sources, strict=True))
    if any(n > 1 for n in times.values()):
        notes.append(
            "Some respondents answered more than once: their answers are taken as independent, "
            "which makes intervals too narrow."
        )
    return tuple(
        rater if times[rater, source] == 1 else f"{rater} {unit}"
        for (rater, unit), source in zip(rows, sources, strict=True)
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
