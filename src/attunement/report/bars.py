"""Pictures with a bar an item: one value with its interval, or the shares of all answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attunement.report.formats import missing, number
from attunement.report.plots import SMALL, fitted, text_width, write
from attunement.report.rows import ROW, Labels, beside, foot, frame, grid, is_narrow, line, wrapped
from attunement.report.theme import BAND, HIGH, INK, LOW, MUTED

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

_THICK = 0.68
_LEAST_WRITTEN = 0.07
"""A share below this has no room for its number."""


@dataclass(frozen=True)
class Bar:
    """One value: the bar, its interval and what is written at the right.

    Parameters
    ----------
    label
        Name of the row.
    value, low, high
        None or NaN where there is none.
    color
        Of the bar.
    said
        Written after the value, since color alone says nothing to some.

    """

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    color: str = LOW
    said: str = ""


@dataclass(frozen=True)
class Bars:
    """Bars under one heading."""

    heading: str
    rows: Sequence[Bar]


def bars(
    groups: Sequence[Bars],
    width: float,
    *,
    axis: str,
    threshold: float | None = None,
    decimals: int = 2,
) -> Drawing:
    """Draw a horizontal bar a row from zero, with intervals and a dashed threshold."""
    from matplotlib.patches import Rectangle
    from matplotlib.ticker import MaxNLocator

    every = [b for g in groups for b in g.rows]
    texts = [f"{number(b.value, decimals)} {b.said}".strip() for b in every]
    right = min(max((text_width(t, SMALL) for t in texts), default=0.3) + 0.2, 1.7)
    found = frame(
        [Labels(g.heading, [b.label for b in g.rows]) for g in groups], width, right=right
    )
    (ax,) = found.panels
    ax.set_xlim(*_limits(every, threshold))
    ax.xaxis.set_major_locator(
        MaxNLocator(4 if is_narrow(width) else 6, steps=[1, 2, 5, 10], integer=decimals == 0)
    )
    ax.xaxis.set_major_formatter(lambda v, _: number(v, decimals and 1))
    grid(ax, found.spans)
    for bar, y, text in zip(every, found.places, texts, strict=True):
        if bar.value is not None and not missing(bar.value):
            ax.add_patch(
                Rectangle(
                    (min(0.0, bar.value), y - ROW * _THICK / 2),
                    abs(bar.value),
                    ROW * _THICK,
                    facecolor=bar.color,
                    alpha=0.55,
                    edgecolor="none",
                    zorder=2,
                )
            )
            if bar.low is not None and bar.high is not None and not missing(bar.low):
                ax.plot([bar.low, bar.high], [y, y], color=INK, linewidth=1.2, zorder=3)
        beside(found, y, text)
    for top, bottom in found.spans:
        ax.plot([0, 0], [top, bottom], color=MUTED, linewidth=0.8, zorder=3)
    if threshold is not None:
        line(ax, threshold, found.spans)
    foot(found, axis)
    return found.figure


def _limits(rows: Sequence[Bar], threshold: float | None) -> tuple[float, float]:
    ends = [v for b in rows for v in (b.value, b.low, b.high) if v is not None and not missing(v)]
    ends += [0.0] + ([threshold] if threshold is not None else [])
    low, high = min(ends), max(ends)
    room = (high - low or 1.0) * 0.05
    return (low - room if low < 0 else 0.0), high + room


@dataclass(frozen=True)
class Stack:
    """The shares of one row, 0 to 1, in the order of the names, and what is written at its end."""

    label: str
    shares: Sequence[float]
    said: str = ""


@dataclass(frozen=True)
class Stacks:
    """Stacked bars under one heading."""

    heading: str
    rows: Sequence[Stack]


def shades(n: int, middle: int | None = None) -> list[tuple[str, float]]:
    """Return color and opacity of each of ``n`` ordered answers, the lowest first.

    Parameters
    ----------
    n
        Answers.
    middle
        The place of the neutral one: orange below it, blue above. By default the middle, which an
        even number of answers does not have.

    """
    center = (n - 1) / 2 if middle is None else float(middle)
    found = []
    for i in range(n):
        away = i - center
        if abs(away) < 0.25:
            found.append((BAND, 1.0))
            continue
        reach = (n - 1 - center) if away > 0 else center
        strength = abs(away) / reach if reach else 1.0
        found.append((LOW if away > 0 else HIGH, 0.15 + 0.5 * strength))
    return found


def stacked(
    groups: Sequence[Stacks],
    width: float,
    *,
    names: Sequence[str],
    colors: Sequence[tuple[str, float]],
    axis: str,
    threshold: float | None = None,
    counts: bool = False,
) -> Drawing:
    """Draw a stacked bar a row, with the values that have room written in.

    Parameters
    ----------
    groups
        The rows.
    width
        Of the picture, in inches.
    names, colors
        Of what is stacked, with opacity.
    axis
        What the horizontal axis is.
    threshold
        Where a dashed line stands.
    counts
        Whether the values are counts, and not shares of 1.

    """
    from matplotlib.patches import Rectangle
    from matplotlib.ticker import MaxNLocator

    every = [s for g in groups for s in g.rows]
    right = max((text_width(s.said, SMALL) for s in every), default=0.0) + 0.22
    room = width - 0.2
    lines = wrapped(
        [0.4 + text_width(fitted(name, room - 0.5, SMALL), SMALL) for name in names], room
    )
    found = frame(
        [Labels(g.heading, [s.label for s in g.rows]) for g in groups],
        width,
        right=right,
        top=0.12 + 0.22 * len(lines),
    )
    for i, line_of in enumerate(lines):
        for x, which in line_of:
            _entry(found.figure, 0.08 + x, 0.13 + 0.22 * i, names[which], colors[which])
    (ax,) = found.panels
    whole = max((sum(s.shares) for s in every), default=1.0) if counts else 1.0
    ax.set_xlim(0, whole or 1.0)
    if counts:
        ax.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    else:
        ax.set_xticks([0, 0.25, 0.5, 0.75, 1])
        ax.xaxis.set_major_formatter(lambda v, _: f"{100 * v:.0f}\u00a0%")
    inch = found.width / (whole or 1.0)
    for stack, y in zip(every, found.places, strict=True):
        at = 0.0
        for share, (color, alpha) in zip(stack.shares, colors, strict=True):
            if share <= 0:
                continue
            ax.add_patch(
                Rectangle(
                    (at, y - ROW * 0.42),
                    share,
                    ROW * 0.84,
                    facecolor=color,
                    alpha=alpha,
                    edgecolor="none",
                    zorder=2,
                )
            )
            if (counts or share >= _LEAST_WRITTEN) and share * inch > 0.2:
                text = f"{share:.0f}" if counts else f"{100 * share:.0f}"
                ax.text(at + share / 2, y, text, size=7, color=INK, ha="center", va="center")
            at += share
        if not any(stack.shares):
            ax.text(0.01, y, "no answers", size=SMALL, color=MUTED, va="center")
        beside(found, y, stack.said)
    if threshold is not None:
        line(ax, threshold, found.spans)
    foot(found, axis)
    return found.figure


def _entry(figure: Drawing, x: float, y: float, name: str, color: tuple[str, float]) -> None:
    from matplotlib.patches import Rectangle

    w, h = figure.get_size_inches()
    figure.add_artist(
        Rectangle(
            (x / w, 1 - (y + 0.07) / h),
            0.18 / w,
            0.14 / h,
            facecolor=color[0],
            alpha=color[1],
            edgecolor="none",
        )
    )
    write(figure, x + 0.24, y, fitted(name, w - x - 0.3, SMALL), size=SMALL)
