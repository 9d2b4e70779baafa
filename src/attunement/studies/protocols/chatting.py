"""Talk to a chatbot, then answer a questionnaire about it."""

from __future__ import annotations

import random
from typing import Any

from django.http import HttpRequest, HttpResponse

from attunement.studies.asking import Unit
from attunement.studies.config import ChatThenRate, StudyFile
from attunement.studies.models import Assignment, Chat, Participant, Stage
from attunement.studies.opened import instrument_of
from attunement.studies.participants import make_participants
from attunement.studies.protocols import ProtocolParts
from attunement.studies.protocols.staging import one_stage, pages_of

KEY = "chat"
CONVERSATION = "conversation"
"""Marks the pages that are conversations, with their number."""


def open_stage(stage: Stage, file: StudyFile) -> None:
    """Give every participant a chatbot, their conversations with it, and the questionnaire."""
    protocol = file.protocol
    assert isinstance(protocol, ChatThenRate)
    people = make_participants(protocol.participants, file)
    for participant, bot in zip(
        people, arms(list(protocol.bots), len(people), seed=stage.seed), strict=True
    ):
        give_pages(participant, bot, stage, protocol)


def arms(bots: list[str], participants: int, *, seed: int) -> list[str]:
    """Return the chatbot of each participant, in their order.

    Shuffled in blocks of one of each, so that the numbers differ by one at most whenever people
    stop coming.
    """
    rng = random.Random(seed)
    out: list[str] = []
    while len(out) < participants:
        out += rng.sample(bots, len(bots))
    return out[:participants]


def give_pages(participant: Participant, bot: str, stage: Stage, protocol: ChatThenRate) -> None:
    """Write one participant's pages: a conversation a session, then the questionnaire."""
    participant.arm = bot
    participant.save(update_fields=["arm"])
    numbers = range(1, protocol.sessions + 1)
    prefills: list[dict[str, Any]] = [*({CONVERSATION: number} for number in numbers), {}]
    for page in Assignment.objects.bulk_create(pages_of(stage, participant, prefills)):
        chat_of(page)


def session_id(participant: Participant) -> str:
    """Return the unit id of a participant's questionnaire."""
    return f"{participant.code}:{participant.arm}"


def units(assignment: Assignment) -> list[Unit]:
    """Return the questionnaire about all conversations; a conversation itself asks nothing."""
    assert assignment.stage is not None, "pages of this protocol belong to its stage"
    if chat_of(assignment) is not None:
        return []
    participant = assignment.participant
    return [
        Unit(
            "session",
            session_id(participant),
            instrument_of(assignment.stage),
            source=participant.arm,
        )
    ]


def chat_of(assignment: Assignment) -> Chat | None:
    """Return the conversation of a page, None where it is a form.

    Somebody who takes over such a page from somebody who left gets a conversation of their own.
    """
    number = assignment.prefill.get(CONVERSATION)
    if number is None:
        return None
    own = {"bot": assignment.participant.arm, "number": number}
    return Chat.objects.get_or_create(assignment=assignment, defaults=own)[0]


def show(
    request: HttpRequest, participant: Participant, assignment: Assignment
) -> HttpResponse | None:
    """Show a conversation; None for a form."""
    from attunement.studies.views.chat import show_chat

    chat = chat_of(assignment)
    return None if chat is None else show_chat(request, participant, chat)


def ready(assignment: Assignment) -> bool:
    """Return whether a page can be left: a conversation once it was ended or stopped."""
    chat = chat_of(assignment)
    return chat is None or chat.ended_at is not None


PARTS = ProtocolParts(
    one_stage(KEY), open_stage, units, "studies/chat_questions.html", show=show, ready=ready
)
