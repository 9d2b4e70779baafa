"""A wide table of answers: one row a respondent, one column an item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from attunement.errors import UserError, did_you_mean
from attunement.psychometrics.cells import Given, numbers
from attunement.psychometrics.scale import Scale

IDS = ("respondent", "respondent_id", "participant", "participant_id", "rater", "id", "rownames")
"""Columns that name the respondent, the first that is there."""
SOURCE = "source"
_SHOWN = 3


def from_wide(
    frame: pl.DataFrame,
    scale: Scale,
    path: str | Path,
    id_column: str | None = None,
    missing: Sequence[str] = (),
) -> Given:
    """Return the answers of a table with a row a respondent and a column an item.

    Raises
    ------
    UserError
        Where an item has no column, a cell is no number or is off the scale, or a respondent stands
        twice.

    """
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
    return Given(values, tuple(who), sources, notes)


def _columns(frame: pl.DataFrame, scale: Scale, path: str | Path) -> list[str]:
    """Return the column of each item; a difference of case does not matter where it is clear."""
    lower = Counter(c.lower() for c in frame.columns)
    by_lower = {c.lower(): c for c in frame.columns if lower[c.lower()] == 1}
    found = [i if i in frame.columns else by_lower.get(i.lower()) for i in scale.items]
    lacking = [i for i, c in zip(scale.items, found, strict=True) if c is None]
    if lacking:
        guess = did_you_mean(lacking[0], frame.columns)
        more = f" ({len(lacking)} such items)" if len(lacking) > 1 else ""
        raise UserError(
            f"no column for the item {lacking[0]!r}{more}{guess}",
            where=str(path),
            fix="Give each item a column, or choose items that have one with --items.",
        )
    return [c for c in found if c is not None]


def _id_column(
    frame: pl.DataFrame, wanted: str | None, items: list[str], path: str | Path
) -> str | None:
    if wanted is not None:
        if wanted not in frame.columns:
            raise UserError(
                f"no column {wanted!r}{did_you_mean(wanted, frame.columns)}", where=str(path)
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
