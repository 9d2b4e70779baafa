"""Leaving a study: stopping with the answers kept, or withdrawing with everything erased."""

from __future__ import annotations

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from attunement.studies.audit import log
from attunement.studies.chat import conversation
from attunement.studies.holding import hold_pages, hold_person, writing
from attunement.studies.models import Answer, Assignment, Change, Chat, Participant

KEPT = (
    Q(withdrawn_at=None)
    | Q(assignments__answers__isnull=False)
    | Q(assignments__chat__messages__isnull=False)
)
"""Whose answers and conversations stand. Who stopped and who withdrew have both left; of those who
withdrew nothing is there. Somebody can match several times."""


def stop(participant: Participant, by: str) -> None:
    """End somebody's part in the study and keep what they answered; their link ends with it.

    A conversation that is under way is broken off, and what was said in it is kept.

    Parameters
    ----------
    participant
        Who leaves. Nothing happens where they have left already.
    by
        Who says so, for the audit log: the participant's code, or the owner's name.

    """
    with writing():
        held = hold_person(participant)
        if held.withdrawn_at is None:
            held.withdrawn_at = timezone.now()
            held.save(update_fields=["withdrawn_at"])
            for chat in Chat.objects.filter(assignment__participant=held, ended_at=None):
                if chat.started_at is not None:
                    conversation.end(chat, stopped=True)
            log(by, "stopped", participant=held.code)
    participant.refresh_from_db()


def erase(participant: Participant, by: str) -> None:
    """Withdraw somebody and erase what they entered; that cannot be undone.

    Answers of every phase (background questions, questions they wrote, reasons), the history of
    all saves, chats and the address they were invited at are deleted. What stays: their code, the
    words they agreed to, when they came and went, and the audit log, which holds no answers.

    Parameters
    ----------
    participant
        Who withdraws; somebody who stopped before, or who has finished, can do so too.
    by
        Who says so, for the audit log: the participant's code, or the owner's name.

    """
    with writing():
        held = hold_person(participant)
        own = Assignment.objects.filter(participant=held)
        # Saves and messages that are under way are waited for, and go with the rest; later ones
        # find that somebody has left
        hold_pages(own.values_list("pk", flat=True))
        list(Chat.objects.select_for_update().filter(assignment__in=own).values("pk"))
        answers = Answer.objects.filter(assignment__in=own).delete()[0]
        changes = Change.objects.filter(assignment__in=own).delete()[0]
        chats = Chat.objects.filter(assignment__in=own)
        talked = chats.count()
        chats.delete()
        # Nothing is done any more: the pages count for nobody, and somebody else can take them over
        own.update(done_at=None, opened_at=None, seconds=0)
        held.withdrawn_at = held.withdrawn_at or timezone.now()
        # Nothing that they finished is there any more, and somebody else can take their place
        held.finished_at = None
        held.address = ""
        held.completion = ""
        held.save(update_fields=["withdrawn_at", "finished_at", "address", "completion"])
        log(by, "erased", participant=held.code, answers=answers, saves=changes, chats=talked)
        transaction.on_commit(_empty_journal)
    participant.refresh_from_db()


def holds_something(participant: Participant) -> bool:
    """Return whether anything that somebody entered, or their address, is still there to erase."""
    own = {"assignment__participant": participant}
    return bool(participant.address) or any(
        kind.objects.filter(**own).exists() for kind in (Answer, Change, Chat)
    )


def _empty_journal() -> None:
    """Take what was erased out of SQLite's journal too, unless somebody is reading for long.

    It is still the turn of whoever erased: see `writing`.
    """
    if connection.vendor != "sqlite":
        return
    wait_ms = 1000 * int(connection.settings_dict["OPTIONS"].get("timeout", 5))
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout=1000")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        cursor.execute(f"PRAGMA busy_timeout={wait_ms}")
