"""Percent agreement: how often two raters of an item give the same value."""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from attunement.stats.agreement.matrix import as_matrix, category_counts, code
from attunement.stats.agreement.resampling import Bootstrap, Floats, estimate, ratio
from attunement.stats.result import Result, input_hash


def percent_agreement(ratings: ArrayLike, **bootstrap: Unpack[Bootstrap]) -> Result:
    """Return the share of pairs of ratings of an item that are equal, averaged over items.

    Not corrected for chance: raters who give everything the same value agree always. Every item
    counts alike, however many raters it had (Gwet 2014, chapter 2).

    Parameters
    ----------
    ratings
        Shape (items, raters), NaN where missing.
    bootstrap
        ``replicates``, ``ci_level``, ``seed`` and ``clusters``; see `Bootstrap`.

    Returns
    -------
    Result
        0 to 1; ``n`` items with at least two ratings, ``n_missing`` the other items.

    Raises
    ------
    ValueError
        Where the ratings are not a matrix of numbers.

    >>> round(percent_agreement([[1, 1, 2], [2, 2, 2]]).estimate, 4)
    0.6667
    """
    matrix = as_matrix(ratings)
    size = (~np.isnan(matrix)).sum(1).astype(np.float64)
    kept = size >= 2
    codes, values = code(matrix[kept])
    squares = np.asarray(category_counts(codes, values.size).power(2).sum(axis=1))
    agreed = (squares - size[kept]) / (size[kept] * (size[kept] - 1))

    def statistic(weights: Floats) -> Floats:
        return ratio(weights @ agreed, weights.sum(1))

    return estimate(
        "percent_agreement",
        statistic,
        kept,
        method="share of equal pairs of ratings, averaged over items",
        inputs=input_hash(matrix),
        **bootstrap,
    )
