"""A row of a frame."""

from __future__ import annotations

from typing import Any

import polars as pl


def one(frame: pl.DataFrame, **where: str) -> dict[str, Any]:
    """Return the only row with some values in some columns."""
    (row,) = frame.filter([pl.col(k) == v for k, v in where.items()]).to_dicts()
    return row
