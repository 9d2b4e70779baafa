"""Reading a judge's reply: from text to a verdict a dimension, or the reason why there is none.

Nothing is guessed and nothing is clipped. The rules, in order:

1. The last JSON object that holds a verdict on every dimension counts, alone, in a fence or after
   prose; where none does, the last that holds one on some. An object with a key twice, or inside
   braces that do not decode, does not count.
2. Where a bare number was asked for, or one dimension and no JSON came: a number that is labelled
   (``Score: 8``, ``the rating is 8``, ``8/10``, ``8 out of 10``) counts, the last one if there are
   several; else the number of ``I would give it 8``; else a number that is the whole reply, its
   first or its last line, or that opens it as in ``8 (strong agreement)``. Where two of the latter
   differ, none counts.
3. Several dimensions and no JSON: a line for each that names it (``Active listening: 8``).
4. A reply that declines is ``refused``; everything else is ``unparsed``: out of range, 7.5 where
   whole numbers were asked for, another denominator than the scale's maximum, a range (``7-8``),
   a percentage, two numbers with no label, number words, nothing.
"""

from __future__ import annotations

import json
import re
import reprlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from attunement.instruments import (
    BooleanScale,
    ChoiceScale,
    Dimension,
    NumberScale,
    Scale,
    SpansScale,
)
from attunement.quotes import Quote
from attunement.raters.judges.numbers import in_range, read_number
from attunement.raters.judges.verdict import Verdict

NOT_SURE_WORDS = ("not sure", "i am not sure", "i'm not sure", "unsure", "not_sure")
NOT_APPLICABLE_WORDS = ("not applicable", "does not apply", "not_applicable", "n/a")

_REFUSAL = re.compile(
    r"\b(?:i(?:'m| am)? (?:sorry|unable|not able|not comfortable)|i (?:can(?:'t|not| not)|won't|"
    r"will not|must decline|decline|refuse)|as an ai\b[^.]*\b(?:can(?:'t|not)|unable)|"
    r"cannot (?:rate|comply|assist|help|provide))",
    re.IGNORECASE,
)


def parse_reply(
    text: str, dimensions: Sequence[Dimension], *, refused: bool = False
) -> dict[str, Verdict]:
    """Return the verdict for each dimension's id; see the module for the rules.

    Parameters
    ----------
    text
        The reply as it came.
    dimensions
        What was asked for in the call.
    refused
        Whether the provider's filter stopped the reply.

    """
    if refused:
        return _all(dimensions, Verdict("refused", reason="stopped by the provider's filter"))
    if not text.strip():
        return _all(dimensions, Verdict("unparsed", reason="the reply is empty"))
    found = _from_json(text, dimensions)
    if found is None:
        found = _from_prose(text, dimensions)
    if all(v.status == "unparsed" for v in found.values()) and _declines(text):
        return _all(dimensions, Verdict("refused", reason="the judge declined"))
    return found


def _all(dimensions: Sequence[Dimension], verdict: Verdict) -> dict[str, Verdict]:
    return {d.id: verdict for d in dimensions}


def _declines(text: str) -> bool:
    # Only how a reply begins: a rationale may well say "the answer says: I can't help you".
    return "{" not in text and _REFUSAL.search(text.replace("’", "'")[:200]) is not None


def _from_json(text: str, dimensions: Sequence[Dimension]) -> dict[str, Verdict] | None:
    """Return the last JSON verdict, or None where the text has no JSON object with one."""
    ids = {d.id for d in dimensions}
    complete: dict[str, Any] | None = None
    partial: dict[str, Any] | None = None
    for found in _objects(text):
        bare = len(ids) == 1 and not ids & found.keys() and "score" in found
        candidate = {next(iter(ids)): found} if bare else found
        if ids <= candidate.keys():
            complete = candidate
        elif ids & candidate.keys():
            partial = candidate
    # An object that says something of every dimension is the verdict; one that does not may be a
    # quotation, such as an answer's attempt to be given 10.
    last = partial if complete is None else complete
    if last is None:
        return None
    return {d.id: _from_entry(last.get(d.id), d.scale) for d in dimensions}


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the outermost JSON objects of a text in order.

    What stands inside braces that do not decode is not looked at: it is part of something else.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_once)
    start = text.find("{")
    while start != -1:
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):  # a number may have too many digits as well
            end = _closing(text, start)
        else:
            yield value
        start = text.find("{", end)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = {key: _valid(value) for key, value in pairs}
    if len(made) < len(pairs):
        raise ValueError("a key stands there twice")
    return made


def _valid(value: Any) -> Any:
    """Replace halves of surrogate pairs, which no file can hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return [_valid(v) for v in value] if isinstance(value, list) else value


def _closing(text: str, start: int) -> int:
    """Return the place behind the brace that closes the one at ``start``, or the text's end."""
    depth = 0
    for brace in re.compile("[{}]").finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end()
    return len(text)


def _from_entry(entry: Any, scale: Scale) -> Verdict:
    rationale: str | None = None
    quotes: tuple[Quote, ...] = ()
    if isinstance(entry, dict):
        said = entry.get("rationale")
        rationale = said.strip() or None if isinstance(said, str) else None
        quotes = _quotes(entry.get("evidence"))
        entry = entry.get("score")
    verdict = read_score(entry, scale)
    return replace(verdict, rationale=rationale, quotes=verdict.quotes or quotes)


def _quotes(raw: Any) -> tuple[Quote, ...]:
    # A score stands without its evidence, so that nothing here makes a reply unreadable.
    given = [raw] if isinstance(raw, str) else raw if isinstance(raw, list) else []
    said = (one.get("quote") if isinstance(one, dict) else one for one in given)
    return tuple(Quote(one.strip()) for one in said if isinstance(one, str) and one.strip())


def read_score(raw: Any, scale: Scale) -> Verdict:
    """Return the verdict that a JSON value means on a scale.

    Numbers may come as text (``"8"``, ``"8/10"``), options with other letter case.
    """
    if raw is None:
        return Verdict("unparsed", reason="no score for this dimension")
    word = raw.strip().lower().rstrip(".") if isinstance(raw, str) else ""
    if scale.not_sure and word in NOT_SURE_WORDS:
        return Verdict("not_sure")
    if scale.not_applicable and word in NOT_APPLICABLE_WORDS:
        return Verdict("not_applicable")
    if isinstance(scale, NumberScale):
        if isinstance(raw, bool) or not isinstance(raw, int | float | str):
            return Verdict("unparsed", reason=f"{_shown(raw)} is not a number")
        return read_number(raw, scale) if isinstance(raw, str) else in_range(raw, scale)
    if isinstance(scale, BooleanScale):
        return _boolean(raw)
    if isinstance(scale, ChoiceScale):
        return _choice(raw, scale)
    if isinstance(scale, SpansScale):
        return _spans(raw, scale)
    if isinstance(raw, str) and raw.strip():
        return Verdict("ok", labels=(raw.strip(),))
    return Verdict("unparsed", reason="no text")


def _word(raw: Any) -> str:
    """Return a JSON value as a word to look up; what is a list or an object is none."""
    return "" if isinstance(raw, list | dict) else str(raw).strip().lower().rstrip(".")


def _shown(raw: Any) -> str:
    """Return a JSON value for a reason: a judge's may be of any length and depth."""
    return reprlib.repr(raw)


def _boolean(raw: Any) -> Verdict:
    known = {"true": 1.0, "yes": 1.0, "1": 1.0, "false": 0.0, "no": 0.0, "0": 0.0}
    value = known.get(_word(raw))
    if value is None:
        return Verdict("unparsed", reason=f"{_shown(raw)} is neither true nor false")
    return Verdict("ok", value)


def _choice(raw: Any, scale: ChoiceScale) -> Verdict:
    several = scale.type == "multi"
    given = raw if isinstance(raw, list) and several else [raw]
    names = {
        word.lower(): option
        for option in scale.options
        for word in (option.id, *option.label.values())
    }
    chosen = [names.get(_word(g)) for g in given]
    if None in chosen:
        return Verdict("unparsed", reason=f"{_shown(raw)} is not among the options")
    labels = tuple(dict.fromkeys(o.id for o in chosen if o is not None))
    if several:  # the number of labels, so that an empty set is an answer too
        return Verdict("ok", float(len(labels)), labels)
    option = chosen[0]
    return Verdict("ok", None if option is None else option.value, labels)


def _spans(raw: Any, scale: SpansScale) -> Verdict:
    if not isinstance(raw, list) or not all(isinstance(part, dict) for part in raw):
        return Verdict("unparsed", reason="not a list of quotes with labels")
    known = {w.lower(): o.id for o in scale.options for w in (o.id, *o.label.values())}
    quotes = []
    for part in raw:
        quote, label = part.get("quote"), known.get(_word(part.get("label")))
        if not isinstance(quote, str) or label is None:
            return Verdict(
                "unparsed", reason="a part has no quote, or a label not among the options"
            )
        quotes.append(Quote(quote.strip(), label))
    labels = tuple(quote.label for quote in quotes if quote.label is not None)
    return Verdict("ok", float(len(quotes)), labels, quotes=tuple(quotes))


def _from_prose(text: str, dimensions: Sequence[Dimension]) -> dict[str, Verdict]:
    if len(dimensions) == 1:
        return {dimensions[0].id: _prose_score(text, dimensions[0])}
    if "{" in text:  # a cut-off object: numbers in it may belong to anything
        return _all(dimensions, Verdict("unparsed", reason="not a complete JSON object"))
    return {d.id: _line_score(text, d) for d in dimensions}


def _prose_score(text: str, dimension: Dimension) -> Verdict:
    if "{" in text:
        return Verdict("unparsed", reason="not a complete JSON object")
    if isinstance(dimension.scale, NumberScale):
        return read_number(text, dimension.scale)
    return read_score(text, dimension.scale)


def _line_score(text: str, dimension: Dimension) -> Verdict:
    names = {dimension.id, dimension.id.replace("_", " "), *dimension.label.values()}
    either = "|".join(re.escape(n) for n in sorted(names, key=len, reverse=True))
    lines = re.findall(
        rf"^\W*(?:{either})\W*?[:=][ \t\"'*_`(\[]*(.+)$", text, re.IGNORECASE | re.MULTILINE
    )
    if not lines:
        return Verdict("unparsed", reason="the reply does not name this dimension")
    said = lines[-1].strip().strip("*_` ")
    if isinstance(dimension.scale, NumberScale):
        return read_number(said, dimension.scale)
    return read_score(said, dimension.scale)
