"""Do two kinds of scores put systems in the same order? Correlations in which a system is a point.

A correlation over systems is not one over answers: a metric may order systems well and tell the
better of two answers badly, and the other way round.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from attunement.stats.comparison import holm
from attunement.stats.correlation import Correlation, pearson, spearman
from attunement.stats.kendall import kendall
from attunement.stats.result import TestResult

FEW = 10
"""With fewer systems even a strong correlation cannot be told from none."""

Scores = Mapping[str, Mapping[str, float]]
"""Name of a score -> system -> value; NaN, or no entry, where there is none."""


def correlations(
    people: Scores, metrics: Scores, systems: Sequence[str], *, level: float = 0.95
) -> list[Correlation]:
    """Return Pearson's, Spearman's and Kendall's correlation of every pair of scores.

    Parameters
    ----------
    people, metrics
        The scores of two kinds. Each of the first is paired with each of the second.
    systems
        The points. A system without one of the two values is left out of that pair and counted.
    level
        Coverage of the intervals.

    Returns
    -------
    Correlations with ``group`` ``human`` and ``metric``; ``n`` is the number of systems. The
    intervals take systems for independent; variants of one model are not, and they are too narrow.

    """
    found = []
    for human, mine in people.items():
        for metric, theirs in metrics.items():
            x, y = ([side.get(s, math.nan) for s in systems] for side in (mine, theirs))
            for statistic in (pearson, spearman, kendall):
                result = statistic(x, y, level=level)
                found.append(replace(result, group={"human": human, "metric": metric}))
    return found


def corrected(found: Sequence[Correlation]) -> list[TestResult]:
    """Return the tests of correlations against zero, Holm's correction among those of one name."""
    made = [correlation.as_test() for correlation in found]
    for name in dict.fromkeys(test.name for test in made):
        places = [place for place, test in enumerate(made) if test.name == name]
        adjusted = holm([made[place].p_value for place in places])
        for place, p in zip(places, adjusted, strict=True):
            made[place] = replace(made[place], p_adjusted=float(p))
    return made


def least_correlation(n: int, level: float = 0.95) -> float:
    """Return the smallest Pearson correlation of n systems that a t test tells from zero.

    NaN for fewer than three.

    >>> round(least_correlation(10), 3)
    0.632

    """
    from scipy.special import stdtrit

    if n < 3:
        return math.nan
    t = float(stdtrit(n - 2, (1 + level) / 2))
    return t / math.sqrt(n - 2 + t * t)


def warning(n: int, level: float = 0.95) -> str | None:
    """Return what to say of n systems where they are few, else None."""
    if n >= FEW:
        return None
    least = least_correlation(n, level)
    said = f"{n} systems are few for a correlation"
    if np.isnan(least):
        return f"{said}: none can be tested."
    return f"{said}: only one beyond {least:.2f} can be told from none."
