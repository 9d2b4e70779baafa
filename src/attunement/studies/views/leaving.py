"""Stopping: a participant can leave at any time, and say what becomes of their answers."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from attunement.studies.flow import is_closed
from attunement.studies.models import Participant
from attunement.studies.views.access import by_link, context_of
from attunement.studies.withdrawal import erase, stop


@require_http_methods(["GET", "HEAD", "POST"])
@by_link
def leave(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Ask whether answers are kept or erased, and do it.

    After the end, their own or the study's, there is nothing to stop: answers can be withdrawn.
    """
    over = participant.finished_at is not None or is_closed()
    choice = request.POST.get("answers", "") if request.method == "POST" else ""
    if choice not in (("erase",) if over else ("keep", "erase")):
        return render(request, "studies/stop.html", context_of(participant))
    if choice == "erase":
        erase(participant, by=participant.code)
    else:
        stop(participant, by=participant.code)
    context = context_of(participant, erased=choice == "erase", over=over)
    return render(request, "studies/stopped.html", context)
