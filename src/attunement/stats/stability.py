"""Whether experts keep to what they said: two rounds of a Delphi, item by item and over all.

Consensus says little where answers still move. Dajani, Sincoff and Talley (1979), Technological
Forecasting and Social Change 13, 83-90; weighted kappa between rounds after Holey et al. (2007),
BMC Medical Research Methodology 7, 52.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.agreement import Weights, cohen_kappa, percent_agreement
from attunement.stats.bootstrap import FEW
from attunement.stats.proportion import wilson
from attunement.stats.result import Result, input_hash, signature

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Stability:
    """How far two rounds agree.

    Parameters
    ----------
    unchanged
        Share of ratings that are the same in both rounds, 0 to 1.
    kappa
        Weighted kappa of the first round with the second.

    """

    unchanged: Result
    kappa: Result


def item_stability(
    before: ArrayLike,
    after: ArrayLike,
    *,
    scale: Sequence[float] = (1, 2, 3, 4, 5),
    weights: Weights = "quadratic",
    replicates: int = 1000,
    seed: int = 1,
    level: float = 0.95,
) -> Stability:
    """Compare one item's ratings in two rounds.

    Parameters
    ----------
    before, after
        Shape (experts,), the same experts in the same order; NaN where one did not rate. Who lacks
        one of the two is left out and counted.
    scale
        All values of the scale.
    weights
        Of kappa; see `attunement.stats.agreement.cohen_kappa`.
    replicates, seed, level
        Of kappa's bootstrap over experts, which takes ten; the share has Wilson's interval.

    Returns
    -------
    Stability
        Kappa is NaN with a reason where all gave one and the same value in both rounds.

    Raises
    ------
    ValueError
        Where the two are not equally long.

    """
    x = _pairs(before, after)
    both = np.isfinite(x).all(axis=1)
    n = int(both.sum())
    share = wilson(int((x[both, 0] == x[both, 1]).sum()), n, level=level, n_missing=x.shape[0] - n)
    unchanged = replace(
        share,
        name="unchanged",
        method="share of equal ratings in two rounds, Wilson score interval",
        signature=signature("unchanged", level=level, inputs=input_hash(x)),
        reason=share.reason and "nobody rated it in both rounds",
    )
    kappa = cohen_kappa(
        x,
        weights,
        categories=list(scale),
        replicates=replicates if n >= FEW else 0,
        ci_level=level,
        seed=seed,
    )
    return Stability(unchanged, _between(kappa, n))


def overall_stability(
    before: ArrayLike,
    after: ArrayLike,
    *,
    scale: Sequence[float] = (1, 2, 3, 4, 5),
    weights: Weights = "quadratic",
    replicates: int = 1000,
    seed: int = 1,
    level: float = 0.95,
) -> Stability:
    """Compare all ratings of two rounds; the intervals resample whole experts.

    Parameters
    ----------
    before, after
        Shape (experts, items), the same in the same order; NaN where there is no rating.
    scale, weights, replicates, seed, level
        As in `item_stability`.

    Returns
    -------
    Stability
        ``n`` pairs of ratings.

    """
    first = np.asarray(before, dtype=np.float64)
    if first.ndim != 2:
        raise ValueError("the rounds must have two dimensions: experts and items")
    x = _pairs(first, after)
    experts = np.repeat(np.arange(first.shape[0]), first.shape[1])
    n_experts = np.unique(experts[np.isfinite(x).all(axis=1)]).size
    drawn = replicates if n_experts >= FEW else 0
    unchanged = percent_agreement(x, replicates=drawn, ci_level=level, seed=seed, clusters=experts)
    kappa = cohen_kappa(
        x,
        weights,
        categories=list(scale),
        replicates=drawn,
        ci_level=level,
        seed=seed,
        clusters=experts,
    )
    share = replace(
        unchanged, name="unchanged", method="share of equal ratings in two rounds, over experts"
    )
    return Stability(_between(share, n_experts), _between(kappa, n_experts))


def _pairs(before: ArrayLike, after: ArrayLike) -> Floats:
    one, other = (np.asarray(v, dtype=np.float64) for v in (before, after))
    if one.shape != other.shape:
        raise ValueError(f"the two rounds must be equally large: {one.shape}, {other.shape}")
    return np.stack([one.ravel(), other.ravel()], axis=1)


def _between(found: Result, n_experts: int) -> Result:
    """Return the result with the reason that is meant here for a missing interval."""
    reason = found.reason
    if not np.isfinite(found.estimate):
        constant = "all gave one and the same value in both rounds"
        reason = constant if found.n else "nobody rated it in both rounds"
    elif n_experts < FEW:
        reason = f"fewer than {FEW} experts: no interval by resampling"
    return replace(found, reason=reason)
