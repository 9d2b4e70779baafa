"""Kendall's rank correlation, which counts pairs that stand in the same order."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from attunement.stats.correlation import CONSTANT, Correlation, constant, fisher_interval, pairs
from attunement.stats.result import input_hash, signature

VARIANCE = 0.437
"""Of Fisher's z of Kendall's tau, times n - 4 (Fieller, Hartley and Pearson 1957)."""


def kendall(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Correlation:
    """Return Kendall's tau-b with its test against zero.

    The p value is SciPy's: exact where there are no ties and few points, else from the normal
    distribution. The interval is Bonett and Wright's (2000), by Fisher's z with variance
    0.437 / (n - 4); it needs five points.

    Parameters
    ----------
    x, y
        Shape (n,); a pair with a missing value is left out and counted.
    level
        Coverage of the interval.

    Returns
    -------
    tau-b, -1 to 1; NaN with a reason where one side is constant or there are fewer than two points.

    Raises
    ------
    ValueError
        Where the lengths differ.

    >>> round(kendall([1, 2, 3, 4], [1, 3, 2, 4]).estimate, 4)
    0.6667

    """
    from scipy.stats import kendalltau

    a, b, missing = pairs(x, y)
    n = a.size
    tau = p = math.nan
    reason = _undefined(n, constant=n > 1 and (constant(a) or constant(b)))
    if reason is None:
        found = kendalltau(a, b)
        # Rounding leaves a perfect order a hair short of 1, where Fisher's z is finite
        tau, p = round(float(found.statistic), 14), float(found.pvalue)
        reason = _no_interval(tau, n)
    # Fisher's interval divides by n - 3, Kendall's by n - 4
    low, high = fisher_interval(tau, n - 1, level=level, variance=VARIANCE)
    return Correlation(
        name="kendall",
        estimate=tau,
        ci_low=low,
        ci_high=high,
        ci_level=level,
        n=n,
        n_missing=missing,
        method="Kendall's tau-b, Bonett-Wright interval",
        signature=signature(
            "kendall", tau="b", ci="bonett-wright", level=level, inputs=input_hash(a, b)
        ),
        reason=reason,
        statistic=tau,
        p_value=p,
    )


def _undefined(n: int, *, constant: bool) -> str | None:
    if n < 2:
        return "no points" if n == 0 else "one point"
    return CONSTANT if constant else None


def _no_interval(tau: float, n: int) -> str | None:
    if n < 5:
        return "fewer than five points: no interval"
    return "a correlation of 1 or -1 has no interval" if abs(tau) == 1 else None
