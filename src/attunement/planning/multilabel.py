"""From a probability for each label to plans, and from what people said to what is learned."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attunement.planning.labels import LabelSet
from attunement.planning.planner import NO_CONTEXT, Plan
from attunement.planning.thresholds import Cut, ordered
from attunement.planning.windows import Window


def has_text(context: Sequence[str], width: int) -> bool:
    """Say whether any of the last turns has a text."""
    return any(turn.strip() for turn in context[-width:])


def plans(
    labels: LabelSet,
    names: Sequence[str],
    cut: Cut,
    contexts: Sequence[Sequence[str]],
    probability: NDArray[np.float64],
    width: int,
) -> list[Plan]:
    """Return a plan for each context, the labels of a group in order of their sureness.

    Parameters
    ----------
    labels, names
        The label set, and those of its labels that can be planned.
    cut
        How probabilities become labels.
    contexts
        One without any text in its last turns has no plan (``not_applicable``).
    probability
        Shape (contexts, names).
    width
        How many turns are read.
    """
    chosen, order = cut.choose(probability)
    return [
        Plan(
            labels.sequence(said),
            scores=tuple(zip(names, map(float, row.round(4)), strict=True)),
        )
        if has_text(context, width)
        else NO_CONTEXT
        for context, said, row in zip(
            contexts, ordered(names, chosen, order), probability, strict=True
        )
    ]


def learned_labels(training: Sequence[Window], labels: LabelSet) -> tuple[str, ...]:
    """Return the labels that training turns have, in the order of the label set.

    Raises
    ------
    ValueError
        Where there are none.
    """
    said = {label for w in training for label in w.target}
    names = tuple(label for label in labels.labels if label in said)
    if not names:
        raise ValueError("no training turn has a label")
    return names


def truth(found: Sequence[Window], names: Sequence[str]) -> NDArray[np.bool_]:
    """Return which labels each window's target has, shape (windows, names)."""
    place = {name: k for k, name in enumerate(names)}
    has = np.zeros((len(found), len(names)), dtype=np.bool_)
    for i, window in enumerate(found):
        for label in window.target:
            if label in place:
                has[i, place[label]] = True
    return has
