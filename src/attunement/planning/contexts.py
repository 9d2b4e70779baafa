"""Contexts from a table, and plans to one."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from attunement.errors import UserError
from attunement.planning._tables import as_list
from attunement.planning.planner import Plan, Planner

_LIST = re.compile(r"""\s*\[\s*(['"{\]]|null\b)""")
"""How a list of turns begins; "[laughs] Fine." is a turn."""
IDS = ("item_id", "window_id", "id", "unit_id")
LISTS = ("turns", "context", "dialog", "dialogue")


@dataclass(frozen=True)
class Contexts:
    """What a planner is asked about.

    Parameters
    ----------
    ids
        One a row.
    contexts
        The turns of each row, the earliest first.
    """

    ids: tuple[str, ...]
    contexts: tuple[tuple[str, ...], ...]


def read(path: Path) -> Contexts:
    """Read a table of items, or of contexts.

    Its turns stand in a column ``turns``, as in the table of items, or ``context``: a list of texts
    or of ``{"role", "text"}``, or one text. Turns of a system (instructions to a model) are no part
    of the conversation and left out.

    Raises
    ------
    UserError
        Where the table has no such column, ids repeat or are missing, or a cell cannot be read.
    """
    from attunement.tables import read_frame

    frame: pl.DataFrame = read_frame(path)
    contexts = of_frame(frame, path)
    id = next((name for name in IDS if name in frame.columns), None)
    return Contexts(ids_of(frame, id, path), contexts)


def ids_of(frame: pl.DataFrame, column: str | None, path: Path) -> tuple[str, ...]:
    """Return the ids of a table's rows; where it has no column of them, their numbers.

    Raises
    ------
    UserError
        Where a row has no id, or two have the same.
    """
    if column is None:
        return tuple(f"row-{i + 1}" for i in range(frame.height))
    where = f"{path}, column {column}"
    given = frame[column].to_list()
    if None in given:
        raise UserError(f"row {given.index(None) + 1} has no id.", where=where)
    ids = tuple(map(str, given))
    twice = next((id for id, times in Counter(ids).items() if times > 1), None)
    if twice is not None:
        raise UserError(
            f"the id {twice!r} stands twice.", where=where, fix="Each row needs an id of its own."
        )
    return ids


def of_frame(frame: pl.DataFrame, path: Path) -> tuple[tuple[str, ...], ...]:
    """Return the turns of each row of a table, see `read`.

    Raises
    ------
    UserError
        Where the table has no column of turns, or a cell cannot be read.
    """
    column = next((name for name in LISTS if name in frame.columns), None)
    if column is None:
        raise UserError(
            f"the table has no turns: it has {', '.join(frame.columns) or 'no columns'}.",
            where=str(path),
            fix="Give a table of items (a column turns), or a column context.",
        )
    cells = frame[column].to_list()
    return tuple(_turns(cell, f"{path}, row {i + 1}", column) for i, cell in enumerate(cells))


def _turns(cell: object, where: str, column: str) -> tuple[str, ...]:
    if cell is None:
        return ()
    if isinstance(cell, str) and not _LIST.match(cell):
        return (cell.strip(),) if cell.strip() else ()
    found = []
    for turn in as_list(cell, where, column):
        if isinstance(turn, dict):
            if turn.get("role") != "system":
                found.append(str(turn.get("text") or turn.get("content") or ""))
        elif turn is not None:
            found.append(str(turn))
    return tuple(found)


SCHEMA: dict[str, pl.DataType] = {
    "item_id": pl.String(),
    "planner": pl.String(),
    "labels": pl.List(pl.String()),
    "status": pl.String(),
    "reason": pl.String(),
    "scores": pl.String(),
    "signature": pl.String(),
}


def as_frame(ids: Sequence[str], plans: Sequence[Plan], planner: Planner) -> pl.DataFrame:
    """Return the plans as a table, one row for each context.

    Columns: ``item_id``, ``planner`` (its kind), ``labels`` (a list, in order), ``status``,
    ``reason``, ``scores`` (JSON: label to 0..1; null where the planner has none), ``signature``.
    """
    rows: list[dict[str, Any]] = [
        {
            "item_id": id,
            "planner": planner.kind,
            "labels": list(plan.labels),
            "status": plan.status,
            "reason": plan.reason,
            "scores": json.dumps(dict(plan.scores)) if plan.scores else None,
            "signature": planner.signature,
        }
        for id, plan in zip(ids, plans, strict=True)
    ]
    return pl.DataFrame(rows, schema=SCHEMA)
