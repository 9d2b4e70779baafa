"""Pictures of dots: with intervals, in panels, and on an axis of p values.

All are laid out in inches, because they are drawn for two widths: the page and the phone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attunement.report.formats import interval, missing, number, one_line
from attunement.report.theme import BAND, GRID, INK, MUTED, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

SIZE = 9.0
SMALL = 8.0
_EM = 0.61
"""Mean width of a letter of the figure's font, as a part of its size."""


@dataclass(frozen=True)
class Mark:
    """One estimate to draw, in its source's color and shape."""

    label: str
    estimate: float | None
    low: float | None
    high: float | None
    color: str
    marker: str
    reason: str = ""


@dataclass(frozen=True)
class Panel:
    """Marks under one heading, and what they are held against.

    Parameters
    ----------
    title
        Heading of the panel.
    marks
        One a row.
    line, band
        The yardstick and its interval.
    zero
        Whether the values are distances: the axis starts at 0, and very long intervals are cut.
    decimals
        Of the values that are written.

    """

    title: str
    marks: Sequence[Mark]
    line: float | None = None
    band: tuple[float, float] | None = None
    zero: bool = True
    decimals: int = 2


def text_width(text: str, size: float = SIZE) -> float:
    """Return about how many inches a text takes."""
    return len(text) * size * _EM / 72


def fitted(text: str, inches: float, size: float = SIZE) -> str:
    """Return a name cut in its middle to fit a width: names often differ at their end."""
    limit = max(5, int(inches * 72 / (size * _EM)))
    name = one_line(text)
    if len(name) <= limit:
        return name
    tail = (limit - 1) // 2
    return f"{name[: limit - 1 - tail].rstrip()}…{name[-tail:].lstrip()}"


def canvas(width: float, height: float) -> Drawing:
    """Return an empty figure of this many inches on white paper."""
    from matplotlib.figure import Figure as Drawing

    return Drawing(figsize=(width, height), facecolor=PAPER)


def axes(figure: Drawing, left: float, top: float, width: float, height: float) -> Axes:
    """Return axes at a place given in inches from the top left corner, without a frame."""
    w, h = figure.get_size_inches()
    found: Axes = figure.add_axes((left / w, 1 - (top + height) / h, width / w, height / h))
    found.set_facecolor("none")
    for side in ("top", "right", "left"):
        found.spines[side].set_visible(False)
    found.spines["bottom"].set_color(MUTED)
    found.tick_params(
        axis="x", colors=MUTED, labelsize=SMALL, length=3, width=0.8, pad=2, direction="out"
    )
    found.set_yticks([])
    return found


def write(figure: Drawing, x: float, y: float, text: str, **how: Any) -> None:
    """Write text at a place given in inches from the top left corner."""
    w, h = figure.get_size_inches()
    settings: dict[str, Any] = {"color": INK, "size": SIZE, "va": "center", "ha": "left", **how}
    figure.text(x / w, 1 - y / h, text, **settings)


def _span(panel: Panel) -> tuple[float, float]:
    marks = [(m.estimate, m.low, m.high) for m in panel.marks]
    centers = [e for e, _, _ in marks if e is not None and not missing(e)]
    centers += [] if panel.line is None else [panel.line]
    ends = [v for _, *ends in marks for v in ends if v is not None and not missing(v)]
    ends += list(panel.band or ())
    if not centers:
        return (0.0, 1.0)
    low, high = min(centers + ends), max(centers + ends)
    if panel.zero:
        # A distance is not below 0; of an interval from two or three items the page shows a part,
        # or it would press all the marks together.
        low, high = 0.0, max(1.1 * max(centers), min(high, 2 * max(centers)))
    room = (high - low or abs(high) or 1.0) * 0.06
    return (low if panel.zero else low - room, high + room)


def draw_panel(
    ax: Axes, panel: Panel, row: float, *, ticks: int = 4, strip: float | None = None
) -> None:
    """Draw one panel's marks, a row each, against its yardstick; ``row`` is in inches.

    ``strip`` limits the yardstick to a part of each row, where names stand between the marks.
    """
    from matplotlib.ticker import MaxNLocator

    n = len(panel.marks)
    ax.set_xlim(*_span(panel))
    ax.set_ylim(n - 0.5, -0.5)
    ax.xaxis.set_major_locator(
        MaxNLocator(ticks, steps=[1, 2, 2.5, 5, 10], integer=panel.decimals == 0)
    )
    ax.xaxis.set_major_formatter(lambda v, _: number(v, _places(ax)))
    if strip is None:
        ax.grid(axis="x", color=GRID, linewidth=0.6)
        ax.set_axisbelow(True)
    reach = [(-0.5, n - 0.5)] if strip is None else [(y - strip, y + strip) for y in range(n)]
    for low, high in reach:
        if panel.band is not None:
            ax.fill_betweenx([low, high], *panel.band, facecolor=BAND, edgecolor="none", zorder=0.5)
        if panel.line is not None:
            ax.plot(
                [panel.line] * 2,
                [low, high],
                color=MUTED,
                linewidth=1.1,
                linestyle=(0, (4, 2)),
                zorder=1,
            )
    for y, mark in enumerate(panel.marks):
        if mark.estimate is None or missing(mark.estimate):
            ax.text(
                0.02,
                y,
                "not available",
                color=MUTED,
                size=SMALL,
                va="center",
                transform=ax.get_yaxis_transform(),
                bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1},
            )
            continue
        if mark.low is not None and mark.high is not None and not missing(mark.low):
            ax.plot(
                [mark.low, mark.high],
                [y, y],
                color=mark.color,
                linewidth=1.8,
                solid_capstyle="butt",
                zorder=3,
            )
        size = min(7.0, row * 30)
        ax.plot(
            [mark.estimate],
            [y],
            marker=mark.marker,
            color=mark.color,
            markersize=size,
            markeredgecolor=PAPER,
            markeredgewidth=0.8,
            linestyle="none",
            zorder=4,
            clip_on=False,
        )


def _places(ax: Axes) -> int:
    ticks = [t for t in ax.get_xticks() if math.isfinite(t)]
    step = min((b - a for a, b in itertools.pairwise(ticks)), default=1.0)
    places = 0
    while places < 4 and abs(step * 10**places - round(step * 10**places)) > 1e-6:
        places += 1
    return places


def overview(panel: Panel, width: float, key: str, axis: str) -> Drawing:
    """Draw one panel large: name, dots, and the numbers written beside or, where narrow, above."""
    narrow = width < 5
    row = 0.5 if narrow else 0.4
    top = 0.42 if key else 0.12
    names = max((text_width(m.label, 9.5) for m in panel.marks), default=1.0)
    left = 0.08 if narrow else min(names + 0.15, 2.4)
    right = 0.2 if narrow else 1.6
    height = row * len(panel.marks)
    figure = canvas(width, top + height + 0.5)
    ax = axes(figure, left, top, width - left - right, height)
    draw_panel(ax, panel, 0.24, strip=0.22 if narrow else None)
    if narrow:
        # The lower part of a row holds the mark; the upper its name and numbers.
        ax.set_ylim(len(panel.marks) - 0.5 - 0.28, -0.5 - 0.28)
    for i, mark in enumerate(panel.marks):
        y = top + row * (i + 0.5)
        value = number(mark.estimate, panel.decimals)
        span = interval(mark.low, mark.high, panel.decimals)
        if narrow:
            y = top + row * (i + 0.24)
            label = fitted(mark.label, width - 0.2 - text_width(f"{value} {span}", SMALL))
            write(figure, 0.08, y, label, weight="bold")
            write(figure, width - 0.08, y, f"{value} {span}", ha="right", color=MUTED, size=SMALL)
        else:
            write(figure, left - 0.12, y, fitted(mark.label, left, 9.5), ha="right", size=9.5)
            write(figure, width - right + 0.15, y, value, weight="bold", size=9.5)
            shift = 0.15 + text_width(value, 10.5) + 0.06
            write(figure, width - right + shift, y, span, color=MUTED, size=SMALL)
    if key:
        _key(figure, left if not narrow else 0.08, 0.16, key, line=panel.line is not None)
    write(figure, left, top + height + 0.38, axis, color=MUTED, size=SMALL)
    return figure


def _key(figure: Drawing, x: float, y: float, text: str, *, line: bool = True) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle

    w, h = figure.get_size_inches()
    figure.add_artist(
        Rectangle((x / w, 1 - (y + 0.07) / h), 0.28 / w, 0.14 / h, facecolor=BAND, edgecolor="none")
    )
    if line:
        middle = (x + 0.14) / w
        figure.add_artist(
            Line2D(
                [middle, middle],
                [1 - (y + 0.07) / h, 1 - (y - 0.07) / h],
                color=MUTED,
                linewidth=1.1,
                linestyle=(0, (2, 1)),
            )
        )
    write(figure, x + 0.36, y, text, color=MUTED, size=SMALL)


def small_multiples(panels: Sequence[Panel], width: float, key: str) -> Drawing:
    """Draw panels in a grid, the names once a line of the grid; one column where narrow."""
    narrow = width < 5
    row = 0.22
    rows = max(len(p.marks) for p in panels)
    names = max(text_width(m.label, SMALL) for p in panels for m in p.marks)
    left = min(names + 0.14, 1.25 if narrow else 1.7)
    gap, top, head, foot = 0.22, 0.36 if key else 0.08, 0.3, 0.36
    longest = max(text_width(p.title, SIZE * 1.1) for p in panels)
    room = width - left - 0.12 + gap
    # As many columns as leave the headings whole, but not so few that the dots lose each other.
    fitting = max(3, min(4, int(room / (longest + gap))))
    columns = 1 if narrow else min(len(panels), fitting)
    lines = math.ceil(len(panels) / columns)
    height = row * rows
    each = (width - left - 0.12 - gap * (columns - 1)) / columns
    figure = canvas(width, top + lines * (head + height + foot))
    if key:
        _key(figure, 0.08, 0.16, key)
    for i, panel in enumerate(panels):
        line, column = divmod(i, columns)
        x, y = left + column * (each + gap), top + line * (head + height + foot) + head
        used = row * len(panel.marks)
        ax = axes(figure, x, y, each, used)
        draw_panel(ax, panel, row, ticks=4)
        title = fitted(panel.title, each + (left if narrow else 0), SIZE)
        write(figure, 0.08 if narrow else x, y - 0.13, title, weight="bold")
        if column == 0:
            for j, mark in enumerate(panel.marks):
                text = fitted(mark.label, left - 0.1, SMALL)
                write(figure, left - 0.1, y + row * (j + 0.5), text, ha="right", size=SMALL)
    return figure


@dataclass(frozen=True)
class Group:
    """A row of the p axis: a topic, and one value a source."""

    label: str
    marks: Sequence[Mark]


def p_axis(groups: Sequence[Group], width: float, axis: str) -> Drawing:
    """Draw p values on a logarithmic axis, a row a topic, with the line at 0.05."""
    from matplotlib.ticker import FixedLocator, NullLocator

    narrow = width < 5
    marks = list(groups[0].marks)
    left = 0.08 if narrow else min(max(text_width(g.label) for g in groups) + 0.15, 2.2)
    legend = _legend_rows(marks, width - 0.16)
    top = 0.22 * len(legend) + 0.34
    row = max(0.5 if narrow else 0.34, 0.1 * len(marks) + (0.2 if narrow else 0.0))
    height = row * len(groups)
    figure = canvas(width, top + height + 0.52)
    for y, line in enumerate(legend):
        for x, mark in line:
            _legend_entry(figure, 0.16 + x, 0.16 + 0.22 * y, mark)
    ax = axes(figure, left, top, width - left - 0.2, height)
    ax.set_xscale("log")
    ax.set_xlim(0.0008, 1.25)
    ax.set_ylim(len(groups) - 0.5, -0.5)
    ax.xaxis.set_major_locator(FixedLocator([0.001, 0.01, 0.05, 0.2, 1]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticklabels(["≤0.001", "0.01", "0.05", "0.2", "1"])
    ax.grid(axis="x", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.axvspan(0.0008, 0.05, facecolor=BAND, edgecolor="none", zorder=0.5)
    ax.axvline(0.05, color=MUTED, linewidth=1.1, linestyle=(0, (4, 2)))
    write(figure, left, top - 0.12, "below 0.05", color=MUTED, size=SMALL)
    for y, group in enumerate(groups):
        if y:
            ax.axhline(y - 0.5, color=GRID, linewidth=0.6)
        place = top + row * (y + 0.5)
        if narrow:
            write(
                figure, 0.08, top + row * y + 0.12, fitted(group.label, width - 0.3), weight="bold"
            )
        else:
            write(figure, left - 0.12, place, fitted(group.label, left), ha="right")
        shift = 0.2 / row if narrow else 0.0
        for i, mark in enumerate(group.marks):
            if mark.estimate is None or missing(mark.estimate):
                continue
            spread = (i + 0.5) / len(group.marks) - 0.5
            ax.plot(
                [max(mark.estimate, 0.001)],
                [y + shift / 2 + spread * (0.7 - shift)],
                marker=mark.marker,
                color=mark.color,
                markersize=6,
                markeredgecolor=PAPER,
                markeredgewidth=0.7,
                linestyle="none",
                zorder=4,
                clip_on=False,
            )
    write(figure, left, top + height + 0.38, axis, color=MUTED, size=SMALL)
    return figure


def _legend_rows(marks: Sequence[Mark], width: float) -> list[list[tuple[float, Mark]]]:
    rows: list[list[tuple[float, Mark]]] = [[]]
    x = 0.0
    for mark in marks:
        need = 0.34 + text_width(fitted(mark.label, width - 0.4, SMALL), SMALL)
        if rows[-1] and x + need > width:
            rows.append([])
            x = 0.0
        rows[-1].append((x, mark))
        x += need
    return rows


def _legend_entry(figure: Drawing, x: float, y: float, mark: Mark) -> None:
    from matplotlib.lines import Line2D

    w, h = figure.get_size_inches()
    figure.add_artist(
        Line2D(
            [x / w],
            [1 - y / h],
            marker=mark.marker,
            color=mark.color,
            markersize=6,
            markeredgecolor=PAPER,
            markeredgewidth=0.7,
            linestyle="none",
        )
    )
    write(figure, x + 0.12, y, fitted(mark.label, w - x - 0.3, SMALL), size=SMALL)
