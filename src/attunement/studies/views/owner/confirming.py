"""Asking before anything that cannot be taken back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from attunement.studies.views.owner.access import attempt


@dataclass(frozen=True)
class Question:
    """What is asked, what would follow, and what the button says."""

    title: str
    follows: str
    button: str


def ask(
    request: HttpRequest,
    question: Question,
    action: Callable[[], object],
    done: str,
    *,
    back: str,
    pk: int | None = None,
) -> HttpResponse:
    """Ask on GET; on POST do it and go back to the page called ``back``.

    Parameters
    ----------
    request, question
        What to ask.
    action, done
        What is done, and what is said then.
    back, pk
        The name of the page to go back to, and whom it is about.

    """
    where = reverse(back, args=[] if pk is None else [pk])
    if request.method != "POST":
        return render(request, "studies/owner/confirm.html", {"question": question, "back": where})
    attempt(request, action, done)
    return redirect(where)
