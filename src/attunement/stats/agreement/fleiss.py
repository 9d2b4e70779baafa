"""Fleiss' kappa, generalized to items with different numbers of raters.

Fleiss (1971), Psychological Bulletin 76, 378-382; with missing ratings after Gwet (2014), Handbook
of Inter-Rater Reliability, 4th edition, chapter 2: an item's agreement is that of its pairs of
ratings, and the chance of a category is its share of an item's ratings averaged over items.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from attunement.stats.agreement.matrix import Codes, as_matrix, category_counts, code
from attunement.stats.agreement.resampling import Bools, Bootstrap, Floats, estimate, ratio
from attunement.stats.agreement.weighting import agreement_weights
from attunement.stats.result import Result, input_hash


def fleiss_kappa(ratings: ArrayLike, **bootstrap: Unpack[Bootstrap]) -> Result:
    """Return Fleiss' kappa: values are categories, and it does not matter who rated.

    Parameters
    ----------
    ratings
        Shape (items, raters), NaN where missing.
    bootstrap
        ``replicates``, ``ci_level``, ``seed`` and ``clusters``; see `Bootstrap`.

    Returns
    -------
    Result
        ``n`` items with at least one rating: one rating says nothing of agreement, but how often a
        value is given. ``n_missing`` items without any. NaN with a reason where no item has two
        ratings or all ratings are the same.

    Raises
    ------
    ValueError
        Where the ratings are not a matrix of numbers.

    >>> round(fleiss_kappa([[1, 1, 1], [2, 2, 1], [2, 2, 2]]).estimate, 4)
    0.55
    """
    matrix = as_matrix(ratings)
    codes, values = code(matrix)
    kept, paired, agreed, share = observed(codes, agreement_weights(values))

    def statistic(weights: Floats) -> Floats:
        among = ratio(weights @ agreed, weights @ paired)
        prevalence = ratio(weights @ share, weights.sum(1, keepdims=True))
        chance = np.square(prevalence).sum(1)
        # Shares that add up to 1 only up to rounding would make a constant value look defined.
        left = np.where(np.count_nonzero(prevalence, axis=1) > 1, 1 - chance, 0.0)
        return ratio(among - chance, left)

    return estimate(
        "fleiss_kappa",
        statistic,
        kept,
        method="Fleiss' kappa, generalized to unequal numbers of raters",
        inputs=input_hash(matrix),
        nothing="no ratings",
        constant="all ratings are the same, so agreement by chance is complete"
        if paired.any()
        else "no item has two ratings",
        **bootstrap,
    )


def observed(codes: Codes, weights: Floats) -> tuple[Bools, Floats, Floats, Floats]:
    """Return what Fleiss' and Gwet's coefficients need of each item.

    Parameters
    ----------
    codes
        Shape (items, raters): index of each rating's category, -1 where missing.
    weights
        Shape (categories, categories): how far two categories agree.

    Returns
    -------
    tuple
        Which items have a rating; of these: whether they have two (0 or 1), how far their pairs of
        ratings agree (0 where there is no pair), and each category's share of their ratings.
    """
    size = (codes >= 0).sum(1).astype(np.float64)
    kept = size >= 1
    size = size[kept]
    counts = category_counts(codes[kept], weights.shape[0])
    pairs = np.asarray(counts.multiply(counts @ weights).sum(axis=1)) - size
    agreed = np.divide(pairs, size * (size - 1), out=np.zeros_like(size), where=size >= 2)
    share = np.asarray(counts.toarray() / size[:, None], dtype=np.float64)
    return kept, (size >= 2).astype(np.float64), agreed, share
