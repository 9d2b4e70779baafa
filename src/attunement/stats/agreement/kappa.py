"""Cohen's kappa, plain and weighted; for more than two raters its mean over pairs of raters.

Cohen (1960), Educational and Psychological Measurement 20, 37-46, and (1968), Psychological
Bulletin 70, 213-220; the mean over pairs after Light (1971), Psychological Bulletin 76, 365-377.
"""

from __future__ import annotations

from itertools import combinations
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from attunement.stats.agreement.matrix import Codes, as_matrix, category_counts, code
from attunement.stats.agreement.resampling import Bootstrap, Floats, Statistic, estimate, ratio
from attunement.stats.agreement.weighting import Weights, agreement_weights
from attunement.stats.bootstrap import FEW
from attunement.stats.result import Result, input_hash

NAMES: dict[Weights, str] = {
    "identity": "cohen_kappa",
    "linear": "linear_weighted_kappa",
    "quadratic": "quadratic_weighted_kappa",
    "ordinal": "ordinal_weighted_kappa",
}


def cohen_kappa(
    ratings: ArrayLike,
    weights: Weights = "identity",
    *,
    categories: ArrayLike | None = None,
    **bootstrap: Unpack[Bootstrap],
) -> Result:
    """Return Cohen's kappa of two raters, or the mean of the kappas of all pairs of raters.

    Parameters
    ----------
    ratings
        Shape (items, raters), NaN where missing. A pair is compared on the items both rated.
    weights
        How far two values agree. ``linear`` and ``quadratic`` go by the numbers' distance,
        ``ordinal`` by their places in the scale.
    categories
        All values of the scale; by default those that occur.
    bootstrap
        ``replicates``, ``ci_level``, ``seed`` and ``clusters``; see `Bootstrap`.

    Returns
    -------
    Result
        Named ``mean_pairwise_...`` with more than two raters. ``n`` items with at least two
        ratings, ``n_missing`` the other items. No interval where pairs share too few items. A pair
        whose kappa is undefined (no item in common,
        or one and the same value throughout) is left out of the mean and counted in the reason.

    Raises
    ------
    ValueError
        Where the ratings are not a matrix of numbers, or one of them is none of the categories.

    >>> round(cohen_kappa([[1, 1], [2, 2], [1, 2], [2, 2]]).estimate, 4)
    0.5
    """
    matrix = as_matrix(ratings)
    codes, values = code(matrix, categories)
    disagreement = 1 - agreement_weights(values, weights)
    kept = (codes >= 0).sum(1) >= 2
    paired = codes[kept]
    pairs = list(combinations(range(matrix.shape[1]), 2))
    shared = [int((paired[:, [a, b]] >= 0).all(axis=1).sum()) for a, b in pairs]
    by_pair = [
        _pair(paired[:, [a, b]], disagreement) for (a, b), n in zip(pairs, shared, strict=True) if n
    ]

    def statistic(item_weights: Floats) -> Floats:
        total = np.zeros(item_weights.shape[0])
        defined = np.zeros(item_weights.shape[0])
        for kappa in by_pair:
            values = kappa(item_weights)
            there = np.isfinite(values)
            total[there] += values[there]
            defined += there
        return ratio(total, defined)

    whole = np.ones((1, paired.shape[0]))
    left_out = len(pairs) - sum(bool(np.isfinite(kappa(whole)[0])) for kappa in by_pair)
    many = len(pairs) > 1
    notes = []
    if many and left_out:
        notes.append(f"{left_out} of {len(pairs)} pairs of raters undefined and left out")
    usual = float(np.median([n for n in shared if n])) if by_pair else 0.0
    if many and 0 < usual < FEW:
        # Resampled, the few items of a pair agree less than they do: the interval would lie below
        # the estimate.
        notes.append(f"no interval: half of the pairs share {usual:.0f} items or fewer")
        bootstrap["replicates"] = 0
    name = f"mean_pairwise_{NAMES[weights]}" if many else NAMES[weights]
    method = "Cohen's kappa" if weights == "identity" else f"Cohen's kappa, {weights} weights"
    return estimate(
        name,
        statistic,
        kept,
        method=f"{method}, mean over pairs of raters" if many else method,
        inputs=input_hash(matrix, values),
        constant="each pair of raters gave one and the same value throughout",
        note="; ".join(notes) or None,
        parameters={"categories": values.size if categories is not None else None},
        **bootstrap,
    )


def _pair(codes: Codes, disagreement: Floats) -> Statistic:
    """Kappa of two raters as a function of item weights."""
    both = np.flatnonzero((codes >= 0).all(axis=1))
    first, second = codes[both, 0], codes[both, 1]
    apart = disagreement[first, second]
    n_categories = disagreement.shape[0]
    marginals = [category_counts(rater[:, None], n_categories) for rater in (first, second)]

    def statistic(weights: Floats) -> Floats:
        shared = weights[:, both]
        one, other = (shared @ m for m in marginals)
        expected = np.einsum("bc,bc->b", one @ disagreement, other)
        return 1 - ratio(shared.sum(1) * (shared @ apart), expected)

    return statistic
