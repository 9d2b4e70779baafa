"""Where a participant stands: what comes next, and whether they are done."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Literal

from django.utils import timezone
from django.utils.translation import gettext

from attunement.studies.asking import missing
from attunement.studies.holding import hold_page, hold_person, study_was_closed, writing
from attunement.studies.links import is_dead
from attunement.studies.models import Assignment, Participant, Stage
from attunement.studies.opened import described, the_study
from attunement.studies.protocols import protocol_of

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


def refusal(participant: Participant, page: Assignment) -> dict[str, str] | None:
    """Return why a page takes no answers, None where it does."""
    if is_closed():
        said = gettext("The study is closed and takes no more answers.")
        return {"error": "closed", "message": said}
    if participant.finished_at is not None:
        said = gettext("You have finished the study: nothing is changed any more.")
        return {"error": "closed", "message": said}
    if page.opened_at is None:  # none is opened before that
        if not participant.consents.exists():
            return {"error": "consent", "message": gettext("You have not agreed to take part yet.")}
        if is_early(participant, page):
            said = gettext("This page has not come yet: earlier ones come first.")
            return {"error": "early", "message": said}
    if page.kind == "training" and page.done_at is not None:
        said = gettext("You have seen what was expected: this practice answer stays as it is.")
        return {"error": "done", "message": said}
    return None


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
    with writing():
        held = hold_person(participant)
        if held.finished_at is None and not is_dead(held):  # else something else was first
            held.finished_at = held.last_seen_at = timezone.now()
            code = described().completion.code
            held.completion = code or secrets.token_hex(5).upper()
            held.save(update_fields=["finished_at", "last_seen_at", "completion"])
    participant.refresh_from_db()


def agree(participant: Participant, language: str) -> None:
    """Keep the words that somebody agreed to, once."""
    asked = described().consent
    with writing():
        held = hold_person(participant)
        over = is_dead(held) or study_was_closed()
        if not over and not held.consents.filter(version=asked.version).exists():
            held.consents.create(
                version=asked.version, language=language, text=asked.text[language]
            )


def complete(page: Assignment) -> bool:
    """Mark a page as done, once; False where something on it is missing or wrong by now."""
    protocol = protocol_of(described())
    with writing():
        held = hold_page(page.pk)
        if missing(held) or protocol.faults(held) or not protocol.ready(held):
            return False
        Assignment.objects.filter(pk=held.pk, done_at=None).update(done_at=timezone.now())
    page.refresh_from_db(fields=["done_at"])
    return True
