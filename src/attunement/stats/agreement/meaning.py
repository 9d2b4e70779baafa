"""What an agreement of a given size means for a study: how many raters, how many answers."""

from __future__ import annotations

import math
import re

from attunement.stats.planning import raters_for_reliability
from attunement.stats.result import Result

WANTED = 0.8
MOST = 1_000
"""Raters beyond which a number says no more than 'too many'."""


_OF_ONE = re.compile(
    r"(mean_|pooled_)?(krippendorff_alpha_(ordinal|interval|ratio)|icc_(1|a_1|c_1)"
    r"|(mean_pairwise_)?quadratic_weighted_kappa)"
)
_OF_TWO = re.compile(
    r"(mean_|pooled_)?(krippendorff_alpha_nominal|fleiss_kappa|(mean_pairwise_)?cohen_kappa)"
)


def is_reliability(name: str, *, categories: int | None = None) -> bool:
    """Say whether a statistic can be read as the reliability of one rating.

    Parameters
    ----------
    name
        Of a result of this package.
    categories
        How many values the scale has, if known: with two, their order does not matter.

    >>> is_reliability("mean_krippendorff_alpha_ordinal"), is_reliability("gwet_ac1")
    (True, False)
    """
    two = categories == 2 and _OF_TWO.fullmatch(name)
    return bool(two or _OF_ONE.fullmatch(name))


def study_size(result: Result, *, wanted: float = WANTED, unit: str = "answer") -> str:
    """Return one sentence on the study that an agreement of this size calls for.

    The estimate is read as the reliability of one rating: alpha of ordinal, interval or ratio
    values, a quadratic kappa, ICC(1), (A,1) or (C,1); of two categories also nominal alpha or
    Fleiss' kappa, for the share of raters who choose one (`is_reliability` says which). Raters for
    a mean of the wanted reliability are Spearman and Brown's; a comparison of means over answers
    takes 1 / reliability times the answers that ratings without error would take. Both hold where
    raters err independently.

    Parameters
    ----------
    result
        The agreement, with its interval.
    wanted
        Reliability of the mean over raters, between 0 and 1.
    unit
        What is rated, in the singular.

    Raises
    ------
    ValueError
        Where ``wanted`` is not between 0 and 1.

    >>> study_size(Result("icc_a_1", 0.4, 100, "", 0.35, 0.45)).partition(", ")[2].split(";")[0]
    'the mean of 6 raters an answer reaches 0.8 (5 to 8 over the interval)'
    """
    if not 0 < wanted < 1:
        raise ValueError(f"wanted must lie between 0 and 1, not {wanted}")
    value = result.estimate
    an = f"{'an' if unit[:1] in 'aeiou' else 'a'} {unit}"
    if math.isnan(value):
        why = f": {result.reason}" if result.reason else ""
        return f"Nothing can be said about a study's size{why}."
    if value <= 0:
        return (
            f"Agreement is not above chance ({value:.2f}), so no number of raters makes a mean "
            "reliable; what is asked, or how raters are instructed, has to change first."
        )
    raters = _raters(value, wanted)
    between = _between(result, wanted)
    reached = f"the mean of {raters} {an} reaches {wanted:g}{between}"
    if value >= wanted:
        reached = f"one rater {an} reaches {wanted:g}{between}"
    text = f"At a reliability of {value:.2f} for one rating, {reached}"
    if value < 1:
        more = 1 / value
        text += (
            f"; with one rater {an}, comparing means takes {more:.1f} times as many {unit}s as "
            "ratings without error would"
        )
    return f"{text}."


def _raters(value: float, wanted: float) -> str:
    n = raters_for_reliability(wanted, icc=min(value, 1.0)).n
    if n > MOST:
        return f"more than {MOST:,} raters"
    return f"{n} rater{'s' if n > 1 else ''}"


def _between(result: Result, wanted: float) -> str:
    low, high = result.ci_low, result.ci_high
    if math.isnan(low) or math.isnan(high):
        return ""
    if high <= 0:
        return " (no number does over the interval)"
    fewest = _raters(high, wanted).removesuffix(" raters").removesuffix(" rater")
    if low <= 0:
        return f" ({fewest} at the upper end of the interval, no number at the lower)"
    most = _raters(low, wanted).removesuffix(" raters").removesuffix(" rater")
    return f" ({fewest} to {most} over the interval)" if fewest != most else ""
