"""What the pages of a panel take from forms and from the round before."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from attunement.instruments.form import Field
from attunement.studies.models import Assignment
from attunement.studies.opened import described, instrument_of
from attunement.studies.protocols import delphi_questions as ask
from attunement.studies.protocols.delphi_said import Said, said_before
from attunement.studies.templatetags._parts import part_of_form

register = template.Library()


@register.filter
def asks(shown: dict[str, Any], dimension: str) -> bool:
    """Return whether a unit of the page asks this."""
    return any(field.id == dimension for field in shown["form"].fields)


@register.simple_tag
def field_of(shown: dict[str, Any], dimension: str) -> Field | None:
    """Return a question of a unit, None where it is not asked."""
    return next((field for field in shown["form"].fields if field.id == dimension), None)


@register.simple_tag
def questions(shown: dict[str, Any], *dimensions: str) -> SafeString:
    """Return the form of some questions of a unit, in the instrument's order."""
    return part_of_form(shown, dimensions)


@register.simple_tag
def wording(assignment: Assignment, id: str, language: str | None = None) -> str:
    """Return an item's wording in the language of the page, or in another."""
    assert assignment.stage is not None
    words = instrument_of(assignment.stage).dimension(id).wording
    return words.get(language or _language()) or next(iter(words.values()))


@register.simple_tag
def original(assignment: Assignment, id: str) -> str:
    """Return an item's wording in the language that the draft was written in."""
    assert assignment.stage is not None
    instrument = instrument_of(assignment.stage)
    return instrument.dimension(id).wording[instrument.language]


@register.simple_tag
def name_of(assignment: Assignment, id: str) -> str:
    """Return an item's short name."""
    assert assignment.stage is not None
    return instrument_of(assignment.stage).dimension(id).label[_language()]


@register.simple_tag
def said_last_time(assignment: Assignment, id: str) -> Said | None:
    """Return what the panel said of an item in the round before, None where it is new."""
    assert assignment.stage is not None
    return said_before(assignment.stage, id, assignment.participant, _language())


@register.simple_tag
def overlaps(assignment: Assignment, shown: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the items that one may overlap with: of its own dimension, and of others."""
    assert assignment.stage is not None
    instrument = instrument_of(assignment.stage)
    id = shown["unit"].unit_id
    near = {d for s in instrument.subscales if id in s.dimensions for d in s.dimensions}
    near = near or {d.id for d in instrument.dimensions}
    field = next(f for f in shown["form"].fields if f.id == ask.REDUNDANT)
    chosen = shown["values"].get(ask.REDUNDANT, [])
    found: dict[str, list[dict[str, Any]]] = {"near": [], "far": []}
    for choice in field.choices:
        if choice.value == "none:":
            continue
        row = {"value": choice.value, "label": choice.label, "checked": choice.value in chosen}
        found["near" if choice.value in near else "far"].append(row)
    return found


@register.filter
def any_checked(rows: list[dict[str, Any]]) -> bool:
    """Return whether one of the boxes is ticked."""
    return any(row["checked"] for row in rows)


@register.simple_tag
def places(units: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the units that ask for a place in the order, each with the places to choose from."""
    found = []
    for shown in units:
        field = next((f for f in shown["form"].fields if f.id == ask.RANK), None)
        if field is not None and field.max is not None:
            given = shown["values"].get(ask.RANK, [""])[0]
            options = [(str(n), str(n) == given) for n in range(1, int(field.max) + 1)]
            found.append({"shown": shown, "options": options})
    return found


def _language() -> str:
    return get_language() or described().language
