"""What metrics that compare words have to know of a text before they can."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Chinese, Japanese, Thai, Lao, Tibetan, Myanmar and Khmer put no spaces between words.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_LETTER = re.compile(r"[^\W_]")
_ASCII = re.compile(r"[A-Za-z0-9]")


def unspaced(text: str) -> bool:
    """Say whether most letters of a text are of a script that puts no spaces between words.

    >>> unspaced("我很难过。"), unspaced("Sono triste.")
    (True, False)

    """
    return 2 * len(_UNSPACED.findall(text)) > len(_LETTER.findall(text))


def has_words(text: str) -> bool:
    """Say whether the text has a letter or a digit of any script."""
    return _LETTER.search(text) is not None


def ascii_share(text: str) -> float:
    """Return the share of letters and digits that are a to z and 0 to 9; 0 without any.

    >>> ascii_share("perché")
    0.8333333333333334

    """
    every = len(_LETTER.findall(text))
    return len(_ASCII.findall(text)) / every if every else 0.0


def why_no_words(texts: Sequence[tuple[str, str]]) -> str | None:
    """Return why the words of one of these texts, each named, cannot be told apart, or None."""
    for name, text in texts:
        if unspaced(text):
            return f"the {name} is in a script without spaces between words"
    return None
