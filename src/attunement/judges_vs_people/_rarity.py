"""How many answers people rated unlike most of the others: on fewer than ten, agreement is luck."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attunement.stats.bootstrap import FEW
from attunement.stats.judge_agreement import people_mean
from attunement.stats.result import Result

HALF = 0.5
"""A share above it is most people."""


def usual(matrix: NDArray[np.float64], kind: str) -> list[float]:
    """Return what people say of each unit: their mean, or of categories the most frequent."""
    if kind == "category":
        rows = (row[np.isfinite(row)] for row in matrix)
        return [Counter(row.tolist()).most_common(1)[0][0] for row in rows]
    means = people_mean(matrix)
    return [round(float(m), 9) if kind == "number" else float(m > HALF) for m in means]


def unlike_most(said: Sequence[Any]) -> int:
    """Return how many units are not like most of them."""
    return len(said) - max(Counter(said).values(), default=0)


def interval_of_enough(kappa: Result, unlike: int) -> Result:
    """Take back an interval that rests on a handful of units which are not like the rest."""
    if unlike >= FEW or math.isnan(kappa.ci_low):
        return kappa
    why = f"people rated only {unlike} of the answers otherwise than most of them: no interval"
    reason = f"{kappa.reason}; {why}" if kappa.reason else why
    return replace(kappa, ci_low=math.nan, ci_high=math.nan, reason=reason)
