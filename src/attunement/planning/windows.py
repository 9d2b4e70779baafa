"""Windows over dialogues: up to three turns, and the labels of the turn after them or the last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from attunement.errors import UserError
from attunement.planning.dialogues import Dialogue, Split

CONTEXT = 3
"""Turns of context, as in the paper."""

Target = Literal["next", "current"]
"""Whose labels are asked for: the next turn's, which is planned, or the last turn's, which is
tagged."""
TARGETS: tuple[Target, ...] = get_args(Target)


@dataclass(frozen=True, slots=True)
class Window:
    """What is known, and what is to be planned.

    Parameters
    ----------
    dialogue
        The dialogue's id.
    turn
        The place of the turn to be planned, or tagged, in it; 0 is the first.
    context
        The turns before it and, where it is tagged, the turn itself, the earliest first; at most
        as many as the window is wide.
    target
        The label sequence of the turn.
    """

    dialogue: str
    turn: int
    context: tuple[str, ...]
    target: tuple[str, ...]


def windows(
    split: Split, *, context: int = CONTEXT, full: bool = False, target: Target = "next"
) -> list[Window]:
    """Return one window for every turn that is asked about: all but a dialogue's first, or all.

    Parameters
    ----------
    split
        Its dialogues' turns without a label are context, and never a target.
    context
        The most turns of context, at least 1.
    full
        Only windows with that many turns.
    target
        ``current`` for windows that end with the turn whose labels are asked for: every turn is.

    Raises
    ------
    ValueError
        Where ``context`` is below 1.
    """
    if context < 1:
        raise ValueError(f"a window needs a turn of context, not {context}")
    return [w for d in split.dialogues for w in _of(d, context, full, int(target == "current"))]


def _of(dialogue: Dialogue, context: int, full: bool, itself: int) -> Iterable[Window]:
    for turn in range((context if full else 1) - itself, len(dialogue.turns)):
        target = dialogue.labels[turn]
        if target is not None:
            read = dialogue.turns[max(0, turn + itself - context) : turn + itself]
            yield Window(dialogue.id, turn, read, target)


def require_windows(found: Sequence[Window], split: Split) -> None:
    """Refuse a split that gives no window.

    Raises
    ------
    UserError
        Where there is none.
    """
    if not found:
        raise UserError(
            f"the split {split.name!r} has no turn to ask about.",
            where=split.source or None,
            fix="A dialogue needs two turns to plan, one to tag, and they need labels.",
        )


def mean_length(found: Sequence[Window]) -> float:
    """Return the mean number of labels of a turn."""
    return sum(len(w.target) for w in found) / len(found)
