"""What a loader returns: items, responses, and an account of every row of the source."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from attunement import tables
from attunement.datasets.cleaning import topic_slug
from attunement.errors import UserError, nearest

T = TypeVar("T")

EXAMPLES = 5
"""How many row numbers are kept as examples of a reason."""

FORMATS = ("parquet", "csv", "jsonl")

_KEPT = pl.Schema({"row": pl.Int64(), "item_id": pl.String()})
_DROPPED = pl.Schema({"reason": pl.String(), "count": pl.Int64(), "rows": pl.List(pl.Int64())})


Track = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Shows progress: called with what is done and how many steps, gives ``advance(n)``."""

_STEP = 64
"""Rows between two signs of progress."""


@contextmanager
def _untracked(what: str, total: int) -> Iterator[Callable[[int], None]]:
    yield lambda n: None


@dataclass(frozen=True)
class Options:
    """What a loader may be told.

    Parameters
    ----------
    mapping
        Our column to the file's column, for tables.
    seed
        Breaks ties between equally upvoted answers.
    source
        The name of the system that answered, where the file does not say.
    track
        Shows progress; nothing is shown without it.

    """

    mapping: Mapping[str, str] = field(default_factory=dict)
    seed: int = 1
    source: str | None = None
    track: Track = _untracked

    def rows(self, rows: Iterable[T], total: int) -> Iterator[tuple[int, T]]:
        """Yield rows with their number from 1, showing progress."""
        with self.track("Reading", total) as advance:
            for number, row in enumerate(rows, start=1):
                yield number, row
                if number % _STEP == 0:
                    advance(_STEP)
            advance(total % _STEP)


@dataclass(frozen=True)
class Loaded:
    """Items and responses of one source, and where each of its rows went.

    Parameters
    ----------
    name
        What was loaded, for people to read.
    items, responses
        The tables, as `attunement.tables` defines them.
    rows_read
        How many rows (for transcripts: assistant turns) the source has.
    kept
        ``row`` (from 1) and ``item_id`` of every row that is in the tables.
    dropped
        ``reason``, ``count`` and ``rows`` (the first few row numbers) of those that are not.
    notes
        What else a reader should know, a sentence each.
    unit
        What a row is called.

    """

    name: str
    items: pl.DataFrame
    responses: pl.DataFrame
    rows_read: int
    kept: pl.DataFrame
    dropped: pl.DataFrame
    notes: list[str] = field(default_factory=list)
    unit: str = "row"

    def account(self) -> dict[str, Any]:
        """Return the account of rows as JSON-ready values."""
        return {
            "source": self.name,
            "unit": self.unit,
            "rows_read": self.rows_read,
            "rows_kept": self.kept.height,
            "items": self.items.height,
            "responses": self.responses.height,
            "dropped": self.dropped.to_dicts(),
            "notes": self.notes,
        }

    def write(self, folder: str | Path, *, suffix: str = "parquet") -> list[Path]:
        """Write ``items``, ``responses`` and the account (``loaded.json``); return the paths.

        Raises
        ------
        UserError
            Where ``suffix`` is none of parquet, csv and jsonl.

        """
        if suffix not in FORMATS:
            raise UserError(f"unknown format {suffix!r}.", fix=f"Use one of {', '.join(FORMATS)}.")
        to = Path(folder)
        if to.exists() and not to.is_dir():
            raise UserError("this is a file, not a folder.", where=str(to))
        to.mkdir(parents=True, exist_ok=True)
        paths = [to / f"items.{suffix}", to / f"responses.{suffix}", to / "loaded.json"]
        tables.write_table(self.items, paths[0], "items")
        tables.write_table(self.responses, paths[1], "responses")
        paths[2].write_text(
            json.dumps(self.account(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
        )
        return paths

    def select(
        self, *, topics: Iterable[str] | None = None, limit: int | None = None, seed: int = 1
    ) -> Loaded:
        """Keep some topics only, then ``limit`` items drawn by ``seed``; the rest is counted.

        The draw depends on the seed and the item ids only, not on the order of the file.

        Raises
        ------
        UserError
            Where a topic does not occur or ``limit`` is less than 1.

        """
        chosen = self
        if topics is not None:
            chosen = chosen._keep(chosen._with_topics(list(topics)), "another topic than asked for")
        if limit is not None:
            if limit < 1:
                raise UserError("the limit must be at least 1.", where="--limit")
            ids = sorted(chosen.items["item_id"].to_list(), key=lambda i: stable_hash(seed, i))
            chosen = chosen._keep(set(ids[:limit]), "beyond the limit of items")
        return chosen

    def _with_topics(self, topics: list[str]) -> set[str]:
        there: dict[str, set[str]] = {}
        for item, topic in self.items.select("item_id", "topic").iter_rows():
            there.setdefault(topic_slug(topic or ""), set()).add(item)
        ids: set[str] = set()
        for topic in topics:
            found = there.get(topic_slug(topic))
            if found is None:
                known = sorted(t for t in there if t)
                guess = nearest(topic_slug(topic), known)
                raise UserError(
                    f"no item has the topic {topic!r}; there are {', '.join(known) or 'none'}.",
                    where="--topics",
                    fix=f"Did you mean {guess!r}?" if guess else None,
                )
            ids |= found
        return ids

    def _keep(self, ids: set[str], reason: str) -> Loaded:
        inside = pl.col("item_id").is_in(list(ids))
        left = self.kept.filter(~inside)
        if not left.height:
            return self
        drops = {r["reason"]: (r["count"], r["rows"]) for r in self.dropped.to_dicts()}
        drops[reason] = (left.height, left["row"].head(EXAMPLES).to_list())
        return replace(
            self,
            items=self.items.filter(inside),
            responses=self.responses.filter(inside),
            kept=self.kept.filter(inside),
            dropped=_dropped_frame(drops),
        )


class Ledger:
    """Write down for every row of a source that it is kept, or why it is not."""

    def __init__(self) -> None:
        self._kept: list[tuple[int, str]] = []
        self._dropped: dict[str, list[int]] = {}

    def keep(self, row: int, item_id: str) -> None:
        """Count row number ``row`` (from 1) as part of an item."""
        self._kept.append((row, item_id))

    def drop(self, row: int, reason: str) -> None:
        """Count row number ``row`` (from 1) as left out."""
        self._dropped.setdefault(reason, []).append(row)

    def finish(
        self,
        name: str,
        items: list[dict[str, Any]],
        responses: list[dict[str, Any]],
        *,
        notes: list[str],
        unit: str = "row",
        where: str | None = None,
        without_items: bool = False,
    ) -> Loaded:
        """Return the result; ``without_items`` says that a source may hold no question's text.

        Raises
        ------
        UserError
            Where no item is left.

        """
        dropped = {r: (len(rows), rows[:EXAMPLES]) for r, rows in self._dropped.items()}
        read = len(self._kept) + sum(count for count, _ in dropped.values())
        if not items and not without_items:
            why = "; ".join(f"{count} {unit}s: {reason}" for reason, (count, _) in dropped.items())
            raise UserError(f"nothing is left to load ({why or 'no rows'}).", where=where)
        return Loaded(
            name=name,
            items=_table(items, "items"),
            responses=_table(responses, "responses"),
            rows_read=read,
            kept=pl.DataFrame(self._kept, schema=_KEPT, orient="row"),
            dropped=_dropped_frame(dropped),
            notes=notes,
            unit=unit,
        )


def _dropped_frame(drops: dict[str, tuple[int, list[int]]]) -> pl.DataFrame:
    rows = [(reason, count, examples) for reason, (count, examples) in drops.items()]
    return pl.DataFrame(rows, schema=_DROPPED, orient="row")


def _table(rows: list[dict[str, Any]], kind: tables.Kind) -> pl.DataFrame:
    schema = tables.SCHEMAS[kind]
    if not rows:
        return tables.empty(kind)
    return tables.conform(
        pl.DataFrame({c: [r.get(c) for r in rows] for c in schema}, schema=schema), kind
    )


def stable_hash(*parts: object) -> str:
    """Return 40 hexadecimal digits that depend on the parts only, on every machine."""
    return hashlib.sha1("\x1f".join(map(str, parts)).encode(), usedforsecurity=False).hexdigest()


def item_id(prefix: str, question: str) -> str:
    """Return an id that follows from the question, so that it is the same in every file."""
    return f"{prefix}-{stable_hash(question)[:12]}"


def user_turn(question: str) -> list[dict[str, str]]:
    """Return a single question as turns."""
    return [{"role": "user", "text": question}]


def meta(**values: Any) -> str | None:
    """Return the values that are there as a JSON object in text, None where there are none."""
    there = {k: v for k, v in values.items() if v not in (None, "", [])}
    return json.dumps(there, ensure_ascii=False, sort_keys=True) if there else None
