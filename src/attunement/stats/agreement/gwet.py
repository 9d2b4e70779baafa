"""Gwet's AC1 and AC2: agreement whose correction for chance does not break down at high prevalence.

Gwet (2008), British Journal of Mathematical and Statistical Psychology 61, 29-48; with weights and
missing ratings after Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition, chapters 2, 3.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from attunement.stats.agreement.fleiss import observed
from attunement.stats.agreement.matrix import as_matrix, code
from attunement.stats.agreement.resampling import Bootstrap, Floats, estimate, ratio
from attunement.stats.agreement.weighting import Weights, agreement_weights
from attunement.stats.result import Result, input_hash


def gwet_ac(
    ratings: ArrayLike,
    weights: Weights = "identity",
    *,
    categories: ArrayLike | None = None,
    **bootstrap: Unpack[Bootstrap],
) -> Result:
    """Return Gwet's AC1 (identity weights) or AC2 (linear, quadratic or ordinal weights).

    Parameters
    ----------
    ratings
        Shape (items, raters), NaN where missing.
    weights
        How far two values agree; see `agreement_weights`.
    categories
        All values of the scale; by default those that occur. Agreement by chance depends on their
        number, so give the scale where a value may not have been used.
    bootstrap
        ``replicates``, ``ci_level``, ``seed`` and ``clusters``; see `Bootstrap`.

    Returns
    -------
    Result
        ``n`` items with at least one rating (those with one tell how often a value is given),
        ``n_missing`` items without any. NaN with a reason where no item has two ratings, or all
        ratings are the same and no other category is known; with the scale given, raters who all
        use one value of it agree completely: 1.

    Raises
    ------
    ValueError
        Where the ratings are not a matrix of numbers, or one of them is none of the categories.

    >>> round(gwet_ac([[1, 1], [1, 1], [1, 1], [1, 2]]).estimate, 4)
    0.68
    """
    matrix = as_matrix(ratings)
    codes, values = code(matrix, categories)
    table = agreement_weights(values, weights)
    kept, paired, agreed, share = observed(codes, table)
    q = values.size
    scale = table.sum() / (q * (q - 1)) if q > 1 else np.nan

    def statistic(item_weights: Floats) -> Floats:
        among = ratio(item_weights @ agreed, item_weights @ paired)
        prevalence = ratio(item_weights @ share, item_weights.sum(1, keepdims=True))
        chance = scale * (prevalence * (1 - prevalence)).sum(1)
        return ratio(among - chance, 1 - chance)

    name = "gwet_ac1" if weights == "identity" else f"gwet_ac2_{weights}"
    return estimate(
        name,
        statistic,
        kept,
        method="Gwet's AC1" if weights == "identity" else f"Gwet's AC2, {weights} weights",
        inputs=input_hash(matrix, values),
        nothing="no ratings",
        constant="all ratings are the same and no other category is known"
        if paired.any()
        else "no item has two ratings",
        parameters={"categories": q if categories is not None else None},
        **bootstrap,
    )
