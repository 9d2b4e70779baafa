"""A form as HTML with native controls."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from attunement.instruments._fields import number_text
from attunement.instruments._form_parts import Form

if TYPE_CHECKING:
    from jinja2 import Environment


def render_form(
    form: Form,
    *,
    prefix: str = "",
    values: Mapping[str, Sequence[str]] | None = None,
    lacking: Collection[str] = (),
) -> str:
    """Return the form's fields as an HTML fragment, with no ``<form>`` around them.

    Parameters
    ----------
    form
        What `build_form` returned.
    prefix
        Begins every HTML id, so that several forms can stand on one page.
    values
        What is filled in, by control name, as a form sends it.
    lacking
        Dimensions that are marked as not answered yet.

    """
    return (
        environment()
        .get_template("form.html.j2")
        .render(form=form, prefix=prefix, values=values or {}, lacking=lacking)
    )


@cache
def environment() -> Environment:
    """Return the Jinja environment of this package's templates; it escapes every text."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("attunement.instruments"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["number"] = number_text
    return made
