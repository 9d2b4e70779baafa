"""What pictures on the owner's pages are drawn from: numbers for SVG attributes, no styles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from attunement.stats.result import Result
from attunement.studies.coverage import Covered

SIDE, GAP, A_ROW = 22, 4, 24
"""Of the squares, in units of the picture, and how many stand in a row."""
PICTURE_WIDTH = A_ROW * (SIDE + GAP) - GAP + 2
"""With a unit on each side for the edges' lines."""


@dataclass(frozen=True)
class Square:
    """An item's square: filled from below by what is complete, then by what is begun.

    ``x`` and ``y`` are its upper left corner; ``complete_y`` and ``begun_y`` where its fillings
    begin, ``complete`` and ``begun`` their heights.
    """

    x: int
    y: int
    complete_y: float
    complete: float
    begun_y: float
    begun: float
    label: str


def squares(items: Sequence[Covered]) -> list[Square]:
    """Return a square for each item, in rows."""
    found = []
    for place, item in enumerate(items):
        x, y = (place % A_ROW) * (SIDE + GAP), (place // A_ROW) * (SIDE + GAP)
        complete = SIDE * item.share
        begun = SIDE * item.begun / item.wanted if item.wanted else 0.0
        name = item.name or "pages without an item"
        label = f"{name}: {item.complete} of {item.wanted} complete, {item.begun} begun"
        label += f", {item.short} of people who left" if item.short else ""
        found.append(
            Square(
                x,
                y,
                round(y + SIDE - complete, 2),
                round(complete, 2),
                round(y + SIDE - complete - begun, 2),
                round(begun, 2),
                label,
            )
        )
    return found


def height_of(n: int) -> int:
    """Return the height of a picture of so many squares."""
    return -(-n // A_ROW) * (SIDE + GAP) - GAP + 2 if n else 0


@dataclass(frozen=True)
class Interval:
    """A point with its interval on a line from ``LOW`` (0) to 1 (``WIDTH``)."""

    low: float
    high: float
    at: float
    width: float
    bounded: bool


LOW, WIDTH = -0.5, 150.0


def interval_of(result: Result) -> Interval | None:
    """Return where an agreement and its interval lie in a picture; None where it is undefined."""
    if math.isnan(result.estimate):
        return None
    at = _place(result.estimate)
    if math.isnan(result.ci_low):
        return Interval(at, at, at, 0.0, False)
    low, high = _place(result.ci_low), _place(result.ci_high)
    return Interval(low, high, at, round(high - low, 2), True)


def _place(value: float) -> float:
    return round(WIDTH * (min(max(value, LOW), 1.0) - LOW) / (1.0 - LOW), 2)
