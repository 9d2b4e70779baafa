"""Bootstrap over items: the items are resampled, everything said about one item stays together.

Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 13 and 14.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.descriptive import column_stats, is_constant, t_interval, why_no_interval
from attunement.stats.result import Result, input_hash, signature

Floats = NDArray[np.float64]
Method = Literal["bca", "percentile", "t"]

FEW = 10
"""Below this many values a bootstrap interval is too narrow, and Student's is given instead."""
MANY = 20_000
"""Above this many values Student's interval is as good, and a bootstrap only takes time."""
_CELLS = 2_000_000


def counts(n: int, replicates: int, seed: int, *, cells: int = _CELLS) -> Iterator[Floats]:
    """Yield how often each of ``n`` items is drawn, in blocks of shape (replicates, n).

    Each block has at most ``cells`` cells, or one replicate, so that memory does not grow with the
    replicates. The draws are the same whatever the blocks.

    Raises
    ------
    ValueError
        Where there is nothing to draw from or no replicate is asked for.

    """
    if n < 1 or replicates < 1:
        raise ValueError(f"cannot draw {replicates} replicates of {n} items")
    rng = np.random.default_rng(seed)
    block = max(1, cells // n)
    for start in range(0, replicates, block):
        size = min(block, replicates - start)
        drawn = rng.integers(0, n, size=(size, n))
        drawn += np.arange(size)[:, None] * n
        yield np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)


def bootstrap_means(values: ArrayLike, *, replicates: int = 2000, seed: int = 1) -> Floats:
    """Return the mean of each column in each resample of the rows.

    Parameters
    ----------
    values
        Shape (n, k): a row is an item. NaN is left out of its column's mean.
    replicates, seed
        How many resamples, and the seed that repeats them; the same rows are drawn for all columns.

    Returns
    -------
    numpy.ndarray
        Shape (replicates, k); NaN where a resample holds no value of the column.

    Raises
    ------
    ValueError
        Where ``values`` is not two-dimensional or has no rows.

    """
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 2:
        raise ValueError(f"values must have two dimensions, not {x.ndim}")
    there = np.isfinite(x)
    filled = np.where(there, x, 0.0)
    whole = bool(there.all())
    mask = there.astype(np.float64)
    draws = []
    for weight in counts(x.shape[0], replicates, seed):
        with np.errstate(invalid="ignore", divide="ignore"):
            draws.append((weight @ filled) / (x.shape[0] if whole else weight @ mask))
    return np.concatenate(draws)


def percentile_interval(draws: ArrayLike, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the percentile interval of each column of ``draws``, shape (replicates, k)."""
    d = np.asarray(draws, dtype=np.float64)
    tail = (1 - level) / 2
    ends = (np.full(d.shape[1], p) for p in (tail, 1 - tail))
    low, high = (_quantile_by_column(d, p) for p in ends)
    return low, high


def bca_interval(
    draws: ArrayLike, values: ArrayLike, *, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Return the bias-corrected and accelerated interval of each column's mean.

    Efron and Tibshirani (1993), equations 14.9 to 14.15; the acceleration of a mean has the closed
    form sum(d^3) / (6 sum(d^2)^1.5) with d the deviations from the mean.

    Parameters
    ----------
    draws
        Shape (replicates, k), as `bootstrap_means` returns them.
    values
        Shape (n, k), what was resampled.
    level
        Coverage.

    Returns
    -------
    tuple
        Lower and upper limits, shape (k,).

    """
    from scipy.special import ndtr, ndtri

    d = np.asarray(draws, dtype=np.float64)
    x = np.asarray(values, dtype=np.float64)
    center, _, _ = column_stats(x)
    low, high = np.full(center.shape, np.nan), np.full(center.shape, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        deviation = np.where(np.isfinite(x), x - center, 0.0)
        acceleration = (deviation**3).sum(axis=0) / (6 * (deviation**2).sum(axis=0) ** 1.5)
        acceleration = np.nan_to_num(acceleration)
        slack = 1e-12 * np.maximum(1.0, np.abs(center))
        below = (
            np.mean(d < center - slack, axis=0) + np.mean(np.abs(d - center) <= slack, axis=0) / 2
        )
        bias = ndtri(np.clip(below, 1 / (2 * len(d)), 1 - 1 / (2 * len(d))))
        for tail, limit in (((1 - level) / 2, low), ((1 + level) / 2, high)):
            shifted = bias + ndtri(tail)
            p = ndtr(bias + shifted / (1 - acceleration * shifted))
            limit[:] = _quantile_by_column(d, p)
    return low, high


def _quantile_by_column(draws: Floats, probability: Floats) -> Floats:
    """Return one quantile of each column, its own probability each, linearly interpolated."""
    ordered = np.sort(draws, axis=0)  # NaN goes last
    last = np.maximum((~np.isnan(draws)).sum(axis=0) - 1, 0)
    position = probability * last
    below = np.nan_to_num(np.floor(position)).astype(np.intp)
    above = np.minimum(below + 1, last)
    column = np.arange(draws.shape[1])
    lower, upper = ordered[below, column], ordered[above, column]
    return np.asarray(lower + (position - below) * (upper - lower), dtype=np.float64)


def mean_intervals(
    values: ArrayLike,
    *,
    replicates: int = 2000,
    seed: int = 1,
    level: float = 0.95,
    method: Literal["bca", "percentile"] = "bca",
) -> tuple[Floats, Floats, list[Method]]:
    """Return an interval of each column's mean: bootstrap over the rows, or Student's.

    Student's t interval is taken where a column has fewer than `FEW` values (a bootstrap of few
    values is too narrow) or more than `MANY`.

    Parameters
    ----------
    values
        Shape (n, k); NaN is left out of its column.
    replicates, seed, level, method
        Of the bootstrap.

    Returns
    -------
    tuple
        Lower limits and upper limits, shape (k,), NaN for a column with fewer than two different
        values, and how each column's interval was made.

    """
    x = np.asarray(values, dtype=np.float64)
    low, high = t_interval(x, level=level)
    n = np.isfinite(x).sum(axis=0)
    chosen = (n >= FEW) & (n <= MANY) & ~is_constant(x)
    made: list[Method] = [method if c else "t" for c in chosen]
    if chosen.any():
        part = x[:, chosen]
        draws = bootstrap_means(part, replicates=replicates, seed=seed)
        low[chosen], high[chosen] = (
            bca_interval(draws, part, level=level)
            if method == "bca"
            else percentile_interval(draws, level=level)
        )
    return low, high, made


def bootstrap_mean(
    values: ArrayLike,
    *,
    replicates: int = 2000,
    seed: int = 1,
    level: float = 0.95,
    method: Literal["bca", "percentile"] = "bca",
) -> Result:
    """Return the mean of one sample with an interval as `mean_intervals` makes it.

    Parameters
    ----------
    values
        Shape (n,); missing values are left out and counted.
    replicates, seed, level, method
        Of the bootstrap.

    """
    x = np.asarray(values, dtype=np.float64).ravel()
    there = x[np.isfinite(x)]
    low, high = math.nan, math.nan
    made: Method = method
    if there.size:
        lows, highs, how = mean_intervals(
            there[:, None], replicates=replicates, seed=seed, level=level, method=method
        )
        low, high, made = float(lows[0]), float(highs[0]), how[0]
    return Result(
        name="mean",
        estimate=float(there.mean()) if there.size else math.nan,
        ci_low=low,
        ci_high=high,
        ci_level=level,
        n=there.size,
        n_missing=x.size - there.size,
        method=f"mean, {METHOD_NAMES[made]}",
        signature=signature(
            "mean",
            ci=made,
            level=level,
            replicates=None if made == "t" else replicates,
            seed=None if made == "t" else seed,
            inputs=input_hash(x),
        ),
        reason=why_no_interval(there.size, low),
    )


METHOD_NAMES: dict[Method, str] = {
    "bca": "BCa bootstrap interval over items",
    "percentile": "percentile bootstrap interval over items",
    "t": "Student's t interval",
}
"""The intervals, as a methods paragraph names them."""


def rank_draws(draws: ArrayLike) -> NDArray[np.float64]:
    """Return ranks within each row of ``draws``: 1 is the smallest, ties take their mean rank."""
    d = np.asarray(draws, dtype=np.float64)
    ranks = np.full(d.shape, 0.5)
    for other in range(d.shape[1]):
        ranks += (d[:, [other]] < d) + (d[:, [other]] == d) / 2
    return ranks


def probability_of_least(draws: ArrayLike) -> Floats:
    """Return how often each column holds the row's smallest value; a tie is shared."""
    d = np.asarray(draws, dtype=np.float64)
    least = d == d.min(axis=1, keepdims=True)
    return np.asarray((least / least.sum(axis=1, keepdims=True)).mean(axis=0), dtype=np.float64)
