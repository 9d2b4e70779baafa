"""Participants and the pages that all of them get: background, training, closing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attunement.studies.config import StudyFile
from attunement.studies.links import alive, new_participant
from attunement.studies.models import Assignment, Chat, Item, Participant, Stage
from attunement.studies.opened import described

BACKGROUND, TRAINING, CLOSING = 0, 1, 1_000_000
FRAME = 10_000
"""Places of a stage's pages: those of stage n begin at (n + 1) times this."""


def framed(stage: Stage, position: int) -> int:
    """Return the place of a stage's page among all pages of a participant."""
    return (stage.position + 1) * FRAME + position


def language_of(participant: Participant) -> str:
    """Return the language somebody reads the study in: chosen, agreed in, or the study's first."""
    agreed = max(participant.consents.all(), key=lambda c: c.pk, default=None)
    return participant.language or (agreed.language if agreed else described().language)


def make_participants(count: int, study: StudyFile) -> list[Participant]:
    """Return the study's participants, making as many as are missing, in order.

    Each gets a link of their own and the pages that frame the protocol. People are held meanwhile.
    """
    have = list(alive().order_by("pk"))
    missing = count - len(have)
    if missing <= 0:
        return have[:count]
    made = Participant.objects.bulk_create(map(new_participant, next_codes(missing)))
    Assignment.objects.bulk_create(a for p in made for a in frame_of(p, study))
    return [*have, *made]


def next_codes(count: int) -> list[str]:
    """Return the codes of the next participants, while people are held."""
    last = Participant.objects.count() + count
    width = max(3, len(str(last)))
    return [f"R{number:0{width}}" for number in range(last - count + 1, last + 1)]


def give_again(
    pages: Sequence[Assignment],
    participant: Participant,
    reordered: Callable[[list[str]], list[str]] = list,
) -> list[Assignment]:
    """Give a new participant what others had: the same pages, begun anew, chats included.

    ``reordered`` gives the order of the answers on a page from the one that it had.
    """
    made = Assignment.objects.bulk_create(
        Assignment(
            participant=participant,
            stage_id=page.stage_id,
            kind=page.kind,
            position=page.position,
            item_id=page.item_id,
            order=reordered(page.order),
            prefill=page.prefill,
        )
        for page in pages
    )
    chats = {chat.assignment_id: chat for chat in Chat.objects.filter(assignment__in=pages)}
    Chat.objects.bulk_create(
        Chat(assignment=new, bot=chats[old.pk].bot, number=chats[old.pk].number)
        for new, old in zip(made, pages, strict=True)
        if old.pk in chats
    )
    return made


def frame_of(participant: Participant, study: StudyFile) -> list[Assignment]:
    """Return the pages around the protocol for one participant, not saved yet."""
    pages = []
    if study.background:
        pages.append(Assignment(participant=participant, kind="background", position=BACKGROUND))
    known = Item.objects.filter(kind="training").order_by("pk").prefetch_related("responses")
    pages += [
        Assignment(
            participant=participant,
            kind="training",
            position=TRAINING + place,
            item=item,
            order=[r.response_id for r in sorted(item.responses.all(), key=lambda r: r.pk)],
        )
        for place, item in enumerate(known)
    ]
    if study.closing:
        pages.append(Assignment(participant=participant, kind="closing", position=CLOSING))
    return pages
