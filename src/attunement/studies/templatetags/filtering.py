"""What the page of the protocol filter, choose, annotate takes from forms."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.safestring import SafeString

from attunement.instruments.form import Field
from attunement.studies.protocols.filtering_choice import CHOICE, KEEP, option
from attunement.studies.templatetags._parts import part_of_form

register = template.Library()


@register.simple_tag
def keep_field(shown: dict[str, Any]) -> Field:
    """Return the question whether an answer stays."""
    found: Field = next(field for field in shown["form"].fields if field.id == KEEP)
    return found


@register.simple_tag
def other_questions(shown: dict[str, Any]) -> SafeString:
    """Return the form of all but that question, empty where there is no other."""
    instrument = shown["unit"].instrument
    return part_of_form(shown, {d.id for d in instrument.dimensions} - {KEEP})


@register.filter
def is_chosen(shown: dict[str, Any], choice: dict[str, Any]) -> bool:
    """Return whether an answer is among those that were chosen."""
    return option(shown["place"]) in choice["values"].get(CHOICE, [])
