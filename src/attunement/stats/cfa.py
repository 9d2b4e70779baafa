"""Confirmatory factor analysis: each item measures one factor, the factors are correlated.

Jöreskog (1969), Psychometrika 34, 183-202 (maximum likelihood); Bollen (1989), Structural Equations
with Latent Variables. The variances of the factors are 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.fit_indices import Fit, fit, srmr
from attunement.stats.threads import one_thread

Floats = NDArray[np.float64]

_STEPS = 500
_CLOSE = 1e-9


@dataclass(frozen=True)
class Confirmatory:
    """A fitted model.

    Parameters
    ----------
    loadings, loading_errors
        Standardized, one an item, with standard errors.
    correlations, correlation_errors
        Of the factors, shape (m, m), with standard errors.
    fit
        How well the model fits.
    n
        Respondents.
    converged
        Whether a minimum was found; the rest is not to be read where not.
    improper
        Whether an item has no unique variance left, or two factors correlate fully.

    """

    loadings: Floats
    loading_errors: Floats
    correlations: Floats
    correlation_errors: Floats
    fit: Fit
    n: int
    converged: bool
    improper: bool


@dataclass(frozen=True)
class Model:
    """Which factor each item measures, shape (k,), and how the parameters make covariances."""

    factor: NDArray[np.intp]

    @property
    def n_items(self) -> int:
        """How many items."""
        return self.factor.size

    @property
    def n_factors(self) -> int:
        """How many factors."""
        return int(self.factor.max()) + 1

    @property
    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The places of the factors' correlations."""
        return np.tril_indices(self.n_factors, -1)

    def split(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Return the pattern (k, m) and the factor correlations (m, m) of loadings and phi."""
        k, m = self.n_items, self.n_factors
        pattern = np.zeros((k, m))
        pattern[np.arange(k), self.factor] = parameters[:k]
        phi = np.eye(m)
        phi[self.pairs] = parameters[k : k + len(self.pairs[0])]
        return pattern, phi + np.tril(phi, -1).T

    def slopes(self, pattern: Floats, phi: Floats) -> Floats:
        """Return the derivatives of the common covariances, shape (parameters, k, k)."""
        k = self.n_items
        through = pattern @ phi
        of = np.zeros((k + len(self.pairs[0]), k, k))
        for i in range(k):
            of[i, i, :] += through[:, self.factor[i]]
            of[i, :, i] += through[:, self.factor[i]]
        for p, (f, g) in enumerate(zip(*self.pairs, strict=True)):
            once = np.outer(pattern[:, f], pattern[:, g])
            of[k + p] = once + once.T
        return of


def model(factor: Sequence[int] | ArrayLike) -> Model:
    """Return the model in which item i measures ``factor[i]``, counted from 0.

    Raises
    ------
    ValueError
        Where a factor has fewer than two items, or one factor alone fewer than three: the answers
        do not determine such a model.

    """
    places = np.asarray(factor, dtype=np.intp)
    counts = np.bincount(places)
    if (counts < 2).any() or (counts.size == 1 and counts[0] < 3):
        raise ValueError(
            "a factor needs at least three items, or two where there are several factors"
        )
    return Model(places)


def start(model: Model, correlation: Floats) -> Floats:
    """Return loadings and factor correlations to start from."""
    k = model.n_items
    loadings = np.empty(k)
    for f in range(model.n_factors):
        own = np.flatnonzero(model.factor == f)
        within = correlation[np.ix_(own, own)].sum(axis=0) - 1
        mean = max(within.sum() / (own.size * max(own.size - 1, 1)), 0.05)
        loadings[own] = np.clip(within / (own.size - 1) / np.sqrt(mean), 0.1, 0.9)
    return np.concatenate([loadings, np.full(len(model.pairs[0]), 0.3)])


@one_thread()
def confirm(values: ArrayLike, factor: Sequence[int] | ArrayLike) -> Confirmatory:
    """Fit the model by maximum likelihood to complete answers, taken as continuous.

    Parameters
    ----------
    values
        Shape (n, k), without missing values; reversed items turned.
    factor
        Which factor each item measures, from 0.

    Raises
    ------
    ValueError
        Where the model is not determined, an item is constant, or the respondents are too few for
        the correlation matrix to have an inverse.

    """
    x = np.asarray(values, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.corrcoef(x, rowvar=False)
    return confirm_correlations(correlation, len(x), factor)


def confirm_correlations(
    correlation: ArrayLike, n: int, factor: Sequence[int] | ArrayLike
) -> Confirmatory:
    """Fit the model by maximum likelihood to correlations: see `confirm`.

    The likelihood does not depend on the units of the items, so that correlations give the same
    fit and the same standardized loadings as covariances.
    """
    shape = model(factor)
    r = np.asarray(correlation, dtype=np.float64)
    if np.isnan(r).any():
        raise ValueError("a correlation is undefined: an item is constant")
    if np.linalg.eigvalsh(r)[0] < 1e-8:
        raise ValueError(
            f"the correlations of {len(r)} items among {n} respondents have no inverse"
        )
    loadings = start(shape, r)
    found, converged = _scored(shape, r, np.concatenate([loadings, 1 - loadings[: len(r)] ** 2]))
    pattern, phi = shape.split(found)
    k, free = len(r), len(found)
    unique = found[-k:]
    implied = pattern @ phi @ pattern.T + np.diag(unique)
    logarithm = float(np.linalg.slogdet(r)[1])
    discrepancy = _discrepancy(implied, r) - logarithm - k
    errors = _errors(shape, pattern, phi, implied, n)
    return Confirmatory(
        loadings=found[:k],
        loading_errors=errors[:k],
        correlations=phi,
        correlation_errors=square(shape, errors[k:]),
        fit=fit(
            n * discrepancy,
            k * (k + 1) // 2 - free,
            -n * logarithm,
            k * (k - 1) // 2,
            n=n,
            srmr=srmr(r, implied),
        ),
        n=n,
        converged=converged,
        improper=bool((unique < 1e-6).any()) or degenerate(phi),
    )


def square(model: Model, below: Floats) -> Floats:
    """Return values of the pairs of factors as a symmetric matrix, 0 on its diagonal."""
    whole = np.zeros((model.n_factors, model.n_factors))
    whole[model.pairs] = below
    return whole + whole.T


def degenerate(phi: Floats) -> bool:
    """Say whether factor correlations leave fewer dimensions than there are factors."""
    return len(phi) > 1 and bool(np.linalg.eigvalsh(phi)[0] < 1e-6)


def _discrepancy(implied: Floats, observed: Floats) -> float:
    try:
        root = np.linalg.cholesky(implied)
    except np.linalg.LinAlgError:
        return np.inf
    inner = np.linalg.solve(root, np.linalg.solve(root, observed).T)
    return float(2 * np.log(np.diagonal(root)).sum() + np.trace(inner))


def _slopes(shape: Model, pattern: Floats, phi: Floats) -> Floats:
    """Return the derivatives by loadings, factor correlations and unique variances."""
    k = shape.n_items
    own = np.zeros((k, k, k))
    own[np.arange(k), np.arange(k), np.arange(k)] = 1.0
    return np.concatenate([shape.slopes(pattern, phi), own])


def _scored(shape: Model, r: Floats, begin: Floats) -> tuple[Floats, bool]:
    """Return the parameters at the minimum by Fisher's scoring with halved steps."""
    found, k = begin, shape.n_items

    def implied(parameters: Floats) -> Floats:
        pattern, phi = shape.split(parameters)
        return np.asarray(pattern @ phi @ pattern.T + np.diag(parameters[-k:]))

    now = _discrepancy(implied(found), r)
    for _ in range(_STEPS):
        sigma = implied(found)
        inverse = np.linalg.inv(sigma)
        slopes = inverse @ _slopes(shape, *shape.split(found))
        gradient = np.einsum("aij,ji->a", slopes, np.eye(k) - inverse @ r)
        if np.abs(gradient).max() < _CLOSE:
            return found, True
        step = np.linalg.lstsq(_information(slopes), gradient)[0]
        size, then = 1.0, np.inf
        while size > 1e-6:
            then = _discrepancy(implied(found - size * step), r)
            if then < now:
                break
            size /= 2
        if not then < now:
            # No step helps any more: a minimum to rounding, or a ridge that has none.
            return found, bool(np.abs(gradient).max() < 1e-4)
        found, now = found - size * step, then
    return found, False


def _information(slopes: Floats) -> Floats:
    flat = slopes.reshape(len(slopes), -1)
    turned = slopes.transpose(0, 2, 1).reshape(len(slopes), -1)
    return np.asarray(flat @ turned.T)


def _errors(shape: Model, pattern: Floats, phi: Floats, implied: Floats, n: int) -> Floats:
    """Return standard errors of the standardized loadings and of the factor correlations."""
    slopes = np.linalg.inv(implied) @ _slopes(shape, pattern, phi)
    covariance = 2 / n * np.linalg.pinv(_information(slopes))
    k, kept = shape.n_items, len(slopes) - shape.n_items
    loading = pattern[np.arange(k), shape.factor]
    # A standardized loading is loading / sqrt(loading^2 + unique variance): the delta method.
    change = np.eye(kept, len(slopes))
    change[np.arange(k), np.arange(k)] = 1 - loading**2
    change[np.arange(k), kept + np.arange(k)] = -loading / 2
    spread = np.einsum("ia,ab,ib->i", change, covariance, change)
    return np.asarray(np.sqrt(np.maximum(spread, 0.0)))
