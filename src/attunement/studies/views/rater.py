"""A participant's pages: consent, the pages of their work, and the end."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone, translation
from django.views.decorators.http import require_GET, require_POST

from attunement.instruments.form import build_form, render_form
from attunement.studies import flow, links, saving
from attunement.studies.asking import missing, shown_turns, units_of, values_of
from attunement.studies.models import Assignment, Consent, Participant
from attunement.studies.opened import described
from attunement.studies.protocols import protocol_of
from attunement.studies.views.access import by_link, context_of


@require_GET
@by_link
def home(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Send a participant to what comes next."""
    step = flow.next_of(participant)
    base = links.path(participant)
    if step.where == "page":
        assert step.assignment is not None
        return HttpResponseRedirect(f"{base}a/{step.assignment.pk}/")
    if step.where == "consent":
        return HttpResponseRedirect(f"{base}consent/")
    if step.where == "done":
        flow.finish(participant)
    return render(request, f"studies/{step.where}.html", context_of(participant))


@by_link
def consent(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Show the consent text, and keep the words that were agreed to."""
    asked = described().consent
    language = translation.get_language()
    text = asked.text[language]
    if request.method == "POST":
        if request.POST.get("agree") != "yes":
            return render(
                request,
                "studies/consent.html",
                context_of(participant, consent_text=text, declined=True),
            )
        if not participant.consents.filter(version=asked.version).exists():
            Consent.objects.create(
                participant=participant, version=asked.version, language=language, text=text
            )
        return HttpResponseRedirect(links.path(participant))
    return render(request, "studies/consent.html", context_of(participant, consent_text=text))


@require_GET
@by_link
def page(request: HttpRequest, participant: Participant, pk: int) -> HttpResponse:
    """Show one page of the participant's work."""
    assignment = _own(participant, pk)
    step = flow.next_of(participant)
    if step.where in ("consent", "closed", "done"):
        return HttpResponseRedirect(links.path(participant))
    if step.assignment is not None and step.assignment.position < assignment.position:
        return HttpResponseRedirect(links.path(participant))  # earlier pages come first
    if assignment.opened_at is None:
        assignment.opened_at = timezone.now()
        assignment.save(update_fields=["opened_at"])
    show = protocol_of(described()).show
    shown = None if show is None else show(request, participant, assignment)
    return _show(request, participant, assignment) if shown is None else shown


def _show(
    request: HttpRequest, participant: Participant, assignment: Assignment, **more: Any
) -> HttpResponse:
    study = described()
    language = translation.get_language() or study.language
    questions = assignment.kind in ("background", "closing")
    template = "studies/questions.html" if questions else protocol_of(study).template
    shown = []
    for place, unit in enumerate(units_of(assignment)):
        form = build_form(unit.instrument, language)
        values = values_of(unit, assignment)
        shown.append(
            {
                "place": place,
                "number": place + 1,
                "unit": unit,
                "form": form,
                "html": render_form(form, prefix=f"u{place}-", values=values),
                "values": values,
            }
        )
    pages = list(flow.pages_of(participant).values_list("pk", "done_at"))
    place = [pk for pk, _ in pages].index(assignment.pk)
    context = context_of(
        participant,
        assignment=assignment,
        units=shown,
        turns=shown_turns(assignment),
        pages=len(pages),
        pages_done=sum(done is not None for _, done in pages),
        number=place + 1,
        previous=pages[place - 1][0] if place else None,
        **more,
    )
    return render(request, template, context)


@require_POST
@by_link
def save(request: HttpRequest, participant: Participant, pk: int) -> HttpResponse:
    """Save one answer; the answer says when it was saved, or why it was not."""
    assignment = _own(participant, pk)
    if flow.is_closed() or participant.finished_at is not None:
        return JsonResponse({"error": "closed"}, status=409)
    if not participant.consents.exists():
        return JsonResponse({"error": "consent"}, status=409)
    try:
        place = int(request.POST.get("place", ""))
        seconds = float(request.POST.get("seconds", "0"))
    except ValueError:
        return JsonResponse({"error": "numbers cannot be read"}, status=400)
    if seconds != seconds:
        seconds = 0.0
    try:
        saved = saving.save(
            assignment,
            place,
            request.POST.get("dimension", ""),
            dict(request.POST.lists()),
            client=request.POST.get("client", ""),
            seconds=seconds,
        )
    except saving.Refused as error:
        return JsonResponse({"error": str(error)}, status=400)
    return JsonResponse({"saved": saved.at})


@require_POST
@by_link
def done(request: HttpRequest, participant: Participant, pk: int) -> HttpResponse:
    """Go on to the next page, where nothing is missing on this one."""
    assignment = _own(participant, pk)
    if flow.is_closed() or participant.finished_at is not None:
        return HttpResponseRedirect(links.path(participant))
    lacking = missing(assignment)
    faults = protocol_of(described()).faults(assignment)
    if lacking or faults:
        return _show(request, participant, assignment, lacking=lacking, faults=faults)
    if not protocol_of(described()).ready(assignment):
        return HttpResponseRedirect(f"{links.path(participant)}a/{assignment.pk}/")
    if assignment.done_at is None:
        assignment.done_at = timezone.now()
        assignment.save(update_fields=["done_at"])
    return HttpResponseRedirect(links.path(participant))


@require_POST
@by_link
def language(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Change the participant's language and stay where they are."""
    wanted = request.POST.get("language", "")
    if wanted not in described().languages:
        raise Http404
    participant.language = wanted
    participant.save(update_fields=["language"])
    back = request.POST.get("next", "")
    base = links.path(participant)
    return HttpResponseRedirect(back if back.startswith(base) else base)


def _own(participant: Participant, pk: int) -> Assignment:
    """Return an assignment of this participant; of anybody else's there is nothing to see."""
    found: Assignment = get_object_or_404(flow.pages_of(participant), pk=pk)
    return found
