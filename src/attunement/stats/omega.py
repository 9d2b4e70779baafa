"""McDonald's omega: the share of a score's variance that factors explain.

McDonald (1999), Test Theory; Zinbarg, Revelle, Yovel and Li (2005), Psychometrika 70, 123-133;
Schmid and Leiman (1957), Psychometrika 22, 53-61.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_SWEEPS = 2_000
_CLOSE = 1e-10


def one_factor(correlations: ArrayLike) -> Floats:
    """Return the loadings of one factor that leave the least squared residuals.

    Harman and Jones' (1966) minres: each loading in turn is set to the regression of its item's
    correlations on the other loadings, until none moves. Loadings stay within -1 and 1.

    Parameters
    ----------
    correlations
        Shape (..., k, k), k of at least 3: one matrix, or a stack of resamples.

    Returns
    -------
    numpy.ndarray
        Shape (..., k), turned so that they sum to no less than 0; NaN for a matrix with NaN.

    """
    r = np.array(correlations, dtype=np.float64)
    k = r.shape[-1]
    whole = np.asarray(~np.isnan(r).any(axis=(-2, -1)))
    r[~whole] = np.eye(k)
    _, vectors = np.linalg.eigh(r)
    loadings: Floats = vectors[..., -1] * np.sqrt(0.5 * k / 2)
    loadings = np.clip(loadings, -0.9, 0.9)
    off = r * (1 - np.eye(k))
    for _ in range(_SWEEPS):
        before = loadings.copy()
        for i in range(k):
            rest = (loadings**2).sum(axis=-1) - loadings[..., i] ** 2
            pulled = (off[..., i, :] * loadings).sum(axis=-1)
            loadings[..., i] = np.clip(pulled / np.maximum(rest, 1e-12), -1.0, 1.0)
        if np.abs(loadings - before).max(initial=0.0) < _CLOSE:
            break
    turn = np.where(loadings.sum(axis=-1, keepdims=True) < 0, -1.0, 1.0)
    return np.where(whole[..., None], loadings * turn, np.nan)


def omega_total(correlations: ArrayLike) -> Floats:
    """Return omega of a scale with one factor: 1 - sum of unique variances / variance of the sum.

    The variance of the sum is the observed one, of standardized items.

    Parameters
    ----------
    correlations
        Shape (..., k, k); with fewer than three items one factor is not determined: NaN.

    """
    r = np.asarray(correlations, dtype=np.float64)
    k = r.shape[-1]
    if k < 3:
        return np.full(r.shape[:-2], np.nan)
    unique = k - (one_factor(r) ** 2).sum(axis=-1)
    return np.asarray(1 - unique / r.sum(axis=(-2, -1)))


@dataclass(frozen=True)
class Hierarchy:
    """A general factor over group factors.

    Parameters
    ----------
    hierarchical
        Omega hierarchical: the variance of the sum that the general factor explains.
    total
        Omega total: what the general and the group factors explain together.
    general
        Loadings on the general factor, shape (k,).
    groups
        Loadings on the group factors, shape (k, m), orthogonal to the general one.
    improper
        Whether a unique variance is at its bound, which makes the numbers doubtful.

    """

    hierarchical: float
    total: float
    general: Floats
    groups: Floats
    improper: bool


def schmid_leiman(
    loadings: ArrayLike, factor_correlations: ArrayLike, correlations: ArrayLike
) -> Hierarchy:
    """Split oblique factors into a general factor and what is left of each, and return omega.

    Parameters
    ----------
    loadings
        Pattern of the oblique factors, shape (k, m), m of at least 3.
    factor_correlations
        Shape (m, m).
    correlations
        Of the items, shape (k, k).

    Raises
    ------
    ValueError
        Where there are fewer than three factors: their correlations do not determine a general one.

    """
    pattern = np.asarray(loadings, dtype=np.float64)
    phi = np.asarray(factor_correlations, dtype=np.float64)
    r = np.asarray(correlations, dtype=np.float64)
    if phi.shape[0] < 3:
        raise ValueError("a general factor needs at least three group factors")
    second = one_factor(phi)
    general = pattern @ second
    # A factor reflected against the rest would subtract from the sum that omega is about.
    general = general if general.sum() >= 0 else -general
    groups = pattern * np.sqrt(np.maximum(1 - second**2, 0.0))
    communality = np.einsum("if,fg,ig->i", pattern, phi, pattern)
    variance = r.sum()
    return Hierarchy(
        hierarchical=float(general.sum() ** 2 / variance),
        total=float(1 - (1 - communality).sum() / variance),
        general=general,
        groups=groups,
        improper=bool((communality > 0.99).any() or (np.abs(second) > 0.995).any()),
    )
