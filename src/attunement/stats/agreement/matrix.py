"""Ratings as a matrix: one row an item, one column a rater, NaN where a rating is missing."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.agreement.resampling import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Codes = NDArray[np.intp]
MOST_VALUES = 5_000
"""Different values up to which a matrix of distances between them is made: 200 MB."""


LARGEST = 1e100
"""Ratings beyond this would overflow when squared, and look like no variation."""


def as_matrix(ratings: ArrayLike) -> Floats:
    """Return ratings as floats, shape (items, raters), NaN where missing.

    Raises
    ------
    ValueError
        Where the ratings are not a matrix of numbers.
    """
    try:
        matrix = np.asarray(ratings, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("ratings must be numbers, NaN where missing") from None
    if matrix.ndim != 2:
        raise ValueError(f"ratings must be items x raters, not {matrix.ndim}-dimensional")
    if np.isinf(matrix).any():
        raise ValueError("a rating is infinite")
    if np.nanmax(np.abs(matrix), initial=0.0) > LARGEST:
        raise ValueError(f"a rating is larger than {LARGEST:g}, whose square has no room")
    return matrix


def from_long(
    items: Sequence[Hashable], raters: Sequence[Hashable], values: ArrayLike
) -> tuple[Floats, list[Any], list[Any]]:
    """Return the matrix of a long table, its items and its raters, in order of appearance.

    Parameters
    ----------
    items, raters, values
        Same length; one rating each.

    Raises
    ------
    ValueError
        Where a rater rated an item twice, or the lengths differ.
    """
    numbers = np.asarray(values, dtype=np.float64)
    if not len(items) == len(raters) == numbers.size:
        raise ValueError("items, raters and values must have the same length")
    rows = {item: i for i, item in enumerate(dict.fromkeys(items))}
    columns = {rater: j for j, rater in enumerate(dict.fromkeys(raters))}
    at = np.array([rows[i] for i in items], dtype=np.intp)
    by = np.array([columns[r] for r in raters], dtype=np.intp)
    cells = at * max(len(columns), 1) + by
    unique, first, times = np.unique(cells, return_index=True, return_counts=True)
    if unique.size < cells.size:
        twice = int(first[times > 1][0])
        raise ValueError(f"rater {raters[twice]!r} rated item {items[twice]!r} more than once")
    matrix = np.full((len(rows), len(columns)), np.nan)
    matrix[at, by] = numbers
    return matrix, list(rows), list(columns)


def without_raters(ratings: ArrayLike) -> Floats:
    """Return each item's ratings moved to the left: who gave them is forgotten.

    For statistics in which it does not matter who rated, such as ICC(1), where every item was rated
    by a few of many raters. Shape (items, most ratings of an item).

    >>> without_raters([[1, float("nan"), 2], [float("nan"), 3, 4]]).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    matrix = as_matrix(ratings)
    known = ~np.isnan(matrix)
    order = np.argsort(~known, axis=1, kind="stable")
    width = int(known.sum(1).max()) if matrix.size else 0
    return np.take_along_axis(matrix, order, axis=1)[:, :width]


def code(matrix: Floats, categories: ArrayLike | None = None) -> tuple[Codes, Floats]:
    """Return each rating's index into the sorted categories (-1 where missing), and these.

    Parameters
    ----------
    matrix
        Shape (items, raters).
    categories
        All values of the scale; by default those that occur.

    Raises
    ------
    ValueError
        Where a rating is not one of the categories.
    """
    known = ~np.isnan(matrix)
    values = np.unique(
        matrix[known] if categories is None else np.asarray(categories, dtype=np.float64)
    )
    codes = np.full(matrix.shape, -1, dtype=np.intp)
    if not known.any():
        return codes, values
    index = np.searchsorted(values, matrix[known])
    strange = (
        values[np.minimum(index, values.size - 1)] != matrix[known]
        if values.size
        else np.ones(index.size, dtype=np.bool_)
    )
    if strange.any():
        raise ValueError(f"the rating {matrix[known][strange][0]:g} is none of the categories")
    codes[known] = index
    return codes, values


def category_counts(codes: Codes, n_categories: int) -> csr_array:
    """Return how many raters put each item into each category, shape (items, categories).

    Sparse: an item has no more categories than ratings, however many values a scale has.
    """
    from scipy.sparse import csr_array

    rows, columns = np.nonzero(codes >= 0)
    return csr_array(
        (np.ones(rows.size), (rows, codes[rows, columns])),
        shape=(codes.shape[0], n_categories),
    )


def few_values(values: Floats) -> None:
    """Refuse a table of distances that would not fit into memory.

    Raises
    ------
    ValueError
        Where there are more than `MOST_VALUES` different values.
    """
    if values.size > MOST_VALUES:
        raise ValueError(
            f"{values.size} different values: more than {MOST_VALUES} are not compared one by one; "
            "use level interval, or round the ratings"
        )
