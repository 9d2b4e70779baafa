"""Where a participant stands: what comes next, and whether they are done."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Literal

from django.utils import timezone

from attunement.studies.models import Assignment, Participant, Stage
from attunement.studies.opened import described, the_study

Where = Literal["consent", "page", "waiting", "done", "closed"]


@dataclass(frozen=True)
class Next:
    """What a participant sees next; ``assignment`` where it is a page."""

    where: Where
    assignment: Assignment | None = None


def next_of(participant: Participant) -> Next:
    """Return what comes next.

    Consent, then every page in its order. Somebody who has done all that is there waits where a
    stage has yet to open. A study that is closed takes no more answers.
    """
    if participant.finished_at is not None:
        return Next("done")
    if is_closed():
        return Next("closed")
    study = described()
    if not participant.consents.filter(version=study.consent.version).exists():
        return Next("consent")
    undone = pages_of(participant).filter(done_at=None).first()
    later = Stage.objects.filter(opened_at=None).exists()
    if undone is not None and not (undone.kind == "closing" and later):
        return Next("page", undone)
    return Next("waiting" if later else "done")


def is_early(participant: Participant, page: Assignment) -> bool:
    """Return whether pages that come before this one are still to be done."""
    before = pages_of(participant).filter(done_at=None, position__lt=page.position)
    return bool(before.exists())


def is_closed() -> bool:
    """Return whether the study takes no more answers: closed by its owner, or past its last day."""
    study = the_study()
    last = study.last_day
    over = last is not None and timezone.now().date() > last
    return study.closed_at is not None or over


def pages_of(participant: Participant):  # type: ignore[no-untyped-def]
    """Return the participant's pages in their order, those of closed stages left out."""
    return (
        Assignment.objects.filter(participant=participant)
        .exclude(stage__closed_at__isnull=False)
        .select_related("stage", "item", "participant")
        .prefetch_related("answers")
        .order_by("position")
    )


def finish(participant: Participant) -> None:
    """Mark somebody as done and give them their completion code, once."""
    if participant.finished_at is not None:
        return
    participant.finished_at = timezone.now()
    code = described().completion.code
    participant.completion = code or secrets.token_hex(5).upper()
    participant.save(update_fields=["finished_at", "completion"])
