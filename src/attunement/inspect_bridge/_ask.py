"""Asking: a bounded number of calls in flight on a thread of their own, replies as they arrive."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attunement.errors import UserError
from attunement.inspect_bridge._client import (
    call_config,
    describe,
    is_denied,
    is_lost,
    is_unreachable,
    open_model,
)
from attunement.inspect_bridge._cost import cost_of
from attunement.inspect_bridge._journal import Journal, identity
from attunement.inspect_bridge._types import LOCAL, Call, Message, ModelSpec, Reply
from attunement.inspect_bridge._verdict import FIRST, Arrived, Kind, Verdict

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, Model, ModelOutput


def ask(
    spec: ModelSpec,
    calls: Iterable[Call],
    *,
    journal: Path | None,
    on_reply: Callable[[Reply], None] | None = None,
) -> Generator[Reply, None, None]:
    """Ask a model, and yield one reply for each call, in order of arrival.

    Calls are taken from ``calls`` as room becomes free, so neither calls nor replies pile up; a
    call that the journal already answers is answered from there and costs nothing. Every other
    reply is in the journal before it is yielded. A call that failed is retried as the settings
    say, then comes back with ``error`` set, and is asked again in the next run.

    Nothing happens before the first reply is asked for. Works with an event loop running in the
    calling thread (a notebook); ending the iteration early, or Ctrl-C, drops what is in flight and
    keeps what has arrived.

    Parameters
    ----------
    spec
        The model.
    calls
        With unique keys; iterated in the calling thread.
    journal
        The file that keeps the replies, or None to keep nothing.
    on_reply
        Called with each reply before it is yielded, such as a progress bar's advance.

    Raises
    ------
    UserError
        Where the model cannot be set up (unknown provider, missing package, missing key), where
        the first calls all find no server, one that drops the connection, a key that is not
        accepted or a model that is not known, where none of the first calls is answered for any
        other reason, or where the server stays away in the middle.

    """
    with ExitStack() as stack:
        book = None if journal is None else stack.enter_context(closing(Journal(journal)))
        room = _room(spec)
        runner: _Runner | None = None
        verdict = Verdict(spec)
        todo = iter(calls)
        more, pending = True, 0
        while more or pending:
            while more and pending < room:
                call = next(todo, None)
                if call is None:
                    more = False
                    break
                id_ = identity(spec, call)
                known = book.find(id_) if book else None
                if known is not None:
                    if on_reply:
                        on_reply(known)
                    yield known
                    continue
                if runner is None:
                    runner = _Runner(spec, book)
                    stack.callback(runner.close)
                runner.submit(call, id_)
                pending += 1
            if not pending or runner is None:
                continue
            arrived = runner.next()
            pending -= 1
            for reply in verdict.on(arrived, last=not more and not pending):
                if on_reply:
                    on_reply(reply)
                yield reply


def _room(spec: ModelSpec) -> int:
    """Return how many calls may be on their way: all connections busy and the next calls ready."""
    connections = 1 if spec.model == LOCAL else spec.settings.max_connections
    return 2 * connections


class _Runner:
    """A thread with an event loop that keeps the calls in flight."""

    def __init__(self, spec: ModelSpec, book: Journal | None) -> None:
        self._spec = spec
        self._book = book
        self._reached = self._heard = False
        self._lost = 0
        self._model = open_model(spec, self._may_retry)
        self._arrived: queue.SimpleQueue[Arrived | BaseException] = queue.SimpleQueue()
        self._tasks: set[asyncio.Task[None]] = set()
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop
        self._stop: asyncio.Event
        self._thread = threading.Thread(target=self._run, name="attunement-calls", daemon=True)
        self._thread.start()
        self._ready.wait()

    def _may_retry(self, error: BaseException) -> bool:
        """Do not wait long for a server that has never been there, or never said a word."""
        unreachable, lost = is_unreachable(error), is_lost(error)
        self._reached = self._reached or not unreachable
        self._heard = self._heard or not (unreachable or lost)
        self._lost += lost
        if lost and not self._heard:
            return self._lost <= self._spec.settings.max_connections + FIRST
        return self._reached or not unreachable

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._ready.set()
        await self._stop.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._model.api.aclose()

    def submit(self, call: Call, id_: str) -> None:
        """Set a call on its way."""
        self._loop.call_soon_threadsafe(self._start, call, id_)

    def _start(self, call: Call, id_: str) -> None:
        task = self._loop.create_task(self._one(call, id_))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def next(self) -> Arrived:
        """Wait for the next reply."""
        while True:
            try:
                # with a time-out, since Windows does not let Ctrl-C through to a wait without one
                arrived = self._arrived.get(timeout=0.5)
            except queue.Empty:
                if not self._thread.is_alive():
                    raise RuntimeError("the thread that makes the calls has ended") from None
                continue
            if isinstance(arrived, BaseException):
                raise arrived
            return arrived

    def close(self) -> None:
        """Drop what is in flight and end the thread."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(timeout=10)

    async def _one(self, call: Call, id_: str) -> None:
        try:
            arrived = await self._reply(call)
            if self._book is not None:
                self._book.add(id_, arrived.reply)
            self._arrived.put(arrived)
        except OSError as error:
            where = None if self._book is None else str(self._book.path)
            self._arrived.put(UserError(f"cannot be written: {error.strerror}.", where=where))
        except Exception as error:
            self._arrived.put(error)

    async def _reply(self, call: Call) -> Arrived:
        from inspect_ai.model._model import use_model_event_sink

        try:
            # without a sink Inspect would keep every call in its transcript, in memory
            with use_model_event_sink(_NoEvents()):
                output = await self._model.generate(
                    _messages(call.messages), config=call_config(self._spec, call)
                )
            reply = _reply(self._spec, call, output)
        except Exception as error:
            kind: Kind = "error"
            if is_unreachable(error):
                kind = "unreachable"
            elif is_denied(error):
                kind = "denied"
            elif is_lost(error):
                kind = "lost"
            return Arrived(Reply(call.key, error=describe(error)), kind)
        self._reached = self._heard = True
        return Arrived(reply, "answer" if reply.error is None else "error")


class _NoEvents:
    """Where Inspect's record of a call goes: nowhere, the journal has it."""

    def on_pending(self, event: Any) -> None:
        """Nothing."""

    def on_complete(self, event: Any) -> None:
        """Nothing."""


async def ask_within(model: Model, call: Call, *, temperature: float | None = None) -> Reply:
    """Ask a model of an Inspect task that is running, so that the call is in the task's log.

    Inspect's own retries hold, and an exception that outlives them is Inspect's to handle.

    Parameters
    ----------
    model
        Of the running task, such as that of a model role.
    call
        What is asked.
    temperature
        Where the model's own settings name none.

    """
    spec = ModelSpec(model.name, str(model))
    config = call_config(spec, call)
    if model.config.temperature is None:
        config.temperature = temperature
    return _reply(spec, call, await model.generate(_messages(call.messages), config=config))


def _messages(messages: tuple[Message, ...]) -> list[ChatMessage]:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds: dict[str, Any] = {
        "system": ChatMessageSystem,
        "user": ChatMessageUser,
        "assistant": ChatMessageAssistant,
    }
    return [kinds[m.role](content=m.text) for m in messages]


def _reply(spec: ModelSpec, call: Call, output: ModelOutput) -> Reply:
    """Return the reply in Inspect's output."""
    usage = output.usage
    tokens_in = tokens_out = None
    if usage is not None and (usage.input_tokens or usage.output_tokens):
        tokens_in = (
            usage.input_tokens
            + (usage.input_tokens_cache_read or 0)
            + (usage.input_tokens_cache_write or 0)
        )
        tokens_out = usage.output_tokens
    error = output.error
    if output.empty and error is None:
        error = "the server sent no answer"
    return Reply(
        key=call.key,
        # A file holds no half of a surrogate pair.
        text="" if error is not None else output.completion.encode("utf-8", "replace").decode(),
        stop_reason=None if output.empty else output.stop_reason,
        latency_s=output.time,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost_usd=cost_of(spec, tokens_in, tokens_out, usage.total_cost if usage else None),
        error=error,
    )
