"""Two means of scores, of the same people or of different ones, with a standardized effect.

Welch (1947), Biometrika 34, 28-35; Hedges (1981), Journal of Educational Statistics 6, 107-128;
intervals of effects by the noncentral t distribution: Steiger and Fouladi (1997).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.result import Result, TestResult, input_hash, signature

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MeanDifference:
    """How far the means of a and b are apart.

    Parameters
    ----------
    difference
        Mean of a less mean of b, in points, with Student's or Welch's interval.
    effect
        The difference in standard deviations, corrected for few observations (Hedges): of the
        paired differences, or the pooled one of two groups.
    test
        Student's t test of the pairs, or Welch's.
    n_a, n_b
        How many scores each mean has.

    """

    difference: Result
    effect: Result
    test: TestResult
    n_a: int
    n_b: int


def paired_difference(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> MeanDifference:
    """Compare two scores of the same people.

    Parameters
    ----------
    a, b
        Shape (n,), in the same order; whoever lacks one is left out and counted.
    level
        Coverage of the intervals.

    Raises
    ------
    ValueError
        Where the lengths differ.

    """
    x, y = (np.asarray(v, dtype=np.float64) for v in (a, b))
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"a and b must be one-dimensional and equally long: {x.shape}, {y.shape}")
    both = np.isfinite(x) & np.isfinite(y)
    d = x[both] - y[both]
    spread = _spread(d)
    error = spread / math.sqrt(d.size) if d.size else math.nan
    marks = {"design": "paired", "level": level, "inputs": input_hash(x, y)}
    return _compared(
        float(d.mean()) if d.size else math.nan,
        error,
        degrees=float(d.size - 1),
        spread=spread,
        scale=math.sqrt(max(d.size, 1)),
        sizes=(d.size, d.size),
        n=d.size,
        n_missing=x.size - d.size,
        words=("paired differences", "Student's t", "the paired differences"),
        marks=marks,
        level=level,
    )


def independent_difference(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> MeanDifference:
    """Compare scores of different people.

    Parameters
    ----------
    a, b
        Shapes (n,) and (m,); missing values are left out and counted.
    level
        Coverage of the intervals.

    """
    x, y = (np.asarray(v, dtype=np.float64).ravel() for v in (a, b))
    there = x[np.isfinite(x)], y[np.isfinite(y)]
    sizes = there[0].size, there[1].size
    n = sum(sizes)
    parts = [_spread(v) ** 2 / v.size if v.size else math.nan for v in there]
    error, degrees, pooled = math.sqrt(sum(parts)), math.nan, math.nan
    if min(sizes) > 1:
        squares = sum(p**2 / (v.size - 1) for p, v in zip(parts, there, strict=True))
        degrees = sum(parts) ** 2 / squares if squares > 0 else math.nan
        within = sum((v.size - 1) * _spread(v) ** 2 for v in there)
        pooled = math.sqrt(within / (n - 2))
    marks = {"design": "independent", "level": level, "inputs": input_hash(x, y)}
    return _compared(
        float(there[0].mean() - there[1].mean()) if min(sizes) else math.nan,
        error,
        degrees=degrees,
        spread=pooled,
        scale=math.sqrt(sizes[0] * sizes[1] / n) if n else math.nan,
        sizes=sizes,
        n=n,
        n_missing=x.size + y.size - n,
        words=("difference of two groups", "Welch's t", "both groups pooled"),
        marks=marks,
        level=level,
    )


def _spread(values: Floats) -> float:
    return float(values.std(ddof=1)) if values.size > 1 else math.nan


def _correction(freedom: float) -> float:
    """Return what an effect is multiplied by so that few scores do not inflate it (Hedges)."""
    if freedom <= 1:
        return math.nan
    half = freedom / 2
    return math.exp(math.lgamma(half) - math.lgamma((freedom - 1) / 2) - 0.5 * math.log(half))


def _compared(
    mean: float,
    error: float,
    *,
    degrees: float,
    spread: float,
    scale: float,
    sizes: tuple[int, int],
    n: int,
    n_missing: int,
    words: tuple[str, str, str],
    marks: dict[str, Any],
    level: float,
) -> MeanDifference:
    from scipy.special import stdtr, stdtrit

    reason = None
    if min(sizes) < 2:
        reason = "fewer than two scores" + (" of one of them" if max(sizes) > 1 else "")
    elif not error > 0 or not degrees > 0:
        reason = "the scores do not vary"
    low = high = t = p = d = d_low = d_high = math.nan
    if reason is None:
        half = float(stdtrit(degrees, (1 + level) / 2)) * error
        low, high, t = mean - half, mean + half, mean / error
        p = float(2 * stdtr(degrees, -abs(t)))
        freedom = float(n - 1 if marks["design"] == "paired" else n - 2)
        shrink = _correction(freedom)
        d = mean / spread * shrink
        ends = _noncentral(mean / spread * scale, freedom, level)
        d_low, d_high = (end / scale * shrink for end in ends)
    what, test, whose = words
    shared: dict[str, Any] = {"n": n, "n_missing": n_missing, "reason": reason}
    return MeanDifference(
        difference=Result(
            name="mean_difference",
            estimate=mean,
            ci_low=low,
            ci_high=high,
            ci_level=level,
            method=f"mean of {what}, {test} interval",
            signature=signature("mean_difference", **marks),
            **shared,
        ),
        effect=Result(
            name="hedges_g",
            estimate=d,
            ci_low=d_low,
            ci_high=d_high,
            ci_level=level,
            method=f"Hedges' g, standard deviation of {whose}, noncentral t interval",
            signature=signature("hedges_g", **marks),
            **shared,
        ),
        test=TestResult(
            name="t",
            statistic=t,
            p_value=p,
            method=f"{test} test, two-sided",
            signature=signature("t", **marks),
            effect_size=d,
            effect_name="Hedges' g",
            **shared,
        ),
        n_a=sizes[0],
        n_b=sizes[1],
    )


def _noncentral(t: float, degrees: float, level: float) -> tuple[float, float]:
    """Return the noncentralities under which t is just not too large, and just not too small."""
    from scipy.optimize import brentq
    from scipy.special import nctdtr

    def share(c: float) -> float:
        found = float(nctdtr(degrees, c, t))
        # SciPy has no number far from t, where there is nothing left to find.
        return float(c < t) if math.isnan(found) else found

    step = max(1.0, abs(t) / math.sqrt(2 * degrees))

    def end(p: float) -> float:
        below = above = t
        reach = step
        while share(below) < p:
            below, reach = t - reach, 2 * reach
        reach = step
        while share(above) > p:
            above, reach = t + reach, 2 * reach
        return below if below == above else float(brentq(lambda c: share(c) - p, below, above))

    return end((1 + level) / 2), end((1 - level) / 2)
