"""What a participant does in a conversation: say something, try again, end it."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from attunement.studies.config import ChatThenRate
from attunement.studies.holding import Refused, study_was_closed, writing
from attunement.studies.links import is_dead
from attunement.studies.models import Chat, Message
from attunement.studies.opened import described

LONGEST_MESSAGE = 4_000
"""Code points of one message of a participant."""

OPEN = ("waiting", "writing")
"""The states of a reply that is still to come."""

CUT = "the conversation was ended before the reply was complete"

arrived = threading.Event()
"""Set whenever a reply begins to wait: the worker of this process sleeps on it."""


@dataclass(frozen=True)
class State:
    """A conversation as its participant sees it.

    Parameters
    ----------
    messages
        In order; a failed reply is among them only while nothing came after it.
    turns, least, most
        The participant's own messages, and how many there have to be and can be.
    pending
        Whether a reply is being waited for.
    failed
        Whether the last reply failed, so that it can be tried again.
    ended, stopped
        Whether the conversation is over, and whether the participant broke it off.

    """

    messages: list[Message]
    turns: int
    least: int
    most: int
    pending: bool
    failed: bool
    ended: bool
    stopped: bool

    @property
    def can_write(self) -> bool:
        """Whether another message is taken now."""
        return not (self.ended or self.pending or self.turns >= self.most)

    @property
    def can_finish(self) -> bool:
        """Whether the conversation can come to its end, rather than be stopped."""
        return not (self.ended or self.pending) and self.turns >= self.least

    @property
    def full(self) -> bool:
        """Whether there have been as many messages as there can be."""
        return self.turns >= self.most


def state_of(chat: Chat) -> State:
    """Return how a conversation stands."""
    protocol = described().protocol
    assert isinstance(protocol, ChatThenRate)
    rows = list(chat.messages.all())
    last = rows[-1] if rows else None
    return State(
        messages=[m for m in rows if m.status != "failed" or m is last],
        turns=sum(m.role == "user" for m in rows),
        least=protocol.least_turns,
        most=protocol.most_turns,
        pending=any(m.status in OPEN for m in rows),
        failed=last is not None and last.status == "failed" and chat.ended_at is None,
        ended=chat.ended_at is not None,
        stopped=chat.stopped,
    )


def say(chat: Chat, text: str, *, client: str) -> None:
    """Store a participant's message and ask for a reply; the same message again changes nothing.

    Parameters
    ----------
    chat
        Of the participant who writes; that is for the caller to make sure.
    text
        What they say; 1 to `LONGEST_MESSAGE` code points.
    client
        The sender's id of the message: the same id is the same message.

    Raises
    ------
    Refused
        Where it cannot be taken now; the words are for the participant.

    """
    text = _clean(text)
    if not client or len(client) > 40 or "\x00" in client:
        raise Refused(_("The message came without its number. Please reload the page."))
    with writing():
        held = _hold(chat)
        before = held.messages.filter(client=client).first()
        if before is not None:
            if before.text != text:
                raise Refused(_("This message was sent already, in the words shown above."))
            return
        _refuse_unless_open(held)
        now = timezone.now()
        _add(held, role="user", text=text, client=client)
        _add(held, role="assistant", status="waiting")
        if held.started_at is None:
            held.started_at = now
            held.save(update_fields=["started_at"])


def try_again(chat: Chat) -> None:
    """Ask for a reply once more where the last one failed; else change nothing."""
    with writing():
        held = _hold(chat)
        last = held.messages.last()
        over = held.ended_at is not None or study_was_closed()
        if not over and last is not None and last.status == "failed":
            _add(held, role="assistant", status="waiting")


def end(chat: Chat, *, stopped: bool) -> bool:
    """End a conversation: ``stopped`` at any time, else once enough was said.

    A reply that is under way is cut; what was shown of it is kept. False where it was over before.

    Raises
    ------
    Refused
        Where it is too early to end it without stopping it.

    """
    with writing():
        held = _hold(chat)
        state = state_of(held)
        if state.ended:
            return False
        if not stopped and not state.can_finish:
            raise Refused(_("The conversation is not long enough yet. You can stop it, though."))
        held.messages.filter(status__in=OPEN).update(status="failed", error=CUT)
        held.ended_at = timezone.now()
        held.stopped = stopped
        held.save(update_fields=["ended_at", "stopped"])
    return True


def _clean(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        raise Refused(_("There is nothing in the message yet."))
    if len(text) > LONGEST_MESSAGE:
        raise Refused(
            _("The message is too long: it can have %(most)s characters and has %(now)s.")
            % {"most": LONGEST_MESSAGE, "now": len(text)}
        )
    if "\x00" in text:
        raise Refused(_("The message holds a character that cannot be stored."))
    return text


def _refuse_unless_open(chat: Chat) -> None:
    if study_was_closed():
        raise Refused(_("The study takes no more answers."))
    state = state_of(chat)
    if state.ended or is_dead(chat.assignment.participant):
        raise Refused(_("This conversation has ended."))
    if state.pending:
        raise Refused(_("A reply is still being written. Please wait for it."))
    if state.full:
        raise Refused(_("This conversation has reached its length. Please go on."))


def _hold(chat: Chat) -> Chat:
    """Return the chat, locked until the transaction ends: two tabs write one after the other."""
    held = Chat.objects.select_for_update().filter(pk=chat.pk).first()
    if held is None:
        raise Refused(_("This conversation has ended."))
    return held


def _add(chat: Chat, **fields: Any) -> None:
    last = chat.messages.last()
    Message.objects.create(chat=chat, position=0 if last is None else last.position + 1, **fields)
    if fields.get("status") == "waiting":
        transaction.on_commit(arrived.set)
