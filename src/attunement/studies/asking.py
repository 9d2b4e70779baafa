"""What a participant is asked on one page: units to rate, each with its instrument."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from attunement.instruments import Instrument
from attunement.studies.models import Assignment, Response, Stage
from attunement.studies.opened import described, instrument_of

UnitKind = Literal["item", "response", "conversation", "session"]


@dataclass(frozen=True)
class Unit:
    """One thing that is asked about.

    Parameters
    ----------
    kind, unit_id
        As the ratings table has them.
    instrument
        What is asked.
    text
        What passages are marked in; None where nothing is shown.
    item_id, source
        Of the ratings table; ``source`` never reaches a page.
    aliases
        Option id on the page: the label that is stored, where the page must not show the label.
    prefill
        Values of controls before anything was answered.

    """

    kind: UnitKind
    unit_id: str
    instrument: Instrument
    text: str | None = None
    item_id: str | None = None
    source: str | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    prefill: Mapping[str, list[str]] = field(default_factory=dict)


def units_of(assignment: Assignment) -> list[Unit]:
    """Return what an assignment asks, in the order that this participant sees."""
    from attunement.studies.protocols import protocol_of

    study = described()
    if assignment.kind == "training":  # asks what the first stage asks
        return response_units(assignment, instrument_of(Stage.objects.order_by("position")[0]))
    if assignment.kind in ("background", "closing"):
        instrument = study.questions(assignment.kind)  # type: ignore[arg-type]
        assert instrument is not None, "no assignment is made where nothing is asked"
        return [Unit("session", assignment.participant.code, instrument)]
    return protocol_of(study).units(assignment)


def response_units(assignment: Assignment, instrument: Instrument) -> list[Unit]:
    """Return a unit for each answer to a page's item, in the order that this participant sees."""
    found = {r.response_id: r for r in Response.objects.filter(response_id__in=assignment.order)}
    item_id = None if assignment.item is None else assignment.item.item_id
    return [
        Unit(
            "response",
            id,
            instrument,
            text=found[id].text,
            item_id=item_id,
            source=", ".join(found[id].sources),
        )
        for id in assignment.order
    ]


def values_of(unit: Unit, assignment: Assignment) -> dict[str, list[str]]:
    """Return what the unit's form shows as filled in, by control name."""
    from attunement.studies.saving import posted_of

    answers = [a for a in assignment.answers.all() if a.unit_id == unit.unit_id]
    values: dict[str, list[str]] = {}
    touched = {a.dimension for a in answers}
    for name, given in unit.prefill.items():
        if name.partition(".")[0] not in touched:
            values[name] = given
    for answer in answers:
        values.update(posted_of(answer, unit))
    return values


def missing(assignment: Assignment, units: Sequence[Unit] | None = None) -> list[tuple[int, str]]:
    """Return which questions lack an answer, as place of the unit on the page and dimension.

    ``units`` are those of `units_of`, where they are known already.
    """
    answers = assignment.answers.all()
    given = {(a.unit_id, a.dimension) for a in answers if a.status != "partial"}
    return [
        (place, dimension.id)
        for place, unit in enumerate(units_of(assignment) if units is None else units)
        for dimension in unit.instrument.dimensions
        if dimension.required and (unit.unit_id, dimension.id) not in given
    ]


def shown_turns(assignment: Assignment) -> list[dict[str, Any]]:
    """Return the conversation that the page shows, empty where there is none."""
    return [] if assignment.item is None else list(assignment.item.turns)
