"""Confirmatory factor analysis of ordered answers: polychoric correlations and WLSMV.

Diagonally weighted least squares with a test that is scaled and shifted to the right mean and
variance. Muthén, du Toit and Spisic (1997); Asparouhov and Muthén (2010), Simple second order
chi-square correction; Satorra and Bentler (1994).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.cfa import Confirmatory, Model, degenerate, model, square, start
from attunement.stats.fit_indices import fit, srmr
from attunement.stats.polychoric import Polychoric, polychoric
from attunement.stats.threads import one_thread

Floats = NDArray[np.float64]


@one_thread()
def confirm_ordinal(values: ArrayLike, factor: Sequence[int] | ArrayLike) -> Confirmatory:
    """Fit the model by WLSMV to complete ordered answers.

    Parameters
    ----------
    values
        Shape (n, k), without missing values; reversed items turned. Only the order counts.
    factor
        Which factor each item measures, from 0.

    Returns
    -------
    Confirmatory
        Its fit has the scaled and shifted chi-squared and the indices that follow from it, lavaan's
        ``cfi.scaled`` and so on.

    Raises
    ------
    ValueError
        Where the model is not determined, a value is missing, or an item is constant.

    """
    return confirm_polychoric(polychoric(values), factor)


def confirm_polychoric(found: Polychoric, factor: Sequence[int] | ArrayLike) -> Confirmatory:
    """Fit the model to polychoric correlations: see `confirm_ordinal`."""
    from scipy.optimize import least_squares

    shape = model(factor)
    below = np.tril_indices(shape.n_items, -1)
    observed = found.correlation[below]
    gamma, n = found.covariance, found.n
    weight = 1 / np.diagonal(gamma)
    root = np.sqrt(weight)

    def left(parameters: Floats) -> Floats:
        pattern, phi = shape.split(parameters)
        return np.asarray(root * (observed - (pattern @ phi @ pattern.T)[below]))

    def slopes(parameters: Floats) -> Floats:
        return -root[:, None] * _slopes(shape, parameters)

    best = least_squares(
        left, start(shape, found.correlation), jac=slopes, xtol=1e-12, ftol=1e-14, gtol=1e-12
    )
    pattern, phi = shape.split(best.x)
    implied = pattern @ phi @ pattern.T
    np.fill_diagonal(implied, 1.0)
    delta = _slopes(shape, best.x)
    k, degrees = shape.n_items, observed.size - best.x.size
    # The factor n - 1 is lavaan's, for the tests of estimators by least squares.
    scaled = _second_order((n - 1) * float(best.fun @ best.fun), weight, delta, gamma)
    empty = np.zeros((observed.size, 0))
    baseline = _second_order((n - 1) * float(weight @ observed**2), weight, empty, gamma)
    errors = _errors(weight, delta, gamma, n)
    return Confirmatory(
        loadings=best.x[:k],
        loading_errors=errors[:k],
        correlations=phi,
        correlation_errors=square(shape, errors[k:]),
        fit=fit(
            scaled,
            degrees,
            baseline,
            observed.size,
            n=n - 1,
            srmr=srmr(found.correlation, implied),
        ),
        n=n,
        converged=bool(best.success),
        improper=bool((np.abs(best.x[:k]) >= 1).any()) or degenerate(phi),
    )


def _slopes(shape: Model, parameters: Floats) -> Floats:
    below = np.tril_indices(shape.n_items, -1)
    of = shape.slopes(*shape.split(parameters))
    return np.asarray(of[:, below[0], below[1]].T)


def _second_order(statistic: float, weight: Floats, delta: Floats, gamma: Floats) -> float:
    """Return a statistic scaled and shifted to the mean and variance of chi-squared."""
    degrees = len(weight) - delta.shape[1]
    weighted = weight[:, None] * delta
    bread = np.linalg.pinv(delta.T @ weighted) if delta.shape[1] else np.zeros((0, 0))
    u = np.diag(weight) - weighted @ bread @ weighted.T
    product = u @ gamma
    mean, variance = np.trace(product), np.einsum("ij,ji->", product, product)
    if degrees < 1 or variance <= 0:
        return statistic
    scale = np.sqrt(degrees / variance)
    return float(scale * statistic + degrees - scale * mean)


def _errors(weight: Floats, delta: Floats, gamma: Floats, n: int) -> Floats:
    weighted = weight[:, None] * delta
    bread = np.linalg.pinv(delta.T @ weighted)
    covariance = bread @ (weighted.T @ gamma @ weighted) @ bread / (n - 1)
    return np.asarray(np.sqrt(np.maximum(np.diagonal(covariance), 0.0)))
