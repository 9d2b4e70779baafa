"""How far the items of a scale measure one thing: alpha and its kin.

Cronbach (1951), Psychometrika 16, 297-334; Feldt, Woodruff and Salih (1987), Applied Psychological
Measurement 11, 93-103; Guttman (1945), Psychometrika 10, 255-282; Horst (1951), Educational and
Psychological Measurement 11, 368-371.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.item_moments import (
    Missing,
    Moments,
    answered,
    moments,
    resampled,
    standardized,
)
from attunement.stats.omega import omega_total
from attunement.stats.result import Result, input_hash, signature
from attunement.stats.threads import one_thread

Floats = NDArray[np.float64]


def cronbach(covariance: ArrayLike) -> Floats:
    """Return alpha of covariance matrices, shape (..., k, k): k / (k - 1) (1 - trace / sum).

    >>> float(cronbach([[2.0, 1.0], [1.0, 2.0]]).round(4))
    0.6667

    """
    c = np.asarray(covariance, dtype=np.float64)
    k = c.shape[-1]
    if k < 2:
        return np.full(c.shape[:-2], np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(
            k / (k - 1) * (1 - np.trace(c, axis1=-2, axis2=-1) / c.sum(axis=(-2, -1)))
        )


def inter_item(correlation: ArrayLike) -> Floats:
    """Return the mean correlation between different items of matrices of shape (..., k, k)."""
    r = np.asarray(correlation, dtype=np.float64)
    k = r.shape[-1]
    if k < 2:
        return np.full(r.shape[:-2], np.nan)
    return np.asarray((r.sum(axis=(-2, -1)) - k) / (k * (k - 1)))


def lambda_6(correlation: ArrayLike) -> Floats:
    """Return Guttman's lambda 6 of standardized items: 1 - sum(1 - squared multiple r) / sum(r).

    NaN where a matrix has no inverse: an item is then a sum of others.
    """
    r = np.asarray(correlation, dtype=np.float64)
    k = r.shape[-1]
    flat = r.reshape(-1, k, k)
    found = np.full(len(flat), np.nan)
    usable = np.asarray(~np.isnan(flat).any(axis=(1, 2)))
    usable[usable] = np.linalg.eigvalsh(flat[usable])[:, 0] > 1e-8
    if k > 1 and usable.any():
        unique = 1 / np.diagonal(np.linalg.inv(flat[usable]), axis1=1, axis2=2)
        found[usable] = 1 - unique.sum(axis=1) / flat[usable].sum(axis=(1, 2))
    return found.reshape(r.shape[:-2])


def split_half(covariance: ArrayLike) -> Floats:
    """Return the reliability from the odd against the even items, stepped up to the whole scale.

    Spearman and Brown's 2r / (1 + r) where the halves are equally long, Horst's (1951) formula
    where they are not.
    """
    c = np.asarray(covariance, dtype=np.float64)
    k = c.shape[-1]
    if k < 2:
        return np.full(c.shape[:-2], np.nan)
    odd, even = np.arange(0, k, 2), np.arange(1, k, 2)
    a = c[..., odd[:, None], odd].sum(axis=(-2, -1))
    b = c[..., even[:, None], even].sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        r = c[..., odd[:, None], even].sum(axis=(-2, -1)) / np.sqrt(a * b)
        if len(odd) == len(even):
            return np.asarray(2 * r / (1 + r))
        pq = len(odd) * len(even) / k**2
        # Written so that r = 1 is no division of 0 by 0.
        root = np.sqrt(r**2 + 4 * pq * (1 - r**2))
        return np.asarray(2 * r / (root + r))


def measurement_error(covariance: ArrayLike) -> Floats:
    """Return the standard error of measurement of the items' mean: sd sqrt(1 - alpha)."""
    c = np.asarray(covariance, dtype=np.float64)
    spread = c.sum(axis=(-2, -1)) / c.shape[-1] ** 2
    with np.errstate(invalid="ignore"):
        return np.asarray(np.sqrt(spread * np.maximum(1 - cronbach(c), 0.0)))


def spearman_brown(reliability: float, length: float) -> float:
    """Return the reliability of a scale ``length`` times as long.

    >>> round(spearman_brown(0.6, 2), 3)
    0.75

    """
    return length * reliability / (1 + (length - 1) * reliability)


def feldt_interval(alpha: float, n: int, k: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return Feldt's interval of alpha, from the F distribution.

    Parameters
    ----------
    alpha
        The estimate; NaN gives no interval.
    n, k
        Respondents and items, at least two of each, or no interval.
    level
        Coverage, 0 to 1.

    """
    from scipy.special import fdtri

    if n < 2 or k < 2 or not math.isfinite(alpha):
        return math.nan, math.nan
    degrees = n - 1, (n - 1) * (k - 1)
    tail = (1 - level) / 2
    low = 1 - (1 - alpha) * fdtri(*degrees, 1 - tail)
    high = 1 - (1 - alpha) * fdtri(*degrees, tail)
    return float(low), float(high)


@dataclass(frozen=True)
class Reliability:
    """A scale's reliability, each number with its interval.

    Parameters
    ----------
    alpha
        Cronbach's, of the answers as they are, with Feldt's interval.
    standardized_alpha, omega_total, lambda_6
        Of standardized items, with bootstrap intervals over respondents.
    split_half
        Odd against even items.
    measurement_error
        Standard error of measurement, in points of the items' mean.
    inter_item
        The mean correlation between items.
    least_inter_item, most_inter_item
        The ends of the correlations between items; NaN where there is none.

    """

    alpha: Result
    standardized_alpha: Result
    omega_total: Result
    lambda_6: Result
    split_half: Result
    measurement_error: Result
    inter_item: Result
    least_inter_item: float
    most_inter_item: float

    def results(self) -> list[Result]:
        """Return every estimate in the order of a report."""
        return [
            self.alpha,
            self.standardized_alpha,
            self.omega_total,
            self.lambda_6,
            self.split_half,
            self.measurement_error,
            self.inter_item,
        ]


_NAMES: dict[str, tuple[str, Callable[[Floats, Floats], Floats]]] = {
    "standardized_alpha": ("standardized alpha", lambda c, r: cronbach(standardized(c))),
    "omega_total": ("McDonald's omega total of one factor (minres)", lambda c, r: omega_total(r)),
    "lambda_6": ("Guttman's lambda 6", lambda c, r: lambda_6(standardized(c))),
    "split_half": ("split half, odd against even items", lambda c, r: split_half(c)),
    "measurement_error": ("standard error of the items' mean", lambda c, r: measurement_error(c)),
    "inter_item": ("mean correlation between items", lambda c, r: inter_item(r)),
}


@one_thread()
def reliability(
    values: ArrayLike,
    *,
    missing: Missing = "pairwise",
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 1,
) -> Reliability:
    """Return how reliable the sum of some items is.

    Reversed items have to be turned round before.

    Parameters
    ----------
    values
        Shape (n, k): respondents and items, NaN where there is no answer.
    missing
        ``pairwise`` or ``listwise``. Pairwise, ``n`` of the results is the respondents of the pair
        of items that has fewest.
    level
        Coverage of the intervals.
    replicates, seed
        Of the bootstrap over respondents; 0 for no interval but Feldt's.

    Returns
    -------
    Reliability
        NaN with a reason where an item is constant, or the items or respondents are too few.

    Raises
    ------
    ValueError
        Where ``values`` is not two-dimensional or holds infinity.

    """
    x = np.asarray(values, dtype=np.float64)
    found = moments(x, missing)
    k = x.shape[1]
    trouble = why_not(x, found, missing)
    draws = None
    if trouble is None and replicates:
        draws = resampled(x, missing, replicates=replicates, seed=seed)
    shared: dict[str, Any] = {"ci_level": level, "n": found.n, "n_missing": found.n_missing}
    marks: dict[str, Any] = {"missing": missing, "inputs": input_hash(x)}
    alpha = float(cronbach(found.covariance)) if found.n > 1 else math.nan
    low, high = feldt_interval(alpha, found.n, k, level=level)
    first = Result(
        name="alpha",
        estimate=alpha,
        ci_low=low,
        ci_high=high,
        method=f"Cronbach's alpha, {missing}, Feldt's interval",
        signature=signature("alpha", ci="feldt", level=level, **marks),
        reason=_undefined(alpha, trouble),
        **shared,
    )
    others = {}
    for name, (words, function) in _NAMES.items():
        estimate = math.nan
        if found.n > 1:
            estimate = float(function(found.covariance, found.correlation))
        low, high = (math.nan, math.nan)
        if draws is not None:
            low, high = _percentiles(function(*draws), level)
        interval = f", percentile interval of {replicates} resamples" if draws is not None else ""
        others[name] = Result(
            name=name,
            estimate=estimate,
            ci_low=low if math.isfinite(estimate) else math.nan,
            ci_high=high if math.isfinite(estimate) else math.nan,
            method=f"{words}, {missing}{interval}",
            signature=signature(
                name, ci="bootstrap", level=level, replicates=replicates, seed=seed, **marks
            ),
            reason=_undefined(estimate, trouble, three=name == "omega_total" and k == 2),
            **shared,
        )
    between = found.correlation[np.tril_indices(k, -1)]
    known = between[np.isfinite(between)]
    return Reliability(
        alpha=first,
        least_inter_item=float(known.min()) if known.size else math.nan,
        most_inter_item=float(known.max()) if known.size else math.nan,
        **others,
    )


def why_not(values: Floats, found: Moments, missing: Missing) -> str | None:
    """Return why correlations between items are undefined, or None."""
    x = answered(values, missing)
    if x.shape[1] < 2:
        return "needs at least two items"
    if found.n < 2:
        return "fewer than two respondents answered " + (
            "every item" if missing == "listwise" else "some pair of items"
        )
    constant = [i + 1 for i in range(x.shape[1]) if len(set(x[~np.isnan(x[:, i]), i])) < 2]
    if constant:
        return f"everyone gave the same answer to item {constant[0]}"
    if np.isnan(found.correlation).any():
        return "the respondents of some pair of items gave the same answer"
    return None


def _percentiles(draws: Floats, level: float) -> tuple[float, float]:
    # A resample of few respondents can make an item constant; it says nothing about the statistic.
    known = draws[np.isfinite(draws)]
    if known.size < 0.5 * draws.size or not known.size:
        return math.nan, math.nan
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _undefined(estimate: float, trouble: str | None, *, three: bool = False) -> str | None:
    if math.isfinite(estimate):
        return None
    if three:
        return "one factor needs at least three items"
    return trouble or "undefined for these correlations"
