"""How many items and raters an interval of a wanted width takes."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """What an interval of a wanted width takes.

    Parameters
    ----------
    n
        Items or raters, whichever was asked for.
    half_width
        Of the interval that ``n`` gives, in the unit of the values.
    what
        What ``n`` counts and for which quantity, in words.

    """

    n: int
    half_width: float
    what: str


def half_width_of_mean(sd: float, n: int, *, level: float = 0.95) -> float:
    """Return the half-width of Student's interval of a mean: t(n-1) sd / sqrt(n).

    Raises
    ------
    ValueError
        Where n is below 2 or sd below 0.

    """
    from scipy.special import stdtrit

    if n < 2 or sd < 0:
        raise ValueError(f"needs n of at least 2 and sd of at least 0, not {n} and {sd}")
    return float(stdtrit(n - 1, (1 + level) / 2)) * sd / math.sqrt(n)


def items_for_mean(
    sd: float, half_width: float, *, level: float = 0.95, what: str = "items for a mean"
) -> Plan:
    """Return the fewest items whose mean has an interval no wider than twice ``half_width``.

    Parameters
    ----------
    sd
        Standard deviation over items (of the distance, or of the paired difference).
    half_width
        In the unit of ``sd``, larger than 0.
    level
        Coverage.

    Raises
    ------
    ValueError
        Where ``half_width`` is not larger than 0 or ``sd`` is below 0 or not a number.

    >>> items_for_mean(15, 5).n
    38

    """
    from scipy.special import ndtri

    if not half_width > 0 or not sd >= 0:
        raise ValueError(f"needs a half-width above 0 and sd of at least 0: {half_width}, {sd}")
    # The normal quantile gives a lower bound; Student's asks for a few more.
    z = float(ndtri((1 + level) / 2))
    n = max(2, math.ceil((z * sd / half_width) ** 2))
    while half_width_of_mean(sd, n, level=level) > half_width:
        n += 1
    return Plan(n, half_width_of_mean(sd, n, level=level), what)


def sd_of_difference(sd_a: float, sd_b: float, correlation: float) -> float:
    """Return the standard deviation of a - b: sqrt(sa^2 + sb^2 - 2 r sa sb).

    Raises
    ------
    ValueError
        Where a standard deviation is below 0 or the correlation outside -1 to 1.

    """
    if sd_a < 0 or sd_b < 0 or abs(correlation) > 1:
        raise ValueError(
            f"not standard deviations and a correlation: {sd_a}, {sd_b}, {correlation}"
        )
    return math.sqrt(max(0.0, sd_a**2 + sd_b**2 - 2 * correlation * sd_a * sd_b))


def items_for_difference(
    sd_a: float, sd_b: float, correlation: float, half_width: float, *, level: float = 0.95
) -> Plan:
    """Return the fewest items for the interval of a paired difference of two systems.

    Parameters
    ----------
    sd_a, sd_b
        Standard deviation of each system's values over items.
    correlation
        Of the two systems' values over items; 0 plans for the worst of the usual cases.
    half_width, level
        Of the interval of the mean difference.

    """
    sd = sd_of_difference(sd_a, sd_b, correlation)
    return items_for_mean(sd, half_width, level=level, what="items for a paired difference")


def raters_for_rating(half_width: float, *, sd: float, icc: float, level: float = 0.95) -> Plan:
    """Return the fewest raters whose mean rating of one answer is as exact as wanted.

    The error of one rating has the variance sd^2 (1 - ICC), with the ICC of single ratings
    (absolute agreement, so that raters' own means count as error); the mean of k ratings has a k-th
    of it, and the interval is normal: k = (z / h)^2 sd^2 (1 - ICC).

    Parameters
    ----------
    half_width
        In the unit of the ratings, larger than 0.
    sd
        Standard deviation of single ratings over answers and raters.
    icc
        Intraclass correlation of single ratings, 0 to 1.
    level
        Coverage.

    Raises
    ------
    ValueError
        Where a number is out of its range.

    """
    from scipy.special import ndtri

    if not half_width > 0 or not sd >= 0 or not 0 <= icc <= 1:
        raise ValueError(f"out of range: half-width {half_width}, sd {sd}, ICC {icc}")
    z, error = float(ndtri((1 + level) / 2)), sd * math.sqrt(1 - icc)
    k = max(1, math.ceil((z * error / half_width) ** 2 - 1e-9))
    return Plan(k, z * error / math.sqrt(k), "raters for the mean rating of one answer")


def raters_for_reliability(wanted: float, *, icc: float) -> Plan:
    """Return the fewest raters whose mean rating is as reliable as wanted (Spearman and Brown).

    k = R (1 - ICC) / (ICC (1 - R)). ``half_width`` of the plan is NaN.

    Raises
    ------
    ValueError
        Where ``wanted`` or ``icc`` is not between 0 and 1.

    >>> raters_for_reliability(0.8, icc=0.4).n
    6

    """
    if not 0 < wanted < 1 or not 0 < icc <= 1:
        raise ValueError(f"out of range: wanted {wanted}, ICC {icc}")
    k = max(1, math.ceil(wanted * (1 - icc) / (icc * (1 - wanted)) - 1e-9))
    return Plan(k, math.nan, f"raters for a reliability of {wanted:g}")


def half_width_of_crossed_mean(
    n_items: int,
    n_raters: int,
    *,
    item_variance: float,
    rater_variance: float,
    residual_variance: float,
    level: float = 0.95,
) -> float:
    """Return the half-width of a source's mean where every rater rates every item.

    z sqrt(item / n + rater / k + residual / (n k)): more items cannot make up for too few raters.

    Parameters
    ----------
    n_items, n_raters
        At least 1.
    item_variance, rater_variance, residual_variance
        Variance components of a two-way random model, in the squared unit of the ratings.
    level
        Coverage.

    Raises
    ------
    ValueError
        Where a count is below 1 or a variance below 0.

    """
    from scipy.special import ndtri

    if min(n_items, n_raters) < 1 or min(item_variance, rater_variance, residual_variance) < 0:
        raise ValueError("counts must be at least 1 and variances at least 0")
    variance = (
        item_variance / n_items
        + rater_variance / n_raters
        + residual_variance / (n_items * n_raters)
    )
    return float(ndtri((1 + level) / 2)) * math.sqrt(variance)


def items_for_crossed_mean(
    half_width: float,
    n_raters: int,
    *,
    item_variance: float,
    rater_variance: float,
    residual_variance: float,
    level: float = 0.95,
) -> Plan | None:
    """Return the fewest items for a source's mean with ``n_raters``, or None where none suffice.

    None says that the raters' own spread alone is wider than wanted: only more raters help.

    Raises
    ------
    ValueError
        Where a number is out of its range.

    """
    from scipy.special import ndtri

    if not half_width > 0:
        raise ValueError(f"needs a half-width above 0: {half_width}")
    z = float(ndtri((1 + level) / 2))
    room = (half_width / z) ** 2 - rater_variance / n_raters
    if room <= 0:
        return None
    n = max(1, math.ceil((item_variance + residual_variance / n_raters) / room - 1e-9))
    reached = half_width_of_crossed_mean(
        n,
        n_raters,
        item_variance=item_variance,
        rater_variance=rater_variance,
        residual_variance=residual_variance,
        level=level,
    )
    return Plan(n, reached, f"items for a mean with {n_raters} raters")
