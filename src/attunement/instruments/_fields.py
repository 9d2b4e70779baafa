"""Small things that an instrument's file is made of, and what they may not hold."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

_UNREADABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, which steer terminals
    "\u202a-\u202e\u2066-\u2069"  # marks that show a text in another order than it is read
    "\ud800-\udfff]"  # halves of a surrogate pair, which no file can hold
)


def refuse_twice(what: str, ids: list[str]) -> None:
    """Raise ValueError where an id stands twice in a list."""
    twice = sorted({id for id in ids if ids.count(id) > 1})
    if twice:
        raise ValueError(f"the {what} {twice[0]!r} stands there twice")


def _readable(text: str) -> str:
    if not text.strip():
        raise ValueError("the text is empty")
    found = _UNREADABLE.search(text)
    if found:
        raise ValueError(
            f"the text holds U+{ord(found[0]):04X}, a character that is not shown but steers "
            "how the rest is"
        )
    return text


def _no_truth(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("true and false are no numbers")
    return value


def _web(address: str) -> str:
    if not re.fullmatch(r"https?://[^\s]+", address):
        raise ValueError("an address begins with https:// or http:// and has no spaces")
    return address


Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+([-_][a-z0-9]+)*$")]
"""A name for files and tables: lower-case letters and digits, joined by ``-`` or ``_``."""

Readable = Annotated[str, AfterValidator(_readable)]
"""A text that says something and shows all that it says."""

Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")]
"""A language code, such as ``en`` or ``pt-BR``."""

Words = Annotated[dict[Language, Readable], Field(min_length=1)]
"""A text in each language, by language code: ``{"en": "...", "it": "..."}``."""

Number = Annotated[float, BeforeValidator(_no_truth), Field(allow_inf_nan=False)]
"""A finite number."""

Version = Annotated[int, Field(ge=1), BeforeValidator(_no_truth)]
"""A whole number from 1 on."""

Address = Annotated[Readable, AfterValidator(_web)]
"""Where something can be read on the web."""


def number_text(value: float) -> str:
    """Return a number with all its digits: ``1234567``, where ``%g`` has ``1.23457e+06``."""
    whole = value.is_integer() and abs(value) < 1e15
    return str(int(value)) if whole else repr(value)
