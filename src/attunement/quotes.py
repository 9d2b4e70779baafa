"""Quotes: where passages that somebody took out of a text stand in it, in code points.

A quote is the word of whoever gave it, a judge or a person; a place is looked up, never guessed.
White space, letter case, the shapes of quotation marks, dashes and the ellipsis, and Unicode's ways
of writing the same character make no difference; every other character does.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

NOT_FOUND = "not_found"
"""The label of a quote that is not in the text."""

_SAME = str.maketrans(
    {
        **dict.fromkeys('‘’‚‛‹›`´′“”„‟«»″"', "'"),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
    }
)
_AROUND = " '-.[]()"
"""What stands around a quote without being part of it, in plain characters: marks, ellipses."""
_AROUND_BY_HAND = _AROUND + ",;:!?*"
"""The same where a person copied: the end of a sentence is often not the text's."""
_LONG = 8
"""Characters from which a copy by hand may begin or end inside a word, as a selection does."""


@dataclass(frozen=True)
class Quote:
    """A passage as a judge or a person gave it, with its label where the dimension has labels."""

    text: str
    label: str | None = None


@dataclass(frozen=True)
class Span:
    """A passage of a text, or a quote that is not in it.

    Parameters
    ----------
    start, end
        In code points, the end not included; None where the quote is not in the text.
    text
        The text's own words, or the quote's where they are not in the text.
    label
        The quote's; without one, what says why there is no place, such as ``not_found``.

    """

    start: int | None
    end: int | None
    text: str
    label: str | None = None

    def as_row(self) -> dict[str, int | str | None]:
        """Return the span as the ratings table has it."""
        return {"start": self.start, "end": self.end, "text": self.text, "label": self.label}


def locate(quotes: Sequence[Quote], text: str) -> list[Span]:
    """Return where quotes stand in a text, in the order of the quotes.

    A quote that occurs several times gives a span for each place: the same words are there, and
    which of them was meant cannot be known. Equal spans are given once. A quote that is not found
    is kept as it is with no place.

    Parameters
    ----------
    quotes
        What somebody says they copied.
    text
        What they copied it from.

    >>> [(s.start, s.end) for s in locate([Quote("it’s  FINE")], "No, it's fine.")]
    [(4, 13)]
    >>> locate([Quote("never said")], "No, it's fine.")[0].label
    'not_found'
    """
    spans: dict[Span, None] = {}
    for quote in quotes:
        if not quote.text.strip():
            continue
        found = places(quote.text, text)
        for start, end in found:
            spans[Span(start, end, text[start:end], quote.label)] = None
        if not found:
            spans[Span(None, None, quote.text, quote.label or NOT_FOUND)] = None
    return list(spans)


def places(quote: str, text: str, *, by_hand: bool = False) -> list[tuple[int, int]]:
    """Return every place of a quote in a text: start and end, in code points, in their order.

    Only whole words count, unless the quote never occurs as such. A quote that is not found is
    tried without the marks and dots around it. One without a letter or digit has no place.

    Parameters
    ----------
    quote
        The copied words.
    text
        What they were copied from.
    by_hand
        Whether a person copied, by typing or by marking a passage: white space may then be missing
        altogether, all punctuation around the quote may differ, and parts of words count from eight
        characters only.

    >>> places('try  "Deep Breathing"', "You could try “deep breathing”.")
    [(10, 30)]
    >>> places("all", "Call me."), places("all", "Call me.", by_hand=True)
    ([(1, 4)], [])
    """
    around = _AROUND_BY_HAND if by_hand else _AROUND
    for spaced in (True, False) if by_hand else (True,):
        wanted = _plain(quote, spaced)[0].strip()
        for form in dict.fromkeys((wanted, wanted.strip(around))):
            found = list(_occurrences(form, text, spaced))
            whole = [place for place in found if _is_whole(text, *place)]
            if whole or (found and not (by_hand and len(form) < _LONG)):
                return whole or found
    return []


def _occurrences(wanted: str, text: str, spaced: bool) -> Iterator[tuple[int, int]]:
    if not any(c.isalnum() for c in wanted):
        return
    plain, origins = _plain_text(text, spaced)
    at = plain.find(wanted)
    while at != -1:
        last = at + len(wanted)
        end = origins[last - 1] + 1
        # a mark of composition belongs to the letter before it
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        yield origins[at], end
        at = plain.find(wanted, last)


def _is_whole(text: str, start: int, end: int) -> bool:
    before = start > 0 and text[start - 1].isalnum() and text[start].isalnum()
    after = end < len(text) and text[end].isalnum() and text[end - 1].isalnum()
    return not before and not after


def _plain(text: str, spaced: bool) -> tuple[str, array[int]]:
    """Return a text in the form in which quotes are compared, and where its characters come from.

    Returns
    -------
    tuple
        The plain text, each run of white space one space or, if not ``spaced``, none; and for each
        of its characters the index of the code point it comes from.

    """
    said = [_CHARACTERS[character] for character in text]
    plain = "".join(said)
    origins = array("I", [index for index, one in enumerate(said) for _ in one])
    if spaced and "  " not in plain:
        return plain, origins
    kept = [
        at
        for at, one in enumerate(plain)
        if one != " " or (spaced and not (at and plain[at - 1] == " "))
    ]
    return "".join([plain[at] for at in kept]), array("I", [origins[at] for at in kept])


# The dimensions of one reply, and several people, quote from the same answer.
_plain_text = lru_cache(maxsize=512)(_plain)


class _Characters(dict[str, str]):
    """The plain form of each character that has been seen."""

    def __missing__(self, character: str) -> str:
        if character.isspace():
            plain = " "
        else:
            same = unicodedata.normalize("NFKD", character.translate(_SAME)).casefold()
            plain = " " if same.isspace() else same.translate(_SAME)
        self[character] = plain
        return plain


_CHARACTERS = _Characters()
