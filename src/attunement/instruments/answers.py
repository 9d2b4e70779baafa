"""What a rater sent, read by the instrument: values, labels and statuses of the ratings table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from attunement.instruments._fields import number_text
from attunement.instruments._scales import (
    BooleanScale,
    ChoiceScale,
    NumberScale,
    SpansScale,
)
from attunement.instruments.form import NONE_VALUE, STATUS_VALUE
from attunement.instruments.schema import Dimension, Instrument
from attunement.quotes import Quote

Posted = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Answer:
    """What was answered on one dimension; the names are those of the ratings table.

    Parameters
    ----------
    dimension
        Its id.
    status
        ``ok``, ``not_sure`` or ``not_applicable``.
    value
        The number; None unless the status is ``ok`` and the scale has numbers. Of a set or of
        spans it is how many there are, so that an empty one is an answer too.
    labels
        The options of a choice, the labels of spans, or the one text of a free answer.
    quotes
        Passages, which have yet to be found in the rated text.
    rationale
        The reason given.

    """

    dimension: str
    status: Literal["ok", "not_sure", "not_applicable"]
    value: float | None = None
    labels: tuple[str, ...] | None = None
    quotes: tuple[Quote, ...] = ()
    rationale: str | None = None


def read_answers(
    instrument: Instrument, posted: Posted
) -> tuple[dict[str, Answer], dict[str, str]]:
    """Return the answers of a form and what is wrong with it, both by dimension.

    A dimension with no answer is in neither unless it is required: then it is wrong, with the
    reason ``missing``.

    Parameters
    ----------
    instrument
        What was asked (a step of it, where one was asked).
    posted
        The form's values by control name; see `attunement.instruments.form`.

    """
    answers: dict[str, Answer] = {}
    wrong: dict[str, str] = {}
    for dimension in instrument.dimensions:
        try:
            answer = _read(dimension, posted)
        except ValueError as error:
            wrong[dimension.id] = str(error)
            continue
        if answer is not None:
            answers[dimension.id] = answer
        elif dimension.required:
            wrong[dimension.id] = "missing"
    return answers, wrong


def _read(dimension: Dimension, posted: Posted) -> Answer | None:
    id = dimension.id
    given = [v.strip() for v in posted.get(id, []) if v.strip()]
    rationale = "\n".join(posted.get(f"{id}.rationale", [])).strip() or None
    quotes = _quotes(dimension, posted)
    chosen = [*given, *posted.get(f"{id}.status", [])]
    for status in ("not_sure", "not_applicable"):
        if STATUS_VALUE + status in chosen:
            if status not in dimension.scale.missing:
                raise ValueError(f"{status} is not offered")
            if len(chosen) > 1:
                raise ValueError(f"{status} and an answer")
            return Answer(id, status, quotes=quotes, rationale=rationale)
    if isinstance(dimension.scale, SpansScale):
        if NONE_VALUE in given and quotes:
            raise ValueError("none of these, and passages")
        if not quotes and NONE_VALUE not in given:
            return None
        labels = tuple(q.label for q in quotes if q.label is not None)
        return Answer(id, "ok", float(len(quotes)), labels, quotes, rationale)
    if not given:
        return None
    value, found = _value(dimension, given)
    return Answer(id, "ok", value, found, quotes, rationale)


def _value(dimension: Dimension, given: list[str]) -> tuple[float | None, tuple[str, ...] | None]:
    scale = dimension.scale
    if isinstance(scale, ChoiceScale) and scale.type == "multi":
        if NONE_VALUE in given:
            if len(given) > 1:
                raise ValueError("none of these, and an option")
            return 0.0, ()
        known = [o.id for o in scale.options]
        for word in given:
            if word not in known:
                raise ValueError(f"{word!r} is not among the options")
        labels = tuple(id for id in known if id in given)
        return float(len(labels)), labels
    if len(given) > 1:
        raise ValueError("more than one answer")
    if isinstance(scale, ChoiceScale):
        for option in scale.options:
            if option.id == given[0]:
                return option.value, (option.id,)
        raise ValueError(f"{given[0]!r} is not among the options")
    if isinstance(scale, BooleanScale):
        if given[0] not in ("0", "1"):
            raise ValueError(f"{given[0]!r} is neither 1 nor 0")
        return float(given[0]), None
    if isinstance(scale, NumberScale):
        return _number(given[0], scale), None
    return None, (given[0],)


def _number(text: str, scale: NumberScale) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number") from None
    if not scale.min <= value <= scale.max:  # NaN fails this too
        ends = f"{number_text(scale.min)} to {number_text(scale.max)}"
        raise ValueError(f"{number_text(value)} is not within {ends}")
    if scale.type == "integer" and not value.is_integer():
        raise ValueError(f"{number_text(value)} is not a whole number")
    return value


def _quotes(dimension: Dimension, posted: Posted) -> tuple[Quote, ...]:
    names: list[tuple[str, str | None]] = []
    if isinstance(dimension.scale, SpansScale):
        names = [(f"{dimension.id}.spans.{o.id}", o.id) for o in dimension.scale.options]
    elif "spans" in dimension.evidence:
        names = [(f"{dimension.id}.spans", None)]
    return tuple(
        Quote(line.strip(), label)
        for name, label in names
        for text in posted.get(name, [])
        for line in text.splitlines()
        if line.strip()
    )
