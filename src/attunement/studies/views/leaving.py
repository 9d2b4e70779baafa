"""Stopping: a participant can leave at any time, and say what becomes of their answers."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from attunement.studies.models import Participant
from attunement.studies.views.access import by_link, context_of
from attunement.studies.withdrawal import erase, stop


@require_http_methods(["GET", "HEAD", "POST"])
@by_link
def leave(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Ask whether answers are kept or erased, and do it."""
    choice = request.POST.get("answers", "") if request.method == "POST" else ""
    if choice not in ("keep", "erase"):
        return render(request, "studies/stop.html", context_of(participant))
    if choice == "erase":
        erase(participant, by=participant.code)
    else:
        stop(participant, by=participant.code)
    return render(
        request, "studies/stopped.html", context_of(participant, erased=choice == "erase")
    )
