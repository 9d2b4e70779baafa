"""The cells of a table from elsewhere: numbers, whole numbers of a scale, and text."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from attunement.errors import UserError

Floats = NDArray[np.float64]
MISSING = ("", "na", "n/a", "nan", "null", "none", "-")


def is_missing(text: str) -> bool:
    """Say whether a cell stands for no answer."""
    return text.strip().lower() in MISSING


def numbers(frame: pl.DataFrame, column: str, where: str) -> list[float]:
    """Return a column's numbers, NaN where a cell is empty or says so.

    Raises
    ------
    UserError
        Where a cell holds anything else; it names the row and the column.

    """
    found = []
    for row, value in enumerate(texts(frame, column), start=1):
        if is_missing(value):
            found.append(math.nan)
            continue
        try:
            number = float(value)
        except ValueError:
            number = math.inf
        if not math.isfinite(number):
            raise UserError(
                f"{value!r} is not a number.",
                where=f"{where}, row {row}, column {column!r}",
                fix="Write a number; leave the cell empty where there is none.",
            )
        found.append(number)
    return found


def on_scale(frame: pl.DataFrame, column: str, where: str, low: int, high: float) -> list[float]:
    """Return a column's whole numbers from ``low`` to ``high``, NaN where missing.

    Raises
    ------
    UserError
        Where a number is not one of them.

    """
    found = numbers(frame, column, where)
    for row, value in enumerate(found, start=1):
        if not math.isnan(value) and not (low <= value <= high and value.is_integer()):
            ends = f"from {low} to {high:g}" if math.isfinite(high) else f"from {low} on"
            raise UserError(
                f"{value:g} is not a whole number {ends}.",
                where=f"{where}, row {row}, column {column!r}",
                fix="Correct the value, or name the scale that was used.",
            )
    return found


def texts(frame: pl.DataFrame, column: str) -> list[str]:
    """Return a column as text without the spaces around it; empty where null or not there."""
    if column not in frame.columns:
        return [""] * frame.height
    return ["" if v is None else str(v).strip() for v in frame[column].to_list()]


def matrix(
    values: list[float],
    experts: list[str],
    items: list[str],
    rows: Mapping[str, int],
    columns: Mapping[str, int],
) -> Floats:
    """Return values of a long table as a matrix, shape (experts, items), NaN where missing."""
    found = np.full((len(rows), len(columns)), math.nan)
    for value, expert, item in zip(values, experts, items, strict=True):
        found[rows[expert], columns[item]] = value
    return found
