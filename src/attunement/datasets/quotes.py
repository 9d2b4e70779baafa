"""Find what someone copied out of a text: where it stands, in code points.

Copies differ from the text in white space, in the shape of quotation marks and dashes, and in case;
they are often fragments. What is not found is kept without a place, and nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

NOT_FOUND = "not found"
"""Label of a copied passage that does not stand in the text."""
NO_TEXT = "no text"
"""Label of a copied passage where the text itself is not known."""
WHOLE = "whole text"
"""Label where somebody wrote that the whole text is meant."""

_JOINT = re.compile(r"\s+;\s+|\s+;$|^;\s+")
_ALIKE = {
    **dict.fromkeys('‘’‚‛′`´“”„‟″«»"', "'"),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    "…": "...",
}
_EDGES = " \t\n\"'.,;:!?-()[]*"
_LONG = 8
"""Characters from which a copy may begin or end inside a word, as a selection by mouse does."""
_EVERYTHING = re.compile(
    r"all(?: of (?:it|this))?|everything|(?:the )?(?:entire|whole) (?:response|answer|text|thing)"
)
_NOTHING = frozenset(("", "na", "n/a", "n.a", "none", "nothing", "not applicable"))

Span = dict[str, Any]


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """Return start and end of a copied passage in a text, in code points, or None.

    White space, case and the shapes of quotation marks, dashes and the ellipsis do not matter;
    white space may be missing altogether. Marks at the ends of the copy are left out where it is
    only found without them. A copy of fewer than eight characters must be whole words. Of several
    places the first is meant.

    >>> locate('try  "Deep Breathing"', 'You could try “deep breathing”.')
    (10, 30)
    >>> locate("all", "Call me.") is None
    True
    """
    for spaced in (True, False):
        letters, places = _plain(text, spaced)
        for form in dict.fromkeys((quote.strip(), quote.strip(_EDGES))):
            wanted, _ = _plain(form, spaced)
            wanted = wanted.strip(" ")
            if not any(c.isalnum() for c in wanted):
                continue
            for at in _occurrences(wanted, letters):
                start, end = places[at], places[at + len(wanted) - 1] + 1
                if len(wanted) >= _LONG or _whole_words(text, start, end):
                    return start, end
    return None


def spans_of(copied: str | None, text: str | None, *, label: str | None = None) -> list[Span]:
    """Return the spans of passages that were copied out of a text and joined by `` ; ``.

    A copy that stands in the text as it is, semicolons included, is one span.

    Parameters
    ----------
    copied
        The passages; None and words for nothing ("n/a") give no span.
    text
        What they were copied from, None where it is not known.
    label
        Of the spans that are found.

    Returns
    -------
    list
        ``start``, ``end``, ``text`` and ``label`` each. A passage that is found has the text's own
        words; one that is not has no ``start`` and ``end``, its copied words, and `NOT_FOUND` or
        `NO_TEXT` as its label.
    """
    whole = (copied or "").strip()
    if whole.lower().strip(" .") in _NOTHING:
        return []
    parts = [whole]
    if not text or locate(whole, text) is None:
        parts = [p.strip() for p in _JOINT.split(whole)]
    return [_span(p, text, label) for p in parts if p.lower().strip(" .") not in _NOTHING]


def _span(part: str, text: str | None, label: str | None) -> Span:
    if not text:
        return {"start": None, "end": None, "text": part, "label": NO_TEXT}
    if _EVERYTHING.fullmatch(part.lower().strip(" .")):
        return {"start": 0, "end": len(text), "text": text, "label": WHOLE}
    found = locate(part, text)
    if found is None:
        return {"start": None, "end": None, "text": part, "label": NOT_FOUND}
    return {"start": found[0], "end": found[1], "text": text[slice(*found)], "label": label}


# Several people copy out of the same few hundred answers.
@lru_cache(maxsize=1024)
def _plain(text: str, spaced: bool) -> tuple[str, tuple[int, ...]]:
    """Return the text without what does not matter, and each character's place in the original."""
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character.isspace():
            if not spaced or (letters and letters[-1] == " "):
                continue
            new = " "
        else:
            new = _ALIKE.get(character, character).casefold()
        letters += new
        places += [place] * len(new)
    return "".join(letters), tuple(places)


def _occurrences(wanted: str, letters: str) -> Iterator[int]:
    at = letters.find(wanted)
    while at >= 0:
        yield at
        at = letters.find(wanted, at + 1)


def _whole_words(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    opens = not (before.isalnum() and text[start].isalnum())
    return opens and not (after.isalnum() and text[end - 1].isalnum())
