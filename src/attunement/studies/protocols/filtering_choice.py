"""The choice among the answers of an item that a rater kept."""

from __future__ import annotations

import uuid
from functools import lru_cache

from django.utils import timezone, translation
from django.utils.translation import gettext, gettext_noop, ngettext

from attunement.instruments import ChoiceScale, Dimension, Instrument, Option, Words
from attunement.studies.models import Answer, Assignment, Change

KEEP, CHOICE = "keep", "choice"
"""Dimensions: whether an answer stays, and which answers of an item are best."""


def option(place: int) -> str:
    """Return the option that stands for an answer on the page, by its place."""
    return f"answer-{place + 1}"


@lru_cache(maxsize=64)
def _options(count: int, languages: tuple[str, ...]) -> tuple[Option, ...]:
    return tuple(
        Option(
            id=option(place),
            label=_in_each(languages, gettext_noop("Answer %(number)d"), number=place + 1),
        )
        for place in range(count)
    )


_SET = ChoiceScale(
    type="multi",
    options=(Option(id="first", label={"en": "1"}), Option(id="second", label={"en": "2"})),
)


def choosing(asked: Instrument, most: int, count: int) -> Instrument:
    """Return the question which of an item's answers are best, as part of the same instrument."""
    languages = asked.languages
    question = {}
    for code in languages:
        with translation.override(code):
            question[code] = ngettext(
                "Which one of the answers that you kept is best?",
                "Which of the answers that you kept are best? Choose up to %(most)d.",
                most,
            ) % {"most": most}
    # Copied, since a scale by itself has two options at least, and an item may have one answer
    scale = _SET.model_copy(update={"options": _options(count, languages)})
    dimension = Dimension(
        id=CHOICE,
        label=_in_each(languages, gettext_noop("Choice")),
        wording=question,
        scale=_SET,
    ).model_copy(update={"scale": scale})
    changed = {"unit": "item", "dimensions": (dimension,), "subscales": (), "instructions": None}
    return asked.model_copy(update=changed)


def _in_each(languages: tuple[str, ...], message: str, **values: int) -> Words:
    said = {}
    for code in languages:
        with translation.override(code):
            said[code] = gettext(message) % values if values else gettext(message)
    return said


def faults_of(assignment: Assignment, most: int) -> list[str]:
    """Return what is wrong with a page's choice: too many, or one that was not kept."""
    kept, chosen = said_on(assignment)
    found = []
    if len(chosen or ()) > most:
        found.append(
            ngettext("Choose %(most)d answer at most.", "Choose %(most)d answers at most.", most)
            % {"most": most}
        )
    strange = [str(n) for n, id in enumerate(assignment.order, 1) if id in set(chosen or ()) - kept]
    if strange:
        found.append(
            gettext(
                "You chose answers that you did not keep: %(numbers)s. Keep them, or take them out "
                "of your choice."
            )
            % {"numbers": ", ".join(strange)}
        )
    return found


def said_on(assignment: Assignment) -> tuple[set[str], list[str] | None]:
    """Return the answers that were kept on a page, and those chosen: None where nothing is said."""
    given = list(assignment.answers.all())
    kept = {a.unit_id for a in given if a.dimension == KEEP and a.value == 1}
    return kept, next((a.labels for a in given if a.dimension == CHOICE), None)


def follow_up(assignment: Assignment, unit_id: str, dimension: str) -> None:
    """Take an answer out of the choice when it is eliminated.

    A choice of which nothing is left is open again: that none is good enough is for the rater to
    say.
    """
    if dimension != KEEP:
        return
    choice = Answer.objects.filter(assignment=assignment, dimension=CHOICE).first()
    if choice is None or unit_id not in (choice.labels or ()):
        return
    if Answer.objects.filter(
        assignment=assignment, dimension=KEEP, unit_id=unit_id, value=1
    ).exists():
        return
    now = timezone.now()
    left = [id for id in choice.labels or () if id != unit_id]
    change = Change(
        assignment=assignment,
        unit_id=choice.unit_id,
        dimension=CHOICE,
        status="cleared",
        client=f"drop-{uuid.uuid4().hex}",
        saved_at=now,
    )
    if left:
        choice.labels, choice.value, choice.saved_at = left, float(len(left)), now
        choice.save(update_fields=["labels", "value", "saved_at"])
        change.status, change.labels, change.value = "ok", left, float(len(left))
    else:
        choice.delete()
    change.save()
