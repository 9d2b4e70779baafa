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
from dataclasses import dataclass
from pathlib import Path

from django.db import connection, transaction
from django.utils.translation import gettext

from attunement import own_file
from attunement.studies.links import is_dead
from attunement.studies.models import Assignment, Participant, Study

_WRITER = threading.Lock()


class Refused(Exception):
    """What was sent cannot be saved; the message says why, for the person who sent it."""


@contextlib.contextmanager
def one_writer() -> Iterator[None]:
    """Let one thread of one process write at a time, where the database is an SQLite file.

    SQLite has one writer anyway, and whoever finds it busy sleeps and tries again, up to a tenth
    of a second at a time: with a hundred raters nearly everybody does. Locks hand over at once, one
    between the threads of a process and one on a file between processes. PostgreSQL needs none.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    database = Path(connection.settings_dict["NAME"])
    turn = database.with_name(f"{database.name}-turn")
    with _WRITER, own_file.open_beside(turn, database) as file:
        own_file.wait_for(file)
        yield


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """Write all that the block changes, or nothing; each waits for its turn."""
    with one_writer(), transaction.atomic():
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


@dataclass(frozen=True)
class OpenPage:
    """A page that takes answers: whether it was done, its last save, and if one is there already.

    ``version`` is 0 before the first save.
    """

    done: bool
    version: int
    saved: bool


# By hand, since everybody else waits meanwhile: building it anew takes longer than the rest
_OPEN_PAGE = """
SELECT (SELECT max(closed_at) FROM studies_study), stage.closed_at,
    person.withdrawn_at, person.revoked_at, person.finished_at, page.done_at,
    (SELECT max(id) FROM studies_change WHERE assignment_id = page.id),
    (SELECT count(*) FROM studies_change WHERE assignment_id = page.id AND client = %s)
FROM studies_assignment page
JOIN studies_participant person ON person.id = page.participant_id
LEFT JOIN studies_stage stage ON stage.id = page.stage_id
WHERE page.id = %s
"""


def hold_open_page(pk: int, client: str) -> OpenPage:
    """Hold a page that takes answers until the transaction ends, for the save of that id.

    Raises
    ------
    Refused
        Where it takes nothing any more.

    """
    _hold(pk)
    with connection.cursor() as cursor:
        cursor.execute(_OPEN_PAGE, [client, pk])
        found = cursor.fetchone()
    if found is None or any(at is not None for at in found[:5]):
        raise Refused(gettext("The study takes no more answers."))
    done_at, version, same = found[5:]
    return OpenPage(done_at is not None, version or 0, same > 0)


def _hold(pk: int) -> None:
    # A statement of its own: one that waits would see everything but the page as it was before
    if connection.features.has_select_for_update:
        list(Assignment.objects.select_for_update().filter(pk=pk).values_list("pk"))


def study_was_closed() -> bool:
    """Return whether the study is closed by now, whatever this request read before."""
    return bool(Study.objects.filter(closed_at__isnull=False).exists())


def _is_over(page: Assignment) -> bool:
    closed = study_was_closed() or (page.stage is not None and page.stage.closed_at is not None)
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
