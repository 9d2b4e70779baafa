"""Rate answers on an instrument: blind, in an order of one's own."""

from __future__ import annotations

from attunement.studies.asking import Unit, response_units
from attunement.studies.assignment import assign
from attunement.studies.config import Rate, StudyFile
from attunement.studies.models import Assignment, Response, Stage
from attunement.studies.opened import described, instrument_of
from attunement.studies.protocols import ProtocolParts
from attunement.studies.protocols.staging import one_stage, write_slots

KEY = "rate"


def open_stage(stage: Stage, file: StudyFile) -> None:
    """Write who rates what, for all raters at once."""
    protocol = file.protocol
    assert isinstance(protocol, Rate)
    answers: dict[str, dict[str, list[str]]] = {"main": {}, "attention": {}}
    rows = Response.objects.filter(item__kind__in=answers).order_by("item_id", "pk")
    for kind, item_id, id in rows.values_list("item__kind", "item__item_id", "response_id"):
        answers[kind].setdefault(item_id, []).append(id)
    slots = assign(
        answers["main"],
        raters_per_item=protocol.raters_per_item,
        items_per_rater=protocol.items_per_rater,
        raters=protocol.raters,
        attention=answers["attention"],
        repeats=protocol.repeats,
        seed=stage.seed,
    )
    write_slots(stage, file, slots, max(slot.rater for slot in slots) + 1)


def units(assignment: Assignment) -> list[Unit]:
    """Return the answers of the item, in this rater's order."""
    assert assignment.stage is not None, "pages of this protocol belong to its stage"
    return response_units(assignment, instrument_of(assignment.stage))


def paged(assignment: Assignment) -> bool:
    """Return whether an item's answers come one a screen."""
    protocol = described().protocol
    return isinstance(protocol, Rate) and protocol.display == "one"


PARTS = ProtocolParts(one_stage(KEY), open_stage, units, "studies/rate.html", paged=paged)
