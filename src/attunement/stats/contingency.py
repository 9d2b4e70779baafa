"""Yes-or-no outcomes of several systems on the same items: McNemar's and Cochran's tests."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attunement.stats.result import TestResult, input_hash, signature

DIFFERENCE = "difference of shares"
ETA = "Cochran's Q / (n (k - 1))"


def mcnemar_exact(a: ArrayLike, b: ArrayLike) -> TestResult:
    """Test whether two systems fail equally often on the same items (McNemar 1947), exactly.

    Only items on which the two differ speak for a difference; their split is held against a fair
    coin, two-sided.

    Parameters
    ----------
    a, b
        Shape (n,): 1 or 0 an item, NaN where not known. An item that lacks one is left out and
        counted.

    Returns
    -------
    TestResult
        ``statistic`` is how many items only ``a`` has; ``effect_size`` the share of ``a`` minus
        the share of ``b``. Where no item differs p is 1 and ``reason`` says so.

    Raises
    ------
    ValueError
        Where the lengths differ or a value is neither 0 nor 1.

    >>> mcnemar_exact([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0]).p_value
    0.0625
    """
    from scipy.special import bdtr

    x, y = _binary(a, 1), _binary(b, 1)
    if x.shape != y.shape:
        raise ValueError(f"a and b must be equally long: {x.shape}, {y.shape}")
    both = np.isfinite(x) & np.isfinite(y)
    n = int(both.sum())
    only_a = int(((x == 1) & (y == 0))[both].sum())
    only_b = int(((x == 0) & (y == 1))[both].sum())
    differ = only_a + only_b
    p, effect, reason = math.nan, math.nan, "no pairs"
    if n:
        effect = (only_a - only_b) / n
        reason = "" if differ else "the two agree on every item"
        p = min(1.0, 2 * float(bdtr(min(only_a, only_b), differ, 0.5))) if differ else 1.0
    return TestResult(
        name="mcnemar",
        statistic=float(only_a) if n else math.nan,
        p_value=p,
        n=n,
        n_missing=x.size - n,
        effect_size=effect,
        effect_name=DIFFERENCE,
        method=f"McNemar's test, exact; {differ} items on which the two differ",
        signature=signature("mcnemar", p="exact", inputs=input_hash(x, y)),
        reason=reason or None,
    )


def cochran_q(outcomes: ArrayLike) -> TestResult:
    """Test whether several systems fail equally often on the same items (Cochran 1950).

    Parameters
    ----------
    outcomes
        Shape (items, systems): 1 or 0, NaN where not known. Items that lack one are left out and
        counted, as the test needs complete rows.

    Returns
    -------
    TestResult
        ``statistic`` is Q, with its p value from chi-squared with systems - 1 degrees of freedom;
        ``effect_size`` is Q / (n (k - 1)), 0 to 1 (Serlin, Carr and Marascuilo 1982). Where the
        systems agree on every item there is nothing to test: NaN with a reason.

    Raises
    ------
    ValueError
        Where the outcomes are not a matrix of 0 and 1, or there are fewer than two systems.

    >>> round(cochran_q([[1, 0, 0], [1, 1, 0], [1, 0, 1], [0, 0, 0]]).statistic, 4)
    2.6667
    """
    from scipy.special import chdtrc

    x = _binary(outcomes, 2)
    k = x.shape[1]
    if k < 2:
        raise ValueError("Cochran's test needs at least two systems")
    whole = x[np.isfinite(x).all(axis=1)]
    n = whole.shape[0]
    rows, columns = whole.sum(axis=1), whole.sum(axis=0)
    spread = float((rows * (k - rows)).sum())
    q = p = effect = math.nan
    reason: str | None = None
    if not n:
        reason = "no item has an outcome of every system"
    elif not spread:
        reason = "the systems agree on every item"
    else:
        q = (k - 1) * k * float(np.square(columns - columns.mean()).sum()) / spread
        p, effect = float(chdtrc(k - 1, q)), q / (n * (k - 1))
    return TestResult(
        name="cochran_q",
        statistic=q,
        p_value=p,
        n=n,
        n_missing=x.shape[0] - n,
        effect_size=effect,
        effect_name=ETA,
        method=f"Cochran's Q test of {k} systems",
        signature=signature("cochran_q", systems=k, inputs=input_hash(x)),
        reason=reason,
    )


def _binary(values: ArrayLike, dimensions: int) -> NDArray[np.float64]:
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != dimensions:
        raise ValueError(f"outcomes must have {dimensions} dimensions, not {x.ndim}")
    known = x[~np.isnan(x)]
    if not np.isin(known, (0.0, 1.0)).all():
        raise ValueError("an outcome must be 0 or 1, NaN where not known")
    return x
