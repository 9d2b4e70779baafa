"""Which counts can stand behind printed statistics: what a table does not say, and its misprints.

The idea is that of GRIM and SPRITE (Brown and Heathers 2017, Social Psychological and Personality
Science 8, 363-369; Heathers et al. 2018): few sets of whole ratings have a given mean and standard
deviation.
"""

from __future__ import annotations

import math
from itertools import combinations_with_replacement

import numpy as np

from attunement.delphi._model import Scale

_HALF = 0.005 + 1e-9
"""Half a unit of the second decimal; a half may be rounded either way."""


def counts_behind(
    mean: float,
    sd: float,
    *,
    least: int = 2,
    most: int = 16,
    agree: int | None = None,
    median: float = math.nan,
    iqr: float = math.nan,
    ends: tuple[float, float] = (math.nan, math.nan),
    scale: Scale | None = None,
) -> list[tuple[int, int]]:
    """Return how many agreed of how many raters, for all sets of ratings with these statistics.

    Parameters
    ----------
    mean, sd, iqr
        As printed, to two decimals; n - 1 under the standard deviation, the quartiles linearly
        interpolated. NaN where not printed.
    least, most
        The numbers of raters to try. Sets grow fast with them: 16 raters have 4,845.
    agree
        How many agreed, where that is known.
    median, ends
        As printed, and exact; NaN where not printed.
    scale
        Of the ratings.

    Returns
    -------
    list of (int, int)
        Pairs of how many agreed and how many rated; often a single one, and none where the
        printed numbers cannot belong together.

    >>> counts_behind(4.73, 0.47, agree=11, least=11)
    [(11, 11)]
    """
    points = scale or Scale()
    found: set[tuple[int, int]] = set()
    for n in range(max(least, 2, agree or 0), most + 1):
        sets = np.array(list(combinations_with_replacement(points.values, n)), dtype=np.float64)
        low, high = np.quantile(sets, [0.25, 0.75], axis=1)
        fits = (abs(sets.mean(axis=1) - mean) <= _HALF) & (
            abs(sets.std(axis=1, ddof=1) - sd) <= _HALF
        )
        for printed, own, slack in (
            (median, np.median(sets, axis=1), 0.0),
            (ends[0], sets.min(axis=1), 0.0),
            (ends[1], sets.max(axis=1), 0.0),
            (iqr, high - low, _HALF),
        ):
            if not math.isnan(printed):
                fits &= abs(own - printed) <= slack
        agreed = (sets[fits] >= points.agrees_from).sum(axis=1)
        found |= {(int(k), n) for k in agreed.tolist() if agree is None or k == agree}
    return sorted(found)
