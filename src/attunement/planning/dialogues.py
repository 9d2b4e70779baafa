"""Dialogues whose turns have labels, what is wrong with them, and which stand in two splits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from attunement.errors import first_of
from attunement.stats.result import input_hash

_SHOWN = 5

FaultKind = Literal[
    "fewer labels than turns", "more labels than turns", "unknown label", "empty turn",
    "no label", "no turns", "stands twice in the split",
]  # fmt: skip


_MARKS = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Fault:
    """Something wrong with the data, and what was done about it."""

    where: str
    kind: FaultKind
    detail: str


@dataclass(frozen=True)
class Dialogue:
    """One dialogue.

    Parameters
    ----------
    id
        Unique in its split.
    turns
        What was said, turn by turn.
    labels
        The label sequence of each turn; None where a turn has no usable label.
    """

    id: str
    turns: tuple[str, ...]
    labels: tuple[tuple[str, ...] | None, ...]


@dataclass(frozen=True)
class Split:
    """The dialogues of one split.

    Parameters
    ----------
    name
        ``train``, ``validation`` or ``test``.
    dialogues
        In the order of the data.
    faults
        What is wrong with them.
    left_out
        How many dialogues were taken out because they stand in another split.
    source
        Where it was read from.
    """

    name: str
    dialogues: tuple[Dialogue, ...]
    faults: tuple[Fault, ...] = ()
    left_out: int = 0
    source: str = ""

    @cached_property
    def hash(self) -> str:
        """Eight hex digits that change when any text or label does."""
        return input_hash("\n".join(repr((d.turns, d.labels)) for d in self.dialogues))

    def fault_counts(self) -> dict[str, int]:
        """Return how often each kind of fault was found."""
        return dict(Counter(fault.kind for fault in self.faults))


def build(
    where: str, id: str, turns: Sequence[str], labels: Sequence[tuple[str, ...] | None] | None
) -> tuple[Dialogue, list[Fault]]:
    """Return a dialogue of turns and the labels that stand beside them, and its faults.

    Where there are fewer labels than turns (or more), turns and labels are paired from the start
    and what is over is left out; the labels may then belong to other turns. None is a dialogue
    whose labels nobody wants, and no fault.
    """
    faults = []
    texts = [" ".join(turn.split()) for turn in turns]
    wanted = labels is not None
    labels = [None] * len(texts) if labels is None else labels
    if len(labels) != len(texts):
        kind: FaultKind = (
            "fewer labels than turns" if len(labels) < len(texts) else "more labels than turns"
        )
        detail = f"{len(texts)} turns, {len(labels)} labels; paired from the start"
        faults.append(Fault(where, kind, detail))
    n = min(len(texts), len(labels))
    empty = [i + 1 for i in range(n) if not texts[i]]
    if empty:
        faults.append(Fault(where, "empty turn", f"turns {first_of(empty, _SHOWN)}"))
    unlabeled = [i + 1 for i in range(n) if labels[i] is None]
    if wanted and unlabeled:
        faults.append(
            Fault(where, "no label", f"turns {first_of(unlabeled, _SHOWN)}; no window predicts")
        )
    if not n:
        faults.append(Fault(where, "no turns", "left out"))
    return Dialogue(id, tuple(texts[:n]), tuple(labels[:n])), faults


def repeated(dialogues: Iterable[Dialogue], where: str) -> list[Fault]:
    """Return a fault for the dialogues whose text stands in the split already."""
    times = Counter(key(d) for d in dialogues)
    again = sum(n - 1 for n in times.values())
    said = f"{again:,} dialogues repeat an earlier one; kept"
    return [Fault(where, "stands twice in the split", said)] if again else []


def key(dialogue: Dialogue) -> str:
    """Return what two dialogues have in common that differ in case, spaces and marks only."""
    return _MARKS.sub("", "".join(dialogue.turns).casefold())


def duplicates(split: Split, *others: Split) -> list[str]:
    """Return the ids of the dialogues of ``split`` whose text stands in another split as well.

    Two texts are the same where they have the same letters and digits. A text without any is
    never one of another.
    """
    known = {key(d) for other in others for d in other.dialogues} - {""}
    return [d.id for d in split.dialogues if key(d) in known]


def without_duplicates(split: Split, *others: Split) -> Split:
    """Return the split without the dialogues that `duplicates` finds."""
    gone = set(duplicates(split, *others))
    kept = tuple(d for d in split.dialogues if d.id not in gone)
    return replace(split, dialogues=kept, left_out=split.left_out + len(gone))
