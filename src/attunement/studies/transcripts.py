"""The conversations of a study as items and responses, for all that rates answers."""

from __future__ import annotations

import json
from typing import Any

import polars as pl

from attunement import tables
from attunement.studies.chat.prompt import turns_before
from attunement.studies.config import ChatThenRate, StudyFile
from attunement.studies.models import Chat, Message
from attunement.studies.participants import language_of
from attunement.studies.protocols.chatting import session_id


def transcripts(study: StudyFile) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return every reply as an item, with what was said before it, and as a response to it.

    Parameters
    ----------
    study
        What the study's file says; of a protocol without conversations both tables are empty.

    Returns
    -------
    items
        ``turns`` end with what the participant said. Where the chatbot kept its memory they begin
        with the earlier conversations. ``meta`` holds the session's id, as the ratings of the
        questionnaire have it in ``unit_id``, the conversation's number, the turn's, and whether
        the participant stopped the conversation.
    responses
        ``attempts`` counts the failed ones too. A reply that never came whole has its ``error``;
        what was shown of it is not the ``text``, which is null, since no rating could be fair.

    """
    protocol = study.protocol
    items: list[dict[str, Any]] = []
    responses: list[dict[str, Any]] = []
    if isinstance(protocol, ChatThenRate):
        # Of those who withdrew what they said nothing is there; who only stopped left theirs
        chats = (
            Chat.objects.select_related("assignment__participant")
            .prefetch_related("messages", "assignment__participant__consents")
            .order_by("assignment__participant__code", "number")
        )
        for chat in chats:
            for turn, attempts in enumerate(_replies(chat), start=1):
                item = _item(chat, turn, attempts, protocol)
                items.append(item)
                responses.append(_response(item["item_id"], chat, attempts))
    return _table(items, "items"), _table(responses, "responses")


def _replies(chat: Chat) -> list[list[Message]]:
    """Return the attempts at each reply; those that are still being written are left out."""
    replies: list[list[Message]] = []
    answered = True
    for message in chat.messages.all():
        if message.role == "user":
            answered = False
        elif message.status in ("done", "failed"):
            if not answered:
                replies.append([])
            answered = True
            replies[-1].append(message)
    return replies


def _item(chat: Chat, turn: int, attempts: list[Message], protocol: ChatThenRate) -> dict[str, Any]:
    person = chat.assignment.participant
    meta = {
        "session": session_id(person),
        "conversation": chat.number,
        "turn": turn,
        "stopped": chat.stopped,
    }
    return {
        "item_id": f"{person.code}-c{chat.number}-t{turn}",
        "turns": turns_before(attempts[-1], memory=protocol.memory == "kept"),
        "lang": language_of(person),
        "meta": json.dumps(meta),
    }


def _response(item_id: str, chat: Chat, attempts: list[Message]) -> dict[str, Any]:
    last = attempts[-1]
    came = last.status == "done"
    return {
        "response_id": f"{item_id}-reply",
        "item_id": item_id,
        "source": chat.bot,
        "text": last.text if came else None,
        "model": last.model or None,
        "attempts": len(attempts),
        "latency_s": last.latency_s,
        "tokens_in": last.tokens_in,
        "tokens_out": last.tokens_out,
        "error": None if came else last.error,
    }


def _table(rows: list[dict[str, Any]], kind: tables.Kind) -> pl.DataFrame:
    if not rows:
        return tables.empty(kind)
    schema = {name: tables.SCHEMAS[kind][name] for name in rows[0]}
    return tables.conform(pl.DataFrame(rows, schema=schema), kind)
