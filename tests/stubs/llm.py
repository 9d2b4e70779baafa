"""A stub OpenAI-compatible server on loopback: counts, records and answers calls.

In a test::

    from stubs.llm import StubLLM

    with StubLLM(lambda request: "hello") as server:
        spec = ModelSpec("m", "openai-api/stub/m", base_url=server.base_url)

As a process of its own, for tests that kill the client or measure it::

    python tests/stubs/llm.py --log served.jsonl [--latency 0.2]

which prints its base URL on the first line and appends one line to the log for each answered call.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

Request = dict[str, Any]
Answer = str | dict[str, Any] | tuple[int, str] | list[str]
"""Text of the answer; a whole completion to be sent as it is; a status and a raw body; or the raw
events of a stream."""


def said(request: Request) -> str:
    """The last user message of a request."""
    return next(m["content"] for m in reversed(request["messages"]) if m["role"] == "user")


def completion(text: str | None, *, stop: str = "stop", tokens: tuple[int, int] = (10, 5)) -> Any:
    """A chat completion that says ``text`` (None: a message with no content)."""
    return {
        "id": "chatcmpl-stub",
        "object": "chat.completion",
        "created": 0,
        "model": "stub",
        "choices": [
            {
                "index": 0,
                "finish_reason": stop,
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": sum(tokens),
        },
    }


def chunks(text: str) -> Iterator[str]:
    """The words of an answer as the events of a stream, with the usage at the end."""
    told = {"id": "chatcmpl-stub", "object": "chat.completion.chunk", "created": 0, "model": "stub"}
    for word in re.findall(r"\S*\s*", text)[:-1]:
        delta = {"index": 0, "delta": {"role": "assistant", "content": word}, "finish_reason": None}
        yield json.dumps({**told, "choices": [delta]})
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    yield json.dumps({**told, "choices": [end]})
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    yield json.dumps({**told, "choices": [], "usage": usage})
    yield "[DONE]"


class StubLLM:
    """Answers ``/v1/chat/completions`` by calling ``answer(request)``.

    A request with ``stream`` gets a text word by word, ``pace`` seconds between them; where
    ``pause`` is an event, it is waited for after the second word. A stream that ``answer`` gives as
    a list of raw events is sent as it is, and then the connection ends.

    ``latency`` is the seconds an answer takes; ``hold`` is an event that answers wait for (a test
    sets it to let them go). ``headers`` are sent with every answer. ``requests`` holds what was
    asked, ``calls`` how often, ``peak`` how many at once.
    """

    def __init__(
        self,
        answer: Callable[[Request], Answer] | str = "I hear you.",
        *,
        latency: float = 0.0,
        hold: threading.Event | None = None,
        pause: threading.Event | None = None,
        pace: float = 0.0,
        headers: dict[str, str] | None = None,
        log: Path | None = None,
        port: int = 0,
        record: bool = True,
    ) -> None:
        self._answer = answer
        self.latency = latency
        self.hold = hold
        self.pause = pause
        self.pace = pace
        self.headers = headers or {}
        self.log = log
        self.record = record
        self.requests: list[Request] = []
        self.request_headers: list[dict[str, str]] = []
        self.calls = 0
        self.now = 0
        self.peak = 0
        self.arrived = threading.Condition()
        stub = self

        class Handler(_Handler):
            server_stub = stub

        self._server = _Server(("127.0.0.1", port), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def start(self) -> Self:
        self._thread.start()
        return self

    def stop(self) -> None:
        for event in (self.hold, self.pause):
            if event is not None:
                event.set()
        self._server.shutdown()
        self._server.server_close()
        self._server.hang_up()
        self._thread.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def wait_for(self, calls: int, timeout: float = 120.0) -> None:
        """Wait until so many calls have come in."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: self.calls >= calls, timeout), self.calls

    def respond(self, request: Request, headers: dict[str, str]) -> tuple[int, str] | Iterable[str]:
        with self.arrived:
            self.calls += 1
            self.now += 1
            self.peak = max(self.peak, self.now)
            if self.record:
                self.requests.append(request)
                self.request_headers.append(headers)
            self.arrived.notify_all()
        try:
            answer = self._answer if isinstance(self._answer, str) else self._answer(request)
            if self.latency:
                time.sleep(self.latency)
            if self.hold is not None:
                self.hold.wait(60)
        finally:
            with self.arrived:
                self.now -= 1
        if isinstance(answer, tuple | list):
            return answer
        if isinstance(answer, str) and request.get("stream"):
            return chunks(answer)
        body = answer if isinstance(answer, dict) else completion(answer)
        return 200, json.dumps(body)

    def served(self, request: Request) -> None:
        if self.log is not None:
            with self.arrived, self.log.open("a") as log:
                log.write(json.dumps({"said": said(request), "seed": request.get("seed")}) + "\n")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._open: set[socket.socket] = set()

    def finish_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().finish_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Close the connections that clients keep open, as the end of a process would."""
        for connection in tuple(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is no news."""


class _Handler(BaseHTTPRequestHandler):
    server_stub: StubLLM
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if self.path.rstrip("/").endswith("/models"):
            self._send(200, json.dumps({"object": "list", "data": [{"id": "stub"}]}))
        else:
            self._send(404, "{}")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = self.server_stub.respond(body, dict(self.headers))
        try:
            if isinstance(answer, tuple):
                self._send(*answer)
            else:
                self._stream(answer)
        except OSError:  # the client has gone
            return
        self.server_stub.served(body)

    def _stream(self, events: Iterable[str]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for number, event in enumerate(events, start=1):
            self.wfile.write(f"data: {event}\n\n".encode())
            self.wfile.flush()
            if number == 2 and self.server_stub.pause is not None:
                self.server_stub.pause.wait(60)
            if self.server_stub.pace:
                time.sleep(self.server_stub.pace)

    def _send(self, status: int, text: str) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, value in self.server_stub.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Keep standard error clean."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--log", type=Path)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--pace", type=float, default=0.0, help="seconds between streamed words")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--answer", help="text of every answer; default: an echo of the question")
    args = parser.parse_args()
    stub = StubLLM(
        args.answer or (lambda request: f"You said: {said(request)}"),
        latency=args.latency,
        pace=args.pace,
        log=args.log,
        port=args.port,
        record=False,
    )
    print(stub.base_url, flush=True)
    stub._thread = threading.current_thread()
    stub._server.serve_forever(0.05)


if __name__ == "__main__":
    main()
