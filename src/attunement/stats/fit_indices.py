"""How well a structural model fits: chi-squared, CFI, TLI, RMSEA and SRMR.

Bentler (1990), Psychological Bulletin 107, 238-246 (CFI); Tucker and Lewis (1973), Psychometrika
38, 1-10; Steiger and Lind (1980) and Browne and Cudeck (1992), Sociological Methods & Research 21
(RMSEA and its interval); Hu and Bentler (1999), Structural Equation Modeling 6, 1-55.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

RMSEA_LEVEL = 0.90
"""Coverage of RMSEA's interval, by custom: its lower end tests close fit at 5 %."""


@dataclass(frozen=True)
class Fit:
    """A model's fit.

    Parameters
    ----------
    chi_squared, degrees, p_value
        The test of exact fit.
    baseline, baseline_degrees
        Chi-squared of the model in which no items are related.
    cfi, tli
        Comparative fit index, 0 to 1, and Tucker-Lewis index, which can pass 1.
    rmsea, rmsea_low, rmsea_high
        Root mean square error of approximation with its interval at `RMSEA_LEVEL`.
    srmr
        Standardized root mean square residual (Bentler's), the diagonal included.

    """

    chi_squared: float
    degrees: int
    p_value: float
    baseline: float
    baseline_degrees: int
    cfi: float
    tli: float
    rmsea: float
    rmsea_low: float
    rmsea_high: float
    srmr: float


def fit(
    chi_squared: float,
    degrees: int,
    baseline: float,
    baseline_degrees: int,
    *,
    n: int,
    srmr: float,
) -> Fit:
    """Return the indices of a model from its chi-squared and the baseline's.

    Parameters
    ----------
    chi_squared, degrees, baseline, baseline_degrees
        Of the model and of the model without relations.
    n
        What RMSEA divides by: as in lavaan the respondents for maximum likelihood, and one less
        for least squares.
    srmr
        As `srmr` returns it.

    """
    from scipy.special import chdtrc

    over, under = chi_squared - degrees, baseline - baseline_degrees
    largest = max(over, under, 0.0)
    cfi = 1 - max(over, 0.0) / largest if largest > 0 else 1.0
    tli = rmsea = low = high = math.nan
    if degrees > 0:
        ratio, empty = chi_squared / degrees, baseline / baseline_degrees
        tli = (empty - ratio) / (empty - 1) if empty != 1 else math.nan
        rmsea = math.sqrt(max(over, 0.0) / (degrees * n))
        low, high = rmsea_interval(chi_squared, degrees, n)
    return Fit(
        chi_squared=chi_squared,
        degrees=degrees,
        p_value=float(chdtrc(degrees, chi_squared)) if degrees > 0 else math.nan,
        baseline=baseline,
        baseline_degrees=baseline_degrees,
        cfi=cfi,
        tli=tli,
        rmsea=rmsea,
        rmsea_low=low,
        rmsea_high=high,
        srmr=srmr,
    )


def rmsea_interval(
    chi_squared: float, degrees: int, n: int, *, level: float = RMSEA_LEVEL
) -> tuple[float, float]:
    """Return RMSEA's interval, from the noncentral chi-squared distributions that reach so far."""
    ends = [_noncentrality(chi_squared, degrees, p) for p in ((1 + level) / 2, (1 - level) / 2)]
    low, high = (math.sqrt(end / (degrees * n)) for end in ends)
    return low, high


def _noncentrality(statistic: float, degrees: int, p: float) -> float:
    from scipy.optimize import brentq
    from scipy.special import chdtr, chndtr

    def left(value: float) -> float:
        below = chndtr(statistic, degrees, value) if value else chdtr(degrees, statistic)
        return float(below) - p

    if left(0.0) <= 0:
        return 0.0
    most = statistic + 10.0
    while left(most) > 0:
        most *= 2
    return float(brentq(left, 0.0, most, xtol=1e-9))


def srmr(observed: ArrayLike, implied: ArrayLike) -> float:
    """Return Bentler's standardized root mean square residual of two covariance matrices."""
    s, sigma = np.asarray(observed, np.float64), np.asarray(implied, np.float64)
    scale = 1 / np.sqrt(np.diagonal(s))
    left = (s - sigma) * np.outer(scale, scale)
    return float(np.sqrt(np.mean(left[np.tril_indices(len(s))] ** 2)))
