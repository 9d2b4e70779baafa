"""From probabilities to a sequence: a threshold a label, and how many labels at most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

NEVER = 1.0
"""The threshold of a label that no validation turn has: it is planned only where nothing else is
more likely, by its share of the threshold."""

MOST = 2
"""A label is planned at most so many times as often as validation turns have it. For a label that
few turns have, the highest F1 can lie at a threshold by chance that plans it for every fifth turn.
"""


@dataclass(frozen=True)
class Cut:
    """How probabilities become labels.

    Parameters
    ----------
    thresholds
        Shape (labels,), above 0: a label is planned at or above its threshold.
    longest
        The most labels of a plan; the surest are kept.
    shortest
        The fewest: where fewer are at their thresholds, those that come nearest are taken.
    """

    thresholds: Floats
    longest: int
    shortest: int = 1

    def choose(self, probabilities: Floats) -> tuple[Bools, NDArray[np.intp]]:
        """Return which labels are planned and all labels by descending sureness.

        Sureness is the probability in parts of the label's threshold, so that rare labels can come
        before frequent ones. Both have shape (turns, labels).
        """
        sure = probabilities / self.thresholds
        order = np.argsort(-sure, axis=1, kind="stable")
        rank = np.empty_like(order)
        np.put_along_axis(rank, order, np.arange(order.shape[1])[None, :], axis=1)
        chosen = ((sure >= 1) & (rank < self.longest)) | (rank < self.shortest)
        return chosen, order


def tune(probabilities: Floats, truth: Bools, *, shortest: int = 1) -> Cut:
    """Return the thresholds and the greatest length with the highest weighted F1.

    Parameters
    ----------
    probabilities, truth
        Of the validation turns, shape (turns, labels).
    shortest
        The fewest labels of a plan.
    """
    columns = range(truth.shape[1])
    most = [MOST * max(1, int(n)) for n in truth.sum(axis=0)]
    thresholds = np.array(
        [best_threshold(probabilities[:, k], truth[:, k], most[k]) for k in columns]
    )
    best = Cut(thresholds, shortest, shortest)
    top = -1.0
    for longest in range(max(1, shortest), truth.shape[1] + 1):
        cut = Cut(thresholds, longest, shortest)
        reached = weighted_f1(truth, cut.choose(probabilities)[0])
        if reached > top + 1e-12:
            best, top = cut, reached
    return best


def best_threshold(probability: Floats, truth: Bools, most: int | None = None) -> float:
    """Return the threshold with the highest F1, which has the highest Jaccard index as well.

    It lies halfway between two probabilities, so that rounding moves no turn across it.

    Parameters
    ----------
    probability, truth
        Of the validation turns, shape (turns,).
    most
        The label may be planned for at most so many of them.

    >>> best_threshold(np.array([0.1, 0.2, 0.6, 0.9]), np.array([False, False, True, True]))
    0.4
    """
    if not truth.any():
        return NEVER
    order = np.argsort(-probability, kind="stable")
    p, hits = probability[order], np.cumsum(truth[order])
    f1 = 2 * hits / (np.arange(1, len(p) + 1) + truth.sum())
    f1[:-1][p[:-1] == p[1:]] = -1  # no threshold lies between equal probabilities
    f1[len(p) if most is None else most :] = -1
    if f1.max() < 0:
        return NEVER
    at = int(np.argmax(f1))
    below = p[at + 1] if at + 1 < len(p) else 0.0
    return float(max((p[at] + below) / 2, np.finfo(np.float64).tiny))


def weighted_f1(truth: Bools, chosen: Bools) -> float:
    """Return the mean F1 of the labels, weighted by how many turns have them."""
    support = truth.sum(axis=0)
    f1 = 2 * (truth & chosen).sum(axis=0) / np.maximum(support + chosen.sum(axis=0), 1)
    return float((support * f1).sum() / max(support.sum(), 1))


def ordered(names: Sequence[str], chosen: Bools, order: NDArray[np.intp]) -> list[tuple[str, ...]]:
    """Return each turn's chosen labels, the surest first."""
    return [
        tuple(names[j] for j in columns if row[j])
        for row, columns in zip(chosen, order, strict=True)
    ]
