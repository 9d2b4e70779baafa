"""A part of a unit's form, which a page shows by itself."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from attunement.instruments.form import build_form, render_form


def part_of_form(shown: dict[str, Any], dimensions: Collection[str]) -> SafeString:
    """Return some questions of a unit in the instrument's order, empty where it asks none."""
    instrument = shown["unit"].instrument.model_copy(update={"instructions": None})
    wanted = [d.id for d in instrument.dimensions if d.id in dimensions]
    if not wanted:
        return SafeString("")
    form = build_form(instrument, shown["form"].language, dimensions=wanted)
    prefix = f"u{shown['place']}-"
    html = render_form(form, prefix=prefix, values=shown["values"], lacking=shown["lacking"])
    return mark_safe(html)  # escaped by the form's own templates
