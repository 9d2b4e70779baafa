"""Any table of ratings as a matrix of items and raters, for ``attunement agreement``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from attunement.cli._agreement_cells import (
    as_number,
    listed,
    numbers_of,
    with_text,
)
from attunement.cli._agreement_labels import with_labels
from attunement.cli._agreement_types import ROW, Ratings, Wanted
from attunement.cli._agreement_wide import read_wide
from attunement.cli._run_folder import ratings_file, table_beside
from attunement.errors import UserError, nearest
from attunement.stats.agreement import from_long
from attunement.tables import STATUSES, read_frame, read_table

GROUPS = {"item": "item_id"}
_RATING = ("unit", "unit_id", "item_id", "rater")
_FIRST = "\0first"  # a name that no table has
_KEYS = ("unit", "unit_id", "item_id", "rater", "rater_kind", "replicate", "round", "status")


def read(path: Path, wanted: Wanted) -> Ratings:
    """Read a long or a wide table, or the ratings of a run folder.

    Raises
    ------
    UserError
        Where columns are missing, a dimension is unknown, a value is no number, or a rater rated an
        item twice.
    """
    if path.is_dir():
        wanted = replace(wanted, items=table_beside(path, "items", wanted.items))
        answers = table_beside(path, "responses", None)
        path = ratings_file(path)
    else:
        answers = None
    frame = read_frame(path)
    if not frame.height:
        raise UserError("the table has no rows.", where=str(path))
    if wanted.wide:
        return read_wide(frame, path, wanted)
    frame = with_text((*_KEYS, "dimension", "instrument"), frame, path)
    notes: list[str] = []
    if answers is not None and wanted.by != "source":
        frame = _once(frame, path, answers, notes)
    return _long(frame, path, wanted, notes)


def _once(frame: pl.DataFrame, path: Path, answers: Path, notes: list[str]) -> pl.DataFrame:
    """Return a study's export with each answer that its raters saw once.

    Equal answers of several sources are shown as one, and have a row for each source. In groups by
    source each of them has it.
    """
    from attunement.studies.equal_answers import shown_once

    if "signature" not in frame.columns:
        return frame
    of_study = pl.col("signature").cast(pl.String).str.starts_with("study|").fill_null(value=False)
    if not frame.select(of_study.any()).item():
        return frame
    table = read_table(path, "ratings")
    once, _ = shown_once(table.filter(of_study), read_table(answers, "responses"))
    kept = pl.concat([once, table.filter(~of_study)])
    if kept.height < table.height:
        notes.append(
            "Equal answers were shown to raters as one, and count once; "
            f"{table.height - kept.height} rows of all questions are left out."
        )
    return with_text((*_KEYS, "dimension", "instrument"), kept, path)


def _long(frame: pl.DataFrame, path: Path, wanted: Wanted, notes: list[str]) -> Ratings:
    frame = frame.with_row_index(ROW, offset=1)
    unit = "unit_id" if "unit_id" in frame.columns else "item_id"
    for name in (unit, "rater"):
        _column(frame, name, path, "Name it so, or use --wide for one column a rater.")
    frame, dimension, value = _choose(frame, path, wanted, notes)
    notes += _cautions(frame, unit, wanted)
    keys = [c for c in ("unit", unit) if c in frame.columns]
    if (empty := frame.filter(pl.col(unit).is_null() | pl.col("rater").is_null())).height:
        raise UserError(f"row {empty[ROW][0]} has no {unit} or no rater.", where=str(path))
    items = frame[unit].to_list()
    if len(keys) > 1 and frame["unit"].n_unique() > 1:
        # quoted, so that "b" of the unit "a" is not the same as "a b"
        kinds = frame["unit"].to_list()
        items = [f"{kind!r} {item}" for kind, item in zip(kinds, items, strict=True)]
    raters = frame["rater"].to_list()
    ok = _status_ok(frame, path)
    cells = [v if known else None for v, known in zip(frame[value].to_list(), ok, strict=True)]
    where = [f"row {row}, column {value!r}" for row in frame[ROW]]
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
    if "labels" in frame.columns:
        ratings = with_labels(ratings, frame, items, order, ok, numbers, path)
    if wanted.by:
        groups = _one_group(items, _groups(frame, unit, path, wanted), path, wanted)
        ratings = replace(ratings, groups=[groups[item] for item in order])
    return ratings


def _cautions(frame: pl.DataFrame, unit: str, wanted: Wanted) -> list[str]:
    """Return what an interval, or the raters themselves, are not; nothing where all is well."""
    found = []
    kinds = _words(frame, "rater_kind") if "rater_kind" in frame.columns else []
    if len(kinds) > 1:
        found.append(
            f"Raters of several kinds ({listed(kinds)}) are compared with one another: "
            "--rater-kind human takes people only."
        )
    if unit == "unit_id" and "item_id" in frame.columns and wanted.by != "item":
        answers, items = frame[unit].n_unique(), frame["item_id"].drop_nulls().n_unique()
        if 0 < items < answers:
            found.append(
                f"The {answers} answers are to {items} items. Those to one item are not "
                "independent, and an interval that takes them one by one can be too narrow: "
                "--by item draws whole items, where there are ten or more."
            )
    return found


def _column(frame: pl.DataFrame, name: str, path: Path, fix: str) -> None:
    if name not in frame.columns:
        guess = nearest(name, [c for c in frame.columns if c not in (*_KEYS, ROW)])
        hint = f" (there is {guess!r})" if guess else ""
        raise UserError(f"no column {name!r}{hint}.", where=str(path), fix=fix)


def _refuse_no_values(frame: pl.DataFrame, path: Path) -> None:
    other = [c for c in frame.columns if c not in (*_KEYS, ROW, "topic", "source", "labels")]
    numeric = [c for c in other if any(as_number(str(v)) is not None for v in frame[c].to_list())]
    fix = "Name the column of values 'value', or use --wide for one column a rater."
    if numeric:
        fix = f"Name the column of values with --dimension {numeric[0]}"
        fix += f"; there is {listed(numeric)}." if len(numeric) > 1 else "."
    raise UserError("no column 'value'.", where=str(path), fix=fix)


def _choose(
    frame: pl.DataFrame, path: Path, wanted: Wanted, notes: list[str]
) -> tuple[pl.DataFrame, str | None, str]:
    """Return the rows asked for, their dimension, and the column that holds the values."""
    frame = _only(frame, "rater_kind", wanted.rater_kind, "--rater-kind", path)
    frame = _with_first(frame)
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
    if value not in frame.columns:
        _refuse_no_values(frame, path)
    frame = _only(frame, "instrument", wanted.instrument, "--instrument", path)
    if "instrument" in frame.columns and len(several := _words(frame, "instrument")) > 1:
        raise UserError(
            "several instruments ask for this dimension, perhaps on different scales.",
            where=str(path),
            fix=f"Choose one with --instrument: {listed(several)}.",
        )
    last = pl.lit(value=True)
    if "round" in frame.columns:
        number = pl.col("round").cast(pl.Float64, strict=False)
        over = [c for c in _RATING if c in frame.columns]
        last = number.is_null() | (number == number.max().over(over))
    for name, kept, rows in (("round", "last", last), ("replicate", "first", pl.col(_FIRST))):
        if name in frame.columns and frame[name].n_unique() > 1:
            before = frame.height
            frame = frame.filter(rows)
            notes.append(
                f"Of several {name}s the {kept} of each rater is taken; "
                f"{before - frame.height} rows are left out."
            )
    return frame.drop(_FIRST, strict=False), dimension, value


def _with_first(frame: pl.DataFrame) -> pl.DataFrame:
    """Mark the rows of each rater's first replicate, whichever questions it has answers to.

    A question that was skipped then and answered in a later replicate stays unanswered.
    """
    if "replicate" not in frame.columns:
        return frame
    number = pl.col("replicate").cast(pl.Float64, strict=False)
    over = [c for c in (*_RATING, "instrument", "round") if c in frame.columns]
    return frame.with_columns(
        (number.is_null() | (number == number.min().over(over))).alias(_FIRST)
    )


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
            where=f"{path}, row {frame[ROW][row]}, column 'status'",
            fix=f"Use {', '.join(STATUSES)}: only 'ok' has a value. Or leave the column out.",
        )
    return [bool(v) for v in said == "ok"]


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
        raise UserError(f"row {empty[ROW][0]} has no {name}.", where=str(path))
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
