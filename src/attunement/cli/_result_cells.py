"""Results in the cells of a table for people."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attunement.stats.result import Result


def estimate(result: Result | None, *, decimals: int = 2) -> str:
    """Return an estimate alone, a dash where there is none."""
    if result is None or isnan(result.estimate):
        return "-"
    return _said(result.estimate, decimals)


def interval(result: Result | None, *, decimals: int = 2) -> str:
    """Return an estimate with its interval in brackets, a dash where there is none.

    >>> from attunement.stats.result import Result
    >>> interval(Result("mean", 0.5, 9, "mean", ci_low=0.25, ci_high=0.75))
    '0.50 (0.25, 0.75)'

    """
    said = estimate(result, decimals=decimals)
    if result is None or isnan(result.ci_low):
        return said
    return f"{said} ({_said(result.ci_low, decimals)}, {_said(result.ci_high, decimals)})"


def _said(value: float, decimals: int) -> str:
    return f"{round(value, decimals) + 0.0:,.{decimals}f}"  # no minus before a zero
