"""Reading a number from a judge's reply: a JSON number, a short text or prose."""

from __future__ import annotations

import re
import reprlib

from attunement.instruments import NumberScale
from attunement.instruments._fields import number_text
from attunement.raters.judges.verdict import Verdict

_NUMBER = r"(?<![\w.,])-?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)(?![\w%]|[.,]\d|\s%)"
_LABELLED = re.compile(
    r"\b(?:score|rating|grade|verdict)\b"
    r"(?:[^\d\n;]{0,60}?(?:[:=]|\b(?:is|of|be)\b))?(?:[^\w\n-]|-(?!\d))*(?:an?\s+)?"
    rf"[\"'*_`(\[]*({_NUMBER})",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    rf"\b(?:rated?|scored?|give|gave|assign|assigned)\b[^\d\n.;-]{{0,40}}?({_NUMBER})",
    re.IGNORECASE,
)
_BARE = re.compile(rf"[\s\"'*_`(\[]*({_NUMBER})[\"'*_`)\]]*[ \t]*")
_RANGE = re.compile(r"\s*(?:-|–|—|to|or)\s*\d")
_OUT_OF = re.compile(r"\s*(?:/|out of)\s*(\d+(?:\.\d+)?)(?!\d)")


def read_number(text: str, scale: NumberScale) -> Verdict:
    """Return the number that a short text or prose gives on a scale; see `parse` for the rules.

    >>> from attunement.instruments import NumberScale
    >>> ten = NumberScale(type="integer", min=0, max=10, better="higher")
    >>> [read_number(t, ten).value for t in ("8/10", "8 out of 10", "Score: 8.0", "11", "7-8")]
    [8.0, 8.0, 8.0, None, None]
    """
    said = _without_scale(text.replace("−", "-"), scale)
    labelled = [(m.end(1), m[1]) for m in _LABELLED.finditer(said)]
    labelled += _fractions(said, scale)
    if labelled:
        return _numeral(said, *max(labelled), scale)
    given = [(m.end(1), m[1]) for m in _GIVEN.finditer(said)] or _bare(said)
    if not given:
        return Verdict("unparsed", reason="no number that is marked as the rating")
    if len({raw for _, raw in given}) > 1:
        return Verdict("unparsed", reason="several numbers, none marked as the rating")
    return _numeral(said, *given[-1], scale)


def _bare(text: str) -> list[tuple[int, str]]:
    """Return the numbers that are the first or the last line, or that open the reply."""
    found = []
    opening = _BARE.match(text)
    if opening is not None and re.match(r"[.:]?\s*(?:\n|$)|[(,;/–—-]", text[opening.end() :]):
        found.append((opening.end(1), opening[1]))
        rest = text[opening.end() :].split("\n", 1)[0]
        found += [(m.end(1) + opening.end(), m[1]) for m in re.finditer(f"({_NUMBER})", rest)]
    closing = text.rstrip()
    start = closing.rfind("\n") + 1
    last = _BARE.match(closing, start)
    if start and last is not None and re.fullmatch(r"[.]?", closing[last.end() :]):
        found.append((last.end(1), last[1]))
    return found


def _without_scale(text: str, scale: NumberScale) -> str:
    """Drop an echo of the scale, such as ``from 0 to 10`` or ``(0-10)``."""
    low, high = (re.escape(number_text(end)) for end in (scale.min, scale.max))
    lead = r"(?:\b(?:from|between|on a scale of)\s+)?"
    echo = rf"{lead}(?<![\w.-]){low}\s*(?:-|–|to|and|through)\s*{high}(?![\w.])"
    return re.sub(echo, "", text, flags=re.IGNORECASE).lstrip(" :,")


def _fractions(text: str, scale: NumberScale) -> list[tuple[int, str]]:
    """Return the numerators of fractions of the scale's maximum: ``8/10``, ``8 out of 10``."""
    top = re.escape(number_text(scale.max))
    pattern = rf"({_NUMBER})(?=\s*(?:/|out of)\s*{top}(?![\w]|[.,]\d))"
    return [(m.end(1), m[1]) for m in re.finditer(pattern, text, flags=re.IGNORECASE)]


def _numeral(text: str, end: int, raw: str, scale: NumberScale) -> Verdict:
    """Judge one numeral by what follows it: a denominator, a second number, nothing."""
    out_of = _OUT_OF.match(text, end)
    if out_of is not None and float(out_of[1]) != scale.max:
        ends = f"where the scale ends at {number_text(scale.max)}"
        return Verdict("unparsed", reason=f"out of {out_of[1]}, {ends}")
    if _RANGE.match(text, end):
        return Verdict("unparsed", reason="a range, not a number")
    thousands = re.fullmatch(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", raw)
    return in_range(float(raw.replace(",", "" if thousands else ".")), scale)


def in_range(raw: float, scale: NumberScale) -> Verdict:
    """Return the verdict that a number is, unparsed where it is not on the scale."""
    ends = f"{number_text(scale.min)} to {number_text(scale.max)}"
    try:
        value = float(raw)
    except OverflowError:  # JSON's whole numbers have no end, and no float is so large
        return Verdict("unparsed", reason=f"{reprlib.repr(raw)} is not within {ends}")
    if not scale.min <= value <= scale.max:  # NaN fails this too
        return Verdict("unparsed", reason=f"{number_text(value)} is not within {ends}")
    if scale.type == "integer" and not value.is_integer():
        return Verdict("unparsed", reason=f"{number_text(value)} is not a whole number")
    return Verdict("ok", value)
