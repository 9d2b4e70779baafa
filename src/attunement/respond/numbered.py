"""Reads several answers out of one reply that numbers them."""

from __future__ import annotations

import re

_NUMBER = re.compile(
    r"^[ \t]*(?:[*_#>-]+[ \t]*)?(?:(?:Response|Answer|Sequence)[ \t]*)?(\d{1,3})[ \t]*[:.)\]][*_]*"
    r"[ \t]*(?!\d)",
    re.MULTILINE | re.IGNORECASE,
)
_BLANK = re.compile(r"\n[ \t]*\n")
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’"}


def split(reply: str, n: int) -> list[str | None]:
    r"""Return ``n`` answers; None where the reply has no such number.

    Numbers count at the beginning of a line, one after the other: a 2 before any 1 means that the
    reply goes on where the prompt ended, after "1:". What stands before the 1 is no answer, nor
    what stands behind a blank line after the last, unless others have blank lines too. A reply
    without any number that counts cannot be read.

    Parameters
    ----------
    reply
        What the model wrote.
    n
        How many it was asked for, 1 or more.

    >>> split("I see.\n2: Why?\n3) Go on.", 3)
    ['I see.', 'Why?', 'Go on.']
    >>> split("1. I see.\n3. Go on.", 3)
    ['I see.', None, 'Go on.']
    """
    marks = _marks(reply, n)
    found: list[str | None] = [None] * n
    for place, (number, start, _) in enumerate(marks):
        end = marks[place + 1][2] if place + 1 < len(marks) else len(reply)
        if number <= n:
            found[number - 1] = reply[start:end]
    last = max((k for k, text in enumerate(found) if text is not None), default=None)
    if last is not None and n > 1 and len(marks) == sum(t is not None for t in found):
        found[last] = _without_epilogue(found, last)
    return [None if text is None else _bare(text) for text in found]


def _marks(reply: str, n: int) -> list[tuple[int, int, int]]:
    """Return the numbers that count: number, where its text begins, where the number stands."""
    marks: list[tuple[int, int, int]] = []
    for match in _NUMBER.finditer(reply):
        number = int(match[1])
        if not marks and number == 2 and reply[: match.start()].strip():
            marks.append((1, 0, 0))
        # a number that goes back belongs to an answer; one past the last ends it
        if (marks[-1][0] if marks else 0) < number <= n + 1:
            marks.append((number, match.end(), match.start()))
    if not marks and n == 1 and reply.strip():
        return [(1, 0, 0)]
    return marks


def _without_epilogue(found: list[str | None], last: int) -> str:
    text = found[last] or ""
    others = [t for k, t in enumerate(found) if t is not None and k != last]
    if any(_BLANK.search(t.strip()) for t in others):
        return text
    return _BLANK.split(text.strip(), maxsplit=1)[0]


def _bare(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and _QUOTES.get(text[0]) == text[-1] and text[-1] not in text[1:-1]:
        text = text[1:-1].strip()
    return text
