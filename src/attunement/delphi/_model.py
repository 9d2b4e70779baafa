"""What a Delphi round is made of: items, thresholds, what the panel said, and what was decided."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attunement.stats.result import Result
from attunement.stats.stability import Stability

Floats = NDArray[np.float64]
Action = Literal["keep", "drop", "undecided"]
Rule = Literal[
    "agreement", "mean", "iqr", "redundancy", "minimum", "passed", "missing", "comment", "owner"
]

MOTIVATIONS: Mapping[Rule, str] = {
    "agreement": "% Agree Relevance",
    "mean": "Mean Relevance",
    "iqr": "IQR Relevance",
    "redundancy": "Redundancy",
    "minimum": "Minimum Items",
    "passed": "All Thresholds",
    "missing": "No Ratings",
    "comment": "QL Feedback",
    "owner": "Owner",
}
"""Rule -> the word for it in a decision log, as the appendices of CES-LCC have them."""


@dataclass(frozen=True)
class Item:
    """One sentence that the panel is asked about.

    Parameters
    ----------
    id
        Its name, such as ``UR2``.
    dimension
        The dimension that it belongs to, such as ``UR``.
    wording
        Its text by language code; empty where the table has ids only.
    reversed
        Whether agreeing with it means little of what the dimension measures.

    """

    id: str
    dimension: str
    wording: Mapping[str, str] = field(default_factory=dict)
    reversed: bool = False

    @property
    def text(self) -> str:
        """The text in the first language, or the id."""
        return next(iter(self.wording.values()), self.id)


@dataclass(frozen=True)
class Thresholds:
    """When an item stays.

    Parameters
    ----------
    agreement
        Per cent of ratings that agree, at least.
    mean
        Mean relevance, at least.
    iqr
        Interquartile range of relevance, below.
    redundancy
        More flags than this drop an item. None takes the third quartile of the flags of all items,
        infinity drops none.

    """

    agreement: float = 75.0
    mean: float = 3.0
    iqr: float = 2.0
    redundancy: float | None = None


@dataclass(frozen=True)
class Scale:
    """The scale of relevance, priority and translation: whole numbers.

    Parameters
    ----------
    low, high
        The ends, both included.
    agrees_from
        The lowest value that counts as agreeing.

    """

    low: int = 1
    high: int = 5
    agrees_from: int = 4

    def __post_init__(self) -> None:
        if not self.low < self.agrees_from <= self.high:
            raise ValueError(
                f"{self.agrees_from} cannot be the lowest value that agrees on a scale from "
                f"{self.low} to {self.high}"
            )

    @property
    def values(self) -> list[int]:
        """All values, lowest first."""
        return list(range(self.low, self.high + 1))


@dataclass(frozen=True)
class ItemSummary:
    """What the panel said of one item.

    Parameters
    ----------
    item
        The item.
    results
        By name: ``agreement`` (0 to 1), ``mean``, ``sd``, ``median``, ``min``, ``max``, ``iqr`` of
        relevance; the same of priority and translation with ``priority_`` and ``translation_``
        before it, and ``translation_agreement_of_panel``; ``redundancy_flags``, ``borda_points``.
        What was not asked is not there.
    overlaps
        The items that experts named as overlapping with it, and how often.
    comments
        What experts wrote.
    suggestions
        Better translations that experts proposed.

    """

    item: Item
    results: Mapping[str, Result]
    overlaps: Mapping[str, int] = field(default_factory=dict)
    comments: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()

    def value(self, name: str) -> float:
        """Return an estimate, NaN where it is not there."""
        return self.results[name].estimate if name in self.results else math.nan


@dataclass(frozen=True)
class PanelRound:
    """One round of a Delphi.

    Parameters
    ----------
    number
        From 1.
    summaries
        One an item, in the order of the table.
    scale
        Of the ratings.
    experts
        Who rated; empty where the table was summarized already.
    relevance
        Shape (experts, items), NaN where missing; None where the table was summarized already.
    notes, warnings
        What has to be known about the reading of the table.

    """

    number: int
    summaries: tuple[ItemSummary, ...]
    scale: Scale = field(default_factory=Scale)
    experts: tuple[str, ...] = ()
    relevance: Floats | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def items(self) -> tuple[Item, ...]:
        """The items of the round."""
        return tuple(s.item for s in self.summaries)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The dimensions in order of appearance."""
        return tuple(dict.fromkeys(s.item.dimension for s in self.summaries))


@dataclass(frozen=True)
class Reason:
    """Why something was decided.

    Parameters
    ----------
    rule
        Which threshold, or whose decision.
    text
        In words, with the value.
    value, threshold
        NaN where there is none.

    """

    rule: Rule
    text: str
    value: float = math.nan
    threshold: float = math.nan


@dataclass(frozen=True)
class Decision:
    """What became of one item of the round.

    Parameters
    ----------
    summary
        The item and what the panel said of it.
    action
        ``keep``, ``drop``, or ``undecided`` where the panel's ratings are missing.
    reasons
        Why, at least one.
    by
        ``rule``, or ``owner`` where the owner decided.
    by_rule
        What the thresholds alone say.
    into
        The items that took its place, where it was split or reworded.

    """

    summary: ItemSummary
    action: Action
    reasons: tuple[Reason, ...]
    by: Literal["rule", "owner"] = "rule"
    by_rule: Action = "keep"
    into: tuple[Item, ...] = ()

    @property
    def item(self) -> Item:
        """The item as the panel saw it."""
        return self.summary.item

    @property
    def departs(self) -> bool:
        """Whether the owner decided otherwise than the thresholds."""
        return self.by == "owner" and self.action != self.by_rule


@dataclass(frozen=True)
class Addition:
    """An item that the owner added.

    Parameters
    ----------
    item
        The new item.
    reasons
        Why.
    label
        What its dimension is called, by language code, where that is new.

    """

    item: Item
    reasons: tuple[Reason, ...]
    label: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Outcome:
    """What a round of Add-Modify-Drop leaves.

    Parameters
    ----------
    round
        The panel's round.
    decisions
        One an item of the round, in its order.
    additions
        What the owner added.
    thresholds, redundancy
        The thresholds, and the number of flags that was one: NaN where flags did not count.
    minimum
        Items that a dimension has to keep, 0 for none.
    stability
        By item id, and ``""`` for all items; empty without an earlier round.
    warnings
        What the owner should look at.

    """

    round: PanelRound
    decisions: tuple[Decision, ...]
    additions: tuple[Addition, ...] = ()
    thresholds: Thresholds = field(default_factory=Thresholds)
    redundancy: Result | None = None
    minimum: int = 3
    stability: Mapping[str, Stability] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def items(self) -> tuple[Item, ...]:
        """The items of the refined scale: kept, reworded, split and added, by dimension."""
        left: list[Item] = []
        for d in self.decisions:
            if d.action != "drop":
                left += d.into or (d.item,)
        left += [a.item for a in self.additions]
        order = list(dict.fromkeys([*self.round.dimensions, *(i.dimension for i in left)]))
        return tuple(sorted(left, key=lambda i: order.index(i.dimension)))

    def with_action(self, action: Action) -> tuple[Item, ...]:
        """Return the items of the round that this was decided of."""
        return tuple(d.item for d in self.decisions if d.action == action)

    @property
    def lost_dimensions(self) -> tuple[str, ...]:
        """Dimensions of the round that no item is left of."""
        left = {i.dimension for i in self.items}
        return tuple(d for d in self.round.dimensions if d not in left)

    def results(self) -> list[Result]:
        """Return every statistic of every item, the threshold of flags and the stability."""
        found = [r for s in self.round.summaries for r in s.results.values()]
        if self.redundancy is not None:
            found.append(self.redundancy)
        for stable in self.stability.values():
            found += [stable.unchanged, stable.kappa]
        return found
