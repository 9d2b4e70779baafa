"""Pictures of a correlation matrix: the matrix itself, and its eigenvalues beside chance."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from attunement.report.formats import missing, number
from attunement.report.plots import SMALL, axes, canvas, fitted, text_width, write
from attunement.report.rows import is_narrow
from attunement.report.theme import BAND, GRID, HIGH, INK, LOW, MUTED, PAPER, SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

Floats = NDArray[np.float64]

_LEAST_WITH_NUMBER = 0.225
"""Inches of a cell that has room for two digits."""
_MOST = 0.55


def correlation_map(
    names: Sequence[str], sizes: Sequence[int], values: Floats, width: float
) -> Drawing:
    """Draw the lower half of a correlation matrix: blue above 0, orange below, fuller farther off.

    Parameters
    ----------
    names
        Of the rows and columns, one a row of ``values``.
    sizes
        How many rows each subscale has, in order: a line parts them.
    values
        Shape (k, k), -1 to 1, NaN where undefined.
    width
        In inches.

    """
    k = len(names)
    narrow = is_narrow(width)
    size = min(SMALL, max(5.0, 72 * (width - 0.9) / k * 0.85))
    left = min(max(text_width(n, size) for n in names) + 0.14, 1.0 if narrow else 1.8)
    cell = min((width - left - 0.1) / k, _MOST)
    foot = left + 0.02
    figure = canvas(width, 0.1 + cell * k + foot + 0.36)
    ax = axes(figure, left, 0.1, cell * k, cell * k)
    ax.spines["bottom"].set_visible(False)
    ax.set_xticks([])
    ax.set_xlim(0, k)
    ax.set_ylim(k, 0)
    _cells(ax, values, cell)
    edges = np.cumsum([0, *sizes])
    for low, high in itertools.pairwise(edges):
        ax.plot([low, high, high], [high, high, low], color=MUTED, linewidth=0.9, zorder=3)
        ax.plot([low, low, high], [high, low, low], color=MUTED, linewidth=0.9, zorder=3)
    for i, name in enumerate(names):
        middle = cell * (i + 0.5)
        text = fitted(name, left - 0.1, size)
        write(figure, left - 0.07, 0.1 + middle, text, ha="right", size=size)
        write(
            figure, left + middle, 0.1 + cell * k + 0.06, text,
            ha="center", va="top", rotation=90, size=size,
        )  # fmt: skip
    _scale(figure, left, 0.1 + cell * k + foot + 0.12)
    return figure


def _cells(ax: Axes, values: Floats, cell: float) -> None:
    from matplotlib.patches import Rectangle

    for y in range(len(values)):
        for x in range(y):
            value = float(values[y, x])
            known = not missing(value)
            ax.add_patch(
                Rectangle(
                    (x + 0.03, y + 0.03), 0.94, 0.94,
                    facecolor=LOW if value > 0 else HIGH, alpha=_opacity(value),
                    edgecolor="none",
                )
            )  # fmt: skip
            if cell >= _LEAST_WITH_NUMBER or not known:
                text = number(value).replace("0.", ".", 1) if known else "?"
                ax.text(
                    x + 0.5, y + 0.5, text,
                    ha="center", va="center", color=INK, size=SMALL if cell > 0.36 else 6,
                )  # fmt: skip


def _opacity(value: float) -> float:
    return 0.0 if missing(value) else 0.05 + 0.65 * min(abs(value), 1.0) ** 0.8


def _scale(figure: Drawing, x: float, y: float) -> None:
    from matplotlib.patches import Rectangle

    w, h = figure.get_size_inches()
    steps = (-0.8, -0.4, -0.1, 0.1, 0.4, 0.8)
    for i, value in enumerate(steps):
        figure.add_artist(
            Rectangle(
                ((x + 0.3 * i) / w, 1 - (y + 0.06) / h), 0.28 / w, 0.12 / h,
                facecolor=LOW if value > 0 else HIGH, alpha=_opacity(value), edgecolor="none",
            )
        )  # fmt: skip
        write(
            figure, x + 0.3 * i + 0.14, y + 0.15, number(value, 1), size=6.5, color=MUTED,
            ha="center",
        )  # fmt: skip


def scree(
    values: Sequence[float],
    mean: Sequence[float],
    high: Sequence[float],
    suggested: int,
    width: float,
) -> Drawing:
    """Draw eigenvalues, largest first, against those of shuffled answers.

    Parameters
    ----------
    values
        Of the correlation matrix.
    mean, high
        Mean and upper quantile of the same of shuffled answers.
    suggested
        How many are above chance: filled, the others hollow.
    width
        In inches.

    """
    from matplotlib.ticker import MaxNLocator

    color, _ = SERIES[0]
    n = len(values)
    height = 2.2 if is_narrow(width) else 2.9
    figure = canvas(width, height + 0.95)
    ax = axes(figure, 0.42, 0.4, width - 0.6, height)
    ax.set_xlim(0.5, n + 0.5)
    ax.set_ylim(min(0.0, min(values)), max(*values, *high) * 1.06)
    ax.xaxis.set_major_locator(MaxNLocator(8 if is_narrow(width) else 14, integer=True))
    ax.set_xticks([t for t in ax.get_xticks() if 1 <= t <= n])
    ax.yaxis.set_major_locator(MaxNLocator(5))
    ax.tick_params(axis="y", colors=MUTED, labelsize=SMALL, length=0, pad=3)
    ax.yaxis.set_major_formatter(lambda v, _: number(v, 0 if v == round(v) else 1))
    ax.grid(axis="y", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    places = list(range(1, n + 1))
    ax.fill_between(places, mean, high, facecolor=BAND, edgecolor="none", zorder=1)
    ax.plot(places, high, color=MUTED, linewidth=1.1, linestyle=(0, (4, 2)), zorder=2)
    ax.plot(places, values, color=color, linewidth=1.4, zorder=3)
    for i, value in enumerate(values):
        ax.plot(
            [i + 1], [value],
            marker="o", markersize=6 if n < 20 else 4.5, markeredgecolor=color,
            markerfacecolor=color if i < suggested else PAPER, markeredgewidth=1.2,
            linestyle="none", zorder=4, clip_on=False,
        )  # fmt: skip
    write(
        figure, 0.08, 0.14, fitted("Eigenvalue (● above chance, - - chance)", width - 0.2, SMALL),
        size=SMALL, color=MUTED,
    )  # fmt: skip
    write(figure, 0.42, height + 0.4 + 0.38, "Factor", size=SMALL, color=MUTED)
    return figure
