"""Say what is wrong with a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import polars as pl

from attunement.errors import UserError, did_you_mean, first_of
from attunement.tables.conform import conform, needed, to_polars
from attunement.tables.schema import CHOICES, KEYS, REQUIRED, ROLES, SCHEMAS, Kind

if TYPE_CHECKING:
    from attunement.tables.conform import Frame

NO_ROWS = "no rows"


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a table.

    Parameters
    ----------
    row
        Zero-based data row, or None where the whole table or column is meant.
    column
        The column, or None.
    reason
        What is wrong.

    """

    row: int | None
    column: str | None
    reason: str

    def __str__(self) -> str:
        where = [] if self.row is None else [f"row {self.row + 1}"]
        if self.column is not None:
            where.append(f"column {self.column!r}")
        return f"{', '.join(where)}: {self.reason}" if where else self.reason


def check(frame: Frame, kind: Kind) -> list[Problem]:
    """Say what is wrong with a table: row, column and reason; empty where nothing is.

    Looks at columns, types, required values, allowed words, keys that occur twice, turns without a
    known role, and ratings whose value and status do not agree.
    """
    table = to_polars(frame)
    problems = [
        Problem(None, c, "missing column") for c in REQUIRED[kind] if c not in table.columns
    ]
    unknown = [c for c in table.columns if c not in SCHEMAS[kind]]
    problems += [
        Problem(None, c, f"unknown column{did_you_mean(c, SCHEMAS[kind], '')}") for c in unknown
    ]
    if any(p.reason == "missing column" for p in problems):
        return problems
    try:
        table = conform(table, kind)
    except UserError as error:
        return [*problems, Problem(None, None, str(error))]
    if not table.height:
        return [*problems, Problem(None, None, NO_ROWS)]
    for column in (*REQUIRED[kind], *KEYS[kind]):
        filled = pl.col(column).is_not_null()
        if table.schema[column] == pl.String and column != "text":
            filled &= pl.col(column).str.strip_chars() != ""
        if kind == "responses" and column == "text":
            filled |= pl.col("error").is_not_null()
        rows = _rows_where(table, ~filled)
        problems += [Problem(r, column, "empty") for r in rows]
    for column, allowed in CHOICES[kind].items():
        for row in _rows_where(table, ~pl.col(column).is_in(allowed)):
            value = table[column][row]
            problems.append(Problem(row, column, f"{value!r} is none of {', '.join(allowed)}"))
    problems += _duplicates(table, kind)
    problems += _kind_checks(table, kind)
    return list(dict.fromkeys(problems))


def _rows_where(table: pl.DataFrame, condition: pl.Expr) -> list[int]:
    return cast(
        list[int], table.select(condition.fill_null(False).arg_true()).to_series().to_list()
    )


def _duplicates(table: pl.DataFrame, kind: Kind) -> list[Problem]:
    keys = list(KEYS[kind])
    rows = _rows_where(
        table, pl.struct(keys).is_duplicated() & ~pl.struct(keys).is_first_distinct()
    )
    name = keys[0] if len(keys) == 1 else None
    said = "duplicate " + (keys[0] if name else f"key ({', '.join(keys)})")
    return [Problem(r, name, f"{said}: {', '.join(str(table[k][r]) for k in keys)}") for r in rows]


def _kind_checks(table: pl.DataFrame, kind: Kind) -> list[Problem]:
    problems: list[Problem] = []
    if kind == "items":
        for row, turns in enumerate(table["turns"].to_list()):
            if not turns:
                problems.append(Problem(row, "turns", "no turns"))
            for turn in turns or []:
                if turn["role"] not in ROLES:
                    problems.append(
                        Problem(
                            row, "turns", f"role {turn['role']!r} is none of {', '.join(ROLES)}"
                        )
                    )
                elif not (turn["text"] or "").strip():
                    problems.append(Problem(row, "turns", f"a {turn['role']} turn is empty"))
    if kind == "ratings":
        given = pl.col("value").is_not_null() | (pl.col("labels").list.len() > 0).fill_null(False)
        said = {
            "status ok without a value or labels": (pl.col("status") == "ok") & ~given,
            "a value although the status is not ok": (pl.col("status") != "ok")
            & pl.col("value").is_not_null(),
            "not a finite number": pl.col("value").is_not_null() & ~pl.col("value").is_finite(),
        }
        for reason, condition in said.items():
            problems += [Problem(r, "value", reason) for r in _rows_where(table, condition)]
    return problems


def require(frame: Frame, kind: Kind, *, where: str | None = None) -> pl.DataFrame:
    """Return the conformed table, or raise with its first problems.

    Raises
    ------
    UserError
        Where `check` finds anything but unknown columns.

    """
    problems = [p for p in check(frame, kind) if not p.reason.startswith("unknown column")]
    if [p.reason for p in problems] == [NO_ROWS]:
        raise UserError(f"the {kind} table has no rows.", where=where)
    if problems:
        missing = any(p.reason == "missing column" for p in problems)
        raise UserError(
            f"not a valid {kind} table: {first_of(problems, 5, '; ')}.",
            where=where,
            fix=needed(kind) if missing else "Correct these rows, or leave them out.",
        )
    return conform(frame, kind)
