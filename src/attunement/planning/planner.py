"""What every planner is, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from attunement.planning.labels import LabelSet

Status = Literal["ok", "unparsed", "refused", "error", "not_applicable"]
STATUSES: tuple[Status, ...] = ("ok", "unparsed", "refused", "error", "not_applicable")

Advance = Callable[[int], None]
"""Is told how many steps were done."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The labels that the next turn should show.

    Parameters
    ----------
    labels
        In order; empty where the planner says that none of them should be shown. A language model
        may name labels that the label set has not.
    status
        ``ok``, or why there is no plan; ``labels`` is then empty.
    reason
        One sentence, where the status is not ``ok``.
    scores
        By label, where the planner has them, 0 to 1.
    """

    labels: tuple[str, ...]
    status: Status = "ok"
    reason: str | None = None
    scores: tuple[tuple[str, float], ...] = ()


@runtime_checkable
class Planner(Protocol):
    """Says which labels the next turn should show."""

    @property
    def kind(self) -> str:
        """Its name in the registry."""
        ...

    @property
    def labels(self) -> LabelSet:
        """The label set it plans with."""
        ...

    @property
    def context(self) -> int:
        """How many turns it reads; earlier ones are left out."""
        ...

    @property
    def signature(self) -> str:
        """What makes it what it is."""
        ...

    def plan(
        self, contexts: Sequence[Sequence[str]], *, advance: Advance | None = None
    ) -> list[Plan]:
        """Return a plan for each context (turns, the earliest first), in order."""
        ...


NO_CONTEXT = Plan((), "not_applicable", "There is no turn before it with a text.")
"""What a planner answers where nothing was said before."""
