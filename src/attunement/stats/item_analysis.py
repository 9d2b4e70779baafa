"""What each item does in its scale: item-total correlation, alpha without it, floor and ceiling."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.correlation import fisher_interval
from attunement.stats.descriptive import mean
from attunement.stats.item_moments import Missing, Moments, answered, moments
from attunement.stats.proportion import wilson
from attunement.stats.reliability import cronbach, feldt_interval
from attunement.stats.result import Result, input_hash, signature

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Item:
    """One item of a scale.

    Parameters
    ----------
    mean
        Of its answers, with Student's interval.
    spread
        Their standard deviation (n - 1).
    item_total
        Corrected: its correlation with the sum of the other items, from their covariances.
    alpha_without
        Cronbach's alpha of the other items, with Feldt's interval.
    floor, ceiling
        Share of the lowest and the highest answer that the scale has.

    """

    mean: Result
    spread: float
    item_total: Result
    alpha_without: Result
    floor: Result
    ceiling: Result

    def results(self) -> list[Result]:
        """Return every estimate in the order of a report."""
        return [self.mean, self.item_total, self.alpha_without, self.floor, self.ceiling]


def item_analysis(
    values: ArrayLike,
    *,
    ends: ArrayLike,
    missing: Missing = "pairwise",
    level: float = 0.95,
) -> list[Item]:
    """Return what each item does in its scale.

    Parameters
    ----------
    values
        Shape (n, k): respondents and items, NaN where there is no answer; reversed items turned.
    ends
        Shape (k, 2): the lowest and the highest answer that each item has.
    missing
        ``pairwise`` or ``listwise``.
    level
        Coverage of the intervals.

    Returns
    -------
    list
        One entry an item; NaN with a reason where something is undefined.

    Raises
    ------
    ValueError
        Where ``values`` is not two-dimensional or holds infinity.

    """
    x = answered(values, missing)
    known = moments(x, missing)
    how = _How(missing, level, np.asarray(values).shape[0], input_hash(x))
    bounds = np.asarray(ends, dtype=np.float64)
    found = []
    for i in range(x.shape[1]):
        own = x[~np.isnan(x[:, i]), i]
        lost = how.total - own.size
        found.append(
            Item(
                mean=replace(mean(own, level=level), n_missing=lost),
                spread=float(own.std(ddof=1)) if own.size > 1 else math.nan,
                item_total=_item_total(known, i, how),
                alpha_without=_alpha_without(known, i, how),
                floor=_share("floor", own, bounds[i, 0], lost, level),
                ceiling=_share("ceiling", own, bounds[i, 1], lost, level),
            )
        )
    return found


@dataclass(frozen=True)
class _How:
    missing: Missing
    level: float
    total: int
    inputs: str

    def result(
        self,
        name: str,
        i: int,
        estimate: float,
        interval: tuple[float, float],
        n: int,
        method: str,
        reason: str | None,
    ) -> Result:
        """Return a statistic of item ``i`` that ``n`` respondents make."""
        return Result(
            name=name,
            estimate=estimate,
            ci_low=interval[0],
            ci_high=interval[1],
            ci_level=self.level,
            n=n,
            n_missing=self.total - n,
            method=method,
            signature=signature(
                name, item=i + 1, missing=self.missing, level=self.level, inputs=self.inputs
            ),
            reason=reason,
        )


def _item_total(known: Moments, i: int, how: _How) -> Result:
    """Return the corrected item-total correlation (Guilford 1953), Fisher's interval."""
    c = known.covariance
    rest = np.delete(np.arange(len(c)), i)
    own, others, both = c[i, i], c[np.ix_(rest, rest)].sum(), c[i, rest].sum()
    n = int(known.pairs[i].min(initial=how.total))
    reason, r = None, math.nan
    if not rest.size:
        reason = "needs at least two items"
    elif n < 3:
        reason = "fewer than three respondents"
    elif not own > 0:
        reason = "everyone gave the same answer to it"
    elif not others > 0:
        reason = "the other items together do not vary"
    else:
        r = float(np.clip(both / math.sqrt(own * others), -1.0, 1.0))
    interval = fisher_interval(r, n, level=how.level)
    method = f"corrected item-total correlation, {how.missing}, Fisher's interval"
    return how.result("item_total", i, r, interval, n, method, reason)


def _alpha_without(known: Moments, i: int, how: _How) -> Result:
    rest = np.ix_(*[np.delete(np.arange(len(known.covariance)), i)] * 2)
    k = len(known.covariance) - 1
    n = int(known.pairs[rest].min(initial=how.total))
    alpha, reason = math.nan, None
    if k < 2:
        reason = "fewer than two items are left"
    elif n < 2:
        reason = "fewer than two respondents"
    else:
        alpha = float(cronbach(known.covariance[rest]))
        reason = None if math.isfinite(alpha) else "the other items do not vary"
    interval = feldt_interval(alpha, n, k, level=how.level)
    method = f"Cronbach's alpha without the item, {how.missing}, Feldt's interval"
    return how.result("alpha_without", i, alpha, interval, n, method, reason)


def _share(name: str, own: Floats, end: float, lost: int, level: float) -> Result:
    share = wilson(int((own == end).sum()), own.size, level=level, n_missing=lost)
    return replace(share, name=name)
