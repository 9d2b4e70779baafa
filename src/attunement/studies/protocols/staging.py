"""What protocols have in common when they make and open stages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from attunement.errors import UserError
from attunement.studies.assignment import Slot
from attunement.studies.config import StudyFile
from attunement.studies.links import alive
from attunement.studies.models import Assignment, Item, Participant, Stage, Study
from attunement.studies.participants import framed, make_participants


def one_stage(key: str) -> Callable[[Study, StudyFile], None]:
    """Return what makes the stages of a protocol that has one."""

    def make_stages(study: Study, file: StudyFile) -> None:
        Stage.objects.create(study=study, key=key, position=0, seed=file.seed)

    return make_stages


def write_slots(
    stage: Stage, file: StudyFile, slots: Sequence[Slot], raters: int
) -> list[Assignment]:
    """Write a stage's pages about items, and make its raters where they are not there yet."""
    items = Item.objects.in_bulk({slot.item_id for slot in slots}, field_name="item_id")
    people = make_participants(raters, file)
    return Assignment.objects.bulk_create(
        Assignment(
            participant=people[slot.rater],
            stage=stage,
            kind=slot.kind,
            position=framed(stage, slot.position),
            item=items[slot.item_id],
            order=list(slot.order),
        )
        for slot in slots
    )


def pages_of(
    stage: Stage, participant: Participant, prefills: Iterable[dict[str, Any]]
) -> list[Assignment]:
    """Return somebody's pages of a stage that are not about items, not saved yet.

    ``prefills`` say what each page is about.
    """
    return [
        Assignment(
            participant=participant,
            stage=stage,
            kind="main",
            position=framed(stage, place),
            prefill=prefill,
        )
        for place, prefill in enumerate(prefills)
    ]


def refuse_unfinished(stage: Stage, people: str) -> None:
    """Raise where somebody has yet to finish a stage that is not closed; ``people`` says who."""
    left = Assignment.objects.filter(stage=stage, done_at=None, participant__in=alive())
    pages, who = left.count(), left.values("participant").distinct().count()
    if pages and stage.closed_at is None:
        raise UserError(
            f"{who} {people} have yet to finish {stage.key}: {pages} pages.",
            where=stage.study.key,
            fix="Wait for them, replace those who left, or close that stage on the owner's pages: "
            "then finished pages alone count.",
        )
