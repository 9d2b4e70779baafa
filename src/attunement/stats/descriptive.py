"""Means with Student's interval."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.result import Result, input_hash, signature

Floats = NDArray[np.float64]
ROUNDING = 1e-12
"""Differences up to this share of the values are noise of binary fractions."""
DIGITS = 12


def mean(values: ArrayLike, *, level: float = 0.95) -> Result:
    """Return the mean with Student's t interval.

    Parameters
    ----------
    values
        Shape (n,), any unit; missing values are left out and counted.
    level
        Coverage, 0 to 1.

    Returns
    -------
    Result
        One value, or values that are all the same, give no interval, none no mean, and ``reason``
        says so.

    >>> round(mean([1, 2, 3, 4]).ci_high, 4)
    4.5543

    """
    x = np.asarray(values, dtype=np.float64).ravel()
    there = x[np.isfinite(x)]
    low, high = (v[0] for v in t_interval(there[:, None], level=level))
    return Result(
        name="mean",
        estimate=float(there.mean()) if there.size else math.nan,
        ci_low=float(low),
        ci_high=float(high),
        ci_level=level,
        n=there.size,
        n_missing=x.size - there.size,
        method="mean, Student's t interval",
        signature=signature("mean", ci="t", level=level, inputs=input_hash(x)),
        reason=why_no_interval(there.size, float(low)),
    )


def why_no_interval(n: int, low: float) -> str | None:
    """Return the reason for which a mean of ``n`` values lacks an interval, or None.

    Parameters
    ----------
    n
        Values.
    low
        The interval's lower limit, NaN where there is none.

    """
    if not math.isnan(low):
        return None
    return {0: "no values", 1: "one value: no interval"}.get(n, NO_SPREAD)


NO_SPREAD = "all values are the same: no interval"
"""An interval of no width would claim to be sure of what so many equal values cannot tell."""


def settle(values: ArrayLike, size: ArrayLike | None = None) -> Floats:
    """Return values without the noise of binary fractions, to `DIGITS` digits of their size.

    0.3 - 0.2 and 0.2 - 0.1 are one number then, as they are on paper, and 0.1 + 0.2 - 0.3 is 0.

    Parameters
    ----------
    values
        Of any shape; NaN stays.
    size
        How large the numbers were that the values were computed from, of a shape that fits; by
        default the values themselves.

    >>> settle([0.1 + 0.2 - 0.3, 0.3 - 0.2], 0.3).tolist()
    [0.0, 0.1]
    """
    x = np.asarray(values, dtype=np.float64)
    large = np.abs(x if size is None else np.asarray(size, dtype=np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        digits = DIGITS - np.ceil(np.log10(large))
        # Powers of ten up to 22 are exact, so that a decimal comes out as it is written
        power = 10.0 ** np.clip(digits, -22, 22)
        found = np.round(x * power) / power
    return np.where(np.isfinite(found), found, x)


def settle_difference(a: Floats, b: Floats) -> Floats:
    """Return a - b, to `DIGITS` digits of the larger of both."""
    return settle(a - b, np.maximum(np.abs(a), np.abs(b)))


def is_constant(values: ArrayLike) -> NDArray[np.bool_]:
    """Return whether the values of each column are the same but for rounding, NaN left out.

    Parameters
    ----------
    values
        Shape (n, k).

    """
    x = np.asarray(values, dtype=np.float64)
    there = np.isfinite(x)
    highest = np.where(there, x, -np.inf).max(axis=0, initial=-np.inf)
    lowest = np.where(there, x, np.inf).min(axis=0, initial=np.inf)
    size = np.maximum(np.abs(highest), np.abs(lowest))
    return np.asarray(highest - lowest <= ROUNDING * size, dtype=bool)


def column_stats(values: ArrayLike) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return mean, standard deviation (n - 1) and n of each column, NaN left out.

    Parameters
    ----------
    values
        Shape (n, k).

    Returns
    -------
    tuple
        Three arrays of shape (k,); NaN where there are too few values (1 for the mean, 2 for the
        standard deviation).

    """
    x = np.asarray(values, dtype=np.float64)
    there = np.isfinite(x)
    n = there.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        center = np.where(there, x, 0.0).sum(axis=0) / n
        squares = np.where(there, (x - center) ** 2, 0.0).sum(axis=0)
        spread = np.sqrt(np.where(n > 1, squares / (n - 1), np.nan))
    spread = np.where(is_constant(x) & (n > 1), 0.0, spread)
    return center, spread, n.astype(np.int64)


def t_interval(values: ArrayLike, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return Student's interval of each column's mean, NaN left out.

    Parameters
    ----------
    values
        Shape (n, k).
    level
        Coverage.

    Returns
    -------
    tuple
        Lower and upper limits, shape (k,); NaN for a column with fewer than two different values.

    """
    from scipy.special import stdtrit

    center, spread, n = column_stats(values)
    degrees = np.where(is_constant(values), np.nan, n - 1)
    half = stdtrit(degrees, (1 + level) / 2) * spread / np.sqrt(np.maximum(n, 1))
    return center - half, center + half


def mean_ranks(values: ArrayLike) -> Floats:
    """Return ranks from 1, ties at their mean rank.

    Parameters
    ----------
    values
        Shape (n,), without missing values.

    >>> mean_ranks([10, 20, 20]).tolist()
    [1.0, 2.5, 2.5]

    """
    _, inverse, counts = np.unique(
        np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True
    )
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[inverse], dtype=np.float64)
