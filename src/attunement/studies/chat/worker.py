"""The worker that writes replies: threads beside those that answer requests.

Replies wait in the database, so that none is lost when the server stops. One process serves a
study; the worker runs in it.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from contextlib import closing
from types import TracebackType
from typing import Any, Self

from django.db import close_old_connections, connections

from attunement.studies.chat import conversation
from attunement.studies.chat.endpoint import Piece, ReplyFailed, stream
from attunement.studies.chat.prompt import prompt_of
from attunement.studies.config import ChatThenRate
from attunement.studies.holding import one_writer
from attunement.studies.models import Message
from attunement.studies.opened import described

log = logging.getLogger(__name__)

AT_ONCE = 16
"""Replies that are written at the same time."""
LOOK_EVERY_S = 1.0
"""A reply that waits for any other reason than a message of now is found after so long."""
WRITE_EVERY_S = 0.25
"""What has come of a reply is stored at most so often."""
LONGEST_REPLY = 20_000
"""Code points; what comes after them is not waited for."""
LONGEST_NAME = 200
"""Characters of a model's name that are kept."""
BROKEN_OFF = "the server stopped while the reply was written"


class Worker:
    """Writes the replies of a study until it is stopped; a context manager."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._free = threading.Semaphore(AT_ONCE)
        self._running: set[threading.Thread] = set()
        self._dispatcher = threading.Thread(target=self._dispatch, name="replies", daemon=True)

    def start(self) -> Self:
        """Take up what an earlier process left, and begin."""
        recover()
        conversation.arrived.set()
        self._dispatcher.start()
        return self

    def stop(self, wait_s: float = 5.0) -> None:
        """Begin no more replies, and wait a while for those that are being written."""
        self._stopped.set()
        conversation.arrived.set()
        limit = time.monotonic() + wait_s
        for thread in (self._dispatcher, *self._running):
            thread.join(max(0.0, limit - time.monotonic()))

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _dispatch(self) -> None:
        while not self._stopped.is_set():
            conversation.arrived.wait(LOOK_EVERY_S)
            conversation.arrived.clear()
            try:
                close_old_connections()
                self._begin_all()
            except Exception:  # such as a database that is away for a moment
                log.exception("replies cannot be looked for")
        connections.close_all()

    def _begin_all(self) -> None:
        while not self._stopped.is_set() and self._free.acquire(blocking=False):
            message = None
            try:
                message = claim()
            finally:
                if message is None:
                    self._free.release()
            if message is None:
                return
            thread = threading.Thread(target=self._run, args=(message,), daemon=True)
            self._running.add(thread)
            thread.start()

    def _run(self, message: Message) -> None:
        try:
            write_reply(message)
        except Exception as error:
            log.exception("a reply cannot be written")
            close_old_connections()
            _write(message, status="failed", error=type(error).__name__)
        finally:
            connections.close_all()
            self._running.discard(threading.current_thread())
            self._free.release()
            conversation.arrived.set()


def recover() -> None:
    """Ask again for replies that an earlier process began to write; what was shown is kept."""
    for message in Message.objects.filter(status="writing").select_related("chat"):
        _write(message, status="failed", error=BROKEN_OFF)
        conversation.try_again(message.chat)


def claim() -> Message | None:
    """Return the reply that has waited longest, now being written; None where none waits."""
    waiting = Message.objects.filter(
        status="waiting", chat__assignment__participant__withdrawn_at=None
    )
    for message in waiting.order_by("pk"):
        with one_writer():
            # Whoever changes the row first has it
            mine = Message.objects.filter(pk=message.pk, status="waiting").update(status="writing")
        if mine:
            return message
    return None


def write_reply(message: Message) -> None:
    """Ask the chatbot for a reply and write it down as it comes.

    A reply that the participant cut in the meantime is not asked for any further.
    """
    protocol = described().protocol
    assert isinstance(protocol, ChatThenRate)
    bot = protocol.bots[message.chat.bot]
    text, about = "", Piece("", model=bot.model)
    start = time.monotonic()
    stored = -math.inf  # the first words are shown at once
    end: dict[str, Any] = {"status": "done"}
    try:
        with closing(stream(bot, prompt_of(message, protocol))) as pieces:  # type: ignore[type-var]
            for piece in pieces:
                text += piece.text
                about = about.updated(piece)
                if len(text) > LONGEST_REPLY:
                    text = text[:LONGEST_REPLY]
                    end["error"] = f"cut after {LONGEST_REPLY} characters"
                    break
                if piece.text and time.monotonic() - stored >= WRITE_EVERY_S:
                    stored = time.monotonic()
                    if not _write(message, text=storable(text)):
                        return
        if not text.strip():
            raise ReplyFailed("the reply is empty")
    except ReplyFailed as error:
        end = {"status": "failed", "error": storable(str(error))}
    _write(
        message,
        text=storable(text).strip(),
        latency_s=time.monotonic() - start,
        model=storable(about.model or "")[:LONGEST_NAME],
        tokens_in=about.tokens_in,
        tokens_out=about.tokens_out,
        **end,
    )


def _write(message: Message, **fields: Any) -> bool:
    """Change a reply that is being written; False where it is not any more."""
    with one_writer():
        return bool(Message.objects.filter(pk=message.pk, status="writing").update(**fields))


def storable(text: str) -> str:
    """Return a text without what a database cannot hold: NUL, and halves of surrogate pairs."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\x00", "")
