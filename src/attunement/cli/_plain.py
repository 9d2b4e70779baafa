"""Text that somebody else wrote, made fit for a terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters steer a terminal: colors, title, cursor
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that steer the direction of text
    "\ud800-\udfff]"  # halves of a surrogate pair have no UTF-8
)


def plain(text: object, style: str = "") -> Text:
    r"""Return text as it stands, for `rich`: no markup, no emoji codes, nothing that steers.

    Rich takes ``[red]`` and ``:m:`` in a string for markup and an emoji, fails at a stray ``[/]``,
    and lets escape sequences through. Control characters are shown by their code.

    >>> plain("judge:m: [/]\x1b[31m").plain
    'judge:m: [/]\\x1b[31m'
    """
    from rich.text import Text

    return Text(shown(text), style=style)


def shown(text: object) -> str:
    r"""Return text with characters that steer a terminal shown by their code.

    >>> shown("a\x07b")
    'a\\x07b'
    """
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], str(text))
