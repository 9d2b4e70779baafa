"""A scale: its items, their ends, which are reversed, and which go together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from attunement.errors import UserError, did_you_mean
from attunement.instruments import BooleanScale, Dimension, Instrument, NumberScale

OVERALL = "overall"
"""The name of the whole scale among its subscales."""


@dataclass(frozen=True)
class Scale:
    """Items that are scored together.

    Parameters
    ----------
    name
        The instrument's id and version, or ``items`` for a list of columns.
    items
        Their ids, in order.
    subscales
        Which items each subscale has; empty where the scale is one.
    reversed
        Items whose high answers mean little: turned round once, when the answers are read.
    ends
        The lowest and the highest answer of each item; empty where only the answers tell.
    whole_numbers
        Items whose answers are whole numbers.
    labels
        A name to show for subscales.
    priorities
        The authors' order of the items within their subscale, 1 first; empty where there is none.
    notes
        What was left out, and what the instrument's authors ask to be careful with.

    """

    name: str
    items: tuple[str, ...]
    subscales: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reversed: frozenset[str] = frozenset()
    ends: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    whole_numbers: frozenset[str] = frozenset()
    labels: Mapping[str, str] = field(default_factory=dict)
    priorities: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def parts(self) -> dict[str, tuple[str, ...]]:
        """Return the subscales and, where there are none or several, the whole."""
        parts = dict(self.subscales)
        if len(parts) != 1:
            parts[OVERALL] = self.items
        return parts

    def label(self, part: str) -> str:
        """Return the name to show for a part."""
        return self.labels.get(part, "the whole scale" if part == OVERALL else part)


def from_instrument(instrument: Instrument) -> Scale:
    """Return the scale that an instrument's numbers make.

    Raises
    ------
    UserError
        Where it asks for no numbers.

    """
    numbers = [d for d in instrument.dimensions if isinstance(d.scale, NumberScale | BooleanScale)]
    if not numbers:
        raise UserError(
            f"{instrument.name} asks for no numbers.",
            fix="Reliability is about items that are answered on a scale of numbers.",
        )
    kept = {d.id for d in numbers}
    left = [d.id for d in instrument.dimensions if d.id not in kept]
    subscales = {
        s.id: tuple(d for d in s.dimensions if d in kept)
        for s in instrument.subscales
        if any(d in kept for d in s.dimensions)
    }
    return Scale(
        name=instrument.name,
        items=tuple(d.id for d in numbers),
        subscales=subscales,
        reversed=frozenset(d.id for d in numbers if d.reversed),
        ends={d.id: _ends(d) for d in numbers},
        whole_numbers=frozenset(d.id for d in numbers if d.scale.type != "number"),
        labels={s.id: s.label[instrument.language] for s in instrument.subscales},
        priorities=_priorities(numbers),
        notes=_notes(instrument, left),
    )


def _notes(instrument: Instrument, left: Sequence[str]) -> tuple[str, ...]:
    said = [f"Left out, as no numbers: {', '.join(left)}."] if left else []
    if instrument.caution is not None:
        said.append(instrument.caution[instrument.language])
    return tuple(said)


def _priorities(dimensions: Sequence[Dimension]) -> dict[str, int]:
    """Return the priorities that are a rank; authors may also write words or letters."""
    written = {d.id: d.priority or "" for d in dimensions}
    return {id: int(text) for id, text in written.items() if re.fullmatch("[1-9][0-9]?", text)}


def _ends(dimension: Dimension) -> tuple[float, float]:
    if isinstance(dimension.scale, NumberScale):
        return dimension.scale.min, dimension.scale.max
    return 0.0, 1.0


def from_items(
    items: Sequence[str],
    *,
    reverse: Sequence[str] = (),
    ends: tuple[float, float] | None = None,
    subscales: Mapping[str, tuple[str, ...]] | None = None,
) -> Scale:
    """Return the scale of some columns.

    Parameters
    ----------
    items
        Names of columns.
    reverse
        Those of them that are turned round.
    ends
        The lowest and the highest answer; without it those that occur.
    subscales
        Items that go together.

    Raises
    ------
    UserError
        Where there are fewer than two items, one stands twice, or a reversed one is no item.

    """
    twice = sorted({i for i in items if list(items).count(i) > 1})
    if twice:
        raise UserError(f"the item {twice[0]!r} is named twice.")
    if len(items) < 2:
        raise UserError("a scale has at least two items.", fix="Name them as --items a,b,c.")
    for name in reverse:
        if name not in items:
            raise UserError(f"{name!r} is reversed and no item{did_you_mean(name, items)}")
    if ends is not None and not ends[0] < ends[1]:
        raise UserError(f"the scale's ends {ends[0]:g} and {ends[1]:g} are not in order.")
    return Scale(
        name="items",
        items=tuple(items),
        subscales=dict(subscales or {}),
        reversed=frozenset(reverse),
        ends=dict.fromkeys(items, ends) if ends is not None else {},
    )


def only(scale: Scale, items: Sequence[str]) -> Scale:
    """Return the scale with some of its items, in the order of the scale.

    Raises
    ------
    UserError
        Where one is not among them, or fewer than two are left.

    """
    for name in items:
        if name not in scale.items:
            raise UserError(f"{scale.name} has no item {name!r}{did_you_mean(name, scale.items)}")
    kept = tuple(i for i in scale.items if i in items)
    if len(kept) < 2:
        raise UserError("a scale has at least two items.")
    parts = {p: tuple(i for i in own if i in kept) for p, own in scale.subscales.items()}
    return replace(
        scale,
        items=kept,
        subscales={p: own for p, own in parts.items() if own},
        reversed=scale.reversed & frozenset(kept),
    )


def short_form(scale: Scale, each: int) -> Scale:
    """Return the scale with the ``each`` items of every subscale that its authors put first.

    Raises
    ------
    UserError
        Where the items have no order, or no subscale has more items than that.

    """
    unordered = [i for i in scale.items if i not in scale.priorities]
    if unordered:
        raise UserError(
            f"the item {unordered[0]!r} of {scale.name} has no priority: there is no short form.",
            fix="Give the instrument's items a 'priority': 1 for the first, and so on.",
        )
    if not scale.subscales:
        raise UserError(f"{scale.name} has no subscales to take items from.")
    if each < 1 or all(len(own) <= each for own in scale.subscales.values()):
        raise UserError(
            f"a short form of {each} items a subscale is not shorter.",
            fix="Use a number below the items that the subscales have.",
        )
    first = {
        part: sorted(own, key=lambda i: scale.priorities[i])[:each]
        for part, own in scale.subscales.items()
    }
    kept = {i for own in first.values() for i in own}
    return replace(
        scale,
        name=f"{scale.name}, {each} item{'s' if each > 1 else ''} a subscale",
        items=tuple(i for i in scale.items if i in kept),
        subscales={p: tuple(i for i in scale.items if i in own) for p, own in first.items()},
        reversed=scale.reversed & kept,
    )
