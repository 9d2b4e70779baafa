"""A participant's pages: consent, the pages of their work, and the end."""

from __future__ import annotations

from urllib.parse import quote

from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.utils import timezone, translation
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from attunement.studies import flow, links
from attunement.studies.asking import missing, units_of
from attunement.studies.holding import Refused
from attunement.studies.models import Assignment, Participant
from attunement.studies.opened import described
from attunement.studies.protocols import protocol_of
from attunement.studies.saving import number_of, seconds_of
from attunement.studies.views.access import by_link, context_of
from attunement.studies.views.showing import QUESTIONS, Screen, screens_of, show


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
        return render(
            request,
            "studies/done.html",
            context_of(participant, onward=onward(participant.completion)),
        )
    return render(request, f"studies/{step.where}.html", context_of(participant))


def onward(code: str) -> str | None:
    """Return the address that people go on to with their completion code; only https."""
    address = described().completion.redirect
    if address is None or not address.startswith("https://"):
        return None
    return address.replace("{code}", quote(code, safe=""))


@require_http_methods(["GET", "HEAD", "POST"])
@by_link
def consent(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Show the consent text, and keep the words that were agreed to."""
    asked = described().consent
    language = translation.get_language()
    text = asked.text[language]
    agreed = participant.consents.filter(version=asked.version).exists()
    declined = False
    if request.method == "POST":
        if request.POST.get("agree") == "yes":
            if not flow.is_closed():
                flow.agree(participant, language)
            return HttpResponseRedirect(links.path(participant))
        declined = True
    context = context_of(participant, consent_text=text, declined=declined, agreed=agreed)
    return render(request, "studies/consent.html", context)


@require_GET
@by_link
def page(request: HttpRequest, participant: Participant, pk: int) -> HttpResponse:
    """Show one page of the participant's work, or the place ``?u=`` of it."""
    assignment = own(participant, pk)
    base = links.path(participant)
    step = flow.next_of(participant)
    if step.where in ("consent", "closed", "done"):
        return HttpResponseRedirect(base)
    if step.assignment is not None and step.assignment.position < assignment.position:
        return HttpResponseRedirect(base)  # earlier pages come first
    if assignment.kind == "training" and assignment.done_at is not None:
        return HttpResponseRedirect(f"{base}a/{pk}/feedback/")
    if _is_to_be_warned(participant, assignment):
        return render(
            request,
            "studies/warning.html",
            context_of(participant, assignment=assignment, warning=_warning()),
        )
    _opened(assignment)
    special = protocol_of(described()).show
    shown = None if special is None else special(request, participant, assignment)
    if shown is not None:
        return shown
    return show(request, participant, assignment, _place(assignment, request.GET.get("u")))


def _warning() -> str:
    words = described().warning
    return "" if words is None else words[translation.get_language() or described().language]


def _is_to_be_warned(participant: Participant, assignment: Assignment) -> bool:
    """Return whether this is the first page with an item, and the study has a warning."""
    if described().warning is None or assignment.kind in QUESTIONS:
        return False
    if protocol_of(described()).show is not None:
        return False  # pages of the protocol's own say it themselves
    seen = Assignment.objects.filter(participant=participant, opened_at__isnull=False)
    return not seen.exclude(kind__in=QUESTIONS).exists()


@require_POST
@by_link
def begin(request: HttpRequest, participant: Participant, pk: int) -> HttpResponse:
    """Go on from the warning to the first item."""
    assignment = own(participant, pk)
    if flow.refusal(participant, assignment) is None:
        _opened(assignment)
    return HttpResponseRedirect(f"{links.path(participant)}a/{pk}/")


def _opened(assignment: Assignment) -> None:
    if assignment.opened_at is None:
        assignment.opened_at = timezone.now()
        # Not saved as it is here: somebody may have taken the page over meanwhile
        Assignment.objects.filter(pk=assignment.pk, opened_at=None).update(
            opened_at=assignment.opened_at
        )


def _place(assignment: Assignment, wanted: str | None) -> int | None:
    """Return which of the page's units is shown, None where all are."""
    screens = screens_of(assignment)
    if screens[0].place is None:
        return None
    asked = number_of(wanted or "")
    return 0 if asked is None else min(asked, len(screens) - 1)


@require_POST
@by_link
def done(request: HttpRequest, participant: Participant, pk: int) -> HttpResponse:
    """Go on to the next screen, where nothing is missing on this one."""
    assignment = own(participant, pk)
    base = links.path(participant)
    if assignment.kind == "training" and assignment.done_at is not None:
        return HttpResponseRedirect(f"{base}a/{pk}/feedback/")
    if flow.refusal(participant, assignment) is not None:
        return HttpResponseRedirect(base)
    _add_seconds(assignment, request.POST.get("seconds", "0"))
    lacking = missing(assignment, units_of(assignment))
    place = _place(assignment, request.POST.get("u"))
    if place is not None:
        here = [(at, dimension) for at, dimension in lacking if at == place]
        if not here and place + 1 < len(assignment.order):
            return HttpResponseRedirect(base + Screen(assignment, place + 1).path)
        lacking = here or lacking
        place = lacking[0][0] if lacking else place
    faults = protocol_of(described()).faults(assignment)
    if lacking or faults:
        return show(request, participant, assignment, place, lacking=lacking, faults=faults)
    try:
        complete = flow.complete(assignment)
    except Refused:  # the study or the page was closed just now: the way home says so
        return HttpResponseRedirect(base)
    if not complete:
        return HttpResponseRedirect(f"{base}a/{assignment.pk}/")
    if assignment.kind == "training":
        return HttpResponseRedirect(f"{base}a/{pk}/feedback/")
    return HttpResponseRedirect(_after(participant, assignment))


def _add_seconds(assignment: Assignment, sent: str) -> None:
    """Add the visible time since the last save."""
    seconds = seconds_of(sent)
    if seconds:
        # Added by the database: a save of another tab adds its own at the same time
        Assignment.objects.filter(pk=assignment.pk).update(seconds=F("seconds") + seconds)


def _after(participant: Participant, assignment: Assignment) -> str:
    """Return the address after a page: the one that follows it, where somebody went back."""
    base = links.path(participant)
    later = flow.pages_of(participant).filter(position__gt=assignment.position).first()
    if later is not None and later.done_at is not None:
        return f"{base}a/{later.pk}/"
    return base


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


def own(participant: Participant, pk: int) -> Assignment:
    """Return an assignment of this participant; of anybody else's there is nothing to see.

    Raises
    ------
    Http404
        Where there is none.

    """
    found: Assignment = get_object_or_404(flow.pages_of(participant), pk=pk)
    return found
