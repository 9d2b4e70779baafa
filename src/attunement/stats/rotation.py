"""Rotation of factors to simple structure: oblimin and promax.

Jennrich (2002), Psychometrika 67, 7-19 (oblique rotation by gradient projection, here to the
quartimin criterion of Carroll 1953); Kaiser (1958), Psychometrika 23, 187-200 (varimax);
Hendrickson and White (1964), British Journal of Statistical Psychology 17, 65-70 (promax).
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
_EXACT = (1e-6, 1_000)
_NEAR = (1e-4, 200)
"""The slope at which oblimin ends, and its steps: for a sample, and for a resample."""


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
        Shape (m, m): the one rotation to start oblimin from, in place of several; the end is then
        near enough for a resample.

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
    if start is not None:
        turned, _ = _descend(loadings, start, *_NEAR)
    else:
        rng = np.random.default_rng(1)
        starts = [np.eye(m), _varimax(loadings)]
        if m > 2:
            starts += [np.linalg.qr(rng.standard_normal((m, m)))[0] for _ in range(STARTS)]
        turned, _ = min(
            (_descend(loadings, begin, *_EXACT) for begin in starts), key=lambda found: found[1]
        )
    return loadings @ np.linalg.inv(turned).T, turned.T @ turned, turned


def _descend(loadings: Floats, start: Floats, close: float, steps: int) -> tuple[Floats, float]:
    """Return the rotation downhill from a start, its columns of length 1, and the criterion."""
    turned, size = start, 1.0
    now, slope = _complexity(loadings, turned)
    for _ in range(steps):
        # What of the slope keeps the columns' length, to first order.
        along = slope - turned * (turned * slope).sum(axis=0)
        steep = float((along**2).sum())
        if steep < close**2:
            break
        size *= 2
        for _ in range(12):
            moved = turned - size * along
            moved /= np.sqrt((moved**2).sum(axis=0))
            then, next_slope = _complexity(loadings, moved)
            if now - then > 0.5 * steep * size:
                break
            size /= 2
        if not then < now:
            break
        turned, now, slope = moved, then, next_slope
    return turned, now


def _complexity(loadings: Floats, turned: Floats) -> tuple[float, Floats]:
    """Return the quartimin criterion, how far items load on several factors, and its slope."""
    back = np.linalg.inv(turned)
    pattern = loadings @ back.T
    squared = pattern**2
    others = squared.sum(axis=1, keepdims=True) - squared
    slope = -(pattern.T @ (pattern * others) @ back).T
    return float((squared * others).sum() / 4), slope


def _varimax(loadings: Floats) -> Floats:
    """Return the orthogonal rotation, with rows normalized, by singular value decompositions."""
    length = np.sqrt((loadings**2).sum(axis=1, keepdims=True))
    rows = loadings / np.maximum(length, 1e-12)
    turned, before = np.eye(loadings.shape[1]), 0.0
    for _ in range(1_000):
        simple = rows @ turned
        left, strength, right = np.linalg.svd(
            rows.T @ (simple**3 - simple * (simple**2).mean(axis=0))
        )
        turned = left @ right
        if strength.sum() < before * (1 + 1e-12):
            break
        before = strength.sum()
    return np.asarray(turned)


def _promax(loadings: Floats) -> tuple[Floats, Floats, Floats]:
    turned = _varimax(loadings)
    simple = loadings @ turned
    target = simple * np.abs(simple) ** (POWER - 1)
    toward, *_ = np.linalg.lstsq(simple, target)
    toward = toward * np.sqrt(np.diagonal(np.linalg.inv(toward.T @ toward)))
    back = np.linalg.inv(toward)
    return simple @ toward, back @ back.T, turned
