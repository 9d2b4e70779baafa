"""Any table of ratings as a matrix of items and raters, for ``attunement agreement``."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from attunement.errors import UserError, nearest
from attunement.stats.agreement import from_long
from attunement.tables import read_frame, read_table

GROUPS = {"item": "item_id"}
_ITEM_NAMES = ("item_id", "item", "id", "unit_id", "unit", "subject", "")
_MISSING = ("", "na", "n/a", "nan", "null")
_SHOWN = 8


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
    frame = frame.with_row_index("_row", offset=1)
    notes: list[str] = []
    unit = "unit_id" if "unit_id" in frame.columns else "item_id"
    for name in (unit, "rater"):
        _column(frame, name, path, "Name it so, or use --wide for one column a rater.")
    frame, dimension, value = _choose(frame, path, wanted, notes)
    keys = [c for c in ("unit", unit) if c in frame.columns]
    if (empty := frame.filter(pl.col(unit).is_null() | pl.col("rater").is_null())).height:
        raise UserError(f"row {empty['_row'][0]} has no {unit} or no rater.", where=str(path))
    items = [" ".join(map(str, row)) for row in frame.select(keys[-1:]).iter_rows()]
    if len(keys) > 1 and frame["unit"].n_unique() > 1:
        items = [" ".join(map(str, row)) for row in frame.select(keys).iter_rows()]
    raters = frame["rater"].cast(pl.String).to_list()
    ok = _status_ok(frame)
    cells = [v if known else None for v, known in zip(frame[value].to_list(), ok, strict=True)]
    where = [f"row {row}, column {value!r}" for row in frame["_row"]]
    numbers = _numbers(cells, where, path, wanted, notes)
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
        ratings = _with_labels(ratings, frame, items, order, ok)
    if wanted.by:
        groups = dict(zip(items, _groups(frame, unit, path, wanted), strict=True))
        ratings = replace(ratings, groups=[groups[item] for item in order])
    return ratings


def _column(frame: pl.DataFrame, name: str, path: Path, fix: str) -> None:
    if name not in frame.columns:
        guess = nearest(name, [c for c in frame.columns if c != "_row"])
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
                fix=f"Choose one with --dimension: {_listed(known)}.",
            )
        dimension = dimension or (known[0] if known else None)
        frame = _only(frame, "dimension", dimension, "--dimension", path)
    elif dimension is not None:
        _column(frame, dimension, path, "Leave out --dimension, or name a column of values.")
    value = dimension if dimension and "dimension" not in frame.columns else "value"
    _column(frame, value, path, "Name it so, or use --wide for one column a rater.")
    frame = _only(frame, "instrument", wanted.instrument, "--instrument", path)
    if "instrument" in frame.columns and len(several := _words(frame, "instrument")) > 1:
        raise UserError(
            "several instruments ask for this dimension, perhaps on different scales.",
            where=str(path),
            fix=f"Choose one with --instrument: {_listed(several)}.",
        )
    for name, kept, keep in (("replicate", "first", "min"), ("round", "last", "max")):
        if name in frame.columns and frame[name].n_unique() > 1:
            number = pl.col(name).cast(pl.Int64, strict=False)
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
            fix=f"{fix}There is: {_listed(known)}." if known else f"Leave out {option}.",
        )
    return frame.filter(pl.col(column) == word)


def _words(frame: pl.DataFrame, column: str) -> list[str]:
    return [str(v) for v in frame[column].drop_nulls().unique(maintain_order=True)]


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return ", ".join(words[:_SHOWN]) + more


def _status_ok(frame: pl.DataFrame) -> list[bool]:
    if "status" not in frame.columns:
        return [True] * frame.height
    return [bool(v) for v in frame["status"].fill_null("ok") == "ok"]


def _numbers(
    cells: Sequence[Any],
    where: Sequence[str],
    path: Path,
    wanted: Wanted,
    notes: list[str],
) -> list[float]:
    """Return values as numbers, NaN where missing; words are categories at level nominal."""
    missing = {m.strip().lower() for m in wanted.missing} | set(_MISSING)
    stripped = [None if v is None else str(v).strip() for v in cells]
    texts = [None if t is None or t.lower() in missing else t for t in stripped]
    parsed = [math.nan if t is None else _number(t) for t in texts]
    wrong = [i for i, v in enumerate(parsed) if v is None]
    if not wrong:
        return [math.nan if v is None else v for v in parsed]
    if not wanted.nominal:
        text = texts[wrong[0]]
        raise UserError(
            f"the value {text!r} is not a number ({len(wrong)} such cells).",
            where=f"{path}, {where[wrong[0]]}",
            fix=f"Read it as missing with --missing {text!r}, or use --level nominal where words "
            "are categories.",
        )
    words = sorted({t for t in texts if t is not None})
    notes.append(f"{len(words)} categories: {_listed(words)}.")
    return [math.nan if t is None else float(words.index(t)) for t in texts]


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _with_labels(
    ratings: Ratings,
    frame: pl.DataFrame,
    items: list[str],
    order: list[str],
    ok: list[bool],
) -> Ratings:
    """Return the ratings as sets of labels, if any rating has some."""
    given = [None if v is None else _labels(v) for v in frame["labels"].to_list()]
    if not any(given):
        return ratings
    rows = {item: i for i, item in enumerate(order)}
    columns = {rater: j for j, rater in enumerate(ratings.raters)}
    sets: dict[frozenset[str], int] = {}
    matrix = np.full(ratings.matrix.shape, np.nan)
    for item, rater, labels, known in zip(
        items, frame["rater"].cast(pl.String), given, ok, strict=True
    ):
        if known and labels is not None:
            matrix[rows[item], columns[rater]] = sets.setdefault(labels, len(sets))
    note = "Ratings are sets of labels: alpha by the distances Jaccard and MASI."
    return replace(ratings, matrix=matrix, sets=list(sets), notes=[*ratings.notes, note])


def _labels(value: Any) -> frozenset[str]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except json.JSONDecodeError:
            value = [part.strip() for part in value.split(";") if part.strip()]
    return frozenset(str(v) for v in value or ())


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
        frame = frame.with_columns(pl.col("item_id").cast(pl.String))
        frame = frame.join(topics, on="item_id", how="left", maintain_order="left")
    _column(frame, name, path, "--by takes item, topic, source or any column of the table.")
    if (empty := frame.filter(pl.col(name).is_null())).height:
        raise UserError(f"row {empty['_row'][0]} has no {name}.", where=str(path))
    return [str(v) for v in frame[name].to_list()]


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
    if len(set(items)) < len(items):
        twice = next(i for i in items if items.count(i) > 1)
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
    where = [f"row {i}, column {c!r}" for c in raters for i in range(1, frame.height + 1)]
    cells = [v for c in raters for v in frame[c].to_list()]
    numbers = _numbers(cells, where, path, wanted, notes)
    matrix = np.array(numbers).reshape(len(raters), frame.height).T
    return Ratings(np.ascontiguousarray(matrix), list(raters), notes=notes)


def _is_id(frame: pl.DataFrame, first: str, wanted: Wanted) -> bool:
    """Say whether the first column names the items: by its name, or because it holds words."""
    if first.strip().lower() in _ITEM_NAMES:
        return True
    texts = [str(v).strip() for v in frame[first].drop_nulls().to_list()]
    skip = {m.lower() for m in wanted.missing} | set(_MISSING)
    words = any(_number(t) is None for t in texts if t.lower() not in skip)
    if not words:
        return False
    # At level nominal words are values, unless no two rows have the same.
    return not wanted.nominal or len(set(texts)) == frame.height
