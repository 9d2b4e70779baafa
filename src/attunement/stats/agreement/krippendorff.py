"""Krippendorff's alpha: nominal, ordinal, interval, ratio, and any distance between values.

Krippendorff (2011), *Computing Krippendorff's Alpha-Reliability*; Hayes and Krippendorff (2007),
Communication Methods and Measures 1, 77-89. Alpha is 1 - observed / expected disagreement, over
all pairs of ratings of the same item. An item with fewer than two ratings pairs with nothing and is
left out and counted.
"""

from __future__ import annotations

from typing import Any, Literal, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike

from attunement.stats.agreement.matrix import as_matrix, category_counts, code, few_values
from attunement.stats.agreement.resampling import Bootstrap, Floats, Statistic, estimate, ratio
from attunement.stats.result import Result, input_hash

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = get_args(Level)
_FEW = 20


def alpha(ratings: ArrayLike, level: Level = "ordinal", **bootstrap: Unpack[Bootstrap]) -> Result:
    """Return Krippendorff's alpha with an interval by bootstrap over items.

    Parameters
    ----------
    ratings
        Shape (items, raters), NaN where missing.
    level
        What the values mean. Ratio values must not be negative.
    bootstrap
        ``replicates``, ``ci_level``, ``seed`` and ``clusters``; see `Bootstrap`.

    Returns
    -------
    Result
        ``n`` items with at least two ratings; ``n_missing`` the other items. NaN with a reason
        where no item has two ratings, or where all ratings are the same: then nothing is known of
        whether raters would tell different answers apart.

    Raises
    ------
    ValueError
        Where the level is unknown, the ratings are not a matrix of numbers, a ratio is negative, or
        there are over 5,000 different ratios.

    >>> round(alpha([[1, 1], [2, 2], [3, 3], [1, 2]], "nominal").estimate, 4)
    0.6667
    """
    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
    matrix = as_matrix(ratings)
    kept = (~np.isnan(matrix)).sum(1) >= 2
    paired = matrix[kept]
    if level == "interval":
        statistic = _interval(paired)
    else:
        codes, values = code(paired)
        if level == "ratio":
            statistic = _fixed(category_counts(codes, values.size), ratio_distances(values))
        else:
            counts = category_counts(codes, values.size)
            statistic = _ordinal(counts) if level == "ordinal" else _nominal(counts)
    return estimate(
        f"krippendorff_alpha_{level}",
        statistic,
        kept,
        method=f"Krippendorff's alpha, {level}",
        inputs=input_hash(matrix),
        **bootstrap,
    )


def alpha_with_distance(
    codes: ArrayLike, distance: ArrayLike, *, name: str, **bootstrap: Unpack[Bootstrap]
) -> Result:
    """Return alpha under any distance between values, such as one between sets of labels.

    Parameters
    ----------
    codes
        Shape (items, raters): index of each rating's value, -1 where missing.
    distance
        Shape (values, values), symmetric, not negative, 0 on the diagonal.
    name
        The distance's name, for the result's name and method.
    bootstrap
        ``replicates``, ``ci_level``, ``seed`` and ``clusters``; see `Bootstrap`.

    Raises
    ------
    ValueError
        Where the codes are not a matrix of indices into the distances, or these are not a symmetric
        matrix with a zero diagonal.
    """
    delta = np.asarray(distance, dtype=np.float64)
    if delta.ndim != 2 or delta.shape[0] != delta.shape[1] or not np.allclose(delta, delta.T):
        raise ValueError("the distance must be a symmetric matrix")
    if np.diag(delta).any() or (delta < 0).any():
        raise ValueError("a distance must not be negative, and that of a value from itself is 0")
    index = np.asarray(codes, dtype=np.intp)
    if index.ndim != 2 or (index >= delta.shape[0]).any():
        raise ValueError("codes must be items x raters, each an index into the distances")
    kept = (index >= 0).sum(1) >= 2
    return estimate(
        f"krippendorff_alpha_{name}",
        _fixed(category_counts(index[kept], delta.shape[0]), delta),
        kept,
        method=f"Krippendorff's alpha, {name} distance",
        inputs=input_hash(index, delta),
        **bootstrap,
    )


def ratio_distances(values: Floats) -> Floats:
    """Return the squared ratio distances between values, shape (values, values).

    Raises
    ------
    ValueError
        Where a value is negative, or there are too many of them.
    """
    if (values < 0).any():
        raise ValueError("ratio values must not be negative")
    few_values(values)
    total = values[:, None] + values
    difference = values[:, None] - values
    return np.square(np.divide(difference, total, out=np.zeros_like(total), where=total > 0))


def _alpha(observed: Floats, expected: Floats, n: Floats) -> Floats:
    """Return 1 - (n - 1) observed / expected, NaN where nothing was expected."""
    return 1 - ratio((n - 1) * observed, expected)


def _share(size: Floats) -> Floats:
    """Return what one pair of an item weighs: one over its other ratings."""
    return 1 / np.maximum(size - 1, 1)


def _fixed(counts: Any, delta: Floats) -> Statistic:
    """Alpha under distances that do not depend on the ratings."""
    size = np.asarray(counts.sum(axis=1), dtype=np.float64)
    within = np.asarray(counts.multiply(counts @ delta).sum(axis=1)) * _share(size)

    def statistic(weights: Floats) -> Floats:
        totals = weights @ counts
        expected = np.einsum("bc,bc->b", totals @ delta, totals)
        return _alpha(weights @ within, expected, totals.sum(1))

    return statistic


def _nominal(counts: Any) -> Statistic:
    """Alpha under equal or not, without a matrix of distances."""
    size = np.asarray(counts.sum(axis=1), dtype=np.float64)
    within = (np.square(size) - np.asarray(counts.power(2).sum(axis=1))) * _share(size)

    def statistic(weights: Floats) -> Floats:
        totals = weights @ counts
        n = totals.sum(1)
        return _alpha(weights @ within, np.square(n) - np.square(totals).sum(1), n)

    return statistic


def _interval(paired: Floats) -> Statistic:
    """Alpha under squared differences, by sums and sums of squares."""
    size = (~np.isnan(paired)).sum(1).astype(np.float64)
    # Centered, so that large values with small differences keep their digits.
    centered = paired - (np.nanmean(paired) if paired.size else 0.0)
    first, second = np.nansum(centered, axis=1), np.nansum(np.square(centered), axis=1)
    mean = first / np.maximum(size, 1)
    spread = np.nansum(np.square(centered - mean[:, None]), axis=1)
    within = 2 * size * spread * _share(size)

    def statistic(weights: Floats) -> Floats:
        n, sums, squares = weights @ size, weights @ first, weights @ second
        # A sum of squares below the rounding of its terms is one of equal ratings.
        expected = 2 * (n * squares - np.square(sums))
        expected[expected <= 1e-12 * n * squares] = 0
        return _alpha(weights @ within, expected, n)

    return statistic


def _ordinal(counts: Any) -> Statistic:
    """Alpha under ordinal distances: squared differences of mid-ranks among all paired ratings."""
    return _ordinal_few(counts) if counts.shape[1] <= _FEW else _ordinal_many(counts)


def _mid_ranks(totals: Floats) -> Floats:
    below = np.cumsum(totals, axis=1) - totals / 2
    return np.asarray(below - totals.sum(1, keepdims=True) / 2, dtype=np.float64)


def _ordinal_few(counts: Any) -> Statistic:
    """By the matrix of coincidences: ten times as fast where a scale has few values."""
    from scipy.sparse import csr_array

    table = counts.toarray()
    n_items, q = table.shape
    pairs = np.einsum("uc,ud,u->ucd", table, table, _share(table.sum(1)))
    # Sparse, because most items have few of all pairs of values, and because a small product is not
    # worth the threads that a dense one would start.
    every = csr_array(np.hstack([table, pairs.reshape(n_items, q * q)]).T)

    def statistic(weights: Floats) -> Floats:
        totals, coincidences = np.split((every @ weights.T).T, [q], axis=1)
        ranks = _mid_ranks(totals)
        delta = np.square(ranks[:, :, None] - ranks[:, None, :]).reshape(coincidences.shape)
        observed = np.einsum("bp,bp->b", coincidences, delta)
        # A value that occurs nowhere has the rank of its place, and a total of 0 to weigh it.
        chance = (totals[:, :, None] * totals[:, None, :]).reshape(coincidences.shape)
        return _alpha(observed, np.einsum("bp,bp->b", chance, delta), totals.sum(1))

    return statistic


def _ordinal_many(counts: Any) -> Statistic:
    """Item by item, without a matrix of coincidences: nearly every value may be another."""
    size = np.asarray(counts.sum(axis=1), dtype=np.float64)
    share, transposed = _share(size), counts.T.tocsr()

    def statistic(weights: Floats) -> Floats:
        totals = weights @ counts
        n, ranks = totals.sum(1), _mid_ranks(totals)
        squares = np.square(ranks)
        first, second = ranks @ transposed, squares @ transposed
        within = 2 * (size * second - np.square(first)) * share
        sums = np.einsum("bc,bc->b", totals, ranks)
        expected = 2 * (n * np.einsum("bc,bc->b", totals, squares) - np.square(sums))
        expected[np.count_nonzero(totals, axis=1) < 2] = 0
        return _alpha(np.einsum("bu,bu->b", weights, within), expected, n)

    return statistic
