"""A table with one column a rater, for ``attunement agreement --wide``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl

from attunement.cli._agreement_cells import MISSING, as_number, listed, numbers_of
from attunement.cli._agreement_types import Ratings, Wanted
from attunement.errors import UserError, did_you_mean

_ITEM_NAMES = ("item_id", "item", "id", "unit_id", "unit", "subject", "")
_MANY = 10
_FEWEST = 4
NO_ID = "none"
"""What ``--id`` says where every column is a rater."""


def read_wide(frame: pl.DataFrame, path: Path, wanted: Wanted) -> Ratings:
    """Return the ratings of a table with one row an item and one column a rater.

    Raises
    ------
    UserError
        Where an option needs more than that, an item has no name or two rows, or a value is no
        number.
    """
    _refuse_options(path, wanted)
    named = _id_column(frame, path, wanted)
    raters = [c for c in frame.columns if c != named]
    if not raters:
        raise UserError("there is no column of a rater beside the item.", where=str(path))
    if named is not None:
        _refuse_items(frame[named].cast(pl.String).to_list(), named, path)
    notes = [
        f"Column {named!r} names the items; the other {len(raters)} columns are raters."
        if named is not None
        else f"All {len(raters)} columns are raters; each row is an item."
    ]
    if named is not None and wanted.id is None and not _is_id(frame, named, wanted):
        notes.append(f"It counts the rows; if it is a rater, --id {NO_ID} says so.")
    warnings = [] if wanted.id is not None else _numbering(frame, raters)
    where = [f"row {i}, column {c!r}" for c in raters for i in range(1, frame.height + 1)]
    cells = [v for c in raters for v in frame[c].to_list()]
    numbers = numbers_of(cells, where, path, wanted, notes)
    matrix = np.array(numbers).reshape(len(raters), frame.height).T
    return Ratings(np.ascontiguousarray(matrix), list(raters), notes=notes, warnings=warnings)


def _refuse_options(path: Path, wanted: Wanted) -> None:
    for value, option in (
        (wanted.by, "--by"),
        (wanted.dimension, "--dimension"),
        (wanted.instrument, "--instrument"),
        (wanted.rater_kind, "--rater-kind"),
    ):
        if value:
            raise UserError(
                "a wide table has items and raters only.",
                where=f"{path}, {option}",
                fix=f"Leave out {option}, or give a long table: item_id, rater, value.",
            )


def _id_column(frame: pl.DataFrame, path: Path, wanted: Wanted) -> str | None:
    """Return the column that names the items, None where each column is a rater."""
    if wanted.id in frame.columns:
        return wanted.id
    if wanted.id == NO_ID:
        return None
    if wanted.id is not None:
        raise UserError(
            f"no column {wanted.id!r}{did_you_mean(wanted.id, frame.columns)}",
            where=f"{path}, --id",
            fix=f"There is: {listed(frame.columns)}. Or --id {NO_ID} where each is a rater.",
        )
    first = frame.columns[0]
    counts_rows = frame.height >= _MANY and _counts_up(frame[first])
    return first if counts_rows or _is_id(frame, first, wanted) else None


def _refuse_items(items: list[str | None], column: str, path: Path) -> None:
    if None in items:
        raise UserError(
            f"row {items.index(None) + 1} names no item.",
            where=f"{path}, column {column!r}",
            fix="Name every item, or delete the row.",
        )
    if len(set(items)) < len(items):
        twice = Counter(items).most_common(1)[0][0]
        raise UserError(
            f"item {twice!r} has more than one row.",
            where=f"{path}, column {column!r}",
            fix="Keep one row an item.",
        )


def _numbering(frame: pl.DataFrame, raters: list[str]) -> list[str]:
    """Warn of columns of raters that look like numbers of items."""
    numbering = [c for c in raters if _different(frame[c]) or _counts_up(frame[c])]
    if len(numbering) == len(raters):
        return []  # all of them: ratings of a fine scale
    return [
        f"Column {c!r} was read as a rater, and has another whole number in every row. If it names "
        f"the items, every number below is wrong: give --id {c!r}. If it is a rater, --id {NO_ID} "
        "says so."
        for c in numbering
    ]


def _texts(column: pl.Series) -> list[str]:
    return [str(v).strip() for v in column.to_list()]


def _counts_up(column: pl.Series) -> bool:
    """Say whether a column counts the rows: 1, 2, 3 and so on, or from 0."""
    texts = _texts(column)
    n = len(texts)
    return n >= _FEWEST and texts in ([str(i + start) for i in range(n)] for start in (0, 1))


def _different(column: pl.Series) -> bool:
    """Say whether a column looks like numbers of items: whole ones, each once."""
    texts = _texts(column)
    return len(texts) >= _MANY and len(set(texts)) == len(texts) and all(map(str.isdigit, texts))


def _is_id(frame: pl.DataFrame, first: str, wanted: Wanted) -> bool:
    """Say whether the first column names the items: by its name, or because it holds words."""
    if first.strip().lower() in _ITEM_NAMES:
        return True
    texts = [str(v).strip() for v in frame[first].drop_nulls().to_list()]
    skip = {m.lower() for m in wanted.missing} | set(MISSING)
    words = any(as_number(t) is None for t in texts if t.lower() not in skip)
    if not words:
        return False
    # At level nominal words are values, unless no two rows have the same.
    return not wanted.nominal or len(set(texts)) == frame.height
