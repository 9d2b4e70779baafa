"""What the page of the protocol filter, choose, annotate takes from forms."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe

from attunement.instruments.form import Field, build_form, render_form
from attunement.studies.protocols.filtering_choice import CHOICE, KEEP, option

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
    others = [d.id for d in instrument.dimensions if d.id != KEEP]
    if not others:
        return SafeString("")
    plain = instrument.model_copy(update={"instructions": None})
    form = build_form(plain, shown["form"].language, dimensions=others)
    # Escaped by the form's own templates
    return mark_safe(
        render_form(
            form,
            prefix=f"u{shown['place']}-",
            values=shown["values"],
            lacking=shown["lacking"],
        )
    )


@register.filter
def is_chosen(shown: dict[str, Any], choice: dict[str, Any]) -> bool:
    """Return whether an answer is among those that were chosen."""
    return option(shown["place"]) in choice["values"].get(CHOICE, [])
