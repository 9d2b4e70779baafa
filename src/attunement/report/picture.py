"""A figure of a page: drawn for two widths, as files and in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attunement.report import theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

WIDE, NARROW = 7.6, 3.4
"""Inches: the page's column, and a phone of 360 pixels with its margins."""


@dataclass(frozen=True)
class Figure:
    """One figure of the report.

    Parameters
    ----------
    id
        Anchor in the page and name of the files.
    title, caption
        Heading, and what to read from it.
    label
        The figure in words, for those who do not see it.
    svg, png
        The files, in light colors.
    wide, narrow
        SVG elements for the page and for the phone, which follow its colors.
    paper
        Which figure of the paper it answers to, where it does.
    descriptive
        Why no conclusion should rest on it, where none should.

    """

    id: str
    title: str
    caption: str
    label: str
    svg: str
    png: bytes
    wide: str
    narrow: str
    paper: str = ""
    descriptive: str = ""


def picture(
    id: str,
    title: str,
    caption: str,
    label: str,
    draw: Callable[[float], Drawing],
    *,
    paper: str = "",
    descriptive: str = "",
) -> Figure:
    """Draw a figure for the page, for the phone and for files.

    Parameters
    ----------
    id, title, caption, label, paper, descriptive
        As `Figure` has them.
    draw
        Draws it for a width in inches.

    """
    with theme.drawing():
        wide = draw(WIDE)
        svg = theme.as_svg(wide, title)
        narrow = theme.as_svg(draw(NARROW), title)
        png = theme.as_png(wide)
    return Figure(
        id,
        title,
        caption,
        label,
        svg,
        png,
        theme.for_page(svg, f"{id}-w-", label),
        theme.for_page(narrow, f"{id}-n-", label),
        paper,
        descriptive,
    )
