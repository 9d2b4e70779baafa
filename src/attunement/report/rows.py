"""Rows in groups: what every picture with a row an item is laid out on, in inches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attunement.report.plots import SMALL, axes, canvas, fitted, text_width, write
from attunement.report.theme import GRID, MUTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

ROW = 0.22
_HEADING = 0.3
_EDGE = 0.08


@dataclass(frozen=True)
class Labels:
    """The names of a group's rows, under its heading; an empty heading takes no room."""

    heading: str
    names: Sequence[str]


@dataclass(frozen=True)
class Frame:
    """Where the rows are.

    Parameters
    ----------
    figure, panels
        The drawing, and its axes from left to right: y is in inches from the first row's top.
    places
        The middle of each row, group after group.
    spans
        The top and the bottom of each group's rows.
    left, width
        Where the panels begin and how much room they have together.
    top, bottom
        Of the panels.

    """

    figure: Drawing
    panels: tuple[Axes, ...]
    places: tuple[float, ...]
    spans: tuple[tuple[float, float], ...]
    left: float
    width: float
    top: float
    bottom: float


def is_narrow(width: float) -> bool:
    """Say whether a picture is for a phone."""
    return width < 5


def frame(
    groups: Sequence[Labels],
    width: float,
    *,
    panels: int = 1,
    gap: float = 0.2,
    top: float = 0.1,
    foot: float = 0.55,
    right: float = 0.1,
) -> Frame:
    """Return an empty picture with the names of the rows written at the left.

    Parameters
    ----------
    groups
        What the rows are called.
    width
        Of the picture, in inches.
    panels, gap
        How many axes stand side by side, and the room between them.
    top, foot, right
        Room above, below and to the right of the panels.

    """
    narrow = is_narrow(width)
    names = [n for g in groups for n in g.names]
    most = 1.35 if narrow else 2.2
    left = min(max((text_width(n, SMALL) for n in names), default=0.5) + 0.2, most)
    places: list[float] = []
    spans: list[tuple[float, float]] = []
    headings: list[tuple[float, str]] = []
    y = 0.0
    for group in groups:
        if group.heading:
            headings.append((y + _HEADING * 0.6, group.heading))
            y += _HEADING
        first = y
        places += [y + ROW * (i + 0.5) for i in range(len(group.names))]
        y += ROW * len(group.names)
        spans.append((first, y))
    figure = canvas(width, top + y + foot)
    room = width - left - right
    each = (room - gap * (panels - 1)) / panels
    found = tuple(axes(figure, left + i * (each + gap), top, each, y) for i in range(panels))
    for ax in found:
        ax.set_ylim(y, 0)
    for place, heading in headings:
        write(figure, _EDGE, top + place, fitted(heading, width - 0.2), weight="bold")
    for place, name in zip(places, names, strict=True):
        text = fitted(name, left - 0.12, SMALL)
        write(figure, left - 0.1, top + place, text, ha="right", size=SMALL)
    return Frame(figure, found, tuple(places), tuple(spans), left, room, top, top + y)


def grid(ax: Axes, spans: Sequence[tuple[float, float]]) -> None:
    """Draw a panel's vertical lines beside its rows, and not across the headings."""
    low, high = ax.get_xlim()
    for x in ax.get_xticks():
        if low <= x <= high:
            for top, bottom in spans:
                ax.plot([x, x], [top, bottom], color=GRID, linewidth=0.6, zorder=0.4)


def line(ax: Axes, x: float, spans: Sequence[tuple[float, float]]) -> None:
    """Draw a threshold as a dashed line beside the rows."""
    for top, bottom in spans:
        ax.plot(
            [x, x], [top, bottom], color=MUTED, linewidth=1.1, linestyle=(0, (4, 2)), zorder=3.5
        )


def beside(found: Frame, y: float, text: str) -> None:
    """Write a text at the right of the row whose middle is at ``y``."""
    write(found.figure, found.left + found.width + 0.12, found.top + y, text, size=SMALL)


def wrapped(rooms: Sequence[float], width: float) -> list[list[tuple[float, int]]]:
    """Return the lines of a legend: where each entry begins, and which it is.

    Parameters
    ----------
    rooms
        How wide each entry is, in inches.
    width
        Of a line; an entry that is wider has one of its own.

    """
    lines: list[list[tuple[float, int]]] = [[]]
    x = 0.0
    for i, room in enumerate(rooms):
        if lines[-1] and x + room > width:
            lines.append([])
            x = 0.0
        lines[-1].append((x, i))
        x += room
    return lines


def foot(found: Frame, text: str) -> None:
    """Write what the horizontal axis is, below it."""
    w, _ = found.figure.get_size_inches()
    left = found.panels[0].get_position().x0 * w
    place = _EDGE if is_narrow(float(w)) else left
    room = float(w) - 0.1 - place
    write(
        found.figure,
        place,
        found.bottom + 0.4,
        fitted(text, room, SMALL),
        color=MUTED,
        size=SMALL,
    )
