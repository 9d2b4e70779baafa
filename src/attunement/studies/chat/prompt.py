"""What a chatbot is sent: its system prompt and what was said so far."""

from __future__ import annotations

from attunement.studies.config import ChatThenRate
from attunement.studies.models import Message

Turns = list[dict[str, str]]


def prompt_of(reply: Message, protocol: ChatThenRate) -> Turns:
    """Return the chat messages that a reply answers, roles as the OpenAI interface has them."""
    system = protocol.bots[reply.chat.bot].system.strip()
    opening = [{"role": "system", "content": system}] if system else []
    said = turns_before(reply, memory=protocol.memory == "kept")
    return opening + [{"role": t["role"], "content": t["text"]} for t in said]


def turns_before(reply: Message, *, memory: bool) -> Turns:
    """Return what was said before a reply, as an items table has turns.

    Parameters
    ----------
    reply
        The turn.
    memory
        Whether what was said in earlier conversations of the participant counts.

    Returns
    -------
    list of dict
        ``role`` and ``text``. Failed replies are left out, and messages of one side that then
        follow each other are one turn, since many models refuse to read anything else.

    """
    chat = reply.chat
    said = list(chat.messages.filter(position__lt=reply.position))
    if memory:
        earlier = Message.objects.filter(
            chat__assignment__participant_id=chat.assignment.participant_id,
            chat__bot=chat.bot,
            chat__number__lt=chat.number,
        )
        said = [*earlier.order_by("chat__number", "position"), *said]
    turns: Turns = []
    for message in said:
        if message.status != "done":
            continue
        if turns and turns[-1]["role"] == message.role:
            turns[-1]["text"] += f"\n\n{message.text}"
        else:
            turns.append({"role": message.role, "text": message.text})
    return turns
