"""One screen of a participant's work: an item with its answers, one of them, or questions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation

from attunement.instruments.form import Form, build_form, render_form
from attunement.studies import flow
from attunement.studies.asking import Unit, shown_turns, units_of, values_of
from attunement.studies.models import Assignment, Participant
from attunement.studies.opened import described
from attunement.studies.protocols import protocol_of
from attunement.studies.saving import version_of
from attunement.studies.views.access import context_of

QUESTIONS = ("background", "closing")


@dataclass(frozen=True)
class Screen:
    """A screen: a page, or the place of one of its units where these come one a screen."""

    assignment: Assignment
    place: int | None = None

    @property
    def path(self) -> str:
        """What its address has after the personal link."""
        page = f"a/{self.assignment.pk}/"
        return page if not self.place else f"{page}?u={self.place}"


def screens_of(assignment: Assignment) -> list[Screen]:
    """Return the screens of a page in their order, one at least."""
    if (
        assignment.kind in QUESTIONS
        or len(assignment.order) < 2
        or not protocol_of(described()).paged(assignment)
    ):
        return [Screen(assignment)]
    return [Screen(assignment, place) for place in range(len(assignment.order))]


def all_screens(participant: Participant) -> list[Screen]:
    """Return all screens of a participant in their order."""
    pages = flow.pages_of(participant).prefetch_related(None)
    return [screen for page in pages for screen in screens_of(page)]


def show(
    request: HttpRequest,
    participant: Participant,
    assignment: Assignment,
    place: int | None = None,
    *,
    lacking: Sequence[tuple[int, str]] = (),
    faults: Sequence[str] = (),
) -> HttpResponse:
    """Return a screen; ``lacking`` are questions to be marked as not answered yet."""
    study = described()
    language = translation.get_language() or study.language
    questions = assignment.kind in QUESTIONS
    units = units_of(assignment)
    wanted = range(len(units)) if place is None else [place]
    shown = [
        _unit(at, units[at], assignment, language, [d for p, d in lacking if p == at])
        for at in wanted
    ]
    screens = all_screens(participant)
    own = [(s.assignment.pk, s.place) for s in screens]
    number = own.index((assignment.pk, place))
    context = {} if questions else protocol_of(study).context(assignment)
    context |= context_of(
        participant,
        assignment=assignment,
        place=place,
        units=shown,
        single=len(shown) == 1,
        instruments=_instruments(shown),
        turns=shown_turns(assignment),
        pages=len(screens),
        pages_done=number,
        number=number + 1,
        previous=screens[number - 1].path if number else None,
        last=number == len(screens) - 1,
        version=version_of(assignment),
        lacking=[
            _link(unit, id, several=len(shown) > 1) for unit in shown for id in unit["lacking"]
        ],
        faults=faults,
        working=True,
    )
    template = "studies/questions.html" if questions else protocol_of(study).template
    return render(request, template, context)


def _unit(
    place: int, unit: Unit, assignment: Assignment, language: str, lacking: list[str]
) -> dict[str, Any]:
    form = build_form(unit.instrument, language)
    values = values_of(unit, assignment)
    answered = {a.dimension for a in assignment.answers.all() if a.unit_id == unit.unit_id}
    filled = {name.partition(".")[0] for name in unit.prefill} - answered
    marks = {n.removesuffix(".offsets"): json.loads(v[0]) for n, v in values.items() if _is_mark(n)}
    return {
        "place": place,
        "number": place + 1,
        "unit": unit,
        "form": form,
        "html": render_form(form, prefix=f"u{place}-", values=values, lacking=lacking),
        "values": values,
        "lacking": lacking,
        "prefilled": " ".join(sorted(filled)),
        "marks": json.dumps(marks),
        # HTML turns carriage returns into line feeds, and places would no longer fit
        "exact": json.dumps(unit.text) if unit.text is not None and "\r" in unit.text else None,
    }


def _is_mark(name: str) -> bool:
    return name.endswith(".offsets")


def _instruments(shown: Sequence[dict[str, Any]]) -> list[Form]:
    """Return each form once, for the instructions of the screen."""
    return list({unit["form"].instrument: unit["form"] for unit in shown}.values())


def _link(unit: dict[str, Any], id: str, *, several: bool) -> dict[str, Any]:
    """Return where a question is on the page, what it is called, and of which answer it is one."""
    form: Form = unit["form"]
    field = next(
        f for section in form.sections for g in section.groups for f in g.fields if f.id == id
    )
    answer = unit["number"] if several and unit["unit"].text is not None else None
    return {"href": f"#u{unit['place']}-{id}", "label": field.label, "answer": answer}
