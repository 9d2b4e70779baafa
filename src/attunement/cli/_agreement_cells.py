"""What stands in the cells of a table of ratings: numbers, words, and sets of labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from attunement.decoding import decode_json
from attunement.errors import UserError, first_of

MISSING = ("", "na", "n/a", "nan", "null")
_SHOWN = 8


class Reading(Protocol):
    """How cells are to be read: which words stand for no rating, and whether words are values."""

    @property
    def missing(self) -> tuple[str, ...]: ...

    @property
    def nominal(self) -> bool: ...


def numbers_of(
    cells: Sequence[Any],
    where: Sequence[str],
    path: Path,
    wanted: Reading,
    notes: list[str],
) -> list[float]:
    """Return values as numbers, NaN where missing; words are categories at level nominal.

    Raises
    ------
    UserError
        Where a value is no number and words are no categories; it names the first of ``where``.
    """
    missing = {m.strip().lower() for m in wanted.missing} | set(MISSING)
    stripped = [None if v is None else str(v).strip() for v in cells]
    texts = [None if t is None or t.lower() in missing else t for t in stripped]
    parsed = [math.nan if t is None else as_number(t) for t in texts]
    unrated = {as_number(word) for word in missing} - {None}  # so that 9 means 9.0 as well
    parsed = [math.nan if number in unrated else number for number in parsed]
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
    notes.append(f"{len(words)} categories: {listed(words)}.")
    return [math.nan if t is None else float(words.index(t)) for t in texts]


def as_number(text: str) -> float | None:
    """Return a finite number, None where the text is none; Python's ``1_0`` is no number here."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None


def labels_of(value: Any) -> list[str]:
    """Return labels from a list, JSON text of one, or words with semicolons between.

    Raises
    ------
    ValueError
        Where the value is none of these.
    """
    if isinstance(value, str) and not value.strip().startswith(("[", "{")):
        value = [part.strip() for part in value.split(";") if part.strip()]
    elif isinstance(value, str):
        value = decode_json(value)
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise ValueError("labels are not a list of words")
    return value


def listed(words: Sequence[str]) -> str:
    """Return the first few words, and how many more there are."""
    return first_of(words, _SHOWN)


def with_text(names: Sequence[str], frame: pl.DataFrame, path: Path) -> pl.DataFrame:
    """Return the table with the named columns, where it has them, as text.

    Raises
    ------
    UserError
        Where one holds bytes, or objects that no file has.
    """
    texts = []
    for name in names:
        if name not in frame.columns:
            continue
        column = frame[name]
        if column.dtype in (pl.Binary, pl.Object):
            raise UserError(
                f"column {name!r} holds {column.dtype}, not text.",
                where=str(path),
                fix="Write it again as text.",
            )
        if column.dtype.is_nested():
            column = pl.Series(name, [None if v is None else str(v) for v in column.to_list()])
        texts.append(column.cast(pl.String))
    return frame.with_columns(texts)
