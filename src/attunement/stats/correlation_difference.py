"""Tests of whether two correlations differ.

The tests are named after what they assume. Two systems held against the same reference share a
variable (`meng`, `steiger_overlapping`); one system on two topics rated on the same metrics shares
the points but no variable (`steiger_nonoverlapping`); two unrelated sets of points share nothing
(`fisher_independent`). `paper_z` is none of them: it repeats what a paper printed.
"""

from __future__ import annotations

import math

from attunement.stats.result import TestResult, signature

_MENG = "Meng, Rosenthal and Rubin (1992) z for dependent overlapping correlations"
_STEIGER_OVER = "Steiger (1980) z for dependent overlapping correlations"
_STEIGER_NON = "Steiger (1980) z for dependent nonoverlapping correlations"
_FISHER = "Fisher (1925) z for independent correlations"
_PAPER = "(r1 - r2) / sqrt(2 (1 - r1 r2) / 7), as the nuance paper computed it"


def meng(r1: float, r2: float, r12: float, n: int) -> TestResult:
    """Test whether two variables correlate differently with a third, measured on the same points.

    Meng, Rosenthal and Rubin (1992), Psychological Bulletin 111, 172-175, equation 1.

    Parameters
    ----------
    r1, r2
        Correlation of each variable with the shared one.
    r12
        Correlation between the two variables.
    n
        Points; fewer than 4 give NaN.

    Raises
    ------
    ValueError
        Where a correlation is outside -1 to 1.

    >>> round(meng(0.63, -0.03, -0.19, 15).statistic, 2)
    1.68

    """
    _correlations(r1, r2, r12)
    if reason := _no_z(n, r1, r2, r12):
        return _compared("meng", math.nan, n, _MENG, reason)
    mean_square = (r1 * r1 + r2 * r2) / 2
    f = min(1.0, (1 - r12) / (2 * (1 - mean_square)))
    h = (1 - f * mean_square) / (1 - mean_square)
    if r12 >= 1:
        return _compared("meng", math.nan, n, _MENG, "the two variables are the same")
    z = (math.atanh(r1) - math.atanh(r2)) * math.sqrt((n - 3) / (2 * (1 - r12) * h))
    return _compared("meng", z, n, _MENG)


def steiger_overlapping(r_jk: float, r_jh: float, r_kh: float, n: int) -> TestResult:
    """Test r_jk against r_jh, which share the variable j, on the same points.

    Steiger (1980), Psychological Bulletin 87, 245-251, equation 14: Fisher z, the covariance from
    the mean of the two correlations.

    Parameters
    ----------
    r_jk, r_jh
        The correlations compared.
    r_kh
        The correlation between the variables that they do not share.
    n
        Points; fewer than 4 give NaN.

    Raises
    ------
    ValueError
        Where a correlation is outside -1 to 1.

    """
    _correlations(r_jk, r_jh, r_kh)
    if reason := _no_z(n, r_jk, r_jh, r_kh):
        return _compared("steiger_overlapping", math.nan, n, _STEIGER_OVER, reason)
    mean = (r_jk + r_jh) / 2
    square = mean * mean
    psi = r_kh * (1 - 2 * square) - square * (1 - 2 * square - r_kh * r_kh) / 2
    return _steiger("steiger_overlapping", r_jk, r_jh, psi, mean, n, _STEIGER_OVER)


def steiger_nonoverlapping(
    r_jk: float, r_hm: float, *, r_jh: float, r_jm: float, r_kh: float, r_km: float, n: int
) -> TestResult:
    """Test r_jk against r_hm, which share no variable but the points.

    Steiger (1980), Psychological Bulletin 87, 245-251, equation 15: Fisher z, the covariance from
    the mean of the two correlations.

    Parameters
    ----------
    r_jk, r_hm
        The correlations compared.
    r_jh, r_jm, r_kh, r_km
        The four correlations across the two pairs.
    n
        Points; fewer than 4 give NaN.

    Raises
    ------
    ValueError
        Where a correlation is outside -1 to 1.

    """
    _correlations(r_jk, r_hm, r_jh, r_jm, r_kh, r_km)
    if reason := _no_z(n, r_jk, r_hm, r_jh, r_jm, r_kh, r_km):
        return _compared("steiger_nonoverlapping", math.nan, n, _STEIGER_NON, reason)
    m = (r_jk + r_hm) / 2
    psi = 0.5 * (
        (r_jh - m * r_kh) * (r_km - r_kh * m)
        + (r_jm - r_jh * m) * (r_kh - m * r_jh)
        + (r_jh - r_jm * m) * (r_km - m * r_jm)
        + (r_jm - m * r_km) * (r_kh - r_km * m)
    )
    return _steiger("steiger_nonoverlapping", r_jk, r_hm, psi, m, n, _STEIGER_NON)


def fisher_independent(r1: float, n1: int, r2: float, n2: int) -> TestResult:
    """Test two correlations from unrelated points: difference of Fisher's z over its error.

    Fisher (1925). ``n`` of the result is n1 + n2.

    Raises
    ------
    ValueError
        Where a correlation is outside -1 to 1.

    """
    _correlations(r1, r2)
    reason = _no_z(min(n1, n2), r1, r2)
    if reason:
        return _compared("fisher", math.nan, n1 + n2, _FISHER, reason)
    z = (math.atanh(r1) - math.atanh(r2)) / math.sqrt(1 / (n1 - 3) + 1 / (n2 - 3))
    return _compared("fisher", z, n1 + n2, _FISHER)


def paper_z(r1: float, r2: float) -> float:
    """Return (r1 - r2) / sqrt(2 (1 - r1 r2) / 7), which *nuance* prints as Steiger's Z.

    It differs from Steiger's test because it takes no Fisher transform, ignores how the two
    correlations depend on each other, and divides by 7 whatever the number of points.

    >>> round(paper_z(0.727230, 0.796242), 5)
    -0.199

    """
    _correlations(r1, r2)
    if r1 * r2 >= 1:
        return math.nan
    return (r1 - r2) / math.sqrt(2 * (1 - r1 * r2) / 7)


def paper_test(r1: float, r2: float, n: int) -> TestResult:
    """Return `paper_z` with the two-sided normal p value that the paper's limit of 1.96 implies."""
    if math.isnan(r1) or math.isnan(r2):
        return _compared("paper", math.nan, n, _PAPER, "a correlation is undefined")
    z = paper_z(r1, r2)
    return _compared("paper", z, n, _PAPER, "both correlations are 1" if math.isnan(z) else None)


def _correlations(*values: float) -> None:
    for r in values:
        # A correlation computed in floating point may exceed 1 by rounding.
        if abs(r) > 1 + 1e-9:
            raise ValueError(f"not a correlation: {r}")


def _no_z(n: int, *correlations: float) -> str | None:
    if any(math.isnan(r) for r in correlations):
        return "a correlation is undefined"
    if n < 4:
        return f"{n} points; the test needs at least 4"
    if any(abs(r) >= 1 for r in correlations[:2]):
        return "a correlation of 1 or -1 has no Fisher z"
    return None


def _steiger(
    name: str, r1: float, r2: float, psi: float, mean: float, n: int, method: str
) -> TestResult:
    c = psi / (1 - mean * mean) ** 2
    if c >= 1:
        return _compared(name, math.nan, n, method, "the two correlations move as one")
    z = (math.atanh(r1) - math.atanh(r2)) * math.sqrt((n - 3) / (2 - 2 * c))
    return _compared(name, z, n, method)


def _compared(name: str, z: float, n: int, method: str, reason: str | None = None) -> TestResult:
    from scipy.special import ndtr

    p = math.nan if math.isnan(z) else float(2 * ndtr(-abs(z)))
    return TestResult(
        name=name,
        statistic=z,
        p_value=p,
        n=n,
        method=method,
        signature=signature(name, n=n),
        reason=reason,
    )
