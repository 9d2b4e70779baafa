"""What annotators copied out of a text, several passages in one cell, as spans of that text.

Copies are often fragments, and some cells say "all of it" or "n/a" in place of a passage.
"""

from __future__ import annotations

import re

from attunement.quotes import NOT_FOUND, Span, places

NO_TEXT = "no_text"
"""Label of a copied passage where the text itself is not known."""
WHOLE = "whole_text"
"""Label where somebody wrote that the whole text is meant."""

_JOINT = re.compile(r"\s+;\s+|\s+;$|^;\s+")
_EVERYTHING = re.compile(
    r"all(?: of (?:it|this))?|everything|(?:the )?(?:entire|whole) (?:response|answer|text|thing)"
)
_NOTHING = frozenset(("", "na", "n/a", "n.a", "none", "nothing", "not applicable"))

Row = dict[str, int | str | None]
"""A span as the ratings table has it."""


def spans_of(copied: str | None, text: str | None, *, label: str | None = None) -> list[Row]:
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
    if not text or not places(whole, text, by_hand=True):
        parts = [p.strip() for p in _JOINT.split(whole)]
    return [_span(p, text, label).as_row() for p in parts if p.lower().strip(" .") not in _NOTHING]


def _span(part: str, text: str | None, label: str | None) -> Span:
    if not text:
        return Span(None, None, part, NO_TEXT)
    if _EVERYTHING.fullmatch(part.lower().strip(" .")):
        return Span(0, len(text), text, WHOLE)
    found = places(part, text, by_hand=True)
    if not found:
        return Span(None, None, part, NOT_FOUND)
    start, end = found[0]  # of several places the first is meant
    return Span(start, end, text[start:end], label)
