"""The heat map of z values, for two widths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attunement.report.formats import missing, number
from attunement.report.plots import SIZE, SMALL, axes, canvas, fitted, text_width, write
from attunement.report.theme import HIGH, INK, LOW, MUTED

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    width: float,
) -> Drawing:
    """Draw z values as a heat map: blue below 0, orange above, darker the farther from 0.

    The color is laid over the paper with an opacity that grows up to a distance of 3, so that the
    same picture reads on white and on black.
    """
    from matplotlib.patches import Rectangle

    narrow = width < 5
    label = SMALL if narrow else SIZE
    left = min(max(text_width(r, label) for r in rows) + 0.15, 1.5 if narrow else 3.0)
    per = max(1, min(len(columns), 3 if narrow else 12))
    blocks = [range(i, min(i + per, len(columns))) for i in range(0, len(columns), per)]
    names = [fitted(c, 1.05 if narrow else 1.5, SMALL) for c in columns]
    longest = max(text_width(n, SMALL) for n in names)
    cell = min((width - left - 0.12) / per, 1.2)
    flat = longest < cell - 0.05
    if not flat:
        # The last name leans out to the right by this much.
        cell = min((width - left - 0.6 * longest - 0.1) / per, 1.2)
    head = 0.3 if flat else longest * 0.75 + 0.2
    row = 0.34 if narrow else 0.28
    block_height = head + row * len(rows) + 0.15
    figure = canvas(width, block_height * len(blocks) + 0.1)
    for b, block in enumerate(blocks):
        top = b * block_height + head
        ax = axes(figure, left, top, cell * len(block), row * len(rows))
        ax.spines["bottom"].set_visible(False)
        ax.set_xticks([])
        ax.set_xlim(0, len(block))
        ax.set_ylim(len(rows), 0)
        for x, c in enumerate(block):
            turned: dict[str, Any] = (
                {"ha": "center"} if flat else {"rotation": 45, "rotation_mode": "anchor"}
            )
            write(
                figure,
                left + cell * (x + (0.5 if flat else 0.42)),
                top - 0.07,
                names[c],
                size=SMALL,
                va="bottom",
                **turned,
            )
            for y in range(len(rows)):
                value = values[y][c]
                known = value is not None and not missing(value)
                color = HIGH if known and (value or 0) > 0 else LOW
                alpha = 0.06 + 0.54 * min(abs(value or 0.0), 3.0) / 3.0 if known else 0.0
                ax.add_patch(
                    Rectangle(
                        (x + 0.02, y + 0.04),
                        0.96,
                        0.92,
                        facecolor=color,
                        alpha=alpha,
                        edgecolor="none",
                    )
                )
                strong = known and abs(value or 0) > 1.96
                ax.text(
                    x + 0.5,
                    y + 0.5,
                    number(value, 1 if cell < 0.42 else 2),
                    ha="center",
                    va="center",
                    size=SMALL if cell >= 0.4 else 7,
                    color=INK if known else MUTED,
                    weight="bold" if strong else "normal",
                )
        for y, name in enumerate(rows):
            text = _two_lines(name, left - 0.1, label) if narrow else fitted(name, left, label)
            write(
                figure,
                left - 0.1,
                top + row * (y + 0.5),
                text,
                ha="right",
                size=label,
                linespacing=1.05,
                multialignment="right",
            )
    return figure


def _two_lines(text: str, inches: float, size: float) -> str:
    if text_width(text, size) <= inches:
        return text
    first, dash, second = text.partition(" – ")
    if not dash:
        return fitted(text, inches, size)
    return f"{fitted(first, inches - 0.1, size)} –\n{fitted(second, inches, size)}"
