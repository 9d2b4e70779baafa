"""Texts to be tagged from a table, and their tags to one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from attunement.errors import UserError, first_of
from attunement.planning import contexts
from attunement.planning.planner import Plan
from attunement.planning.tagging import Tagger

IDS = ("response_id", *contexts.IDS)


@dataclass(frozen=True)
class Texts:
    """What a tagger is asked about.

    Parameters
    ----------
    column
        What the ids are called in the table.
    ids
        One a row.
    texts
        Empty where the table has none.
    after
        The turn before each, None where it is not known.
    """

    column: str
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    after: tuple[str | None, ...]


def read(path: Path, items: Path | None = None) -> Texts:
    """Read a table of responses, or any with a column ``text``.

    The turn before a text is the last one of the row's ``context``, or of its item.

    Parameters
    ----------
    path
        The table.
    items
        A table of items, whose ids stand in the column ``item_id`` of the first.

    Raises
    ------
    UserError
        Where a table has no such column, ids repeat or are missing, or an item is not there.
    """
    from attunement.tables import read_frame

    frame: pl.DataFrame = read_frame(path)
    if "text" not in frame.columns:
        raise UserError(
            f"the table has no texts: it has {', '.join(frame.columns) or 'no columns'}.",
            where=str(path),
            fix="Give a table of responses, or another with a column text.",
        )
    column = next((name for name in IDS if name in frame.columns), None)
    ids = contexts.ids_of(frame, column, path)
    texts = tuple("" if cell is None else str(cell) for cell in frame["text"].to_list())
    return Texts(column or "row", ids, texts, _after(frame, path, items))


def _after(frame: pl.DataFrame, path: Path, items: Path | None) -> tuple[str | None, ...]:
    if items is not None:
        if "item_id" not in frame.columns:
            raise UserError("the table has no column item_id.", where=str(path))
        given = contexts.read(items)
        last = dict(zip(given.ids, map(_last, given.contexts), strict=True))
        wanted = [str(value) for value in frame["item_id"].to_list()]
        absent = [id for id in dict.fromkeys(wanted) if id not in last]
        if absent:
            raise UserError(f"there is no item {first_of(absent, 3)}.", where=str(items))
        return tuple(last[id] for id in wanted)
    if any(name in frame.columns for name in contexts.LISTS):
        return tuple(_last(turns) for turns in contexts.of_frame(frame, path))
    return (None,) * frame.height


def _last(turns: Sequence[str]) -> str | None:
    return turns[-1] if turns and turns[-1].strip() else None


def as_frame(given: Texts, tags: Sequence[Plan], tagger: Tagger) -> pl.DataFrame:
    """Return the tags as a table, one row for each text.

    Columns: the id as the texts' table calls it, ``tagger`` (its kind), ``labels`` (a list, in
    order), ``status``, ``reason``, ``signature``.
    """
    n = len(tags)
    return pl.DataFrame(
        {
            given.column: given.ids,
            "tagger": [tagger.kind] * n,
            "labels": [list(tag.labels) for tag in tags],
            "status": [tag.status for tag in tags],
            "reason": [tag.reason for tag in tags],
            "signature": [tagger.signature] * n,
        },
        schema={
            given.column: pl.String(),
            "tagger": pl.String(),
            "labels": pl.List(pl.String()),
            "status": pl.String(),
            "reason": pl.String(),
            "signature": pl.String(),
        },
    )
