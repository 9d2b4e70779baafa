"""Talk to a chatbot, then answer a questionnaire about it."""

from __future__ import annotations

import random

from django.http import HttpRequest, HttpResponse

from attunement.studies.asking import Unit
from attunement.studies.config import ChatThenRate, StudyFile
from attunement.studies.models import Assignment, Chat, Participant, Stage, Study
from attunement.studies.opened import instrument_of
from attunement.studies.participants import framed, make_participants
from attunement.studies.protocols import ProtocolParts
from attunement.studies.protocols.rate import response_units

KEY = "chat"
CONVERSATION = "conversation"
"""Marks the pages that are conversations, with their number."""


def make_stages(study: Study, described: StudyFile) -> None:
    """Make the one stage."""
    Stage.objects.create(study=study, key=KEY, position=0, seed=described.seed)


def open_stage(stage: Stage, described: StudyFile) -> None:
    """Give every participant a chatbot, their conversations with it, and the questionnaire."""
    protocol = described.protocol
    assert isinstance(protocol, ChatThenRate)
    people = make_participants(protocol.participants, described)
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


def give_pages(
    participant: Participant, bot: str, stage: Stage, protocol: ChatThenRate
) -> list[Assignment]:
    """Write one participant's pages: a conversation a session, then the questionnaire."""
    participant.arm = bot
    participant.save(update_fields=["arm"])
    pages = [
        Assignment.objects.create(
            participant=participant,
            stage=stage,
            kind="main",
            position=framed(stage, place),
            prefill={CONVERSATION: place + 1} if place < protocol.sessions else {},
        )
        for place in range(protocol.sessions + 1)
    ]
    for page in pages:
        chat_of(page)
    return pages


def session_id(participant: Participant) -> str:
    """Return the unit id of a participant's questionnaire."""
    return f"{participant.code}:{participant.arm}"


def units(assignment: Assignment) -> list[Unit]:
    """Return the questionnaire about all conversations; a conversation itself asks nothing."""
    if assignment.stage is None:
        return response_units(assignment)
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
    make_stages, open_stage, units, "studies/chat_questions.html", show=show, ready=ready
)
