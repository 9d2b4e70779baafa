"""Rotation of factors to simple structure: oblimin and promax.

Bernaards and Jennrich (2005), Educational and Psychological Measurement 65, 676-696 (oblimin, by
statsmodels); Hendrickson and White (1964), British Journal of Statistical Psychology 17, 65-70.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rotation = Literal["oblimin", "promax", "none"]

STARTS = 10
"""Random starts of oblimin beside the identity and varimax: it can have several minima."""
POWER = 4
"""Of promax's target."""


def rotate(
    loadings: Floats, rotation: Rotation, *, start: Floats | None = None
) -> tuple[Floats, Floats, Floats]:
    """Return the pattern, the correlations of the factors, and the rotation.

    Parameters
    ----------
    loadings
        Unrotated, shape (k, m).
    rotation
        ``oblimin`` (with gamma 0, no row normalization), ``promax`` (power 4 after varimax with
        row normalization, as R's factanal has it) or ``none``.
    start
        Shape (m, m): the one rotation to start oblimin from, in place of several.

    Returns
    -------
    tuple
        Shapes (k, m), (m, m) and (m, m).

    """
    m = loadings.shape[1]
    if rotation == "none" or m == 1:
        return loadings, np.eye(m), np.eye(m)
    return _promax(loadings) if rotation == "promax" else _oblimin(loadings, start)


def _oblimin(loadings: Floats, start: Floats | None) -> tuple[Floats, Floats, Floats]:
    m = loadings.shape[1]
    rng = np.random.default_rng(1)
    starts = [start] if start is not None else [np.eye(m), _varimax(loadings)]
    if start is None and m > 2:
        starts += [np.linalg.qr(rng.standard_normal((m, m)))[0] for _ in range(STARTS)]
    found = [_from(loadings, begin) for begin in starts]
    pattern, turned = min(found, key=lambda f: _complexity(f[0]))
    return pattern, turned.T @ turned, turned


def _from(loadings: Floats, start: Floats) -> tuple[Floats, Floats]:
    from statsmodels.multivariate.factor_rotation import rotate_factors

    pattern, turned = rotate_factors(loadings, "oblimin", 0, "oblique", T=start)
    return np.asarray(pattern), np.asarray(turned)


def _complexity(pattern: Floats) -> float:
    """Return the quartimin criterion: how far items load on more than one factor."""
    squared = pattern**2
    together = squared.T @ squared
    return float(together.sum() - np.trace(together))


def _varimax(loadings: Floats) -> Floats:
    from statsmodels.multivariate.factor_rotation import rotate_factors

    length = np.sqrt((loadings**2).sum(axis=1, keepdims=True))
    _, turned = rotate_factors(loadings / np.maximum(length, 1e-12), "varimax", tol=1e-9)
    return np.asarray(turned)


def _promax(loadings: Floats) -> tuple[Floats, Floats, Floats]:
    turned = _varimax(loadings)
    simple = loadings @ turned
    target = simple * np.abs(simple) ** (POWER - 1)
    toward, *_ = np.linalg.lstsq(simple, target)
    toward = toward * np.sqrt(np.diagonal(np.linalg.inv(toward.T @ toward)))
    back = np.linalg.inv(toward)
    return simple @ toward, back @ back.T, turned
