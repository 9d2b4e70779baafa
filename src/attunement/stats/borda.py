"""Borda points: what a panel's rankings of the items of one dimension come to.

Saari (2023), Constitutional Political Economy 34, 357-366. The last rank gets one point, as in
CES-LCC; the usual count, where it gets none, has the same order.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.descriptive import mean, mean_ranks
from attunement.stats.result import Result, input_hash, signature

Floats = NDArray[np.float64]


def points_of(ranks: ArrayLike) -> Floats:
    """Return the points of each expert's ranking: the first of k items gets k, the last 1.

    Parameters
    ----------
    ranks
        Shape (experts, k): 1 is first, NaN where not ranked. Only the order counts; equal ranks
        share their points.

    Returns
    -------
    numpy.ndarray
        Shape (experts, k); NaN throughout for an expert who left out an item, since where it would
        have stood is not known.

    Raises
    ------
    ValueError
        Where ``ranks`` is not two-dimensional.

    >>> points_of([[1, 2, 3], [2, 2, 1]]).tolist()
    [[3.0, 2.0, 1.0], [1.5, 1.5, 3.0]]
    """
    x = np.asarray(ranks, dtype=np.float64)
    if x.ndim != 2:
        raise ValueError(f"ranks must have two dimensions, experts and items, not {x.ndim}")
    points = np.full(x.shape, math.nan)
    for expert in np.flatnonzero(np.isfinite(x).all(axis=1)):
        points[expert] = x.shape[1] + 1 - mean_ranks(x[expert])
    return points


def borda(ranks: ArrayLike, *, level: float = 0.95) -> list[Result]:
    """Return the sum of points of each item of one dimension.

    Parameters
    ----------
    ranks
        Shape (experts, k), as `points_of` takes them.
    level
        Coverage of the interval: Student's of the mean points, times the experts, not below one
        point and not above k points an expert.

    Returns
    -------
    list of Result
        One an item; ``n`` experts with a whole ranking, ``n_missing`` the others. NaN with a
        reason where nobody ranked all.

    """
    x = np.asarray(ranks, dtype=np.float64)
    points = points_of(x)
    return [_of_item(points[:, item], x, item, level) for item in range(points.shape[1])]


def _of_item(points: Floats, ranks: Floats, item: int, level: float) -> Result:
    found = mean(points, level=level)
    n, k = found.n, ranks.shape[1]
    return Result(
        name="borda_points",
        estimate=found.estimate * n if n else math.nan,
        ci_low=max(found.ci_low, 1.0) * n if math.isfinite(found.ci_low) else math.nan,
        ci_high=min(found.ci_high, float(k)) * n if math.isfinite(found.ci_high) else math.nan,
        ci_level=level,
        n=n,
        n_missing=found.n_missing,
        method="Borda points, 1 for the last rank; Student's t interval of their mean times n",
        signature=signature(
            "borda_points", item=item + 1, of=k, level=level, inputs=input_hash(ranks)
        ),
        reason="no whole ranking" if not n else found.reason,
    )


def places(points: ArrayLike) -> list[int | None]:
    """Return each item's place by its points: 1 for the most; equal points share a place.

    Parameters
    ----------
    points
        Shape (items,), NaN where unknown: such an item has no place.

    >>> places([27, 56, 27, float("nan")])
    [2, 1, 2, None]
    """
    x = np.asarray(points, dtype=np.float64)
    return [int((x > own).sum()) + 1 if math.isfinite(own) else None for own in x.tolist()]
