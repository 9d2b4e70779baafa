"""An OpenAI-compatible endpoint that answers plainly, and so that the answer keeps to a plan.

A WSGI application for this machine only. ``NAME`` asks the model as it is; ``NAME-planned`` plans
the next turn first, so that a study of conversations can put one against the other.
"""

from __future__ import annotations

import json
import logging
import re
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from attunement import tables
from attunement.errors import UserError
from attunement.loopback import is_loopback
from attunement.planning.labels import LabelSet
from attunement.planning.planner import Advance, Plan, Planner
from attunement.planning.tagging import Tagger
from attunement.respond import plans, turn_journal
from attunement.respond.chat_request import ChatRequest, Refused, parse
from attunement.respond.planned import CANDIDATES, Outcome, Strategy, respond
from attunement.respond.record import responses_table
from attunement.respond.sources import Model
from attunement.respond.turn_journal import TurnJournal

LARGEST_BODY = 1 << 20
"""Bytes of a request: a conversation of some hundred pages."""

PLANNED = "-planned"
_STATUS = {
    200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    413: "Content Too Large", 500: "Internal Server Error", 502: "Bad Gateway",
}  # fmt: skip
_PIECE = re.compile(r"\S*\s*")

log = logging.getLogger(__name__)

Start = Callable[[str, list[tuple[str, str]]], object]


class Gone(Exception):
    """Whoever asked has hung up."""


@dataclass(frozen=True)
class OneAtATime:
    """A tagger that one thread uses at a time: a network is not made for several."""

    inner: Tagger
    lock: threading.Lock

    @property
    def kind(self) -> str:
        """Its name."""
        return self.inner.kind

    @property
    def labels(self) -> LabelSet:
        """The label set it speaks."""
        return self.inner.labels

    @property
    def signature(self) -> str:
        """What makes it what it is."""
        return self.inner.signature

    def tag(
        self,
        texts: Sequence[str],
        *,
        after: Sequence[str | None] | None = None,
        advance: Advance | None = None,
    ) -> list[Plan]:
        """Return each text's labels."""
        with self.lock:
            return self.inner.tag(texts, after=after, advance=advance)


class Endpoint:
    """The application.

    Parameters
    ----------
    model
        Who answers; its journal folder is not used.
    planner, tagger
        What the next turn should show, and what candidates show.
    journal
        Keeps every turn.
    strategy
        ``rerank`` or ``prompt``, of the planned name.
    candidates
        Of a planned turn, for ``rerank``.
    """

    def __init__(
        self,
        model: Model,
        planner: Planner,
        tagger: Tagger,
        journal: TurnJournal,
        *,
        strategy: Strategy = "rerank",
        candidates: int = CANDIDATES,
    ) -> None:
        self._model = model
        self._planner = planner
        self._lock = threading.Lock()
        self._tagger = OneAtATime(tagger, self._lock)
        self._journal = journal
        self._n = candidates if strategy == "rerank" else 1
        self._strategies: dict[str, Strategy] = {
            model.spec.name: "none",
            model.spec.name + PLANNED: strategy,
        }
        self._started = int(time.time())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the models: the plain one and the planned one."""
        return tuple(self._strategies)

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        """Answer a request."""
        try:
            _refuse_others(environ)
            kind, body = self._route(environ)
        except Refused as error:
            return _send(start, error.status, "application/json", [_json(error.as_json())])
        except Gone:
            return _send(start, 500, "application/json", [])
        except Exception as error:  # whatever a planner or a tagger of somebody else does
            refused = Refused(500, f"The answer cannot be made: {type(error).__name__}.")
            log.exception("an answer cannot be made")
            with suppress(OSError):  # it may be the journal that cannot be written
                self._journal.add({"error": f"{type(error).__name__}: {error}"})
            return _send(start, 500, "application/json", [_json(refused.as_json())])
        return _send(start, 200, kind, body)

    def _route(self, environ: dict[str, Any]) -> tuple[str, list[bytes]]:
        path, method = environ["PATH_INFO"].rstrip("/"), environ["REQUEST_METHOD"]
        if path == "/v1/chat/completions":
            _require(method, "POST")
            return self._complete(parse(_body(environ), self.names), _alive(environ))
        if path == "/v1/models":
            _require(method, "GET")
            data = [self._about(name) for name in self.names]
            return "application/json", [_json({"object": "list", "data": data})]
        name = path.removeprefix("/v1/models/")
        if name in self._strategies:
            _require(method, "GET")
            return "application/json", [_json(self._about(name))]
        raise Refused(404, f"There is nothing at {path or '/'}; the address ends in /v1.")

    def _about(self, name: str) -> dict[str, Any]:
        return {"id": name, "object": "model", "created": self._started, "owned_by": "attunement"}

    def _complete(self, asked: ChatRequest, alive: Callable[[], bool]) -> tuple[str, list[bytes]]:
        id = f"chatcmpl-{uuid.uuid4().hex}"
        settings = asked.applied_to(self._model.spec.settings)
        model = replace(self._model, spec=replace(self._model.spec, settings=settings))
        began = time.monotonic()
        told: dict[str, Any] = {"id": id, "turns": asked.turns, "model": asked.model}
        try:
            outcome = self._turn(id, asked, model, alive)
        except UserError as error:
            self._journal.add({**told, "error": str(error)})
            raise Refused(502, str(error)) from None
        except Gone:
            self._journal.add({**told, "error": "whoever asked has hung up"})
            raise
        row = responses_table(outcome).row(0, named=True)
        chosen = outcome.choices[0].index is not None
        filtered = all(c.status == "refused" for c in outcome.pools[0].candidates)
        kept = turn_journal.entry(outcome, settings, row["text"] if chosen else None)
        self._journal.add({**told, **kept, "seconds": round(time.monotonic() - began, 3)})
        if not chosen and not filtered:
            raise Refused(502, _why(outcome, row["error"]))
        usage = _usage(row)
        head = {"id": id, "created": int(time.time()), "model": asked.model}
        end = "stop" if chosen else "content_filter"
        if asked.stream:
            events = _events(head, row["text"], end, usage if asked.usage else None)
            return "text/event-stream", [f"data: {event}\n\n".encode() for event in events]
        message = {"role": "assistant", "content": row["text"], "refusal": None}
        choice = {"index": 0, "message": message, "finish_reason": end, "logprobs": None}
        whole = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
        return "application/json", [_json(whole)]

    def _turn(
        self, id: str, asked: ChatRequest, model: Model, alive: Callable[[], bool]
    ) -> Outcome:
        items = pl.DataFrame(
            {"item_id": [id], "turns": [asked.turns]},
            schema={"item_id": pl.String(), "turns": tables.SCHEMAS["items"]["turns"]},
        )
        strategy = self._strategies[asked.model]
        if strategy == "none":
            return respond(items, model, strategy, name=asked.model, n=1, track=_watched(alive))
        context = tuple(t["text"] for t in asked.turns if t["role"] != "system")
        with self._lock:
            planned = plans.predicted(self._planner, [context])
        return respond(
            items,
            model,
            strategy,
            name=asked.model,
            plans=planned,
            tagger=self._tagger,
            n=self._n,
            track=_watched(alive),
        )


def _refuse_others(environ: dict[str, Any]) -> None:
    """Refuse what a page on the web may have sent: another host's name, or another's origin."""
    origin = environ.get("HTTP_ORIGIN")
    try:
        own = is_loopback(f"http://{environ.get('HTTP_HOST', '')}")
        elsewhere = origin is not None and not is_loopback(origin)
    except ValueError:  # half an IPv6 address
        own, elsewhere = False, True
    if not own:
        raise Refused(403, "This endpoint answers to this machine's own names only.")
    if elsewhere:
        raise Refused(403, "This endpoint does not answer to pages from elsewhere.")


def _require(method: str, wanted: str) -> None:
    if method != wanted:
        raise Refused(405, f"Use {wanted} here.")


def _body(environ: dict[str, Any]) -> bytes:
    body: bytes = environ["wsgi.input"].read(LARGEST_BODY + 1)
    if len(body) > LARGEST_BODY:
        raise Refused(413, f"The request has more than {LARGEST_BODY:,} bytes.")
    return body


def _alive(environ: dict[str, Any]) -> Callable[[], bool]:
    """Return what says whether whoever asked is still there; servers other than Waitress do not."""
    hung_up = environ.get("waitress.client_disconnected", lambda: False)
    return lambda: not hung_up()


def _watched(alive: Callable[[], bool]) -> Any:
    """Return a way of showing progress that stops where nobody waits any more."""

    @contextmanager
    def track(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
        def advance(done: int) -> None:
            if not alive():
                raise Gone

        yield advance

    return track


def _why(outcome: Outcome, said: str) -> str:
    reasons = [c.reason for c in outcome.pools[0].candidates if c.status == "error" and c.reason]
    return f"No answer came ({said})" + (f": {reasons[0]}" if reasons else ".")


def _usage(row: dict[str, Any]) -> dict[str, int] | None:
    """Return the tokens of all candidates, None where the model does not say."""
    spent, made = row["tokens_in"], row["tokens_out"]
    if spent is None or made is None:
        return None
    return {"prompt_tokens": spent, "completion_tokens": made, "total_tokens": spent + made}


def _events(
    head: dict[str, Any], text: str, end: str, usage: dict[str, int] | None
) -> Iterator[str]:
    """Yield the answer word by word; it is whole before the first, since it had to be chosen."""

    def event(delta: dict[str, str], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        told = {**head, "object": "chat.completion.chunk", "choices": [choice]}
        return json.dumps(told, ensure_ascii=False)

    yield event({"role": "assistant", "content": ""})
    for piece in _PIECE.findall(text):
        if piece:
            yield event({"content": piece})
    yield event({}, end)
    if usage is not None:
        yield json.dumps({**head, "object": "chat.completion.chunk", "choices": [], "usage": usage})
    yield "[DONE]"


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _send(start: Start, status: int, kind: str, body: list[bytes]) -> list[bytes]:
    charset = "; charset=utf-8"
    size = str(sum(map(len, body)))
    start(
        f"{status} {_STATUS[status]}",
        [("Content-Type", kind + charset), ("Content-Length", size), ("Cache-Control", "no-store")],
    )
    return body
