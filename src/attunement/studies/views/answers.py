"""Saving from a page, by script as things change or by a button, and what stands saved."""

from __future__ import annotations

import secrets

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.utils import translation
from django.views.decorators.http import require_GET, require_POST

from attunement.instruments._words import WORDS, FormWords
from attunement.instruments.form import rating_words
from attunement.studies import flow, links, saving
from attunement.studies.asking import units_of, values_of
from attunement.studies.holding import Refused
from attunement.studies.known import Check, checks, known_of
from attunement.studies.models import Answer, Assignment, Participant
from attunement.studies.views.access import by_link, context_of
from attunement.studies.views.rater import own
from attunement.studies.views.showing import show


@require_POST
@by_link
def save(request: HttpRequest, participant: Participant, pk: int) -> HttpResponse:
    """Save one answer; the reply says when it was saved, or why it was not.

    400 and 409 mean that the same save will never be taken; ``message`` is for the person.
    """
    assignment = _own_to_save(participant, pk)
    refusal = flow.refusal(participant, assignment)
    if refusal is not None:
        return JsonResponse(refusal, status=409)
    place = saving.number_of(request.POST.get("place", ""))
    if place is None:
        return JsonResponse({"error": "numbers cannot be read"}, status=400)
    try:
        saved = saving.save(
            assignment,
            place,
            request.POST.get("dimension", ""),
            dict(request.POST.lists()),
            client=request.POST.get("client", ""),
            seconds=saving.seconds_of(request.POST.get("seconds", "0")),
        )
    except Refused as error:
        return JsonResponse({"error": str(error), "message": str(error)}, status=400)
    return JsonResponse({"saved": saved.at, "before": saved.before, "version": saved.version})


def _own_to_save(participant: Participant, pk: int) -> Assignment:
    """Return what `own` does, with as little from the database as a save needs: it comes often."""
    pages = Assignment.objects.select_related("stage", "item")
    page: Assignment = get_object_or_404(pages.order_by(), pk=pk, participant_id=participant.pk)
    if page.stage is not None and page.stage.closed_at is not None:
        raise Http404
    page.participant = participant
    return page


@require_POST
@by_link
def save_all(request: HttpRequest, participant: Participant, pk: int) -> HttpResponse:
    """Save all questions about one unit, for browsers without scripts."""
    assignment = own(participant, pk)
    if flow.refusal(participant, assignment) is not None:
        return HttpResponseRedirect(links.path(participant))
    sent = dict(request.POST.lists())
    units = units_of(assignment)
    place = saving.number_of(request.POST.get("place", ""))
    if place is None or place >= len(units):
        raise Http404
    faults = []
    for dimension in units[place].instrument.dimensions:
        posted = {n: v for n, v in sent.items() if n.partition(".")[0] == dimension.id}
        try:
            saving.save(assignment, place, dimension.id, posted, client=secrets.token_hex(16))
        except Refused as error:
            label = dimension.label[translation.get_language()]
            faults.append(f"{label}: {error}")
    screen = saving.number_of(request.POST.get("u", "")) is not None
    if faults:
        assignment = own(participant, pk)
        at = place if screen else None
        return show(request, participant, assignment, at, faults=faults)
    page = f"{links.path(participant)}a/{pk}/"
    return HttpResponseRedirect(f"{page}?u={place}" if screen else page)


@require_GET
@by_link
def state(request: HttpRequest, participant: Participant, pk: int) -> HttpResponse:
    """Return what stands saved: for each unit, the form's values by control name."""
    assignment = own(participant, pk)
    units = units_of(assignment)
    return JsonResponse(
        {
            "version": saving.version_of(assignment),
            "units": [values_of(unit, assignment) for unit in units],
        }
    )


@require_GET
@by_link
def feedback(request: HttpRequest, participant: Participant, pk: int) -> HttpResponse:
    """Show what a training item was to be answered, once it is."""
    assignment = own(participant, pk)
    if assignment.kind != "training" or assignment.done_at is None:
        return HttpResponseRedirect(f"{links.path(participant)}a/{pk}/")
    language = translation.get_language() or "en"
    words = WORDS.get(language, WORDS["en"])
    units = units_of(assignment)
    known = known_of(assignment)
    found = checks(assignment, units)
    shown = [
        {
            "text": unit.text,
            "checks": [_said(c, language, words) for c in found if c.place == place],
            "why": (known.get(unit.unit_id, {}).get("feedback") or {}).get(language, ""),
        }
        for place, unit in enumerate(units)
    ]
    context = context_of(
        participant,
        units=shown,
        turns=assignment.item.turns if assignment.item is not None else [],
        right=sum(check.right for check in found),
        asked=len(found),
    )
    return render(request, "studies/feedback.html", context)


def _said(check: Check, language: str, words: FormWords) -> dict[str, object]:
    return {
        "label": check.dimension.label[language],
        "given": given_words(check.answer, check, language, words),
        "expected": rating_words(check.expected, check.dimension, language, words),
        "right": check.right,
    }


def given_words(answer: Answer | None, check: Check, language: str, words: FormWords) -> str:
    """Return an answer as the person who gave it read it; a dash where there is none."""
    if answer is None or answer.status == saving.PARTIAL:
        return "–"
    if answer.status != "ok":
        return str(getattr(words, answer.status))
    given: float | tuple[str, ...]
    if answer.labels is not None:
        given = tuple(dict.fromkeys(answer.labels))
    else:
        given = answer.value if answer.value is not None else ()
    return rating_words(given, check.dimension, language, words)
