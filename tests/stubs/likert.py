"""Answers on five points that R and Python draw alike: see tests/stats/psychometrics.R."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

LOADINGS = (0.8, 0.7, 0.6, 0.75, 0.65, 0.7, 0.7, 0.8, 0.6)
CUTS = ((-1.2, -0.4, 0.3, 1.1), (-1.5, -0.6, 0.1, 0.9), (-0.9, -0.2, 0.5, 1.3))
RESPONDENTS = 300


@cache
def answers() -> NDArray[np.float64]:
    """300 respondents on nine items of three correlated factors, complete."""
    return _drawn()[0]


@cache
def with_gaps() -> NDArray[np.float64]:
    """The same answers with about six in a hundred missing."""
    return _drawn()[1]


@cache
def _drawn() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    state = 20240101

    def uniform() -> float:
        nonlocal state
        state = 16807 * state % 2147483647
        return state / 2147483647

    def normal() -> float:
        return float(ndtri(uniform()))

    whole = np.zeros((RESPONDENTS, 9))
    for person in range(RESPONDENTS):
        general = normal()
        factors = [math.sqrt(0.5) * general + math.sqrt(0.5) * normal() for _ in range(3)]
        for item, loading in enumerate(LOADINGS):
            latent = loading * factors[item // 3] + math.sqrt(1 - loading**2) * normal()
            whole[person, item] = 1 + sum(latent > cut for cut in CUTS[item % 3])
    gaps = whole.copy()
    for person in range(RESPONDENTS):
        for item in range(9):
            if uniform() < 0.06:
                gaps[person, item] = np.nan
    return whole, gaps
