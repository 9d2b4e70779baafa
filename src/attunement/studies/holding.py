"""Holding rows while they change, so that what was checked is still so when it is written.

A request is checked when it comes; until it writes, the person may have withdrawn in another tab,
or the owner closed the stage. Whoever changes what a page, a person or the list of people takes
holds it first, and looks again. On SQLite a transaction holds everything from its beginning. On
others whoever needs several holds them in one order, or two would wait for each other: people, the
stage, the person, their pages, their chats.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Iterator
from datetime import datetime

from django.db import connection
from django.utils.translation import gettext

from attunement.studies.links import is_dead
from attunement.studies.models import Assignment, Participant, Study

_WRITER = threading.Lock()


class Refused(Exception):
    """What was sent cannot be saved; the message says why, for the person who sent it."""


@contextlib.contextmanager
def one_writer() -> Iterator[None]:
    """Let one thread of this process write at a time, where the database is SQLite.

    SQLite has one writer anyway, and a thread that finds it busy sleeps and tries again, up to a
    tenth of a second at a time. A lock hands over at once. PostgreSQL needs none of this.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    with _WRITER:
        yield


def hold_page(pk: int) -> Assignment:
    """Return a page as it stands now, held until the transaction ends.

    Raises
    ------
    Refused
        Where it takes nothing any more.

    """
    _hold(pk)
    page = Assignment.objects.select_related("participant", "stage", "item").filter(pk=pk).first()
    if page is None or _is_over(page):
        raise Refused(gettext("The study takes no more answers."))
    return page


def hold_open_page(pk: int) -> datetime | None:
    """Hold a page that takes answers until the transaction ends, and return when it was done.

    Raises
    ------
    Refused
        Where it takes nothing any more.

    """
    _hold(pk)
    columns = ("withdrawn_at", "revoked_at", "finished_at")
    found = (
        Assignment.objects.filter(pk=pk)
        .values_list("done_at", "stage__closed_at", *(f"participant__{c}" for c in columns))
        .first()
    )
    if found is None or any(at is not None for at in found[1:]):
        raise Refused(gettext("The study takes no more answers."))
    done_at: datetime | None = found[0]
    return done_at


def _hold(pk: int) -> None:
    # A statement of its own: one that waits would see everything but the page as it was before
    if connection.features.has_select_for_update:
        list(Assignment.objects.select_for_update().filter(pk=pk).values_list("pk"))


def _is_over(page: Assignment) -> bool:
    closed = page.stage is not None and page.stage.closed_at is not None
    person = page.participant
    return closed or is_dead(person) or person.finished_at is not None


def hold_pages(pages: Iterable[int]) -> None:
    """Hold pages until the transaction ends, once the saves that are under way are written."""
    list(Assignment.objects.select_for_update().filter(pk__in=pages).order_by("pk").values("pk"))


def hold_person(participant: Participant) -> Participant:
    """Return a participant as they stand now, held until the transaction ends."""
    held: Participant = Participant.objects.select_for_update().get(pk=participant.pk)
    return held


def hold_people() -> None:
    """Let nobody else give places or codes until the transaction ends."""
    assert connection.in_atomic_block, "it would be held for nothing"
    list(Study.objects.select_for_update().values_list("pk"))
