"""Correlations and distances between profiles; the tests of two correlations come along."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.correlation_difference import (
    fisher_independent,
    meng,
    paper_test,
    paper_z,
    steiger_nonoverlapping,
    steiger_overlapping,
)
from attunement.stats.descriptive import mean_ranks
from attunement.stats.result import Result, Tested, input_hash, signature

__all__ = [
    "Correlation",
    "euclidean",
    "fisher_independent",
    "fisher_interval",
    "meng",
    "normalize_paper",
    "paper_test",
    "paper_z",
    "pearson",
    "spearman",
    "steiger_nonoverlapping",
    "steiger_overlapping",
]

Floats = NDArray[np.float64]

EXACT_UP_TO = 7
"""Spearman's p value is exact, over all orders, up to this many points (7! = 5,040 orders)."""

PAPER_SCALE: Mapping[str, float] = {
    "simplicity": 100.0,
    "agreeability": 10.0,
    "active_listening": 10.0,
}
"""What the *nuance* paper divides a metric's mean by before it correlates profiles."""


@dataclass(frozen=True)
class Correlation(Tested):
    """A correlation with its test against zero.

    Parameters
    ----------
    statistic
        The test's statistic (t for Pearson; the correlation itself where the test is exact).
    p_value
        Two-sided, against no correlation.

    """


def pairs(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats, int]:
    """Return the pairs in which both values are there, and how many were not.

    Raises
    ------
    ValueError
        Where the lengths differ or the arrays are not one-dimensional.

    """
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"x and y must be one-dimensional and equally long: {a.shape}, {b.shape}")
    there = np.isfinite(a) & np.isfinite(b)
    return a[there], b[there], int(a.size - there.sum())


def fisher_interval(
    r: float, n: int, *, level: float = 0.95, variance: float = 1.0
) -> tuple[float, float]:
    """Return the interval of a correlation through Fisher's z: tanh(atanh(r) -/+ q sqrt(v/(n-3))).

    Parameters
    ----------
    r
        The correlation, -1 to 1. NaN at -1 and 1, where Fisher's z is infinite.
    n
        Points; fewer than 4 give NaN.
    level
        Coverage, 0 to 1.
    variance
        Variance of z times n - 3: 1 for Pearson.

    """
    from scipy.special import ndtri

    if n < 4 or not abs(r) < 1:
        return math.nan, math.nan
    z, half = math.atanh(r), float(ndtri((1 + level) / 2)) * math.sqrt(variance / (n - 3))
    return math.tanh(z - half), math.tanh(z + half)


def pearson(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Correlation:
    """Return Pearson's correlation, its t test against zero and its Fisher interval.

    Parameters
    ----------
    x, y
        Shape (n,), any unit; a pair with a missing value is left out and counted.
    level
        Coverage of the interval.

    Raises
    ------
    ValueError
        Where the lengths differ.

    >>> pearson([1, 2, 3, 4], [1, 3, 2, 4]).estimate
    0.8

    """
    a, b, missing = pairs(x, y)
    r, reason = _r(a, b)
    t, p = t_test(r, a.size)
    low, high = fisher_interval(r, a.size, level=level)
    return Correlation(
        name="pearson",
        estimate=r,
        ci_low=low,
        ci_high=high,
        ci_level=level,
        n=a.size,
        n_missing=missing,
        method="Pearson correlation, t test, Fisher z interval",
        signature=signature("pearson", ci="fisher", level=level, inputs=input_hash(a, b)),
        reason=reason or _no_interval(r, a.size),
        statistic=t,
        p_value=p,
    )


def spearman(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Correlation:
    """Return Spearman's rank correlation, ties at their mean rank.

    The p value is exact, over all orders of the points, up to `EXACT_UP_TO` points, and from the t
    distribution beyond; the interval is Bonett and Wright's (2000), variance 1 + r^2/2.

    Parameters
    ----------
    x, y
        Shape (n,); a pair with a missing value is left out and counted.
    level
        Coverage of the interval.

    Raises
    ------
    ValueError
        Where the lengths differ.

    """
    a, b, missing = pairs(x, y)
    ranks_a, ranks_b = mean_ranks(a), mean_ranks(b)
    r, reason = _r(ranks_a, ranks_b)
    if a.size > 1 and (constant(a) or constant(b)):
        r, reason = math.nan, CONSTANT
    exact = a.size <= EXACT_UP_TO
    if math.isnan(r) or a.size < 3:
        t = p = math.nan
    elif exact:
        t, p = r, _exact_p(ranks_a, ranks_b, r)
    else:
        t, p = t_test(r, a.size)
    low, high = fisher_interval(r, a.size, level=level, variance=1 + r * r / 2)
    test = "exact permutation test" if exact else "t test"
    return Correlation(
        name="spearman",
        estimate=r,
        ci_low=low,
        ci_high=high,
        ci_level=level,
        n=a.size,
        n_missing=missing,
        method=f"Spearman correlation, {test}, Bonett-Wright interval",
        signature=signature(
            "spearman",
            p="exact" if exact else "t",
            ci="bonett-wright",
            level=level,
            inputs=input_hash(a, b),
        ),
        reason=reason or _no_interval(r, a.size),
        statistic=t,
        p_value=p,
    )


def euclidean(x: ArrayLike, y: ArrayLike) -> Result:
    """Return the Euclidean distance between two profiles; it has neither interval nor p value.

    Raises
    ------
    ValueError
        Where the lengths differ.

    >>> euclidean([0, 0], [3, 4]).estimate
    5.0

    """
    a, b, missing = pairs(x, y)
    return Result(
        name="euclidean",
        estimate=float(np.sqrt(np.sum((a - b) ** 2))) if a.size else math.nan,
        n=a.size,
        n_missing=missing,
        method="Euclidean distance",
        signature=signature("euclidean", inputs=input_hash(a, b)),
        reason=None if a.size else "no points",
    )


def normalize_paper(profile: Mapping[str, float]) -> dict[str, float]:
    """Return a profile scaled as in *nuance* Table 3.

    Simplicity is divided by 100, agreeability and active listening by 10; the rest stays.

    >>> normalize_paper({"simplicity": 86.824, "agreeability": 7.5, "recycling": 0.0725})
    {'simplicity': 0.86824, 'agreeability': 0.75, 'recycling': 0.0725}

    """
    return {metric: value / PAPER_SCALE.get(metric, 1.0) for metric, value in profile.items()}


CONSTANT = "one side is constant"
_HAIR = 1e-14


def _r(a: Floats, b: Floats) -> tuple[float, str | None]:
    if a.size < 2:
        return math.nan, "no points" if a.size == 0 else "one point"
    if constant(a) or constant(b):
        return math.nan, CONSTANT
    # On a scale where no square leaves the range of numbers
    da, db = (v - v.mean() for v in (a / np.abs(a).max(), b / np.abs(b).max()))
    r = float(np.dot(da / np.linalg.norm(da), db / np.linalg.norm(db)))
    # Rounding leaves a perfect line a hair short of 1, where Fisher's z is finite
    return (math.copysign(1.0, r) if 1 - abs(r) < _HAIR else r), None


def constant(values: Floats) -> bool:
    """Say whether values, one at least, differ by no more than rounding.

    >>> constant(np.array([0.1 + 0.2, 0.3]))
    True

    """
    return bool(np.ptp(values) <= 10 * _HAIR * np.abs(values).max())


def _no_interval(r: float, n: int) -> str | None:
    if n == 2:
        return "two points: no test and no interval"
    if n == 3:
        return "three points: no interval"
    return "a correlation of 1 or -1 has no interval" if abs(r) == 1 else None


def t_test(r: float, n: int) -> tuple[float, float]:
    """Return t and the two-sided p value of a correlation of ``n`` points against zero."""
    from scipy.special import stdtr

    if math.isnan(r) or n < 3:
        return math.nan, math.nan
    if abs(r) == 1:
        return math.copysign(math.inf, r), 0.0
    t = r * math.sqrt((n - 2) / (1 - r * r))
    return t, float(2 * stdtr(n - 2, -abs(t)))


@lru_cache(maxsize=8)
def _orders(n: int) -> NDArray[np.intp]:
    return np.array(list(permutations(range(n))), dtype=np.intp)


def _exact_p(a: Floats, b: Floats, r: float) -> float:
    da, db = a - a.mean(), b - b.mean()
    every = db[_orders(a.size)] @ da / (np.linalg.norm(da) * np.linalg.norm(db))
    # Rounding must not push an order that ties with the observed one below it.
    return float(np.mean(np.abs(every) >= abs(r) - 1e-12))
