"""What ``attunement agreement`` was asked for, and the ratings that it read."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

ROW = "\0row"  # a name that no table has


@dataclass(frozen=True)
class Wanted:
    """What the user asked for: see the options of the command."""

    dimension: str | None = None
    nominal: bool = False
    by: str | None = None
    wide: bool = False
    items: Path | None = None
    instrument: str | None = None
    rater_kind: str | None = None
    missing: tuple[str, ...] = ()
    id: str | None = None


@dataclass(frozen=True)
class Ratings:
    """Ratings of one dimension.

    ``matrix`` is items x raters, NaN where missing. Where each rating is a set of labels, ``sets``
    has the different ones, and the matrix their places in it. ``groups`` has one entry an item
    where groups were asked for. Where ``categories`` is true the matrix's numbers are names.
    ``warnings`` are what may make every number wrong.
    """

    matrix: np.ndarray[Any, np.dtype[np.float64]]
    raters: list[str]
    sets: list[frozenset[str]] | None = None
    categories: bool = False
    groups: list[str] | None = None
    dimension: str | None = None
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
