"""What a table of the report is made of: cells, rows, footnotes and the frame behind them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from attunement.report.formats import DASH, interval, missing, number

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    Parameters
    ----------
    text
        What stands in it.
    below
        Smaller lines under it: an interval, the number of items.
    mark
        Letter of the footnote that explains it.
    reason
        The same explanation, as the tooltip.
    kind
        Style: ``best``, ``good``, ``bad``, ``quiet``, ``words`` (left-aligned prose) or empty.

    """

    text: str
    below: tuple[str, ...] = ()
    mark: str = ""
    reason: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Column:
    """A column's heading; ``numeric`` columns are right-aligned."""

    name: str
    numeric: bool = True
    below: str = ""


@dataclass(frozen=True)
class Table:
    """One table of the report and the CSV file behind it.

    Parameters
    ----------
    id
        Anchor in the page and name of the CSV file.
    title, caption
        Heading, and what to read from it.
    columns, rows
        What the page shows; a row's first cell is its heading.
    frame
        Every row at full precision, for the CSV file.
    folded
        Rows that the page shows on demand, under ``folded_label``.
    notes
        Footnotes: letter and text.
    paper
        Which table of the paper it answers to, where it does.
    descriptive
        Why no conclusion should rest on it, where none should.

    """

    id: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    frame: pl.DataFrame
    folded: tuple[tuple[Cell, ...], ...] = ()
    folded_label: str = ""
    notes: tuple[tuple[str, str], ...] = ()
    paper: str = ""
    descriptive: str = ""


@dataclass
class Notes:
    """Gives the same letter to the same reason, in the order in which they come up."""

    letters: dict[str, str] = field(default_factory=dict)

    def mark(self, reason: str | None) -> str:
        """Return the letter of ``reason``; nothing where there is none."""
        if not reason:
            return ""
        return self.letters.setdefault(reason, _letter(len(self.letters)))

    def all(self) -> tuple[tuple[str, str], ...]:
        """Return letters and reasons, in order."""
        return tuple((letter, reason) for reason, letter in self.letters.items())


def _letter(index: int) -> str:
    first, last = divmod(index, 26)
    return (chr(ord("a") + first - 1) if first else "") + chr(ord("a") + last)


def estimate_cell(
    row: Row | None,
    notes: Notes,
    decimals: int = 2,
    *,
    column: str = "estimate",
    n: bool = True,
    kind: str = "",
    extra: Sequence[str] = (),
    sign: bool = False,
) -> Cell:
    """Return the cell of an estimate with its interval and n, or a dash with the reason."""
    if row is None:
        return absent("not in the analysis", notes)
    if missing(row[column]):
        return absent(row.get("reason") or "undefined", notes)
    below = [interval(row.get("ci_low"), row.get("ci_high"), decimals), *extra]
    if n and row.get("n") is not None:
        below.append(f"n {row['n']:,}")
    reason = row.get("reason") or ""
    return Cell(
        number(row[column], decimals, sign=sign),
        tuple(b for b in below if b),
        notes.mark(reason),
        reason,
        kind,
    )


def absent(reason: str, notes: Notes) -> Cell:
    """Return the cell of a missing number: a dash, with the reason as footnote and tooltip."""
    return Cell(DASH, (), notes.mark(reason), reason, "quiet")


class Lookup:
    """Rows of a frame by the values of some of its columns."""

    def __init__(self, frame: pl.DataFrame, *keys: str) -> None:
        self._rows: dict[tuple[Any, ...], Row] = {}
        for row in frame.iter_rows(named=True):
            self._rows.setdefault(tuple(row[k] for k in keys), row)

    def get(self, *key: Any) -> Row | None:
        """Return the first row with these values, or None."""
        return self._rows.get(key)

    def number(self, *key: Any, column: str = "estimate") -> float | None:
        """Return one finite number of that row, or None."""
        row = self.get(*key)
        return None if row is None or missing(row[column]) else float(row[column])


def lowest(values: Mapping[str, float | None]) -> set[str]:
    """Return the keys with the smallest value; nothing where fewer than two have one."""
    known = {k: v for k, v in values.items() if v is not None}
    if len(known) < 2:
        return set()
    least = min(known.values())
    return {k for k, v in known.items() if v == least}


FOLDED_AT_MOST = 120
"""Rows that a table folds away; what goes beyond is in its CSV file only."""


def split(
    rows: Iterable[tuple[Cell, ...]], shown: int, what: str
) -> tuple[tuple[tuple[Cell, ...], ...], tuple[tuple[Cell, ...], ...], str]:
    """Return the rows to show, those to fold, and the label of the fold.

    A few more are shown rather than a few folded.
    """
    every = tuple(rows)
    if len(every) <= shown + 2:
        return every, (), ""
    rest = every[shown:]
    kept = rest[:FOLDED_AT_MOST]
    label = f"{len(kept)} more {what}"
    if len(kept) < len(rest):
        label += f"; another {len(rest) - len(kept):,} are in the CSV file"
    return every[:shown], kept, label


def named_rows(frame: pl.DataFrame, **where: Any) -> Iterator[dict[str, Any]]:
    """Yield a frame's rows with these values as dictionaries."""
    chosen = frame.filter([pl.col(k) == v for k, v in where.items()]) if where else frame
    yield from chosen.iter_rows(named=True)
