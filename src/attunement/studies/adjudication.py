"""Where raters differ, and what was settled on.

Two coders of free texts are raters like others: each codes alone, agreement is computed on what
they coded, and only then is a consensus recorded. The ratings themselves never change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.utils.text import Truncator

from attunement.instruments import ChoiceScale, Dimension, NumberScale
from attunement.instruments.answers import read_answers
from attunement.studies.agreement import rated
from attunement.studies.asked import dimensions_of, in_words, said
from attunement.studies.asking import Unit, units_of
from attunement.studies.audit import log
from attunement.studies.holding import writing
from attunement.studies.models import Adjudication, Answer, Item, Response, Stage
from attunement.studies.opened import instrument_of

FAR = 2.0
"""Ordered answers differ from so many points on."""
FAR_SHARE = 0.25
"""Answers on a scale of any numbers differ from this share of its length on."""


EXCERPT = 80
"""Characters of an answer in a list."""


@dataclass(frozen=True)
class Difference:
    """All that is known of a unit and a question on which raters differ.

    Parameters
    ----------
    stage, dimension
        Where, and on which question.
    answers
        All ratings of it, in order of the raters' codes.
    settled
        The consensus, where there is one.

    """

    stage: Stage
    dimension: Dimension
    answers: list[Answer]
    settled: Adjudication | None = None

    @property
    def first(self) -> Answer:
        """The rating from whose page the question is taken."""
        return self.answers[0]


class Row(NamedTuple):
    """What of a rating tells whether it differs from another."""

    pk: int
    unit_id: str
    dimension: str
    status: str
    value: float | None
    labels: list[str] | None
    item_id: str | None


@dataclass(frozen=True)
class Differing:
    """A unit and a question on which raters differ, as a list shows them.

    Parameters
    ----------
    stage, dimension
        Where, and on which question.
    rows
        All ratings of it, in order of the raters.
    settled
        The consensus, where there is one.

    """

    stage: Stage
    dimension: Dimension
    rows: list[Row]
    settled: Adjudication | None = None

    @property
    def first(self) -> Row:
        """The rating that stands for all of them in an address."""
        return self.rows[0]


@dataclass(frozen=True)
class Rating:
    """A rating as it is shown: the rater by code only, the answer in words."""

    code: str
    words: str
    rationale: str


def differences(stage: Stage, least: float = FAR) -> list[Differing]:
    """Return where raters of a stage differ, in order of the items; texts and passages are not.

    ``least`` is the distance from which ordered answers differ, in points.
    """
    asked = dimensions_of(stage)
    settled = {(a.unit_id, a.dimension): a for a in Adjudication.objects.filter(stage=stage)}
    # Only what tells whether they differ: a large study has many thousands of ratings
    rows = (
        rated(stage)
        .order_by("assignment__item", "unit_id", "assignment__participant", "pk")
        .values_list(
            "pk", "unit_id", "dimension", "status", "value", "labels", "assignment__item__item_id"
        )
    )
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found = Row(*row)
        groups.setdefault((found.unit_id, found.dimension), []).append(found)
    return [
        Differing(stage, asked[key[1]], rows, settled.get(key))
        for key, rows in groups.items()
        if key[1] in asked and do_differ(rows, asked[key[1]], least)
    ]


@dataclass(frozen=True)
class Earlier:
    """A consensus on what raters do not differ in any more, such as after somebody withdrew."""

    settled: Adjudication
    question: str
    words: str


def settled_earlier(stage: Stage, differing: Sequence[Differing]) -> list[Earlier]:
    """Return what was settled in a stage and is not among the differences any more."""
    there = {(d.first.unit_id, d.dimension.id) for d in differing}
    asked = {d.id: d for d in instrument_of(stage).dimensions} | dimensions_of(stage)
    found = []
    for one in Adjudication.objects.filter(stage=stage).order_by("pk"):
        dimension = asked.get(one.dimension)
        if (one.unit_id, one.dimension) in there:
            continue
        question = one.dimension if dimension is None else said(dimension.label)
        found.append(Earlier(one, question, _consensus_words(one, dimension)))
    return found


def _consensus_words(settled: Adjudication, dimension: Dimension | None) -> str:
    if dimension is None or not _is_said(settled.labels, dimension):
        return ""
    stored = Answer(value=settled.value, labels=settled.labels, status=settled.status)
    return in_words(stored, dimension, {})


def _is_said(labels: Sequence[str] | None, dimension: Dimension) -> bool:
    """Return whether labels can be shown: ids of answers cannot, which tell their source."""
    if not isinstance(dimension.scale, ChoiceScale):
        return True
    return set(labels or ()) <= {option.id for option in dimension.scale.options}


def do_differ(answers: Sequence[Row], dimension: Dimension, least: float = FAR) -> bool:
    """Return whether ratings differ enough to be looked at.

    Ordered answers from ``least`` points on, numbers from a quarter of their scale on, others where
    they are not the same. "Does not apply" and "not sure" differ from any answer.
    """
    statuses = {a.status for a in answers} - {"partial"}
    if dimension.scale.level in ("text", "spans"):
        return False
    if len(statuses) > 1:
        return True
    given = [a for a in answers if a.status == "ok"]
    if len(given) < 2:
        return False
    scale = dimension.scale
    if scale.level in ("ordinal", "interval"):
        values = [a.value for a in given if a.value is not None]
        far = least
        if isinstance(scale, NumberScale) and scale.level == "interval":
            far = FAR_SHARE * (scale.max - scale.min)
        return max(values) - min(values) >= far
    return len({(a.value, tuple(sorted(a.labels or []))) for a in given}) > 1


class Told(NamedTuple):
    """What tells a difference from the others of its item: which answer, and what raters said."""

    number: int | None
    excerpt: str
    values: str


def told_of(found: Sequence[Differing]) -> list[Told]:
    """Return what a list shows of differences; of those that are not about an answer no number.

    Answers to an item are numbered in an order that says nothing of their sources.
    """
    items = {d.first.item_id for d in found}
    texts: dict[str, str] = {}
    groups: dict[str, list[str]] = {}
    answers = Response.objects.filter(item__item_id__in=items)
    for item, id, text in answers.values_list("item__item_id", "response_id", "text"):
        texts[id] = text
        groups.setdefault(item, []).append(id)
    numbers = {id: n for ids in groups.values() for n, id in enumerate(sorted(ids, key=_mixed), 1)}
    return [
        Told(
            numbers.get(d.first.unit_id),
            Truncator(texts.get(d.first.unit_id, "")).chars(EXCERPT),
            ", ".join(_briefly(row, d.dimension, numbers) for row in d.rows),
        )
        for d in found
    ]


def _mixed(id: str) -> str:
    return hashlib.sha256(id.encode()).hexdigest()


def _briefly(row: Row, dimension: Dimension, numbers: Mapping[str, int]) -> str:
    if row.status == "ok" and isinstance(dimension.scale, NumberScale) and row.value is not None:
        return f"{row.value:g}"
    names = {id: f"answer {number}" for id, number in numbers.items()}
    return in_words(Answer(value=row.value, labels=row.labels, status=row.status), dimension, names)


def difference_of(stage: Stage, answer: Answer) -> Difference:
    """Return the ratings of the unit and question that one rating belongs to."""
    asked = dimensions_of(stage)[answer.dimension]
    where = {"unit_id": answer.unit_id, "dimension": answer.dimension}
    answers = rated(stage).filter(**where).order_by("assignment__participant")
    settled = Adjudication.objects.filter(stage=stage, **where).first()
    return Difference(stage, asked, list(answers), settled)


def unit_of(answer: Answer) -> Unit:
    """Return the unit as the rater of this answer was asked about it."""
    return next(u for u in units_of(answer.assignment) if u.unit_id == answer.unit_id)


def shown(difference: Difference) -> list[Rating]:
    """Return the ratings in words; options that stand for labels keep their names on the page."""
    unit = unit_of(difference.first)
    names = {label: option for option, label in unit.aliases.items()}
    dimension = unit.instrument.dimension(difference.dimension.id)
    return [
        Rating(a.assignment.participant.code, in_words(a, dimension, names), a.rationale or "")
        for a in difference.answers
    ]


def text_of(answer: Answer) -> tuple[list[dict[str, str]], str | None]:
    """Return the turns and the text that a rating is about, None where there is no text."""
    item: Item | None = answer.assignment.item
    response = Response.objects.filter(response_id=answer.unit_id).first()
    return (list(item.turns) if item else []), (response.text if response else None)


def consensus_dimension(difference: Difference) -> Unit:
    """Return the one question that is settled, as a unit of its own: no reasons, no passages."""
    unit = unit_of(difference.first)
    dimension = unit.instrument.dimension(difference.dimension.id)
    alone = dimension.model_copy(update={"evidence": (), "required": True})
    instrument = unit.instrument.model_copy(
        update={
            "dimensions": (alone,),
            "subscales": (),
            "steps": (),
            "instructions": None,
        }
    )
    return replace(unit, instrument=instrument)


def settle(
    difference: Difference, posted: Mapping[str, Sequence[str]], *, note: str, by: str
) -> str | None:
    """Record a consensus, or say what is wrong with what was sent.

    Parameters
    ----------
    difference
        What is settled.
    posted
        The form's values by control name.
    note, by
        Why, and who says so.

    """
    unit = consensus_dimension(difference)
    answers, wrong = read_answers(unit.instrument, posted)
    given = answers.get(difference.dimension.id)
    if given is None:
        return wrong.get(difference.dimension.id, "missing")
    labels = given.labels
    if labels is not None and isinstance(difference.dimension.scale, ChoiceScale):
        labels = tuple(unit.aliases.get(label, label) for label in labels)
    values: dict[str, Any] = {
        "value": given.value,
        "labels": None if labels is None else list(labels),
        "status": given.status,
        "note": note.replace("\x00", "").strip(),
        "by": by,
    }
    with writing():
        Adjudication.objects.update_or_create(
            stage=difference.stage,
            unit_id=difference.first.unit_id,
            dimension=difference.dimension.id,
            defaults=values,
        )
        log(by, "consensus recorded", stage=difference.stage.key, dimension=difference.dimension.id)
    return None


def settled_words(difference: Difference) -> str:
    """Return the consensus in words; empty where there is none."""
    if difference.settled is None:
        return ""
    unit = unit_of(difference.first)
    names = {label: option for option, label in unit.aliases.items()}
    dimension = unit.instrument.dimension(difference.dimension.id)
    as_answer = Answer(
        value=difference.settled.value,
        labels=difference.settled.labels,
        status=difference.settled.status,
    )
    return in_words(as_answer, dimension, names)
