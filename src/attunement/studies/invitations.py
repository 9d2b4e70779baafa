"""Invitations: whose link is sent where, and which links are dead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import polars as pl
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db.models import QuerySet
from django.utils import timezone

from attunement import tables
from attunement.errors import UserError
from attunement.studies import links
from attunement.studies.audit import log
from attunement.studies.holding import hold_people, hold_person, writing
from attunement.studies.models import Participant

LONGEST_ADDRESS = 254
"""Characters (RFC 5321, as corrected by its erratum 1690)."""

State = Literal["withdrawn", "revoked", "finished", "started", "invited", "not invited"]
STATES: tuple[State, ...] = (
    "not invited",
    "invited",
    "started",
    "finished",
    "withdrawn",
    "revoked",
)


def state_of(participant: Participant) -> State:
    """Return where a participant stands; the first that holds."""
    if participant.withdrawn_at is not None:
        return "withdrawn"
    if participant.finished_at is not None:
        return "finished"
    if participant.revoked_at is not None:
        return "revoked"
    if participant.started_at is not None:
        return "started"
    return "invited" if participant.invited_at is not None else "not invited"


def free_places() -> QuerySet[Participant]:
    """Return the places that the study has and nobody was invited to, in order."""
    untaken = links.alive().filter(invited_at=None, started_at=None, finished_at=None)
    return untaken.order_by("pk")


def invited() -> QuerySet[Participant]:
    """Return whoever was invited, can take part still, and has not finished."""
    return links.alive().filter(invited_at__isnull=False, finished_at=None)


def table_of(people: Iterable[Participant], link_of: Callable[[Participant], str]) -> pl.DataFrame:
    """Return the table to send links by: code, address and link, none of them a formula.

    Parameters
    ----------
    people
        Those to whom links are to be sent.
    link_of
        What gives somebody's whole link.

    """
    rows = [(p.code, p.address, link_of(p)) for p in people]
    schema = dict.fromkeys(("code", "address", "link"), pl.String)
    return tables.for_spreadsheet(pl.DataFrame(rows, schema=schema, orient="row"))


def invite(count: int, *, by: str) -> list[Participant]:
    """Mark the next free places as invited.

    Raises
    ------
    UserError
        Where there are fewer: who rates what was settled when the stage opened.

    """
    return _invite([""] * count, by=by)


def read_addresses(text: str) -> list[str]:
    """Return the addresses of a text with one a line, none twice.

    Raises
    ------
    UserError
        Where a line is no address; it names the line.

    """
    found: dict[str, None] = {}
    for number, address in enumerate(_lines(text), 1):
        if not address:
            continue
        try:
            if len(address) > LONGEST_ADDRESS:
                raise ValidationError("too long")
            validate_email(address)
        except ValidationError:
            raise UserError(
                f"{address[:80]!r} is not an e-mail address.",
                where=f"line {number}",
                fix="Write one address a line.",
            ) from None
        found[address] = None
    return list(found)


def repeated(text: str) -> list[str]:
    """Return the addresses that stand more than once in a text with one a line."""
    return [a for a, times in Counter(filter(None, _lines(text))).items() if times > 1]


def _lines(text: str) -> list[str]:
    return [line.strip().strip(",;").strip() for line in text.splitlines()]


def invite_addresses(addresses: Sequence[str], *, by: str) -> list[Participant]:
    """Give each address the next free place and mark it as invited.

    Raises
    ------
    UserError
        Where an address has a place already, or there are too few places.

    """
    with writing():
        hold_people()
        _refuse_given(addresses)
        return _invite(addresses, by=by)


def _invite(addresses: Sequence[str], *, by: str) -> list[Participant]:
    if not addresses:
        raise UserError("there is nobody to invite.", where="invitations")
    with writing():
        hold_people()  # whoever invites at the same time gets the places after these
        places = list(free_places().select_for_update()[: len(addresses)])
        if len(places) < len(addresses):
            raise UserError(
                f"{len(addresses)} were asked for, and {len(places)} places are free.",
                where="invitations",
                fix="Who does what was settled when the stage opened. Replace somebody who leaves, "
                "or invite as many as there are.",
            )
        now = timezone.now()
        for place, address in zip(places, addresses, strict=True):
            place.invited_at = now
            place.address = address
        Participant.objects.bulk_update(places, ["invited_at", "address"])
        log(by, "invited", participants=[p.code for p in places])
    return places


def mark_invited(participant: Participant, *, address: str = "", by: str) -> None:
    """Note that somebody was invited now, and where.

    Raises
    ------
    UserError
        Where they have withdrawn, or the address has another place.

    """
    with writing():
        hold_people()
        held = hold_person(participant)
        if held.withdrawn_at is not None:
            raise UserError("they have withdrawn.", where=held.code)
        _refuse_given([address] if address else [], but=held)
        held.invited_at = timezone.now()
        held.address = address or held.address
        held.save(update_fields=["invited_at", "address"])
        log(by, "invited", participants=[held.code])
    participant.refresh_from_db()


def _refuse_given(addresses: Sequence[str], *, but: Participant | None = None) -> None:
    """Refuse addresses of which one has a place already."""
    others = Participant.objects.filter(address__in=addresses, withdrawn_at=None)
    if but is not None:
        others = others.exclude(pk=but.pk)
    there = others.first()
    if there is not None:
        raise UserError(f"{there.address} has the place {there.code} already.", where="addresses")


def revoke(participant: Participant, *, by: str) -> None:
    """Make a link worth nothing, at once; what was answered stays."""
    with writing():
        hold_person(participant)
        participant.revoked_at = timezone.now()
        participant.save(update_fields=["revoked_at"])
        log(by, "link revoked", participant=participant.code)


def renew(participant: Participant, *, by: str) -> None:
    """Give somebody a new link; the old one stops working, and what was answered stays.

    Raises
    ------
    UserError
        Where they have withdrawn, or somebody took their place.

    """
    with writing():
        held = hold_person(participant)
        if held.withdrawn_at is not None:
            raise UserError("they have withdrawn.", where=participant.code)
        successor = Participant.objects.filter(replaces=participant).first()
        if successor is not None:
            raise UserError(f"{successor.code} took their place.", where=participant.code)
        links.renew(participant)
        log(by, "link renewed", participant=participant.code)
