"""Rate answers on an instrument: blind, in an order of one's own."""

from __future__ import annotations

from attunement.studies.asking import Unit
from attunement.studies.assignment import assign
from attunement.studies.config import Rate, StudyFile
from attunement.studies.models import Assignment, Item, Response, Stage, Study
from attunement.studies.opened import described, instrument_of
from attunement.studies.participants import framed, make_participants
from attunement.studies.protocols import ProtocolParts

KEY = "rate"


def make_stages(study: Study, described: StudyFile) -> None:
    """Make the one stage."""
    Stage.objects.create(study=study, key=KEY, position=0, seed=described.seed)


def open_stage(stage: Stage, described: StudyFile) -> None:
    """Write who rates what, for all raters at once."""
    protocol = described.protocol
    assert isinstance(protocol, Rate)
    items = {i.item_id: i for i in Item.objects.filter(kind__in=("main", "attention"))}
    answers: dict[str, dict[str, list[str]]] = {"main": {}, "attention": {}}
    for response in Response.objects.filter(item__in=items.values()).select_related("item"):
        kind, item_id = response.item.kind, response.item.item_id
        answers[kind].setdefault(item_id, []).append(response.response_id)
    slots = assign(
        answers["main"],
        raters_per_item=protocol.raters_per_item,
        items_per_rater=protocol.items_per_rater,
        raters=protocol.raters,
        attention=answers["attention"],
        repeats=protocol.repeats,
        seed=stage.seed,
    )
    people = make_participants(max(slot.rater for slot in slots) + 1, described)
    Assignment.objects.bulk_create(
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


def units(assignment: Assignment) -> list[Unit]:
    """Return the answers of the item, in this rater's order."""
    instrument = None if assignment.stage is None else instrument_of(assignment.stage)
    return response_units(assignment, instrument)


def response_units(assignment: Assignment, instrument: object = None) -> list[Unit]:
    """Return a unit for each answer; training asks the first stage's instrument."""
    asked = instrument or instrument_of(Stage.objects.order_by("position")[0])
    found = {r.response_id: r for r in Response.objects.filter(response_id__in=assignment.order)}
    item_id = None if assignment.item is None else assignment.item.item_id
    return [
        Unit(
            "response",
            id,
            asked,  # type: ignore[arg-type]
            text=found[id].text,
            item_id=item_id,
            source=", ".join(found[id].sources),
        )
        for id in assignment.order
    ]


def paged(assignment: Assignment) -> bool:
    """Return whether an item's answers come one a screen."""
    protocol = described().protocol
    return isinstance(protocol, Rate) and protocol.display == "one"


PARTS = ProtocolParts(make_stages, open_stage, units, "studies/rate.html", paged=paged)
