"""The cells of a wide table of answers as numbers on their scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from attunement.errors import UserError
from attunement.psychometrics.scale import Scale

Floats = NDArray[np.float64]

MISSING = ("", "na", "n/a", "nan", "null", "not_applicable", "not_sure")
"""What stands for no answer, in any case of letters."""


@dataclass(frozen=True)
class Given:
    """Answers as they were chosen, before reversed items are turned round.

    Parameters
    ----------
    values
        Shape (n, items of the scale), NaN where there is no answer.
    respondents
        Who answered each row.
    sources
        The chatbot that each row is about, empty where the table does not say.
    notes
        How the table was read.

    """

    values: Floats
    respondents: tuple[str, ...]
    sources: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def numbers(
    column: pl.Series, item: str, scale: Scale, path: str | Path, missing: Sequence[str] = ()
) -> Floats:
    """Return a column as numbers, NaN where there is no answer.

    Raises
    ------
    UserError
        Where a cell is no number or is off the item's scale; it names the first.

    """
    words = {w.strip().lower() for w in (*MISSING, *missing)}
    values = np.full(len(column), np.nan)
    for row, cell in enumerate(column.to_list()):
        text = "" if cell is None else str(cell).strip()
        if text.lower() in words:
            continue
        where = f"{path}, row {row + 1}, column {column.name!r}"
        value = _number(text)
        if value is None:
            raise UserError(
                f"the answer {text!r} is not a number.",
                where=where,
                fix="Write answers as numbers; a word for no answer is named with --missing-word.",
            )
        _refuse_off(value, item, scale, where)
        values[row] = value
    return values


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None


def _refuse_off(value: float, item: str, scale: Scale, where: str) -> None:
    if item not in scale.ends:
        return
    low, high = scale.ends[item]
    whole = item in scale.whole_numbers
    if not low <= value <= high or (whole and value != round(value)):
        kind = "whole numbers from " if whole else ""
        raise UserError(
            f"the answer {value:g} is off the scale of {item}, {kind}{low:g} to {high:g}.",
            where=where,
            fix="Correct it, or leave the cell empty.",
        )
