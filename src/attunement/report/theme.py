"""Colors of the figures, and how a figure drawn for paper becomes one that follows the page.

Figures are drawn once, with the light colors, and saved so. In the page each of these colors turns
into a class, and the style sheet gives the class its light or its dark color.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

INK = "#1d2430"
MUTED = "#565f6e"
GRID = "#d6dbe2"
BAND = "#d9e2ec"
PAPER = "#ffffff"
HIGH = "#b3541e"
LOW = "#0b6aa2"
SERIES = (
    ("#0072b2", "o"),
    ("#c4510a", "s"),
    ("#00835f", "D"),
    ("#a8478a", "^"),
    ("#946600", "v"),
    ("#4b50a8", "P"),
    ("#7a4a2b", "X"),
    ("#5b6570", "p"),
)
"""A source's color and marker; both differ, so that neither color vision nor print is needed.

After eight sources the colors start again with the next marker.
"""
_CLASSES = {
    INK: "ink",
    MUTED: "muted",
    GRID: "grid",
    BAND: "band",
    PAPER: "paper",
    HIGH: "high",
    LOW: "low",
    **{color: f"c{i}" for i, (color, _) in enumerate(SERIES)},
}
_SETTINGS: dict[str, Any] = {
    "svg.hashsalt": "attunement",
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica", "sans-serif"],
    "font.size": 9.0,
    "axes.linewidth": 0.8,
    "path.simplify": False,
}
_PLACES = ("x", "y", "width", "height", "transform")
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


def series(index: int) -> tuple[str, str]:
    """Return color and marker of the source at ``index``; the same pair comes back after 64."""
    color, _ = SERIES[index % len(SERIES)]
    _, marker = SERIES[(index + index // len(SERIES)) % len(SERIES)]
    return color, marker


@contextmanager
def drawing() -> Iterator[None]:
    """Set what makes figures look alike and come out the same twice; names are never markup."""
    import matplotlib

    settings: Any = _SETTINGS
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        # A source may have a name in a script that the figure's font lacks; the SVG still has it.
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from")
        warnings.filterwarnings("ignore", message=r"Matplotlib currently does not support")
        yield


def as_svg(figure: Drawing, title: str) -> str:
    """Return the figure as an SVG document, without a date, for files."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    out = io.StringIO()
    canvas: Any = FigureCanvasSVG(figure)
    canvas.print_svg(
        out, metadata={"Date": None, "Creator": None, "Format": None, "Type": None, "Title": title}
    )
    return out.getvalue()


def as_png(figure: Drawing, *, dpi: int = 200) -> bytes:
    """Return the figure as PNG bytes, without a date or a program's name."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    out = io.BytesIO()
    figure.set_dpi(dpi)
    canvas: Any = FigureCanvasAgg(figure)
    canvas.print_png(out, metadata={"Software": None})
    return out.getvalue()


def for_page(svg: str, prefix: str, label: str) -> str:
    """Return an SVG document as an element for the page: themed, compact, its ids its own.

    Style attributes become presentation attributes, because the page's policy allows no inline
    style; ids are prefixed, because two figures share one page.
    """
    root = ElementTree.fromstring(svg)  # our own output, written a moment ago
    parents = {child: parent for parent in root.iter() for child in parent}
    used = set(re.findall(r'(?:url\(#|href="#)([^")]+)', svg))
    for element in list(root.iter()):
        name = element.tag.rsplit("}", 1)[-1]
        if name in ("metadata", "style", "title"):
            parents[element].remove(element)
            continue
        element.tag = name
        attributes = dict(element.attrib)
        element.attrib.clear()
        for key, value in attributes.items():
            _carry_over(element, key.rsplit("}", 1)[-1], value, prefix, used)
        if name == "text" or name == "tspan":
            continue
        element.text = None
    for element in root.iter():
        element.tail = None
    _, _, width, height = (float(v) for v in root.attrib["viewBox"].split())
    # 72 points are an inch, and an inch is 96 pixels.
    root.attrib.update(
        {
            "width": f"{width * 96 / 72:.0f}",
            "height": f"{height * 96 / 72:.0f}",
            "role": "img",
            "aria-label": label,
        }
    )
    return ElementTree.tostring(root, encoding="unicode")


def _carry_over(
    element: ElementTree.Element, key: str, value: str, prefix: str, used: set[str]
) -> None:
    if key == "id":
        if value in used:
            element.set("id", prefix + value)
    elif key == "href":
        element.set("href", "#" + prefix + value.lstrip("#"))
    elif key == "style":
        for declaration in value.split(";"):
            name, _, setting = (part.strip() for part in declaration.partition(":"))
            if name:
                _style(element, name, setting)
    elif key == "version" or (element.tag == "svg" and key in ("width", "height")):
        return
    elif key == "clip-path":
        element.set(key, value.replace("url(#", "url(#" + prefix))
    elif key == "transform" and value.startswith("rotate(-0 "):
        return
    elif key == "d":
        element.set(key, " ".join(_NUMBER.sub(_rounded, value).split()))
    else:
        element.set(key, _NUMBER.sub(_rounded, value) if key in _PLACES else value)


def _style(element: ElementTree.Element, name: str, value: str) -> None:
    if name in ("fill", "stroke") and value in _CLASSES:
        short = f"{name[0]}-{_CLASSES[value]}"
        element.set("class", f"{element.get('class', '')} {short}".strip())
    elif name == "font":
        sizes = re.search(r"([\d.]+px)", value)
        element.set("font-size", sizes.group(1) if sizes else "12px")
        weight = re.match(r"(?:\w+ )?(bold|[6-9]00)\b", value)
        if weight:
            element.set("font-weight", weight.group(1))
    elif name != "font-family":
        element.set(name, value)


def _rounded(match: re.Match[str]) -> str:
    return f"{float(match.group()):.2f}".rstrip("0").rstrip(".")
