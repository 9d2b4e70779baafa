"""Consoles on which a text stays a text, whoever wrote it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from attunement.cli._plain import shown


class PlainConsole(Console):
    """A console with no markup, no emoji codes, and nothing in a text that steers the terminal.

    All that is printed goes through `render`, table cells and progress bars as well, so that no
    command can forget it. Rich's own controls (a bar's cursor) and styles are left alone.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """Turn a string into text; here already, so that a table's columns are wide enough."""
        return super().render_str(shown(text), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render an object, with control characters in its texts shown by their code."""
        for segment in super().render(renderable, options):
            if segment.control is None:
                yield Segment(shown(segment.text), segment.style)
            else:
                yield segment
