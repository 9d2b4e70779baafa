"""Covariances and correlations of the items of a scale, with missing answers, and their resamples.

Everything about a scale (alpha, omega, factors) follows from these two matrices, so what a missing
answer does is decided here and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.bootstrap import counts

Floats = NDArray[np.float64]
Missing = Literal["pairwise", "listwise"]


@dataclass(frozen=True)
class Moments:
    """What is known of the items together.

    Parameters
    ----------
    covariance, correlation
        Shape (k, k), with n - 1; NaN where a pair has fewer than two respondents, and in the
        correlations of an item that everyone answered alike. Pairwise, a correlation has the
        variances of the pair's respondents.
    pairs
        Respondents of each pair of items, shape (k, k).
    n
        Respondents of the pair of items that has fewest: what an interval may count on.
    n_missing
        Respondents less ``n``.

    """

    covariance: Floats
    correlation: Floats
    pairs: Floats
    n: int
    n_missing: int


def standardized(covariance: ArrayLike) -> Floats:
    """Return covariances of shape (..., k, k) over the items' own standard deviations.

    These are the correlations unless answers are missing: pairwise, each item's variance is that of
    all who answered it. R's psych takes them for standardized alpha and lambda 6.
    """
    c = np.asarray(covariance, dtype=np.float64)
    variance = np.diagonal(c, axis1=-2, axis2=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt(np.where(variance > 0, variance, np.nan))
        return np.asarray(c / (spread[..., :, None] * spread[..., None, :]))


def answered(values: ArrayLike, missing: Missing) -> Floats:
    """Return the rows that count: with any answer if pairwise, with every answer if listwise.

    Raises
    ------
    ValueError
        Where ``values`` is not two-dimensional or holds infinity.

    """
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 2:
        raise ValueError(f"answers must have two dimensions, not {x.ndim}")
    if np.isinf(x).any():
        raise ValueError("answers hold infinity")
    there = ~np.isnan(x)
    return x[there.all(axis=1) if missing == "listwise" else there.any(axis=1)]


def moments(values: ArrayLike, missing: Missing = "pairwise") -> Moments:
    """Return the covariances and correlations of the columns.

    Pairwise takes for each pair everyone who answered both, and for a variance everyone who
    answered the item, as R's ``cov(use = "pairwise")`` does.

    Parameters
    ----------
    values
        Shape (n, k): respondents and items, NaN where there is no answer.
    missing
        ``pairwise``, or ``listwise`` for respondents who answered everything.

    Raises
    ------
    ValueError
        Where ``values`` is not two-dimensional or holds infinity.

    """
    x = answered(values, missing)
    total = np.asarray(values).shape[0]
    covariance, correlation, n = _weighted(*_parts(x), np.ones(len(x)))
    fewest = int(n.min()) if n.size else 0
    return Moments(covariance, correlation, n, fewest, total - fewest)


def resampled(
    values: ArrayLike, missing: Missing, *, replicates: int, seed: int
) -> tuple[Floats, Floats]:
    """Return covariances and correlations of each resample of the respondents.

    Returns
    -------
    tuple
        Two arrays of shape (replicates, k, k).

    Raises
    ------
    ValueError
        Where there is nobody to draw, or no replicate is asked for.

    """
    x = answered(values, missing)
    parts = _parts(x)
    drawn = [
        _weighted(*parts, weights)[:2]
        for block in counts(len(x), replicates, seed)
        for weights in block
    ]
    return np.stack([c for c, _ in drawn]), np.stack([r for _, r in drawn])


def _parts(x: Floats) -> tuple[Floats, Floats]:
    """Return answers about their means, 0 where missing, and where there is one."""
    there = ~np.isnan(x)
    n = np.maximum(there.sum(axis=0), 1)
    # Without the means the squares would lose digits: answers of 43 to 90 vary by 10.
    centered = np.where(there, x - np.where(there, x, 0.0).sum(axis=0) / n, 0.0)
    return centered, there.astype(np.float64)


def _weighted(x: Floats, there: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    drawn = weights[:, None]
    products = (x * drawn).T @ x
    if there.all():
        k = x.shape[1]
        n = np.full((k, k), weights.sum())
        sums = np.repeat((weights @ x)[:, None], k, axis=1)
        squares = np.repeat(np.diagonal(products)[:, None], k, axis=1)
    else:
        n = (there * drawn).T @ there
        sums = (x * drawn).T @ there  # of item i over those who answered i and j
        squares = (x**2 * drawn).T @ there
    with np.errstate(invalid="ignore", divide="ignore"):
        together = products - sums * sums.T / n
        alone = squares - sums**2 / n
        # A constant item leaves the noise of binary fractions, whose correlations mean nothing.
        alone = np.where(alone > 1e-12 * np.maximum(squares, 1e-300), alone, np.nan)
        together = np.where(np.isnan(alone) | np.isnan(alone.T), 0.0, together)
        covariance = np.where(n > 1, together / (n - 1), np.nan)
        correlation = np.where(n > 1, together / np.sqrt(alone * alone.T), np.nan)
    variances = np.diagonal(correlation)
    np.fill_diagonal(correlation, np.where(np.isnan(variances), np.nan, 1.0))
    return covariance, np.clip(correlation, -1.0, 1.0), n
