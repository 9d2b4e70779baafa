"""What a Delphi panel's ratings of one item come to, each with n and an interval.

Jünger et al. (2017), Palliative Medicine 31, 684-706, for what a Delphi report has to give. The
quartiles are linearly interpolated (Hyndman and Fan 1996, type 7), as NumPy, pandas and R do by
default.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.bootstrap import FEW, counts
from attunement.stats.descriptive import NO_SPREAD
from attunement.stats.descriptive import mean as mean_of
from attunement.stats.median import median as median_of
from attunement.stats.proportion import wilson
from attunement.stats.result import Result, input_hash, signature

Floats = NDArray[np.float64]
Variant = Literal["standard", "paper"]

_FEW = f"fewer than {FEW} ratings: no interval by resampling"


def agreement(
    values: ArrayLike,
    *,
    at_least: float = 4,
    panel: int | None = None,
    variant: Variant = "standard",
    level: float = 0.95,
) -> Result:
    """Return the share of an item's ratings at or above ``at_least``, with Wilson's interval.

    Parameters
    ----------
    values
        Shape (n,), one rating an expert, NaN where there is none.
    at_least
        The lowest rating that agrees: 4 and 5 of five points by default.
    panel
        How many took part; only the variant ``paper`` needs it.
    variant
        ``standard`` divides by those who rated, ``paper`` by the whole panel, as CES-LCC did: who
        did not rate then counts as not agreeing.
    level
        Coverage of the interval.

    Returns
    -------
    Result
        0 to 1; NaN with a reason where nobody rated.

    Raises
    ------
    ValueError
        Where ``paper`` is asked for and the panel is not named or smaller than its ratings.

    >>> agreement([5, 4, 3, float("nan")]).estimate.__round__(4)
    0.6667
    """
    x, there = _present(values)
    n, missing, over = there.size, x.size - there.size, "those who rated"
    if variant == "paper":
        if panel is None or panel < n:
            raise ValueError(f"the variant 'paper' needs the panel's size, not {panel}")
        n, missing, over = panel if there.size else 0, 0, "the whole panel"
    found = wilson(int((there >= at_least).sum()), n, level=level, n_missing=missing)
    return replace(
        found,
        name="agreement" if variant == "standard" else "agreement_of_panel",
        method=f"share of {over} with {at_least:g} or more, Wilson score interval",
        signature=signature(
            "agreement", at_least=at_least, variant=variant, level=level, inputs=input_hash(x)
        ),
        reason=found.reason and "nobody rated it",
    )


def mean(values: ArrayLike, *, ends: tuple[float, float] = (1, 5), level: float = 0.95) -> Result:
    """Return the mean of an item's ratings with Student's t interval, cut to the scale.

    Parameters
    ----------
    values
        Shape (n,), NaN where missing.
    ends
        Of the scale; the interval does not pass them.
    level
        Coverage of the interval.

    """
    found = mean_of(values, level=level)
    low, high = ends
    return replace(
        found,
        ci_low=max(found.ci_low, low) if math.isfinite(found.ci_low) else math.nan,
        ci_high=min(found.ci_high, high) if math.isfinite(found.ci_high) else math.nan,
        method="mean, Student's t interval, cut to the scale",
    )


def standard_deviation(
    values: ArrayLike, *, replicates: int = 2000, seed: int = 1, level: float = 0.95
) -> Result:
    """Return the standard deviation (n - 1) with a percentile bootstrap interval over experts.

    Parameters
    ----------
    values
        Shape (n,), NaN where missing; two are needed, and ten for the interval.
    replicates, seed, level
        Of the bootstrap.

    """
    return _resampled(
        "sd",
        values,
        lambda rows: np.asarray(rows.std(axis=1, ddof=1), dtype=np.float64),
        fewest=2,
        what="standard deviation (n - 1)",
        replicates=replicates,
        seed=seed,
        level=level,
    )


def interquartile_range(
    values: ArrayLike, *, replicates: int = 2000, seed: int = 1, level: float = 0.95
) -> Result:
    """Return the distance of the quartiles, linearly interpolated, with a bootstrap interval.

    Parameters
    ----------
    values
        Shape (n,), NaN where missing; ten are needed for the interval.
    replicates, seed, level
        Of the percentile bootstrap over experts.

    >>> interquartile_range([1, 2, 3, 4]).estimate
    1.5
    """
    return _resampled(
        "iqr",
        values,
        _iqr,
        fewest=1,
        what="interquartile range, quartiles linearly interpolated",
        replicates=replicates,
        seed=seed,
        level=level,
    )


def median(values: ArrayLike, *, level: float = 0.95) -> Result:
    """Return the median with the interval between two order statistics."""
    return median_of(values, level=level)


def extremes(values: ArrayLike) -> tuple[Result, Result]:
    """Return the lowest and the highest rating; they describe this panel and have no interval."""
    x, there = _present(values)
    reason = "the range describes this panel: no interval" if there.size else "no values"
    found = [
        Result(
            name=name,
            estimate=float(end(there)) if there.size else math.nan,
            n=there.size,
            n_missing=x.size - there.size,
            method=f"{what} rating",
            signature=signature(name, inputs=input_hash(x)),
            reason=reason,
        )
        for name, what, end in (("min", "lowest", np.min), ("max", "highest", np.max))
    ]
    return found[0], found[1]


def describe(
    values: ArrayLike,
    *,
    at_least: float = 4,
    ends: tuple[float, float] = (1, 5),
    replicates: int = 2000,
    seed: int = 1,
    level: float = 0.95,
) -> dict[str, Result]:
    """Return agreement, mean, sd, median, min, max and iqr of one item's ratings, by name.

    Parameters
    ----------
    values
        Shape (n,), one rating an expert, NaN where there is none.
    at_least
        The lowest rating that agrees.
    ends
        Of the scale.
    replicates, seed, level
        Of the intervals.

    """
    x = np.asarray(values, dtype=np.float64).ravel()
    lowest, highest = extremes(x)
    drawn = {"replicates": replicates, "seed": seed}
    return {
        "agreement": agreement(x, at_least=at_least, level=level),
        "mean": mean(x, ends=ends, level=level),
        "sd": standard_deviation(x, **drawn, level=level),
        "median": median(x, level=level),
        "min": lowest,
        "max": highest,
        "iqr": interquartile_range(x, **drawn, level=level),
    }


def redundancy_flags(flags: ArrayLike, *, level: float = 0.95) -> Result:
    """Return how many experts flagged an item as redundant.

    Parameters
    ----------
    flags
        Shape (n,): 1 flagged, 0 not, NaN not asked.
    level
        Coverage of the interval: Wilson's of the share, times those asked.

    """
    x, there = _present(flags)
    share = wilson(int(there.sum()), there.size, level=level, n_missing=x.size - there.size)
    return replace(
        share,
        name="redundancy_flags",
        estimate=share.estimate * there.size,
        ci_low=share.ci_low * there.size,
        ci_high=share.ci_high * there.size,
        method="experts who flagged it, Wilson score interval of the share times those asked",
        signature=signature("redundancy_flags", level=level, inputs=input_hash(x)),
        reason=share.reason and "nobody was asked",
    )


def third_quartile(flags: ArrayLike) -> Result:
    """Return the third quartile of the items' flags, linearly interpolated.

    Parameters
    ----------
    flags
        Shape (items,): flags of every item of the round, NaN where not asked.

    >>> third_quartile([0, 1, 2, 5]).estimate
    2.75
    """
    x, there = _present(flags)
    return Result(
        name="redundancy_threshold",
        estimate=float(np.quantile(there, 0.75)) if there.size else math.nan,
        n=there.size,
        n_missing=x.size - there.size,
        method="third quartile of the flags of all items, linearly interpolated",
        signature=signature("redundancy_threshold", inputs=input_hash(x)),
        reason="a threshold of these items: no interval" if there.size else "no flags",
    )


def _present(values: ArrayLike) -> tuple[Floats, Floats]:
    x = np.asarray(values, dtype=np.float64).ravel()
    return x, x[np.isfinite(x)]


def _iqr(rows: Floats) -> Floats:
    low, high = np.quantile(rows, [0.25, 0.75], axis=1)
    return np.asarray(high - low, dtype=np.float64)


def _resampled(
    name: str,
    values: ArrayLike,
    statistic: Callable[[Floats], Floats],
    *,
    fewest: int,
    what: str,
    replicates: int,
    seed: int,
    level: float,
) -> Result:
    """Return a statistic of the rows of a matrix, with its percentile interval over experts."""
    x, there = _present(values)
    n = there.size
    low = high = math.nan
    reason = None
    if n < fewest:
        reason = "no values" if not n else "one value"
    elif n < FEW:
        reason = _FEW
    elif replicates < 1:
        reason = "no interval asked for"
    elif there.min() == there.max():
        reason = NO_SPREAD
    else:
        order = np.sort(there)
        drawn = (
            np.stack([np.repeat(order, row.astype(np.intp)) for row in block])
            for block in counts(n, replicates, seed)
        )
        found = np.concatenate([statistic(block) for block in drawn])
        low, high = (float(q) for q in np.quantile(found, [(1 - level) / 2, (1 + level) / 2]))
    return Result(
        name=name,
        estimate=float(statistic(there[None, :])[0]) if n >= fewest else math.nan,
        ci_low=low,
        ci_high=high,
        ci_level=level,
        n=n,
        n_missing=x.size - n,
        method=f"{what}, percentile bootstrap over experts",
        signature=signature(
            name, ci="percentile", b=replicates, seed=seed, level=level, inputs=input_hash(x)
        ),
        reason=reason,
    )
