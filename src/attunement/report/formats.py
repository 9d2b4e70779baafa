"""How the report writes numbers, names and other people's text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

from attunement.tables import REFERENCE

DASH = "–"
"""Stands where a number is missing; never 0."""
MINUS = "−"

METRIC_LABELS: Mapping[str, str] = {
    "emotion_consistency": "Emotion consistency",
    "sentiment_change": "Sentiment change",
    "sentiment_slope": "Sentiment slope",
    "simplicity": "Simplicity",
    "recycling": "Recycling",
    "agreeability": "Agreeability",
    "active_listening": "Active listening",
    "all": "All metrics",
}
METRIC_MEANINGS: Mapping[str, str] = {
    "emotion_consistency": "How far the emotions read in the answer agree with those read in the "
    "reference answer; 0 to 1, and 1 is full agreement. Its distance is 1 minus the value.",
    "sentiment_change": "How much more positive the answer is than the question.",
    "sentiment_slope": "Whether the answer grows more positive from first sentence to last.",
    "simplicity": "How easy the answer is to read; only for answers of more than 100 words.",
    "recycling": "How much of the person's own wording the answer takes up.",
    "agreeability": "How agreeable a judge finds the answer, 0 to 10.",
    "active_listening": "How well a judge finds that the answer listens, 0 to 10.",
}
_DECIMALS: Mapping[str, int] = {"simplicity": 1, "agreeability": 2, "active_listening": 2}
_SOURCE_LABELS = {REFERENCE: "Reference answer", "therapist": "Other therapists"}
_STATUS_LABELS = {
    "ok": "rated",
    "not_sure": "not sure",
    "not_applicable": "not applicable",
    "unparsed": "reply not understood",
    "refused": "refused",
    "error": "error",
    "not_rated": "not rated",
    "other_variant_or_round": "of another variant or round",
}
_UNSEEN = re.compile(
    "[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c"  # marks that steer the direction of text
    "\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]"  # not characters to read
)


def missing(value: float | None) -> bool:
    """Say whether a number is absent: None, NaN or infinite."""
    return value is None or not math.isfinite(value)


def number(value: float | None, decimals: int = 2, *, sign: bool = False) -> str:
    """Write a number with fixed decimals, a true minus sign and separated thousands.

    A missing number is a dash; what rounds to zero has no sign.

    >>> number(-1234.567), number(float("nan")), number(-0.001)
    ('−1,234.57', '–', '0.00')
    """
    if value is None or missing(value):
        return DASH
    rounded = round(value, decimals) + 0.0
    text = f"{abs(rounded):,.{decimals}f}"
    if rounded < 0:
        return MINUS + text
    return "+" + text if sign and rounded > 0 else text


def interval(low: float | None, high: float | None, decimals: int = 2) -> str:
    """Write an interval as ``[low, high]``; empty where either end is missing."""
    if missing(low) or missing(high):
        return ""
    return f"[{number(low, decimals)}, {number(high, decimals)}]"


def p_value(value: float | None) -> str:
    """Write a p value with three decimals; never ``0.000`` and never ``1.000`` by rounding.

    >>> p_value(0.00002), p_value(0.04999), p_value(0.99999)
    ('<0.001', '0.050', '>0.999')
    """
    if value is None or missing(value):
        return DASH
    if value < 0.001:
        return "<0.001"
    return ">0.999" if 0.9995 <= value < 1 else f"{value:.3f}"


def p_equals(value: float | None) -> str:
    """Write ``p = 0.031`` or ``p < 0.001`` for use in a sentence."""
    text = p_value(value)
    said = f"p {text[0]} {text[1:]}" if text[0] in "<>" else f"p = {text}"
    return said.replace(" ", "\u00a0")


def percent(value: float | None, decimals: int = 0) -> str:
    """Write a share as a percentage."""
    if value is None or missing(value):
        return DASH
    least = 10.0**-decimals
    share = value * 100
    if 0 < share < least / 2:
        return f"<{least:g}\u00a0%"
    if 100 - least / 2 < share < 100:
        return f">{100 - least:g}\u00a0%"
    return f"{share:.{decimals}f}\u00a0%"


def dollars(value: float | None) -> str:
    """Write an amount in US dollars with cents, or more digits where it is small."""
    if value is None or missing(value):
        return DASH
    if value == 0:
        return "$0"
    return f"${value:,.2f}" if value >= 0.1 else f"${value:.2g}"


def count(value: int | float | None) -> str:
    """Write a whole number with separated thousands."""
    return DASH if value is None or missing(value) else f"{int(value):,}"


def decimals_of(metric: str) -> int:
    """Return how many decimals a metric's values are shown with."""
    return _DECIMALS.get(metric, 2 if metric == "all" else 3)


def metric_label(metric: str) -> str:
    """Return a metric's name for people; a plug-in's name is made readable."""
    return METRIC_LABELS.get(metric, readable(metric.replace("_", " ")).capitalize())


def source_label(source: str) -> str:
    """Return a source's name for people."""
    return _SOURCE_LABELS.get(source, one_line(source))


def topic_label(topic: str) -> str:
    """Return a topic's name for people."""
    name = "All topics" if topic == "all" else one_line(topic)
    return name[:1].upper() + name[1:]


def status_label(status: str) -> str:
    """Return a rating's status in words."""
    return _STATUS_LABELS.get(status, one_line(status.replace("_", " ")))


def one_line(text: str, limit: int = 60) -> str:
    """Return a name on one line, without characters that could break a figure or the page."""
    flat = " ".join(readable(text).split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def readable(text: str) -> str:
    """Return text without control characters and without marks that override its direction.

    Right-to-left text itself needs no such marks: the page sets ``dir="auto"`` around it.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSEEN.sub("", lines)


def shortened(text: str, limit: int) -> tuple[str, str]:
    """Return text cut at a word before ``limit`` characters, and a note that says so or nothing."""
    clean = readable(text[: limit * 2])
    if len(text) <= limit and len(clean) <= limit:
        return clean, ""
    cut = clean[:limit]
    space = cut.rfind(" ", limit - 80)
    cut = cut[:space] if space > 0 else cut
    return (
        cut.rstrip() + " …",
        f"Cut here: the whole text has {len(text):,} characters and is in the responses table.",
    )


def listed(words: Iterable[str], last: str = "and") -> str:
    """Join words as a sentence lists them.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    found = list(words)
    if len(found) < 2:
        return "".join(found)
    return f"{', '.join(found[:-1])} {last} {found[-1]}"
