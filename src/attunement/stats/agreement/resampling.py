"""Bootstrap over items, written as weights: every replicate is one row of a matrix product."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.bootstrap import FEW, counts
from attunement.stats.result import Result, signature

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Statistic = Callable[[Floats], Floats]
"""Takes weights, shape (b, n), and returns shape (b,): the statistic with each item counted as
often as its weight says, NaN where undefined."""

_CELLS = 65_536
REPLICATES, CI_LEVEL, SEED = 1000, 0.95, 1


class Bootstrap(TypedDict, total=False):
    """What every statistic of agreement takes by keyword to make its interval.

    ``replicates`` (1000; 0 for none), ``ci_level`` (0.95), ``seed`` (1) and ``clusters``: one label
    an item, where items that share a label are drawn together, as the answers to one question are
    when the same people rated them all.
    """

    replicates: int
    ci_level: float
    seed: int
    clusters: ArrayLike | None


def interval(
    statistic: Statistic,
    n_items: int,
    *,
    replicates: int,
    level: float,
    seed: int,
    clusters: ArrayLike | None = None,
) -> tuple[float, float, int]:
    """Return the percentile interval of a statistic, and how many replicates were undefined.

    Parameters
    ----------
    statistic
        A function of item weights.
    n_items
        Items drawn with replacement.
    replicates, level, seed
        Of the bootstrap.
    clusters
        Shape (n_items,); items of the same cluster are drawn together.

    Notes
    -----
    Efron and Tibshirani (1993), chapter 13; whole clusters after Davison and Hinkley (1997),
    section 3.8. With fewer than two items, or clusters, there is no interval.

    Raises
    ------
    ValueError
        Where the level is not between 0 and 1, the replicates are negative, or there is not one
        cluster an item.
    """
    if not 0 < level < 1:
        raise ValueError(f"ci_level must lie between 0 and 1, not {level}")
    if replicates < 0:
        raise ValueError(f"replicates must not be negative, not {replicates}")
    member = None
    n_drawn = n_items
    if clusters is not None:
        labels, member = np.unique(np.asarray(clusters), return_inverse=True)
        if member.shape != (n_items,):
            raise ValueError("clusters must have one label an item")
        n_drawn = labels.size
    if n_drawn < 2 or replicates < 1:
        return math.nan, math.nan, 0
    # Blocks that stay in the processor's cache take half the time of large ones, unless they are so
    # small that a statistic's own overhead counts.
    cells = min(max(_CELLS, 100 * n_drawn), 2_000_000)
    draws = counts(n_drawn, replicates, seed, cells=cells)
    values = np.concatenate([statistic(w if member is None else w[:, member]) for w in draws])
    defined = values[np.isfinite(values)]
    undefined = replicates - int(defined.size)
    if defined.size < 2:
        return math.nan, math.nan, undefined
    tail = (1 - level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high), undefined


def estimate(
    name: str,
    statistic: Statistic,
    kept: Bools,
    *,
    method: str,
    inputs: str,
    nothing: str = "no item has two ratings",
    constant: str = "all ratings are the same, so no disagreement was to be expected",
    unit: str = "items",
    note: str | None = None,
    parameters: dict[str, object] | None = None,
    **bootstrap: Unpack[Bootstrap],
) -> Result:
    """Return a statistic of item weights as a result with its interval.

    Parameters
    ----------
    name, method, inputs, parameters
        Of the result and its signature.
    statistic
        A function of the weights of the kept items.
    kept
        Shape (items,): which items the statistic uses; the others are counted as missing.
    nothing, constant
        Why the estimate is undefined: where no item is kept, and where it is NaN all the same.
    unit
        What is drawn, in the plural.
    note
        Added to the reason of a result that is defined, such as what was left out of a mean.
    bootstrap
        See `Bootstrap`.
    """
    replicates = bootstrap.get("replicates", REPLICATES)
    level, seed = bootstrap.get("ci_level", CI_LEVEL), bootstrap.get("seed", SEED)
    clusters = bootstrap.get("clusters")
    if clusters is not None:
        clusters = np.asarray(clusters)
        if clusters.shape != kept.shape:
            raise ValueError("clusters must have one label an item")
        clusters = clusters[kept]
    n = int(kept.sum())
    value = float(statistic(np.ones((1, n)))[0]) if n else math.nan
    low, high, undefined = interval(
        statistic,
        n,
        replicates=replicates if math.isfinite(value) else 0,
        level=level,
        seed=seed,
        clusters=clusters,
    )
    drawn = n
    if clusters is not None:
        unit, drawn = "clusters", np.unique(clusters).size
    notes = [note] if note else []
    if n == 0:
        reason: str | None = nothing
    elif not math.isfinite(value):
        value, reason = math.nan, constant
    elif replicates and math.isnan(low):
        no = f"fewer than two {unit}" if drawn < 2 else "no bootstrap replicate was defined"
        reason = "; ".join([*notes, f"{no}: no interval"])
    else:
        if undefined:
            notes.append(f"{undefined} of {replicates} bootstrap replicates undefined and left out")
        if replicates and drawn < FEW:
            notes.append(f"a bootstrap of {drawn} {unit} is too narrow")
        reason = "; ".join(notes) or None
    return Result(
        name=name,
        estimate=value,
        ci_low=low,
        ci_high=high,
        ci_level=level,
        n=n,
        n_missing=kept.size - n,
        method=f"{method}; percentile bootstrap over {unit}" if replicates else method,
        signature=signature(
            name,
            inputs=inputs,
            **(parameters or {}),
            bootstrap=unit if replicates else None,
            level=level if replicates else None,
            replicates=replicates or None,
            seed=seed if replicates else None,
        ),
        reason=reason,
    )


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Return the quotient, NaN where the denominator is not above 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(denominator > 0, numerator / denominator, np.nan)
