"""Planners that read nothing: what any other has to beat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attunement.planning.labels import LabelSet
from attunement.planning.planner import Advance, Plan
from attunement.planning.windows import CONTEXT, Window
from attunement.stats.result import signature


@dataclass(frozen=True)
class ConstantPlanner:
    """Plans the same sequence always.

    Parameters
    ----------
    labels
        The label set.
    sequence
        What it plans.
    kind
        ``constant`` where somebody chose the sequence, ``majority`` where training did.
    context
        It reads nothing; kept for the window that others get.
    """

    labels: LabelSet
    sequence: tuple[str, ...]
    kind: str = "constant"
    context: int = CONTEXT

    @property
    def signature(self) -> str:
        """What makes it what it is."""
        return signature(
            f"plan-{self.kind}", labels=self.labels.name, plan="+".join(self.sequence) or "none"
        )

    def plan(
        self, contexts: Sequence[Sequence[str]], *, advance: Advance | None = None
    ) -> list[Plan]:
        """Return the sequence for each context."""
        if advance is not None:
            advance(len(contexts))
        return [Plan(self.sequence)] * len(contexts)

    def state(self) -> dict[str, Any]:
        """Return what its file holds beside kind, label set and context."""
        return {"sequence": list(self.sequence)}


@dataclass(frozen=True)
class RandomPlanner:
    """Plans labels by chance: as many as turns have, drawn without regard to what they are.

    Parameters
    ----------
    labels
        The label set; labels that are left out of sequences are not drawn.
    lengths
        How often each number of labels was seen in training.
    seed
        The same seed gives the same plans for the same number of contexts.
    context
        It reads nothing.
    """

    labels: LabelSet
    lengths: Mapping[int, int]
    seed: int = 1
    context: int = CONTEXT
    kind: str = "random"

    @property
    def signature(self) -> str:
        """What makes it what it is."""
        seen = "+".join(f"{k}x{n}" for k, n in sorted(self.lengths.items()))
        return signature("plan-random", labels=self.labels.name, lengths=seen, seed=self.seed)

    def plan(
        self, contexts: Sequence[Sequence[str]], *, advance: Advance | None = None
    ) -> list[Plan]:
        """Return labels by chance, different ones within a plan and in any order."""
        rng = np.random.default_rng(self.seed)
        sizes = sorted(self.lengths)
        share = np.array([self.lengths[k] for k in sizes], dtype=np.float64)
        drawn = rng.choice(sizes, size=len(contexts), p=share / share.sum())
        names = [n for n in self.labels.labels if n not in self.labels.silent]
        order = rng.permuted(np.tile(np.arange(len(names)), (len(contexts), 1)), axis=1)
        if advance is not None:
            advance(len(contexts))
        return [
            Plan(tuple(names[j] for j in row[:size]))
            for row, size in zip(order, drawn, strict=True)
        ]

    def state(self) -> dict[str, Any]:
        """Return what its file holds beside kind, label set and context."""
        return {"lengths": {str(k): n for k, n in sorted(self.lengths.items())}, "seed": self.seed}


def majority(
    train: Sequence[Window], labels: LabelSet, *, context: int = CONTEXT
) -> ConstantPlanner:
    """Return the planner of the sequence that training turns have most often.

    Of sequences that are equally often the first in the data is taken.
    """
    ((most, _),) = Counter(w.target for w in train).most_common(1)
    return ConstantPlanner(labels, most, "majority", context)


def random(
    train: Sequence[Window], labels: LabelSet, *, seed: int = 1, context: int = CONTEXT
) -> RandomPlanner:
    """Return the random planner with the lengths of the training turns."""
    lengths = Counter(len(w.target) for w in train)
    return RandomPlanner(labels, dict(sorted(lengths.items())), seed, context)
