"""Evidence: where the passages that a judge quotes stand in the answer.

A quote is the judge's word; a place is looked up, never guessed. White space, typographic and
straight quotation marks and dashes, letter case and Unicode's ways of writing the same character
make no difference; every other character does.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

NOT_FOUND = "not_found"
"""The label of a quote that is not in the answer."""

_SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛‹›`´′", "'"),
        **dict.fromkeys("“”„‟«»″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
    }
)
_AROUND = " '\"-.[]()"
"""What a judge puts around a quote without its being part of it: marks and ellipses."""


@dataclass(frozen=True)
class Quote:
    """A passage that a judge quoted, with its label where the dimension has labels."""

    text: str
    label: str | None = None


@dataclass(frozen=True)
class Span:
    """A passage of the answer, or a quote that is not in it.

    Parameters
    ----------
    start, end
        In code points, the end not included; None where the quote is not in the answer.
    text
        The answer's own words, or the judge's where they are not in the answer.
    label
        The quote's; without one, ``not_found`` where the quote is not in the answer.

    """

    start: int | None
    end: int | None
    text: str
    label: str | None = None

    def as_row(self) -> dict[str, int | str | None]:
        """Return the span as the ratings table has it."""
        return {"start": self.start, "end": self.end, "text": self.text, "label": self.label}


def locate(quotes: Sequence[Quote], answer: str) -> list[Span]:
    """Return where quotes stand in an answer, in the order of the quotes.

    A quote that occurs several times gives a span for each place: the same words are there, and
    which of them the judge meant cannot be known. Only whole words count, unless the quote never
    occurs as such. Equal spans are given once. A quote that is not found is tried without the
    marks and dots around it, and then kept as it is with no place.

    Parameters
    ----------
    quotes
        What the judge says it copied.
    answer
        The text that was judged.

    >>> [(s.start, s.end) for s in locate([Quote("it’s  FINE")], "No, it's fine.")]
    [(4, 13)]
    >>> locate([Quote("never said")], "No, it's fine.")[0].label
    'not_found'
    """
    if not quotes:
        return []
    plain, places = _plain(answer)
    found: dict[Span, None] = {}
    for quote in quotes:
        if not quote.text.strip():
            continue
        wanted = _plain(quote.text)[0].strip()
        ranges = _occurrences(wanted, plain) or _occurrences(wanted.strip(_AROUND), plain)
        for first, last in ranges:
            start, end = places[first], places[last - 1] + 1
            # a mark of composition belongs to the letter before it
            while end < len(answer) and unicodedata.combining(answer[end]):
                end += 1
            found[Span(start, end, answer[start:end], quote.label)] = None
        if not ranges:
            found[Span(None, None, quote.text, quote.label or NOT_FOUND)] = None
    return list(found)


def _plain(text: str) -> tuple[str, list[int]]:
    """Return a text in the form in which quotes are compared, and where its characters come from.

    Returns
    -------
    tuple
        The plain text, and for each of its characters the index of the code point it comes from.

    """
    said: list[str] = []
    places: list[int] = []
    for index, character in enumerate(text):
        for one in _character(character):
            if one == " " and said and said[-1] == " ":
                continue
            said.append(one)
            places.append(index)
    return "".join(said), places


@cache
def _character(character: str) -> str:
    if character.isspace():
        return " "
    same = unicodedata.normalize("NFKD", character.translate(_SAME)).casefold()
    return " " if same.isspace() else same.translate(_SAME)


def _occurrences(wanted: str, plain: str) -> list[tuple[int, int]]:
    """Return where ``wanted`` occurs, as whole words if it does so anywhere."""
    if not any(c.isalnum() for c in wanted):
        return []
    found = list(_find(wanted, plain))
    whole = [place for place in found if _is_whole(plain, *place)]
    return whole or found


def _find(wanted: str, plain: str) -> Iterator[tuple[int, int]]:
    start = plain.find(wanted)
    while start != -1:
        yield start, start + len(wanted)
        start = plain.find(wanted, start + len(wanted))


def _is_whole(plain: str, start: int, end: int) -> bool:
    before = start > 0 and plain[start - 1].isalnum() and plain[start].isalnum()
    after = end < len(plain) and plain[end].isalnum() and plain[end - 1].isalnum()
    return not before and not after
