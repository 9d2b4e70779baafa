"""Somebody who leaves is replaced: the rest of their work goes on, and what they rated stays."""

from __future__ import annotations

from django.utils import timezone

from attunement.errors import UserError
from attunement.studies.audit import log
from attunement.studies.holding import hold_pages, hold_people, hold_person, writing
from attunement.studies.links import new_participant
from attunement.studies.models import Assignment, Participant
from attunement.studies.opened import described
from attunement.studies.participants import frame_of, give_again, next_codes


def replace_participant(leaver: Participant, *, by: str) -> Participant:
    """Give the unfinished pages of somebody who leaves to somebody new.

    What was rated completely stays with the one who rated it. A page that was begun and not
    completed is done anew by the other, so that no rating is of two people; what the leaver had
    answered on it is kept with them. An item that should come twice does so only where the new one
    rates it the first time too. Chats with a memory begin from the start.

    Parameters
    ----------
    leaver
        Whose link is dead from then on. Of somebody whose answers were erased nothing is complete.
    by
        Who asks for it.

    Returns
    -------
    Participant
        The new one, with a link and a code of their own.

    Raises
    ------
    UserError
        Where they have finished, or were replaced before.

    """
    with writing():
        hold_people()
        held = hold_person(leaver)
        if held.finished_at is not None and held.withdrawn_at is None:
            raise UserError("they have finished: there is nothing to take over.", where=held.code)
        before = Participant.objects.filter(replaces=held).first()
        if before is not None:
            raise UserError(f"{before.code} took their place.", where=held.code)
        new = new_participant(*next_codes(1))
        new.replaces, new.arm, new.language = held, held.arm, ""
        new.save()
        taken = _take_over(held, new)
        Assignment.objects.bulk_create(frame_of(new, described()))
        if held.revoked_at is None:
            held.revoked_at = timezone.now()
            held.save(update_fields=["revoked_at"])
        log(by, "replaced", participant=held.code, replacement=new.code, pages=taken)
    leaver.refresh_from_db()
    return new


def _take_over(held: Participant, new: Participant) -> int:
    """Write the new participant's pages, and return how many; the untouched old ones are gone."""
    hold_pages(Assignment.objects.filter(participant=held).values_list("pk", flat=True))
    pages = list(
        Assignment.objects.filter(participant=held, stage__isnull=False).exclude(
            stage__closed_at__isnull=False
        )
    )
    anew = _is_whole(pages)
    wanted = [page for page in pages if anew or page.done_at is None]
    first = {(page.stage_id, page.item_id) for page in wanted if page.kind == "main"}
    wanted = [p for p in wanted if p.kind != "repeat" or (p.stage_id, p.item_id) in first]
    made = give_again(wanted, new)
    untouched = [page.pk for page in wanted if page.opened_at is None]
    Assignment.objects.filter(pk__in=untouched, answers=None, done_at=None).delete()
    return len(made)


def _is_whole(pages: list[Assignment]) -> bool:
    """Return whether the pages belong together: a questionnaire asks about all of one's chats."""
    chats = described().protocol.type == "chat-then-rate"
    return chats and any(page.done_at is None for page in pages)
