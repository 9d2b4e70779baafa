"""Paired comparison of two systems on the same items.

The mean of the differences with an interval over items, the Wilcoxon signed-rank test with the
matched-pairs rank-biserial correlation as its effect size, and Holm's correction over a family.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.bootstrap import bootstrap_mean
from attunement.stats.descriptive import mean_ranks, settle_difference
from attunement.stats.result import Result, TestResult, input_hash, signature

Floats = NDArray[np.float64]

EXACT_UP_TO = 50
"""Differences that are not zero, up to which the signed-rank test is exact."""
SAME = 1e-9
"""Differences this close to one another, as a share of the largest, are one value."""
EFFECT = "matched-pairs rank-biserial correlation"


def signed_rank(differences: ArrayLike) -> TestResult:
    """Test whether paired differences are symmetric about zero (Wilcoxon's signed-rank test).

    Zeros take part in the ranking and are then left out (Pratt 1959); ties take their mean rank.
    Differences within `SAME` of the largest one are one value: 3.4 - 3.2 and 3.0 - 2.8 are a tie,
    whatever a computer makes of them. Where all may be equal, `settle` them first: the test cannot
    tell what small differences are from what is none. Up to `EXACT_UP_TO` differences that are not
    zero the p value is exact given the ranks, ties included; beyond, it comes from the normal
    distribution with the variance of the ranks at hand and no continuity correction. Two-sided.

    Parameters
    ----------
    differences
        Shape (n,); missing values are left out and counted.

    Returns
    -------
    TestResult
        ``statistic`` is the sum of the ranks of the positive differences; ``effect_size`` is
        (R+ - R-) / (R+ + R-) (Kerby 2014), -1 to 1. Where every difference is zero p is 1 and the
        effect NaN with a reason.

    >>> signed_rank([1, 2, 3, -4, 5]).p_value
    0.4375

    """
    from scipy.special import ndtr

    x = np.asarray(differences, dtype=np.float64).ravel()
    there = x[np.isfinite(x)]
    there = _settled(there)
    ranks = mean_ranks(np.abs(there))
    plus, minus = float(ranks[there > 0].sum()), float(ranks[there < 0].sum())
    kept = ranks[there != 0]
    exact = kept.size <= EXACT_UP_TO
    reason = None
    effect = math.nan
    if not there.size:
        plus, p, reason = math.nan, math.nan, "no pairs"
    elif not kept.size:
        p, reason = 1.0, "every difference is zero"
    else:
        effect = (plus - minus) / (plus + minus)
        if exact:
            p = _exact_p(kept, min(plus, minus))
        else:
            p = float(2 * ndtr(-abs(plus - minus) / math.sqrt(float((kept**2).sum()))))
    return TestResult(
        name="wilcoxon",
        statistic=plus,
        p_value=p,
        n=there.size,
        n_missing=x.size - there.size,
        effect_size=effect,
        effect_name=EFFECT,
        method="Wilcoxon signed-rank test, zeros by Pratt, "
        + ("exact" if exact else "normal approximation"),
        signature=signature(
            "wilcoxon", zeros="pratt", p="exact" if exact else "normal", inputs=input_hash(x)
        ),
        reason=reason,
    )


def _settled(differences: Floats) -> Floats:
    """Return differences without the noise of binary fractions, which would break ties."""
    largest = np.abs(differences).max(initial=0.0)
    if largest == 0:
        return differences
    settled: Floats = np.round(differences / largest / SAME) * SAME * largest
    return settled


def _exact_p(ranks: Floats, smaller: float) -> float:
    """Return the share of all sign patterns at least as far from even as the observed one."""
    # Mean ranks are multiples of a half, so that doubled ranks are whole numbers to count with;
    # sums above the observed one are never needed.
    size = round(2 * smaller) + 1
    ways = np.zeros(size)
    ways[0] = 1.0
    for rank in np.rint(2 * ranks).astype(np.int64):
        if rank < size:
            ways[rank:] += ways[: size - rank].copy()
        ways /= 2
    return float(min(1.0, 2 * ways.sum()))


@dataclass(frozen=True)
class PairedComparison:
    """Two systems on the same items: the mean difference and the test.

    Parameters
    ----------
    difference
        The mean of a - b over items, with its interval.
    test
        The signed-rank test with its effect size.

    """

    difference: Result
    test: TestResult

    def favors(self, *, alpha: float = 0.05, p_value: float | None = None) -> int:
        """Say which side is smaller: -1 for a, 1 for b, 0 where the data do not decide.

        A side is named only where the test rejects and the interval of the mean lies on the same
        side as the ranks. ``p_value`` is the corrected one where several pairs were compared.
        """
        return decided(
            self.difference.ci_low,
            self.difference.ci_high,
            self.test.p_value if p_value is None else p_value,
            self.test.effect_size,
            alpha=alpha,
        )


def decided(
    ci_low: float, ci_high: float, p_value: float, effect: float, *, alpha: float = 0.05
) -> int:
    """Return the sign of a difference that is shown, and 0 where none is.

    The test and the interval have to show it; the test alone where there is no interval.

    >>> decided(-0.4, -0.1, 0.001, -0.6), decided(-0.4, 0.1, 0.001, -0.6)
    (-1, 0)

    """
    if not p_value < alpha:
        return 0
    if math.isnan(ci_low):  # every difference is the same, and the test says enough
        return int(np.sign(effect))
    if ci_high < 0 and effect < 0:
        return -1
    return 1 if ci_low > 0 and effect > 0 else 0


def compare(
    a: ArrayLike, b: ArrayLike, *, replicates: int = 2000, seed: int = 1, level: float = 0.95
) -> PairedComparison:
    """Compare two systems on the same items.

    Parameters
    ----------
    a, b
        Shape (n,): one value an item, in the same order. An item that lacks one of them is left
        out and counted.
    replicates, seed, level
        Of the bootstrap interval of the mean difference.

    Raises
    ------
    ValueError
        Where the lengths differ.

    """
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"a and b must be one-dimensional and equally long: {x.shape}, {y.shape}")
    apart = settle_difference(x, y)
    return PairedComparison(
        difference=bootstrap_mean(apart, replicates=replicates, seed=seed, level=level),
        test=signed_rank(apart),
    )


def holm(p_values: ArrayLike) -> Floats:
    """Return Holm's (1979) step-down adjusted p values; NaN stays and is not counted.

    >>> [round(float(p), 6) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]

    """
    p = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(p.shape, np.nan)
    there = np.flatnonzero(~np.isnan(p))
    order = there[np.argsort(p[there], kind="stable")]
    steps = p[order] * np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps)) if order.size else steps
    return adjusted
