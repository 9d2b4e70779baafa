"""Where raters differ, and what was settled on.

Two coders of free texts are raters like others: each codes alone, agreement is computed on what
they coded, and only then is a consensus recorded. The ratings themselves never change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction

from attunement.instruments import ChoiceScale, Dimension, NumberScale
from attunement.instruments.answers import read_answers
from attunement.studies.agreement import rated
from attunement.studies.asked import dimensions_of, in_words
from attunement.studies.asking import Unit, units_of
from attunement.studies.audit import log
from attunement.studies.models import Adjudication, Answer, Item, Response, Stage

FAR = 2.0
"""Ordered answers differ from so many points on."""
FAR_SHARE = 0.25
"""Answers on a scale of any numbers differ from this share of its length on."""


@dataclass(frozen=True)
class Difference:
    """A unit and a question on which raters differ.

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
        """The rating that stands for all of them in an address."""
        return self.answers[0]


@dataclass(frozen=True)
class Rating:
    """A rating as it is shown: the rater by code only, the answer in words."""

    code: str
    words: str
    rationale: str


def differences(stage: Stage) -> list[Difference]:
    """Return where raters of a stage differ, in order of the items; texts and passages are not."""
    asked = dimensions_of(stage)
    settled = {(a.unit_id, a.dimension): a for a in Adjudication.objects.filter(stage=stage)}
    groups: dict[tuple[str, str], list[Answer]] = {}
    for answer in rated(stage).order_by("assignment__item", "unit_id", "assignment__participant"):
        groups.setdefault((answer.unit_id, answer.dimension), []).append(answer)
    return [
        Difference(stage, asked[key[1]], answers, settled.get(key))
        for key, answers in groups.items()
        if key[1] in asked and do_differ(answers, asked[key[1]])
    ]


def do_differ(answers: Sequence[Answer], dimension: Dimension) -> bool:
    """Return whether ratings differ enough to be looked at.

    Ordered answers from two points on, numbers from a quarter of their scale on, others where they
    are not the same. "Does not apply" differs from any answer; "not sure" is no answer.
    """
    statuses = {a.status for a in answers} - {"not_sure", "partial"}
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
        far = FAR
        if isinstance(scale, NumberScale) and scale.level == "interval":
            far = FAR_SHARE * (scale.max - scale.min)
        return max(values) - min(values) >= far
    return len({(a.value, tuple(sorted(a.labels or []))) for a in given}) > 1


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
        "note": note.strip(),
        "by": by,
    }
    with transaction.atomic():
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
