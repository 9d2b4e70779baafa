"""Intraclass correlations of complete tables: ICC(1), (A,1), (C,1) and those of the mean.

McGraw and Wong (1996), Psychological Methods 1, 30-46, tables 4 and 7; Shrout and Fleiss (1979)
call them ICC(1,1), (2,1), (3,1) and (1,k), (2,k), (3,k).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike

from attunement.stats.agreement.matrix import as_matrix
from attunement.stats.agreement.resampling import CI_LEVEL, Bootstrap, Floats, estimate, ratio
from attunement.stats.result import Result, input_hash, signature

Kind = Literal["1", "A,1", "C,1", "1,k", "A,k", "C,k"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Interval = Literal["f", "bootstrap"]

_WHAT = {
    "1": "one-way: each item has raters of its own",
    "A": "two-way, absolute agreement",
    "C": "two-way, consistency: raters' own means do not count",
}


@dataclass(frozen=True)
class MeanSquares:
    """Mean squares of an items x raters analysis of variance, each of shape (b,).

    ``items`` between items, ``within`` within items, ``raters`` between raters, ``error`` what is
    left; ``n`` items.
    """

    items: Floats
    within: Floats
    raters: Floats
    error: Floats
    n: Floats


def icc(
    ratings: ArrayLike,
    kind: Kind = "A,1",
    *,
    interval: Interval = "f",
    **bootstrap: Unpack[Bootstrap],
) -> Result:
    """Return an intraclass correlation.

    Parameters
    ----------
    ratings
        Shape (items, raters), NaN where missing. Items that not every rater rated are left out and
        counted; a rater without any rating is no rater.
    kind
        ``1``, ``A,1`` and ``C,1`` are the reliability of one rating, ``1,k``, ``A,k`` and ``C,k``
        that of the mean of all raters. See `without_raters` for ``1`` where each item was rated by
        a few of many raters.
    interval
        ``f`` (default) is McGraw and Wong's by the F distribution: exact for normal ratings in
        kinds 1 and C, and for A it takes the raters as drawn from many. ``bootstrap`` resamples
        items and keeps the raters as they are: it needs no normal ratings, but with few items or
        raters it is too narrow.
    bootstrap
        ``ci_level`` for both; ``replicates``, ``seed`` and ``clusters`` for the bootstrap.

    Returns
    -------
    Result
        ``n`` items that every rater rated, ``n_missing`` the others. NaN with a reason where there
        are fewer than two raters or items, or the items' means do not differ so that nothing can
        be divided by.

    Raises
    ------
    ValueError
        Where kind or interval are unknown, the ratings are not a matrix of numbers, or clusters are
        given with an F interval, which takes items as independent.

    >>> round(icc([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8]], "C,1").estimate, 3)
    0.673
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {'; '.join(KINDS)}, not {kind!r}")
    if interval not in get_args(Interval):
        raise ValueError(f"interval must be f or bootstrap, not {interval!r}")
    if interval == "f" and bootstrap.get("clusters") is not None:
        raise ValueError("an F interval takes items as independent: use interval='bootstrap'")
    matrix = as_matrix(ratings)
    matrix = matrix[:, ~np.isnan(matrix).all(axis=0)] if matrix.size else matrix
    kept = ~np.isnan(matrix).any(axis=1) & (matrix.shape[1] > 0)
    complete = matrix[kept]
    k = complete.shape[1]
    if k < 2:
        kept = np.zeros_like(kept)
        complete = complete[:0]

    def statistic(weights: Floats) -> Floats:
        return _coefficient(mean_squares(complete, weights), k, kind)

    name = f"icc_{kind.replace(',', '_').lower()}"
    method = (
        f"ICC({kind}), {_WHAT[kind[0]]}; "
        + ("one rating" if kind.endswith("1") else f"mean of {k} raters")
        + " (McGraw and Wong 1996)"
    )
    by_f = interval == "f"
    # The F interval needs no replicates; `estimate` still says why an estimate is undefined.
    asked: Bootstrap = {**bootstrap, "replicates": 0} if by_f else bootstrap
    result = estimate(
        name,
        statistic,
        kept,
        method=method,
        inputs=input_hash(matrix),
        nothing="fewer than two raters" if k < 2 else "no item was rated by every rater",
        constant=_why_undefined(complete),
        **asked,
    )
    if not by_f:
        return result
    level = bootstrap.get("ci_level", CI_LEVEL)
    low, high = math.nan, math.nan
    if not math.isnan(result.estimate):
        whole = mean_squares(complete, np.ones((1, complete.shape[0])))
        low, high = _f_limits(whole, k, kind, level)
    return replace(
        result,
        ci_low=low,
        ci_high=high,
        method=f"{method}; interval by the F distribution",
        signature=signature(name, inputs=input_hash(matrix), interval="f", level=level),
    )


def mean_squares(complete: Floats, weights: Floats) -> MeanSquares:
    """Return the mean squares of each replicate.

    Parameters
    ----------
    complete
        Shape (items, raters), nothing missing, at least two raters.
    weights
        Shape (b, items): how often each item counts.
    """
    k = complete.shape[1]
    centered = complete - complete.mean()
    item = centered.mean(axis=1)
    spread = np.square(centered - item[:, None]).sum(axis=1)
    n = weights.sum(1)
    grand = weights @ item / n
    between = k * (weights @ np.square(item) - n * np.square(grand))
    within = weights @ spread
    column = weights @ centered / n[:, None]
    raters = n * np.square(column - grand[:, None]).sum(1)
    error = within - raters
    # What is only rounding is nothing.
    total = k * (weights @ np.square(item)) + within
    between[between <= 1e-12 * total] = 0
    error[error <= 1e-12 * np.maximum(within, total)] = 0
    with np.errstate(invalid="ignore", divide="ignore"):
        return MeanSquares(
            items=between / (n - 1),
            within=within / (n * (k - 1)),
            raters=raters / (k - 1),
            error=error / ((n - 1) * (k - 1)),
            n=n,
        )


def _coefficient(ms: MeanSquares, k: int, kind: Kind) -> Floats:
    """McGraw and Wong's table 4."""
    noise = ms.within if kind[0] == "1" else ms.error
    of_raters = (ms.raters - ms.error) / ms.n if kind[0] == "A" else np.zeros_like(ms.n)
    if kind.endswith("k"):
        return ratio(ms.items - noise, ms.items + of_raters)
    return ratio(ms.items - noise, ms.items + (k - 1) * noise + k * of_raters)


def _f_limits(ms: MeanSquares, k: int, kind: Kind, level: float) -> tuple[float, float]:
    """McGraw and Wong's table 7."""
    from scipy.special import fdtri

    n = float(ms.n[0])
    items, raters, error = float(ms.items[0]), float(ms.raters[0]), float(ms.error[0])
    noise = float(ms.within[0]) if kind[0] == "1" else error
    if n < 2:
        return math.nan, math.nan
    if noise == 0 and (kind[0] != "A" or raters == 0):
        return 1.0, 1.0
    upper = (1 + level) / 2
    if kind[0] == "A":
        rho = float(_coefficient(ms, k, "A,1")[0])
        a, b = k * rho * raters, (n + rho * (n * k - n - k)) * error
        df = (a + b) ** 2 / (a**2 / (k - 1) + b**2 / ((n - 1) * (k - 1)))
        above, below = float(fdtri(n - 1, df, upper)), float(fdtri(df, n - 1, upper))
        rest = k * raters + (k * n - k - n) * error
        low = n * (items - above * error) / (above * rest + n * items)
        high = n * (below * items - error) / (rest + n * below * items)
    else:
        df = n * (k - 1) if kind[0] == "1" else (n - 1) * (k - 1)
        f = items / noise
        f_low = f / float(fdtri(n - 1, df, upper))
        f_high = f * float(fdtri(df, n - 1, upper))
        low, high = (f_low - 1) / (f_low + k - 1), (f_high - 1) / (f_high + k - 1)
    if kind.endswith("k"):
        low, high = (_of_mean(limit, k) for limit in (low, high))
    return low, high


def _of_mean(single: float, k: int) -> float:
    """Return the reliability of a mean of k from that of one (Spearman and Brown)."""
    below = 1 + single * (k - 1)
    return k * single / below if below > 0 else -math.inf


def _why_undefined(complete: Floats) -> str:
    if complete.shape[0] < 2:
        return "fewer than two items that every rater rated"
    if np.ptp(complete) == 0:
        return "all ratings are the same"
    return "the items' means do not differ"
