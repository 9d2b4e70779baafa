"""Any table of ratings as a matrix of items and raters, for ``attunement agreement``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from attunement.cli._agreement_cells import (
    MISSING,
    as_number,
    labels_of,
    listed,
    numbers_of,
    with_text,
)
from attunement.errors import UserError, nearest
from attunement.stats.agreement import from_long
from attunement.tables import STATUSES, read_frame, read_table

GROUPS = {"item": "item_id"}
_ITEM_NAMES = ("item_id", "item", "id", "unit_id", "unit", "subject", "")
_MANY = 10
_ROW = "\0row"  # a name that no table has
_KEYS = ("unit", "unit_id", "item_id", "rater", "rater_kind", "replicate", "round", "status")


@dataclass(frozen=True)
class Wanted:
    """What the user asked for: see the options of the command."""

    dimension: str | None = None
    nominal: bool = False
    by: str | None = None
    wide: bool = False
    items: Path | None = None
    instrument: str | None = None
    rater_kind: str | None = None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ratings:
    """Ratings of one dimension.

    ``matrix`` is items x raters, NaN where missing. Where each rating is a set of labels, ``sets``
    has the different ones, and the matrix their places in it. ``groups`` has one entry an item
    where groups were asked for.
    """

    matrix: np.ndarray[Any, np.dtype[np.float64]]
    raters: list[str]
    sets: list[frozenset[str]] | None = None
    groups: list[str] | None = None
    dimension: str | None = None
    notes: list[str] = field(default_factory=list)


def read(path: Path, wanted: Wanted) -> Ratings:
    """Read a long or a wide table.

    Raises
    ------
    UserError
        Where columns are missing, a dimension is unknown, a value is no number, or a rater rated an
        item twice.
    """
    frame = read_frame(path)
    if not frame.height:
        raise UserError("the table has no rows.", where=str(path))
    return _wide(frame, path, wanted) if wanted.wide else _long(frame, path, wanted)


def _long(frame: pl.DataFrame, path: Path, wanted: Wanted) -> Ratings:
    frame = with_text((*_KEYS, "dimension", "instrument"), frame, path).with_row_index(
        _ROW, offset=1
    )
    notes: list[str] = []
    unit = "unit_id" if "unit_id" in frame.columns else "item_id"
    for name in (unit, "rater"):
        _column(frame, name, path, "Name it so, or use --wide for one column a rater.")
    frame, dimension, value = _choose(frame, path, wanted, notes)
    keys = [c for c in ("unit", unit) if c in frame.columns]
    if (empty := frame.filter(pl.col(unit).is_null() | pl.col("rater").is_null())).height:
        raise UserError(f"row {empty[_ROW][0]} has no {unit} or no rater.", where=str(path))
    items = frame[unit].to_list()
    if len(keys) > 1 and frame["unit"].n_unique() > 1:
        # quoted, so that "b" of the unit "a" is not the same as "a b"
        kinds = frame["unit"].to_list()
        items = [f"{kind!r} {item}" for kind, item in zip(kinds, items, strict=True)]
    raters = frame["rater"].to_list()
    ok = _status_ok(frame, path)
    cells = [v if known else None for v, known in zip(frame[value].to_list(), ok, strict=True)]
    where = [f"row {row}, column {value!r}" for row in frame[_ROW]]
    numbers = numbers_of(cells, where, path, wanted, notes)
    try:
        matrix, order, by_column = from_long(items, raters, numbers)
    except ValueError as error:
        raise UserError(
            f"{error}.",
            where=str(path),
            fix="Keep one rating of each rater and item; with several dimensions in one table, add "
            "a column 'dimension'.",
        ) from None
    ratings = Ratings(matrix, by_column, dimension=dimension, notes=notes)
    if "labels" in frame.columns and np.isnan(matrix).all():
        ratings = _with_labels(ratings, frame, items, order, ok, path)
    if wanted.by:
        groups = _one_group(items, _groups(frame, unit, path, wanted), path, wanted)
        ratings = replace(ratings, groups=[groups[item] for item in order])
    return ratings


def _column(frame: pl.DataFrame, name: str, path: Path, fix: str) -> None:
    if name not in frame.columns:
        guess = nearest(name, [c for c in frame.columns if c != _ROW])
        hint = f" (there is {guess!r})" if guess else ""
        raise UserError(f"no column {name!r}{hint}.", where=str(path), fix=fix)


def _choose(
    frame: pl.DataFrame, path: Path, wanted: Wanted, notes: list[str]
) -> tuple[pl.DataFrame, str | None, str]:
    """Return the rows asked for, their dimension, and the column that holds the values."""
    frame = _only(frame, "rater_kind", wanted.rater_kind, "--rater-kind", path)
    dimension = wanted.dimension
    if "dimension" in frame.columns:
        known = _words(frame, "dimension")
        if dimension is None and len(known) > 1:
            raise UserError(
                "the table has several dimensions.",
                where=str(path),
                fix=f"Choose one with --dimension: {listed(known)}.",
            )
        dimension = dimension or (known[0] if known else None)
        frame = _only(frame, "dimension", dimension, "--dimension", path)
    elif dimension is not None:
        _column(frame, dimension, path, "Leave out --dimension, or name a column of values.")
        if dimension in _KEYS:
            raise UserError(
                f"column {dimension!r} holds no ratings.",
                where=f"{path}, --dimension",
                fix="Leave out --dimension, or name a column of values.",
            )
    value = dimension if dimension and "dimension" not in frame.columns else "value"
    _column(frame, value, path, "Name it so, or use --wide for one column a rater.")
    frame = _only(frame, "instrument", wanted.instrument, "--instrument", path)
    if "instrument" in frame.columns and len(several := _words(frame, "instrument")) > 1:
        raise UserError(
            "several instruments ask for this dimension, perhaps on different scales.",
            where=str(path),
            fix=f"Choose one with --instrument: {listed(several)}.",
        )
    for name, kept, keep in (("replicate", "first", "min"), ("round", "last", "max")):
        if name in frame.columns and frame[name].n_unique() > 1:
            number = pl.col(name).cast(pl.Float64, strict=False)
            over = [c for c in ("unit", "unit_id", "item_id", "rater") if c in frame.columns]
            best = (number.min() if keep == "min" else number.max()).over(over)
            before = frame.height
            frame = frame.filter(number.is_null() | (number == best))
            notes.append(
                f"Of several {name}s the {kept} of each rater is taken; "
                f"{before - frame.height} rows are left out."
            )
    return frame, dimension, value


def _only(
    frame: pl.DataFrame, column: str, word: str | None, option: str, path: Path
) -> pl.DataFrame:
    if word is None:
        return frame
    known = _words(frame, column) if column in frame.columns else []
    if word not in known:
        guess = nearest(word, known)
        fix = f"Did you mean {guess!r}? " if guess else ""
        raise UserError(
            f"no rating has the {column} {word!r}.",
            where=f"{path}, {option}",
            fix=f"{fix}There is: {listed(known)}." if known else f"Leave out {option}.",
        )
    return frame.filter(pl.col(column) == word)


def _words(frame: pl.DataFrame, column: str) -> list[str]:
    return [str(v) for v in frame[column].drop_nulls().unique(maintain_order=True)]


def _status_ok(frame: pl.DataFrame, path: Path) -> list[bool]:
    if "status" not in frame.columns:
        return [True] * frame.height
    said = frame["status"].fill_null("ok")
    if unknown := [word for word in _words(frame, "status") if word not in STATUSES]:
        row = int((said == unknown[0]).arg_true()[0])
        raise UserError(
            f"unknown status {unknown[0]!r}.",
            where=f"{path}, row {frame[_ROW][row]}, column 'status'",
            fix=f"Use {', '.join(STATUSES)}: only 'ok' has a value. Or leave the column out.",
        )
    return [bool(v) for v in said == "ok"]


def _with_labels(
    ratings: Ratings,
    frame: pl.DataFrame,
    items: list[str],
    order: list[str],
    ok: list[bool],
    path: Path,
) -> Ratings:
    """Return the ratings as sets of labels, if any rating has some."""
    given: list[frozenset[str] | None] = []
    for row, value in zip(frame[_ROW], frame["labels"].to_list(), strict=True):
        try:
            given.append(None if value is None else labels_of(value))
        except ValueError as error:
            raise UserError(
                f"{error}.",
                where=f"{path}, row {row}, column 'labels'",
                fix='Write labels as a JSON list of words, ["a", "b"], or as a;b.',
            ) from None
    if not any(given):
        return ratings
    rows = {item: i for i, item in enumerate(order)}
    columns = {rater: j for j, rater in enumerate(ratings.raters)}
    sets: dict[frozenset[str], int] = {}
    matrix = np.full(ratings.matrix.shape, np.nan)
    for item, rater, labels, known in zip(items, frame["rater"], given, ok, strict=True):
        if known and labels is not None:
            matrix[rows[item], columns[rater]] = sets.setdefault(labels, len(sets))
    note = "Ratings are sets of labels: alpha by the distances Jaccard and MASI."
    return replace(ratings, matrix=matrix, sets=list(sets), notes=[*ratings.notes, note])


def _groups(frame: pl.DataFrame, unit: str, path: Path, wanted: Wanted) -> list[str]:
    name = GROUPS.get(str(wanted.by), str(wanted.by))
    if name == unit:
        raise UserError(
            "every item is a group of its own, in which nothing can be compared.",
            where=f"{path}, --by {wanted.by}",
            fix="Name what was rated in a column unit_id, and what it belongs to in item_id.",
        )
    if name == "topic" and name not in frame.columns:
        if wanted.items is None:
            raise UserError(
                "the ratings do not say which topic an item has.",
                where=str(path),
                fix="Name the table of items with --items.",
            )
        _column(frame, "item_id", path, "Topics are found by item_id.")
        topics = read_table(wanted.items, "items").select("item_id", "topic")
        frame = frame.join(topics, on="item_id", how="left", maintain_order="left")
    _column(frame, name, path, "--by takes item, topic, source or any column of the table.")
    if (empty := frame.filter(pl.col(name).is_null())).height:
        raise UserError(f"row {empty[_ROW][0]} has no {name}.", where=str(path))
    return [str(v) for v in frame[name].to_list()]


def _one_group(
    items: Sequence[str], groups: Sequence[str], path: Path, wanted: Wanted
) -> dict[str, str]:
    """Return the group of each item, which has to be one, whoever rated it."""
    found: dict[str, str] = {}
    for item, group in zip(items, groups, strict=True):
        if found.setdefault(item, group) != group:
            raise UserError(
                f"item {item!r} is in two groups, {found[item]!r} and {group!r}.",
                where=f"{path}, --by {wanted.by}",
                fix="Name a column that says the same of an item whoever rated it, such as its "
                "topic or source.",
            )
    return found


def _wide(frame: pl.DataFrame, path: Path, wanted: Wanted) -> Ratings:
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
    notes: list[str] = []
    first = frame.columns[0]
    named = _is_id(frame, first, wanted)
    raters = frame.columns[1:] if named else frame.columns
    if not raters:
        raise UserError("there is no column of a rater beside the item.", where=str(path))
    items = frame[first].cast(pl.String).to_list() if named else list(range(1, frame.height + 1))
    if None in items:
        raise UserError(
            f"row {items.index(None) + 1} names no item.",
            where=f"{path}, column {first!r}",
            fix="Name every item, or delete the row.",
        )
    if len(set(items)) < len(items):
        twice = Counter(items).most_common(1)[0][0]
        raise UserError(
            f"item {twice!r} has more than one row.",
            where=f"{path}, column {first!r}",
            fix="Keep one row an item.",
        )
    notes.append(
        f"Column {first!r} names the items; the other {len(raters)} columns are raters."
        if named
        else f"All {len(raters)} columns are raters; each row is an item."
    )
    if not named and _counts_rows(frame[first]):
        notes.append(
            f"Column {first!r} has another whole number in every row: if it names the items and is "
            "no rater, call it item_id."
        )
    where = [f"row {i}, column {c!r}" for c in raters for i in range(1, frame.height + 1)]
    cells = [v for c in raters for v in frame[c].to_list()]
    numbers = numbers_of(cells, where, path, wanted, notes)
    matrix = np.array(numbers).reshape(len(raters), frame.height).T
    return Ratings(np.ascontiguousarray(matrix), list(raters), notes=notes)


def _counts_rows(column: pl.Series) -> bool:
    """Say whether a column looks like numbers of items: whole ones, each once."""
    texts = [str(v).strip() for v in column.to_list()]
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
