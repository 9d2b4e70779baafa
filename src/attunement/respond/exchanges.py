"""What a generator learns from: up to three turns, and the turn that answered them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from attunement.errors import UserError
from attunement.planning.dialogues import Dialogue, Split
from attunement.planning.windows import CONTEXT


@dataclass(frozen=True, slots=True)
class Exchange:
    """Some turns and their answer, all with a text.

    Parameters
    ----------
    context
        The turns before the answer, the earliest first.
    response
        The answer.
    """

    context: tuple[str, ...]
    response: str


def exchanges(split: Split, *, context: int = CONTEXT, full: bool = False) -> list[Exchange]:
    """Return one exchange for every turn but a dialogue's first.

    A turn without a text is no answer, and no part of a context; `Split.faults` counts such turns.

    Parameters
    ----------
    split
        Its labels are not used.
    context
        The most turns of context, at least 1.
    full
        Only exchanges with that many turns before the answer.

    Raises
    ------
    ValueError
        Where ``context`` is below 1.
    UserError
        Where there is none.
    """
    if context < 1:
        raise ValueError(f"an exchange needs a turn of context, not {context}")
    found = [e for d in split.dialogues for e in _of(d, context, full)]
    if not found:
        raise UserError(
            f"the split {split.name!r} has no turn to learn an answer from.",
            where=split.source or None,
            fix="A dialogue needs two turns with a text"
            + (f", and more than {context} with --full-windows." if full else "."),
        )
    return found


def said(context: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """Return the turns that have a text, without needless white space."""
    turns = (" ".join(turn.split()) for turn in context)
    return tuple(turn for turn in turns if turn)


def _of(dialogue: Dialogue, context: int, full: bool) -> Iterator[Exchange]:
    for turn in range(context if full else 1, len(dialogue.turns)):
        before = said(dialogue.turns[max(0, turn - context) : turn])
        answer = said(dialogue.turns[turn : turn + 1])
        if before and answer:
            yield Exchange(before, answer[0])
