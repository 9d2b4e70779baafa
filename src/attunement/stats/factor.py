"""Exploratory factor analysis of a correlation matrix: minres and maximum likelihood.

Harman and Jones (1966), Psychometrika 31, 351-368; Jöreskog (1967), Psychometrika 32, 443-482;
Lawley and Maxwell (1971), Factor Analysis as a Statistical Method.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.rotation import Rotation, rotate
from attunement.stats.threads import one_thread

Floats = NDArray[np.float64]
Extraction = Literal["minres", "ml"]

LEAST_UNIQUE = 0.005
"""The bound of a unique variance, as in R's factanal: at it, a solution is improper (Heywood)."""


@dataclass(frozen=True)
class Factors:
    """A solution.

    Parameters
    ----------
    loadings
        Pattern, shape (k, m); the factors by the variance they explain, most first, each turned so
        that its loadings sum to no less than 0.
    correlations
        Of the factors, shape (m, m).
    uniqueness
        Shape (k,): the variance of each item that no factor explains.
    objective
        What was minimized: half the squared residuals (minres), or the discrepancy (ml).
    degrees
        Degrees of freedom of the model: ((k - m)^2 - k - m) / 2.
    improper
        Whether a unique variance is at its bound.
    turned
        The rotation, to start another one from.

    """

    loadings: Floats
    correlations: Floats
    uniqueness: Floats
    objective: float
    degrees: int
    improper: bool
    turned: Floats

    @property
    def explained(self) -> Floats:
        """Share of the items' variance that each factor explains, shape (m,)."""
        return _explained(self.loadings, self.correlations) / len(self.loadings)


@one_thread()
def factors(
    correlations: ArrayLike,
    n_factors: int,
    *,
    extraction: Extraction = "minres",
    rotation: Rotation = "oblimin",
    start: Floats | None = None,
) -> Factors:
    """Return the factors of a correlation matrix.

    Parameters
    ----------
    correlations
        Shape (k, k), without NaN.
    n_factors
        How many, so that the degrees of freedom are no less than 0.
    extraction
        ``minres`` for the least squared residuals off the diagonal, ``ml`` for maximum likelihood.
    rotation
        ``oblimin``, ``promax`` or ``none``.
    start
        A rotation to start from, such as ``turned`` of the whole sample for a resample.

    Raises
    ------
    ValueError
        Where the matrix has NaN, is not positive definite (``ml``), or has too few items.

    """
    r = np.asarray(correlations, dtype=np.float64)
    k = len(r)
    degrees = ((k - n_factors) ** 2 - k - n_factors) // 2
    if np.isnan(r).any():
        raise ValueError("a correlation is undefined")
    if n_factors < 1 or degrees < 0:
        raise ValueError(f"{k} items are too few for {n_factors} factors")
    if extraction == "ml" and np.linalg.eigvalsh(r)[0] <= 1e-8:
        raise ValueError("maximum likelihood needs a positive definite correlation matrix")
    unique, objective = _extract(r, n_factors, extraction)
    unrotated = _loadings(r, unique, n_factors, extraction)
    pattern, phi, turned = rotate(unrotated, rotation, start=start)
    pattern, phi, turned = _ordered(pattern, phi, turned)
    return Factors(
        loadings=pattern,
        correlations=phi,
        uniqueness=unique,
        objective=objective,
        degrees=degrees,
        improper=bool((unique <= LEAST_UNIQUE + 1e-4).any()),
        turned=turned,
    )


def matched(found: Factors, wanted: Factors) -> Factors:
    """Return a solution with its factors in the order and direction of another one's.

    For resamples, where the factors may come in any order: each is paired with the one whose
    loadings are most like its own.
    """
    from scipy.optimize import linear_sum_assignment

    a, b = wanted.loadings, found.loadings
    lengths = np.sqrt((a**2).sum(axis=0)[:, None] * (b**2).sum(axis=0))
    likeness = a.T @ b / np.maximum(lengths, 1e-12)
    _, order = linear_sum_assignment(-np.abs(likeness))
    sign = np.where(likeness[np.arange(len(order)), order] < 0, -1.0, 1.0)
    phi = found.correlations[np.ix_(order, order)] * np.outer(sign, sign)
    return replace(found, loadings=b[:, order] * sign, correlations=phi)


def chi_squared(found: Factors, n: int) -> tuple[float, float]:
    """Return the test of a maximum-likelihood solution with Bartlett's correction, and its p."""
    from scipy.special import chdtrc

    k, m = found.loadings.shape
    statistic = (n - 1 - (2 * k + 5) / 6 - 2 * m / 3) * found.objective
    if found.degrees == 0:
        return statistic, math.nan
    return statistic, float(chdtrc(found.degrees, statistic))


def residual_root_mean_square(correlations: ArrayLike, found: Factors) -> float:
    """Return the root mean square of the correlations that the factors leave unexplained."""
    r = np.asarray(correlations, dtype=np.float64)
    left = r - found.loadings @ found.correlations @ found.loadings.T
    return float(np.sqrt(np.mean(left[np.tril_indices(len(r), -1)] ** 2)))


def _extract(r: Floats, m: int, extraction: Extraction) -> tuple[Floats, float]:
    """Return the unique variances, bounded from below, that minimize the discrepancy."""
    from scipy.optimize import minimize

    target = _least_squares if extraction == "minres" else _likelihood
    try:
        start = 1 / np.diagonal(np.linalg.inv(r))
    except np.linalg.LinAlgError:
        start = np.full(len(r), 0.5)
    start = np.clip((1 - 0.5 * m / len(r)) * start, 0.05, 0.95)
    best = minimize(
        target,
        start,
        args=(r, m),
        jac=True,
        method="L-BFGS-B",
        bounds=[(LEAST_UNIQUE, 1.0)] * len(r),
        options={"maxiter": 2_000, "ftol": 1e-14, "gtol": 1e-9, "maxcor": 20},
    )
    return np.asarray(best.x, dtype=np.float64), float(best.fun)


def _least_squares(unique: Floats, r: Floats, m: int) -> tuple[float, Floats]:
    values, vectors = np.linalg.eigh(r - np.diag(unique))
    # The m largest are the factors, but none explains a negative variance.
    left = np.where(np.arange(len(r)) < len(r) - m, values, np.minimum(values, 0.0))
    return float(0.5 * (left**2).sum()), -(vectors**2) @ left


def _likelihood(unique: Floats, r: Floats, m: int) -> tuple[float, Floats]:
    scale = 1 / np.sqrt(unique)
    values, vectors = np.linalg.eigh(r * np.outer(scale, scale))
    left, loaded = values[:-m], values[-m:]
    objective = float((left - np.log(left) - 1).sum())
    pattern = vectors[:, -m:] * np.sqrt(np.maximum(loaded - 1, 0.0)) * np.sqrt(unique)[:, None]
    implied = (pattern**2).sum(axis=1) + unique
    return objective, (implied - np.diagonal(r)) / unique**2


def _loadings(r: Floats, unique: Floats, m: int, extraction: Extraction) -> Floats:
    if extraction == "minres":
        values, vectors = np.linalg.eigh(r - np.diag(unique))
        return np.asarray((vectors[:, -m:] * np.sqrt(np.maximum(values[-m:], 0.0)))[:, ::-1])
    scale = 1 / np.sqrt(unique)
    values, vectors = np.linalg.eigh(r * np.outer(scale, scale))
    loaded = vectors[:, -m:] * np.sqrt(np.maximum(values[-m:] - 1, 0.0))
    return np.asarray((loaded / scale[:, None])[:, ::-1])


def _explained(pattern: Floats, phi: Floats) -> Floats:
    return np.asarray(np.diagonal(phi @ pattern.T @ pattern))


def _ordered(pattern: Floats, phi: Floats, turned: Floats) -> tuple[Floats, Floats, Floats]:
    order = np.argsort(-_explained(pattern, phi), kind="stable")
    sign = np.where(pattern[:, order].sum(axis=0) < 0, -1.0, 1.0)
    return (
        pattern[:, order] * sign,
        phi[np.ix_(order, order)] * np.outer(sign, sign),
        turned[:, order] * sign,
    )
