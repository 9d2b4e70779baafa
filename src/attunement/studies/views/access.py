"""Who may see a participant's pages: whoever holds the link, and nobody who guesses."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec

from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone, translation

from attunement.studies import links
from attunement.studies.flow import is_closed
from attunement.studies.models import Participant
from attunement.studies.opened import described

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, Participant, P], HttpResponse]

MOST_FAILURES = 20
WINDOW_S = 300
"""So many links that are nobody's may an address try in so many seconds."""
SEEN_EVERY_S = 60


def by_link(view: View[P]) -> Callable[Concatenate[HttpRequest, str, P], HttpResponse]:
    """Give a view the participant whose link the address holds; 404 where it is nobody's.

    Too many wrong links from one address get 429, right ones that nobody has used included. Those
    who are at work go on: a whole laboratory may share the address with one broken link.
    """

    @functools.wraps(view)
    def found(request: HttpRequest, token: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        key = f"wrong-links:{request.META.get('REMOTE_ADDR', '')}"
        participant = links.find(token)
        known = participant is not None and participant.started_at is not None
        if not known and cache.get(key, 0) >= MOST_FAILURES:
            return _too_many(request)
        if participant is None:
            gone = links.find_gone(token)
            if gone is not None:
                return _stopped(request, gone)
            count(key, WINDOW_S)
            raise Http404
        _seen(participant)
        language = participant.language or _wanted(request)
        with translation.override(language):
            request.LANGUAGE_CODE = language
            response = view(request, participant, *args, **kwargs)
            if hasattr(response, "render") and not getattr(response, "is_rendered", True):
                response = response.render()
        response.headers["Content-Language"] = language
        return response

    return found  # type: ignore[return-value]  # the names of its parameters do not matter


def count(key: str, window_s: int) -> None:
    """Count one more failure, for so many seconds from the first."""
    cache.add(key, 0, window_s)
    with contextlib.suppress(ValueError):  # its time was over between the two
        cache.incr(key)


def _too_many(request: HttpRequest) -> HttpResponse:
    """Tell somebody that too many wrong links were tried from where they are."""
    with translation.override(_wanted(request)):
        minutes = {"minutes": WINDOW_S // 60}
        response = render(request, "studies/too_many.html", minutes, status=429)
    response.headers["Retry-After"] = str(WINDOW_S)
    return response


def _stopped(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Tell somebody who left the study that they did."""
    language = participant.language or _wanted(request)
    with translation.override(language):
        return render(request, "studies/stopped.html", status=410)


def _wanted(request: HttpRequest) -> str:
    """Return the study's language that the browser asks for, else the study's first."""
    languages = described().languages
    asked = translation.get_language_from_request(request)
    return asked if asked in languages else languages[0]


def _seen(participant: Participant) -> None:
    now = timezone.now()
    last = participant.last_seen_at
    if last is not None and (now - last).total_seconds() < SEEN_EVERY_S:
        return
    participant.last_seen_at = now
    changed = ["last_seen_at"]
    if participant.started_at is None:
        participant.started_at = now
        changed.append("started_at")
    participant.save(update_fields=changed)


def context_of(participant: Participant, **more: Any) -> dict[str, Any]:
    """Return what every page of a participant gets."""
    return {
        "participant": participant,
        "home": links.path(participant),
        "link_token": links.token(participant.nonce),
        "over": participant.finished_at is not None or is_closed(),
        **more,
    }
