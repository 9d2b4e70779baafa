"""Equivalence: a difference is shown to be small, which a test that does not reject never shows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attunement.stats.descriptive import NO_SPREAD, column_stats, t_interval
from attunement.stats.result import Tested, input_hash, signature


@dataclass(frozen=True)
class Equivalence(Tested):
    """The mean of paired differences held against a margin.

    ``ci_low`` and ``ci_high`` have the level 1 - 2 alpha: the interval lies inside the margin just
    where the test shows equivalence.

    Parameters
    ----------
    margin
        The largest difference that counts as none, in the unit of the values.
    statistic
        The t value of the less favorable of the two tests.
    p_value
        The larger of the two one-sided p values.
    alpha
        The level at which `equivalent` is said.

    """

    margin: float = math.nan
    alpha: float = 0.05

    @property
    def equivalent(self) -> bool | None:
        """Whether equivalence is shown; None where it could not be tested."""
        return None if math.isnan(self.p_value) else self.p_value < self.alpha


def tost(differences: ArrayLike, margin: float, *, alpha: float = 0.05) -> Equivalence:
    """Test whether the mean of paired differences lies within -margin to margin.

    Two one-sided paired t tests (Schuirmann 1987); p is the larger of the two.

    Parameters
    ----------
    differences
        Shape (n,); missing values are left out and counted.
    margin
        Larger than 0, in the unit of the differences; NaN where there is no yardstick.
    alpha
        The level of each test; the interval has the coverage 1 - 2 alpha.

    Returns
    -------
    Equivalence
        NaN with a reason where there are fewer than two differences or no margin. Differences
        without any spread give p = 0 or 1 by where they lie, and no interval.

    Raises
    ------
    ValueError
        Where the margin is not larger than 0.

    """
    from scipy.special import stdtr

    if margin <= 0:
        raise ValueError(f"the margin must be larger than 0, not {margin}")
    x = np.asarray(differences, dtype=np.float64).ravel()
    there = x[np.isfinite(x)]
    n = there.size
    center, spread, _ = (float(v[0]) for v in column_stats(there[:, None]))
    low, high = (float(v[0]) for v in t_interval(there[:, None], level=1 - 2 * alpha))
    t = p = math.nan
    if n == 0:
        reason: str | None = "no pairs"
    elif n == 1:
        reason = "one pair: no test and no interval"
    elif math.isnan(margin):
        reason = "no margin"
    else:
        reason = None
        # The less favorable test is the one whose limit the mean is nearer to (or beyond).
        gap = margin - abs(center)
        if not math.isnan(low):
            t = gap / (spread / math.sqrt(n))
            p = float(stdtr(n - 1, -t))
        else:
            t, p, reason = math.copysign(math.inf, gap), 0.0 if gap > 0 else 1.0, NO_SPREAD
    return Equivalence(
        name="tost",
        estimate=center,
        ci_low=low,
        ci_high=high,
        ci_level=1 - 2 * alpha,
        n=n,
        n_missing=x.size - n,
        method="two one-sided paired t tests",
        signature=signature("tost", alpha=alpha, margin=margin, inputs=input_hash(x)),
        reason=reason,
        margin=margin,
        statistic=t,
        p_value=p,
        alpha=alpha,
    )
