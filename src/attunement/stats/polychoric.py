"""Polychoric correlations: of the normal variables behind ordered answers.

Olsson (1979), Psychometrika 44, 443-460 (two steps: thresholds from each item alone, then each
correlation by maximum likelihood); Muthén (1984), Psychometrika 49, 115-132, for their covariance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_BOUND = 0.995
_STEPS = 200
_CLOSE = 1e-10
_EDGE = 8.0  # stands for infinity: the normal distribution is 1 there to 15 digits
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)
_LEAST = 1e-14


@dataclass(frozen=True)
class Polychoric:
    """Polychoric correlations of complete answers.

    Parameters
    ----------
    correlation
        Shape (k, k).
    thresholds
        For each item the points of the normal variable where one answer goes over to the next.
    covariance
        Asymptotic covariance of sqrt(n) times the correlations below the diagonal, row by row:
        shape (k (k - 1) / 2, k (k - 1) / 2).
    n
        Respondents.
    empty_pairs
        Pairs of items with an empty cell in their table; many make the covariance doubtful.

    """

    correlation: Floats
    thresholds: tuple[Floats, ...]
    covariance: Floats
    n: int
    empty_pairs: int


def polychoric(values: ArrayLike) -> Polychoric:
    """Return the polychoric correlations of ordered answers.

    Parameters
    ----------
    values
        Shape (n, k), without missing values; any numbers, of which only the order counts.

    Raises
    ------
    ValueError
        Where a value is missing or an item has fewer than two different answers.

    """
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 2 or not np.isfinite(x).all():
        raise ValueError("polychoric correlations need complete answers")
    codes = [np.unique(column, return_inverse=True) for column in x.T]
    for i, (levels, _) in enumerate(codes):
        if levels.size < 2:
            raise ValueError(f"everyone gave the same answer to item {i + 1}")
    steps = [inverse for _, inverse in codes]
    limits = [_thresholds(step) for step in steps]
    singles = [_single(step, limit) for step, limit in zip(steps, limits, strict=True)]
    k = x.shape[1]
    correlation = np.eye(k)
    influence, empty = [], 0
    for i in range(1, k):
        for j in range(i):
            table = _table(steps[i], steps[j], limits[i].size - 1, limits[j].size - 1)
            start = float(np.corrcoef(steps[i], steps[j])[0, 1])
            rho = _likeliest(table, limits[i], limits[j], 0.9 * start)
            correlation[i, j] = correlation[j, i] = rho
            empty += bool((table == 0).any())
            pair = _Pair(rho, limits[i], limits[j], steps[i], steps[j])
            influence.append(_influence(pair, singles[i], singles[j]))
    stacked = np.stack(influence, axis=1) if influence else np.zeros((len(x), 0))
    return Polychoric(
        correlation=correlation,
        thresholds=tuple(limit[1:-1] for limit in limits),
        covariance=len(x) * stacked.T @ stacked,
        n=len(x),
        empty_pairs=empty,
    )


def bivariate_normal(h: ArrayLike, k: ArrayLike, rho: float) -> Floats:
    """Return P(X < h, Y < k) of two standard normal variables with correlation ``rho``.

    The product of the margins plus the integral of the density over the correlation, by 64 nodes;
    exact to 1e-9 up to a correlation of 0.99.

    >>> round(float(bivariate_normal(0.0, 0.0, 0.5)), 9)
    0.333333333

    """
    from scipy.special import ndtr

    a, b = np.broadcast_arrays(np.asarray(h, np.float64), np.asarray(k, np.float64))
    half = math.asin(rho) / 2
    angle = half * (_NODES + 1)
    exponent = (a[..., None] ** 2 + b[..., None] ** 2) - 2 * (a * b)[..., None] * np.sin(angle)
    integral = np.exp(-exponent / (2 * np.cos(angle) ** 2)) @ _WEIGHTS * half
    return np.asarray(ndtr(a) * ndtr(b) + integral / (2 * math.pi))


def _thresholds(steps: NDArray[np.intp]) -> Floats:
    from scipy.special import ndtri

    share = np.bincount(steps).cumsum()[:-1] / steps.size
    return np.concatenate([[-_EDGE], ndtri(share), [_EDGE]])


def _table(a: NDArray[np.intp], b: NDArray[np.intp], rows: int, columns: int) -> Floats:
    flat = np.bincount(a * columns + b, minlength=rows * columns)
    return flat.reshape(rows, columns).astype(np.float64)


def _cells(rho: float, a: Floats, b: Floats) -> Floats:
    """Return the probability of each cell."""
    corner = bivariate_normal(a[:, None], b[None, :], rho)
    return np.maximum(np.diff(np.diff(corner, axis=0), axis=1), _LEAST)


def _density(rho: float, a: Floats, b: Floats) -> Floats:
    """Return the derivative of each cell's probability by the correlation."""
    x, y = a[:, None], b[None, :]
    rest = 1 - rho**2
    corner = np.exp(-(x**2 - 2 * rho * x * y + y**2) / (2 * rest)) / (2 * math.pi * math.sqrt(rest))
    return np.asarray(np.diff(np.diff(corner, axis=0), axis=1))


def _likeliest(table: Floats, a: Floats, b: Floats, start: float) -> float:
    """Return the correlation under which the table is most likely, by Fisher's scoring."""
    rho = start
    for _ in range(_STEPS):
        cells, density = _cells(rho, a, b), _density(rho, a, b)
        step = float((table * density / cells).sum() / (table.sum() * (density**2 / cells).sum()))
        # Half the way to the bound at most, so that no step leaps over the maximum near it.
        ahead = (_BOUND - rho) / 2 if step > 0 else (-_BOUND - rho) / 2
        step = min(step, ahead) if step > 0 else max(step, ahead)
        rho += step
        if abs(step) < _CLOSE:
            break
    return rho


@dataclass(frozen=True)
class _Pair:
    rho: float
    a: Floats
    b: Floats
    row: NDArray[np.intp]
    column: NDArray[np.intp]


def _single(steps: NDArray[np.intp], limits: Floats) -> Floats:
    """Return every respondent's share in the estimation error of one item's thresholds.

    The scores times the inverse of their cross products, shape (n, thresholds).
    """
    from scipy.special import ndtr

    chance = np.diff(ndtr(limits))
    scores = _threshold_scores(_normal(limits), chance)[steps]
    return np.asarray(scores @ np.linalg.inv(scores.T @ scores))


def _normal(x: Floats) -> Floats:
    return np.asarray(np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi))


def _threshold_scores(density: Floats, chance: Floats) -> Floats:
    """Return d log P(answer) / d threshold, shape (answers, thresholds)."""
    answers = chance.size
    scores = np.zeros((answers, answers - 1))
    inner = np.arange(answers - 1)
    scores[inner, inner] = density[1:-1] / chance[:-1]
    scores[inner + 1, inner] = -density[1:-1] / chance[1:]
    return scores


def _influence(pair: _Pair, first: Floats, second: Floats) -> Floats:
    """Return every respondent's share in the error of a correlation, thresholds included."""
    cells = _cells(pair.rho, pair.a, pair.b)
    score = (_density(pair.rho, pair.a, pair.b) / cells)[pair.row, pair.column]
    by_row = _margin(pair.rho, pair.a, pair.b, cells)[pair.row, pair.column]
    by_column = _margin(pair.rho, pair.b, pair.a, cells.T)[pair.column, pair.row]
    carried = first @ (score @ by_row) + second @ (score @ by_column)
    return np.asarray((score - carried) / (score @ score))


def _margin(rho: float, a: Floats, b: Floats, cells: Floats) -> Floats:
    """Return d log P(cell) / d threshold of the rows, shape (rows, columns, thresholds)."""
    from scipy.special import ndtr

    inner = a[1:-1]
    given = ndtr((b[None, :] - rho * inner[:, None]) / math.sqrt(1 - rho**2))
    moved = _normal(inner)[:, None] * np.diff(given, axis=1)
    scores = np.zeros((*cells.shape, inner.size))
    for t in range(inner.size):
        scores[t, :, t] = moved[t] / cells[t]
        scores[t + 1, :, t] = -moved[t] / cells[t + 1]
    return scores
