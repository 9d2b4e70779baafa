"""Pictures with dots an item: several values against their thresholds, and moves between rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from attunement.report.formats import DASH, missing, number
from attunement.report.plots import SMALL, fitted, text_width, write
from attunement.report.rows import Labels, beside, foot, frame, grid, is_narrow, line, wrapped
from attunement.report.theme import BAND, MUTED, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

_RADIUS = 5.5


@dataclass(frozen=True)
class Field:
    """One panel.

    Parameters
    ----------
    title, short
        Heading, and the same for a phone.
    limits
        Ends of the axis.
    threshold, fails
        Where an item fails, if it can, and on which side: the side is shaded.
    decimals
        Of the ticks.

    """

    title: str
    short: str
    limits: tuple[float, float]
    threshold: float | None = None
    fails: Literal["below", "above"] = "below"
    decimals: int = 0


@dataclass(frozen=True)
class Dot:
    """One row: for each field the value and its interval, NaN where missing."""

    label: str
    values: Sequence[tuple[float, float, float]]
    color: str
    marker: str


@dataclass(frozen=True)
class Dots:
    """Rows under one heading."""

    heading: str
    rows: Sequence[Dot]


@dataclass(frozen=True)
class Key:
    """One entry of the legend."""

    name: str
    color: str
    marker: str


def fields(
    groups: Sequence[Dots], width: float, panels: Sequence[Field], key: Sequence[Key]
) -> Drawing:
    """Draw a dot a row and field, with the part of each field shaded in which an item fails."""
    lines = _lines(key, width - 0.2)
    found = frame(
        [Labels(g.heading, [d.label for d in g.rows]) for g in groups],
        width,
        panels=len(panels),
        gap=0.12 if is_narrow(width) else 0.3,
        top=0.42 + 0.22 * len(lines),
        foot=0.35,
        right=0.12,
    )
    _write_key(found.figure, lines)
    each = found.width / len(panels)
    for ax, panel, place in zip(found.panels, panels, range(len(panels)), strict=True):
        _background(ax, panel, found.spans, narrow=is_narrow(width))
        title = panel.title if text_width(panel.title, SMALL) < each - 0.25 else panel.short
        x = ax.get_position().x0 * width
        write(
            found.figure, x, found.top - 0.12, fitted(title, each, SMALL), size=SMALL, weight="bold"
        )
        rows = [d for g in groups for d in g.rows]
        for dot, y in zip(rows, found.places, strict=True):
            _dot(ax, dot, place, y)
    return found.figure


def _background(
    ax: Axes, panel: Field, spans: Sequence[tuple[float, float]], *, narrow: bool
) -> None:
    from matplotlib.ticker import MaxNLocator

    low, high = panel.limits
    room = (high - low) * 0.04
    ax.set_xlim(low - room, high + room)
    ax.xaxis.set_major_locator(MaxNLocator(3 if narrow else 5, steps=[1, 2, 2.5, 5, 10]))
    ax.xaxis.set_major_formatter(lambda v, _: number(v, 0 if v == round(v) else panel.decimals))
    ax.set_xticks([t for t in ax.get_xticks() if low <= t <= high])
    if panel.threshold is not None:
        below = panel.fails == "below"
        ends = (low - room, panel.threshold) if below else (panel.threshold, high + room)
        for top, bottom in spans:
            ax.fill_betweenx([top, bottom], *ends, facecolor=BAND, edgecolor="none", zorder=0.3)
        line(ax, panel.threshold, spans)
    grid(ax, spans)


def _dot(ax: Axes, dot: Dot, place: int, y: float) -> None:
    value, low, high = dot.values[place]
    if missing(value):
        ax.text(
            0.02, y, DASH, color=MUTED, size=SMALL, va="center", transform=ax.get_yaxis_transform()
        )
        return
    if not missing(low) and not missing(high):
        ax.plot([low, high], [y, y], color=dot.color, linewidth=1.3, zorder=3, alpha=0.75)
    ax.plot(
        [value], [y],
        marker=dot.marker, color=dot.color, markersize=_RADIUS, markeredgecolor=PAPER,
        markeredgewidth=0.6, linestyle="none", zorder=4, clip_on=False,
    )  # fmt: skip


def _lines(key: Sequence[Key], width: float) -> list[list[tuple[float, Key]]]:
    lines = wrapped([0.36 + text_width(entry.name, SMALL) for entry in key], width)
    return [[(x, key[i]) for x, i in row] for row in lines]


def _write_key(figure: Drawing, lines: Sequence[Sequence[tuple[float, Key]]]) -> None:
    from matplotlib.lines import Line2D

    w, h = figure.get_size_inches()
    for i, row in enumerate(lines):
        for x, entry in row:
            at = (0.16 + x) / w, 1 - (0.13 + 0.22 * i) / h
            figure.add_artist(
                Line2D(
                    [at[0]], [at[1]],
                    marker=entry.marker, color=entry.color, markersize=_RADIUS,
                    markerfacecolor=entry.color, linestyle="none",
                )
            )  # fmt: skip
            write(
                figure,
                0.28 + x,
                0.13 + 0.22 * i,
                fitted(entry.name, w - x - 0.3, SMALL),
                size=SMALL,
            )


@dataclass(frozen=True)
class Move:
    """One row: where it was, where it is, and what is written at the right."""

    label: str
    before: float
    after: float
    color: str
    said: str = ""


@dataclass(frozen=True)
class Moves:
    """Rows under one heading."""

    heading: str
    rows: Sequence[Move]


def moves(
    groups: Sequence[Moves],
    width: float,
    *,
    axis: str,
    limits: tuple[float, float],
    names: tuple[str, str],
    threshold: float | None = None,
) -> Drawing:
    """Draw where each row was (hollow) and is (filled), joined by a line."""
    every = [m for g in groups for m in g.rows]
    right = min(max((text_width(m.said, SMALL) for m in every), default=0.0) + 0.22, 1.6)
    key = (Key(f"○ {names[0]}", MUTED, ""), Key(f"● {names[1]}", MUTED, ""))
    lines = _lines(key, width - 0.2)
    found = frame(
        [Labels(g.heading, [m.label for m in g.rows]) for g in groups],
        width,
        right=right,
        top=0.14 + 0.22 * len(lines),
    )
    (ax,) = found.panels
    room = (limits[1] - limits[0]) * 0.03
    ax.set_xlim(limits[0] - room, limits[1] + room)
    grid(ax, found.spans)
    for i, row in enumerate(lines):
        for x, entry in row:
            write(found.figure, 0.08 + x, 0.13 + 0.22 * i, entry.name, size=SMALL, color=MUTED)
    for move, y in zip(every, found.places, strict=True):
        known = [v for v in (move.before, move.after) if not missing(v)]
        if len(known) == 2:
            ax.plot(known, [y, y], color=move.color, linewidth=1.6, zorder=3)
        for value, inside in ((move.before, PAPER), (move.after, move.color)):
            if not missing(value):
                ax.plot(
                    [value], [y],
                    marker="o", markersize=_RADIUS, markerfacecolor=inside,
                    markeredgecolor=move.color, markeredgewidth=1.2, linestyle="none",
                    zorder=4, clip_on=False,
                )  # fmt: skip
        beside(found, y, move.said)
    if threshold is not None:
        line(ax, threshold, found.spans)
    foot(found, axis)
    return found.figure
