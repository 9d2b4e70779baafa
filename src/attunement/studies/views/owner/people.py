"""Participants: invitations, links, reminders, replacement, withdrawal, and their table."""

from __future__ import annotations

import polars as pl
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from attunement import tables
from attunement.errors import UserError
from attunement.studies import extra, invitations, links, reminders, replacement, withdrawal
from attunement.studies.audit import log
from attunement.studies.coverage import by_participant, progress_of
from attunement.studies.models import Participant
from attunement.studies.opened import described, the_study
from attunement.studies.participants import language_of
from attunement.studies.participants_table import as_frame, participants_table
from attunement.studies.views.owner.access import attempt, owner_page, who
from attunement.studies.views.owner.confirming import Question, ask


def link_of(request: HttpRequest, participant: Participant) -> str:
    """Return a participant's whole link, as it is to be sent."""
    return request.build_absolute_uri(links.path(participant))


@require_GET
@owner_page
def people(request: HttpRequest) -> HttpResponse:
    """List the participants."""
    progress = {p.participant.pk: p for p in by_participant()}
    wanted = request.GET.get("state", "")
    rows = [
        (person, state, progress.get(person.pk))
        for person in Participant.objects.select_related("replaces")
        if (state := invitations.state_of(person)) == wanted or not wanted
    ]
    study = described()
    return render(
        request,
        "studies/owner/people.html",
        {
            "here": "people",
            "rows": rows,
            "states": invitations.STATES,
            "state": wanted,
            "one_stage": the_study().stages.count() == 1,
            "free": invitations.free_places().count(),
            "due": reminders.due(study.remind_after_days),
            "days": study.remind_after_days,
        },
    )


@require_GET
@owner_page
def person(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one participant; the link only where it is asked for."""
    found = get_object_or_404(Participant, pk=pk)
    state = invitations.state_of(found)
    alive = state not in ("withdrawn", "revoked")
    shown = None
    if request.GET.get("link") == "1" and alive:
        shown = link_of(request, found)
        log(who(request), "link shown", participant=found.code)
    return render(
        request,
        "studies/owner/person.html",
        {
            "here": "people",
            "person": found,
            "state": state,
            "alive": alive,
            "something": state != "withdrawn" or withdrawal.holds_something(found),
            "progress": progress_of(found),
            "successor": Participant.objects.filter(replaces=found).first(),
            "link": shown,
        },
    )


@require_POST
@owner_page
def invite(request: HttpRequest) -> HttpResponse:
    """Invite so many, or whoever has one of the addresses."""
    text = request.POST.get("addresses", "").strip()
    try:
        if text:
            found = invitations.invite_addresses(invitations.read_addresses(text), by=who(request))
        else:
            count = _whole_number(request.POST.get("count", ""))
            found = invitations.invite(count, by=who(request))
    except UserError as error:
        messages.error(request, str(error))
    else:
        codes = ", ".join(p.code for p in found[:10]) + (" ..." if len(found) > 10 else "")
        messages.success(
            request, f"Marked as invited: {codes}. Nothing was sent: send each their own link."
        )
        for address in invitations.repeated(text):
            messages.warning(request, f"{address} stands more than once: it gets one place.")
    return redirect("owner:people")


@require_POST
@owner_page
def add_places(request: HttpRequest) -> HttpResponse:
    """Add places to the study."""
    try:
        made = extra.add_places(_whole_number(request.POST.get("places", "")), by=who(request))
    except UserError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{len(made)} added, up to {made[-1].code}.")
    return redirect("owner:people")


def _whole_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise UserError("how many is a whole number.", where="places")
    return int(text)


@require_POST
@owner_page
def mark_invited(request: HttpRequest, pk: int) -> HttpResponse:
    """Note that somebody was invited, and where."""
    found = get_object_or_404(Participant, pk=pk)

    def action() -> None:
        addresses = invitations.read_addresses(request.POST.get("address", ""))
        if len(addresses) > 1:
            raise UserError("one address is stored for a participant.", where=found.code)
        invitations.mark_invited(found, address="".join(addresses), by=who(request))

    attempt(request, action, f"{found.code} is marked as invited.")
    return redirect("owner:person", pk=pk)


@require_POST
@owner_page
def link_table(request: HttpRequest) -> HttpResponse:
    """Return the links of everybody who was invited and has not finished, to send them out."""
    frame = invitations.table_of(invitations.invited(), lambda p: link_of(request, p))
    log(who(request), "links downloaded", participants=frame.height)
    return _csv(frame, "links.csv")


@require_http_methods(["GET", "POST"])
@owner_page
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke a link, after asking."""
    found = get_object_or_404(Participant, pk=pk)
    question = Question(
        f"Revoke the link of {found.code}?",
        "The link is worth nothing at once, on every page that is open. What was answered stays. "
        "You can give a new link later.",
        "Revoke the link",
    )
    return ask(
        request,
        question,
        lambda: invitations.revoke(found, by=who(request)),
        f"The link of {found.code} is revoked.",
        back="owner:person",
        pk=pk,
    )


@require_http_methods(["GET", "POST"])
@owner_page
def renew(request: HttpRequest, pk: int) -> HttpResponse:
    """Give a new link, after asking."""
    found = get_object_or_404(Participant, pk=pk)
    question = Question(
        f"Give {found.code} a new link?",
        "The old link stops working at once. What was answered stays, and they go on where they "
        "stopped once you have sent them the new one.",
        "Give a new link",
    )
    return ask(
        request,
        question,
        lambda: invitations.renew(found, by=who(request)),
        f"{found.code} has a new link; the old one is dead.",
        back="owner:person",
        pk=pk,
    )


@require_http_methods(["GET", "POST"])
@owner_page
def replace(request: HttpRequest, pk: int) -> HttpResponse:
    """Replace somebody who leaves, after asking."""
    found = get_object_or_404(Participant, pk=pk)
    question = Question(
        f"Replace {found.code}?",
        "Somebody new takes over the pages that are not complete, with a link of their own. What "
        f"{found.code} has rated completely stays with them; their link is worth nothing any more.",
        "Replace them",
    )
    return ask(
        request,
        question,
        lambda: replacement.replace_participant(found, by=who(request)),
        f"{found.code} is replaced: see the newest code in the list.",
        back="owner:people",
    )


@require_http_methods(["GET", "POST"])
@owner_page
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """Withdraw somebody at their wish and erase what they gave, after asking."""
    found = get_object_or_404(Participant, pk=pk)
    question = Question(
        f"Withdraw {found.code} and erase what they gave?",
        "Do this at their wish. Their answers, their texts and chats, their address and what the "
        "history has of them are erased from the study. This cannot be taken back. Backups and "
        "exports that you made before still hold them: erase them there too.",
        "Erase it all",
    )
    return ask(
        request,
        question,
        lambda: withdrawal.erase(found, by=who(request)),
        f"{found.code} has withdrawn, and what they gave is erased.",
        back="owner:people",
    )


@require_GET
@owner_page
def due(request: HttpRequest) -> HttpResponse:
    """Show who is due a reminder, with words to send."""
    study = described()
    rows = []
    for one in reminders.due(study.remind_after_days):
        language = language_of(one.participant)
        subject, body = reminders.reminder(
            language,
            title=study.title[language],
            link=link_of(request, one.participant),
            contact=study.contact,
        )
        rows.append((one, subject, body, reminders.mailto(one.participant.address, subject, body)))
    return render(
        request,
        "studies/owner/due.html",
        {"here": "people", "rows": rows, "days": study.remind_after_days},
    )


@require_POST
@owner_page
def mark_reminded(request: HttpRequest, pk: int) -> HttpResponse:
    """Note that somebody was reminded."""
    found = get_object_or_404(Participant, pk=pk)
    reminders.mark_reminded(found, by=who(request))
    messages.success(request, f"{found.code} is marked as reminded.")
    return redirect(reverse("owner:due"))


@require_GET
@owner_page
def table(request: HttpRequest) -> HttpResponse:
    """Show the table of the participants, or download it."""
    rows = participants_table(described())
    if request.GET.get("format") == "csv":
        return _csv(tables.for_spreadsheet(as_frame(rows)), "participants.csv")
    return render(request, "studies/owner/table.html", {"here": "table", "rows": rows})


def _csv(frame: pl.DataFrame, name: str) -> HttpResponse:
    response = HttpResponse(frame.write_csv(), content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
