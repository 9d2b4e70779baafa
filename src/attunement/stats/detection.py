"""Finding what others found: precision, recall and F1, with intervals over items.

Van Rijsbergen (1979), Information Retrieval, chapter 7.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from attunement.stats.agreement.resampling import Bootstrap, Floats, estimate, ratio
from attunement.stats.proportion import wilson
from attunement.stats.result import Result, input_hash


@dataclass(frozen=True)
class Detection:
    """How well one rater finds what is there.

    Parameters
    ----------
    recall
        Share of what is there that is found; ``n`` is what is there.
    precision
        Share of what is found that is there; ``n`` is what is found.
    f1
        Their harmonic mean, 2 hits / (2 hits + misses + false alarms).

    """

    recall: Result
    precision: Result
    f1: Result


def detection(
    hits: ArrayLike,
    false_alarms: ArrayLike,
    misses: ArrayLike,
    *,
    prefix: str = "",
    n_missing: int = 0,
    **bootstrap: Unpack[Bootstrap],
) -> Detection:
    """Return precision, recall and F1 from counts by item.

    Parameters
    ----------
    hits, false_alarms, misses
        Shape (n,): how many of each an item has, such as the sentences of an answer.
    prefix
        Put before the names ``recall``, ``precision`` and ``f1``.
    n_missing
        Cases that could not be counted, as they go into the results.
    bootstrap
        ``replicates``, ``ci_level``, ``seed`` and ``clusters``; see `Bootstrap`.

    Returns
    -------
    Detection
        A share of 0 or 1 has Wilson's interval: resampled it would have one of no width. An F1 of
        0 or 1 has none.

    Raises
    ------
    ValueError
        Where the lengths differ or a count is negative.

    >>> round(detection([1, 1, 0], [0, 1, 0], [0, 0, 1]).f1.estimate, 4)
    0.6667
    """
    tp, fp, fn = (np.asarray(x, dtype=np.float64) for x in (hits, false_alarms, misses))
    if tp.ndim != 1 or not tp.shape == fp.shape == fn.shape:
        raise ValueError("hits, false alarms and misses must be equally long")
    if min((x.min() for x in (tp, fp, fn) if x.size), default=0.0) < 0:
        raise ValueError("a count is negative")
    shares = {
        "recall": (tp, tp + fn, "nothing was there to be found"),
        "precision": (tp, tp + fp, "nothing was found"),
        "f1": (2 * tp, 2 * tp + fp + fn, "nothing was there and nothing was found"),
    }
    found = {}
    for name, (part, whole, nothing) in shares.items():
        found[name] = _share(
            prefix + name, part, whole, nothing, is_share=name != "f1", **bootstrap
        )
    return Detection(**{k: replace(r, n_missing=n_missing) for k, r in found.items()})


def _share(
    name: str,
    part: Floats,
    whole: Floats,
    nothing: str,
    *,
    is_share: bool,
    **bootstrap: Unpack[Bootstrap],
) -> Result:
    def statistic(weights: Floats) -> Floats:
        return ratio(weights @ part, weights @ whole)

    result = estimate(
        name,
        statistic,
        np.ones(part.size, dtype=np.bool_),
        method=name.replace("_", " "),
        inputs=input_hash(part, whole),
        nothing=nothing,
        constant=nothing,
        **bootstrap,
    )
    total = int(whole.sum())
    result = replace(result, n=total if is_share else int((whole - part / 2).sum()))
    if result.estimate not in (0.0, 1.0):
        return result
    if not is_share:
        return replace(
            result, ci_low=math.nan, ci_high=math.nan, reason="an F1 of 0 or 1 has no interval"
        )
    exact = wilson(int(part.sum()), total, level=result.ci_level)
    return replace(
        result,
        ci_low=exact.ci_low,
        ci_high=exact.ci_high,
        method=f"{name.replace('_', ' ')}; Wilson score interval",
        reason=None,
    )
