"""One judge held against several people: how far off, how much agreement, in which order.

Every statistic is written as a function of item weights and has a bootstrap interval over items, or
over ``clusters`` of them, such as the questions that several answers belong to.
"""

from __future__ import annotations

from typing import Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from attunement.stats.agreement.resampling import Bootstrap, Floats, estimate, ratio
from attunement.stats.bootstrap import FEW
from attunement.stats.result import Result, input_hash

Weights = Literal["quadratic", "identity"]
NAMES: dict[Weights, str] = {
    "quadratic": "quadratic_weighted_kappa",
    "identity": "cohen_kappa",
}
SAME = 1e-9
"""Differences up to this are rounding."""


def people_mean(people: ArrayLike) -> Floats:
    """Return the mean over the people who rated each item, shape (n,); NaN where nobody did."""
    y = np.asarray(people, dtype=np.float64)
    rated = np.isfinite(y)
    return ratio(np.where(rated, y, 0.0).sum(axis=1), rated.sum(axis=1).astype(np.float64))


def bias(judge: ArrayLike, people: ArrayLike, **bootstrap: Unpack[Bootstrap]) -> Result:
    """Return the mean over items of the judge's rating less the people's mean.

    Parameters
    ----------
    judge
        Shape (n,), NaN where missing.
    people
        Shape (n, p), NaN where a person did not rate the item.
    bootstrap
        ``replicates``, ``ci_level``, ``seed`` and ``clusters``; see `Bootstrap`.

    >>> bias([3, 4], [[1, 3], [4, 4]]).estimate
    0.5
    """
    return _mean("judge_bias", differences(judge, people), "judge less people's mean", bootstrap)


def absolute_error(judge: ArrayLike, people: ArrayLike, **bootstrap: Unpack[Bootstrap]) -> Result:
    """Return the mean over items of the distance between judge and people's mean, as `bias`."""
    away = np.abs(differences(judge, people))
    return _mean("judge_mae", away, "mean distance of the judge from people's mean", bootstrap)


def differences(judge: ArrayLike, people: ArrayLike) -> Floats:
    """Return the judge's rating less the people's mean, shape (n,); NaN where one is missing.

    Raises
    ------
    ValueError
        Where the shapes do not go together.

    """
    f, y = np.asarray(judge, dtype=np.float64), np.asarray(people, dtype=np.float64)
    if f.ndim != 1 or y.ndim != 2 or y.shape[0] != f.size:
        raise ValueError(f"judge must be (n,) and people (n, p), not {f.shape} and {y.shape}")
    return np.asarray(f - people_mean(y), dtype=np.float64)


def _mean(name: str, values: Floats, method: str, bootstrap: Bootstrap) -> Result:
    kept = np.isfinite(values)
    used = values[kept]
    return estimate(
        name,
        lambda weights: ratio(weights @ used, weights.sum(axis=1)),
        kept,
        method=method,
        inputs=input_hash(values),
        nothing="no item was rated by the judge and a person",
        **bootstrap,
    )


def kappa_with_people(
    judge: ArrayLike,
    people: ArrayLike,
    weights: Weights = "quadratic",
    **bootstrap: Unpack[Bootstrap],
) -> Result:
    """Return the judge's kappa with each person, averaged over people.

    To be read beside the mean kappa of pairs of people
    (`attunement.stats.agreement.cohen_kappa`). With quadratic weights kappa is
    1 - E[(x-y)^2] / E'[(x-y)^2], E' taking the two raters as independent (Cohen 1968), so that a
    judge's ratings need not be on the scale's points.

    Parameters
    ----------
    judge, people, bootstrap
        As for `bias`.
    weights
        ``quadratic`` for ordered values, ``identity`` for categories.

    Returns
    -------
    Result
        ``n`` items. No interval where half of the people share fewer than ten items with the
        judge; people whose kappa is undefined are left out of the mean and counted in the reason.
    """
    f, y = np.asarray(judge, dtype=np.float64), np.asarray(people, dtype=np.float64)
    differences(f, y)
    rated = np.asarray(np.isfinite(y) & np.isfinite(f)[:, None])
    kept = np.asarray(rated.any(axis=1), dtype=np.bool_)
    mask = rated[kept].astype(np.float64)
    x = np.broadcast_to(f[kept][:, None], mask.shape)
    theirs = np.where(rated[kept], y[kept], 0.0)
    kappas = (_Quadratic if weights == "quadratic" else _Identity)(x, theirs, mask)

    def statistic(item_weights: Floats) -> Floats:
        values = kappas(item_weights)
        there = np.isfinite(values)
        return ratio(np.where(there, values, 0.0).sum(axis=1), there.sum(axis=1).astype(float))

    shared = rated.sum(axis=0)
    notes = []
    if kept.any():
        undefined = int(
            (shared > 0).sum() - np.isfinite(kappas(np.ones((1, int(kept.sum()))))).sum()
        )
        if undefined:
            notes.append(f"{undefined} of {(shared > 0).sum()} people undefined and left out")
        usual = float(np.median(shared[shared > 0]))
        if usual < FEW:
            notes.append(f"no interval: half of the people share {usual:.0f} items or fewer")
            bootstrap["replicates"] = 0
    return estimate(
        f"{NAMES[weights]}_with_people",
        statistic,
        kept,
        method=f"Cohen's kappa of judge and person, {weights} weights, mean over people",
        inputs=input_hash(f, y),
        nothing="no item was rated by the judge and a person",
        constant="judge and people gave one and the same value throughout",
        note="; ".join(notes) or None,
        **bootstrap,
    )


class _Quadratic:
    """Kappas as a function of item weights, shape (b, p)."""

    def __init__(self, x: Floats, y: Floats, mask: Floats) -> None:
        center = float(y[mask > 0].mean()) if mask.any() else 0.0
        x, y = (x - center) * mask, (y - center) * mask
        self._sums = (mask, x, y, x * x + y * y, x * y)

    def __call__(self, weights: Floats) -> Floats:
        n, x, y, squares, products = (weights @ s for s in self._sums)
        apart = squares - 2 * products
        expected = squares - 2 * ratio(x * y, n)
        return 1 - ratio(apart, np.where(expected > SAME, expected, 0.0))


class _Identity:
    """Kappas as a function of item weights, shape (b, p)."""

    def __init__(self, x: Floats, y: Floats, mask: Floats) -> None:
        self._mask = mask
        self._same = mask * (x == y)
        values = np.unique(np.concatenate([x[mask > 0], y[mask > 0]]))
        self._shares = [(mask * (x == v), mask * (y == v)) for v in values]

    def __call__(self, weights: Floats) -> Floats:
        n, same = weights @ self._mask, weights @ self._same
        chance = sum(((weights @ a) * (weights @ b) for a, b in self._shares), np.zeros(n.shape))
        expected = n - ratio(chance, n)
        return 1 - ratio(n - same, np.where(expected > SAME, expected, 0.0))


def spearman_by_item(judge: ArrayLike, people: ArrayLike, **bootstrap: Unpack[Bootstrap]) -> Result:
    """Return Spearman's correlation over items of the judge with the people's mean, as `bias`."""
    f, y = np.asarray(judge, dtype=np.float64), np.asarray(people, dtype=np.float64)
    differences(f, y)
    center = people_mean(y)
    kept = np.isfinite(f) & np.isfinite(center)
    a, b = _Ranked(f[kept]), _Ranked(center[kept])

    def statistic(weights: Floats) -> Floats:
        return correlation(a.ranks(weights), b.ranks(weights), weights)

    return estimate(
        "spearman_by_answer",
        statistic,
        kept,
        method="Spearman correlation of the judge with people's mean over answers",
        inputs=input_hash(f, y),
        nothing="no item was rated by the judge and a person",
        constant="one side is constant",
        **bootstrap,
    )


class _Ranked:
    """Ranks of values in resamples: ties take their mean rank."""

    def __init__(self, values: Floats) -> None:
        # rounded, so that means that differ by rounding only are tied
        _, self._codes = np.unique(np.round(values, 9), return_inverse=True)

    def ranks(self, weights: Floats) -> Floats:
        b, k = weights.shape[0], int(self._codes.max(initial=-1)) + 1
        at = self._codes[None, :] + k * np.arange(b)[:, None]
        total = np.bincount(at.ravel(), weights.ravel(), minlength=b * k).reshape(b, k)
        middle = np.cumsum(total, axis=1) - total / 2
        return np.asarray(middle[:, self._codes], dtype=np.float64)


def correlation(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Return each row's weighted Pearson correlation, shape (b,); NaN where a side is constant."""
    n = weights.sum(axis=1, keepdims=True)
    dx = x - (weights * x).sum(axis=1, keepdims=True) / n
    dy = y - (weights * y).sum(axis=1, keepdims=True) / n
    spread = np.sqrt((weights * dx * dx).sum(axis=1) * (weights * dy * dy).sum(axis=1))
    return np.clip(ratio((weights * dx * dy).sum(axis=1), spread), -1, 1)
