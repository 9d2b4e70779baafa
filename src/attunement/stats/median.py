"""The median with an interval that assumes nothing about the distribution."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from attunement.stats.result import Result, input_hash, signature


def median(values: ArrayLike, *, level: float = 0.95) -> Result:
    """Return the median with the interval between two order statistics (Conover 1999, section 3.2).

    How many values lie below the median is binomial with one half, whatever their distribution, so
    the k-th smallest and k-th largest enclose it with a known probability of at least ``level``.

    Parameters
    ----------
    values
        Shape (n,); missing values are left out and counted.
    level
        Coverage, 0 to 1.

    Returns
    -------
    Result
        Without an interval, and with a reason, where even the smallest and the largest value do not
        enclose the median with ``level``: 0.95 takes six values.

    >>> found = median(range(1, 11))
    >>> found.estimate, found.ci_low, found.ci_high
    (5.5, 2.0, 9.0)
    """
    from scipy.special import bdtr

    x = np.asarray(values, dtype=np.float64).ravel()
    there = np.sort(x[np.isfinite(x)])
    n = there.size
    k = 0
    while k < n // 2 and 2 * float(bdtr(k, n, 0.5)) <= 1 - level:
        k += 1
    reason = None
    if not n:
        reason = "no values"
    elif not k:
        reason = f"{n} values are too few for an interval"
    return Result(
        name="median",
        estimate=float(np.median(there)) if n else math.nan,
        ci_low=float(there[k - 1]) if k else math.nan,
        ci_high=float(there[n - k]) if k else math.nan,
        ci_level=level,
        n=n,
        n_missing=x.size - n,
        method="median, interval between order statistics",
        signature=signature("median", ci="order", level=level, inputs=input_hash(x)),
        reason=reason,
    )
