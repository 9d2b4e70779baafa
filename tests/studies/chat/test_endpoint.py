"""Asking an OpenAI-compatible server for a reply in pieces."""

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from attunement.studies.chat.endpoint import ReplyFailed, stream
from attunement.studies.config import Bot
from stubs.llm import Answer, StubLLM

SAID = [{"role": "user", "content": "I cannot sleep."}]


def event(text: str = "", finish: str | None = None, **delta: Any) -> str:
    choice = {"index": 0, "delta": {"content": text, **delta}, "finish_reason": finish}
    chunk = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "stub"}
    return json.dumps({**chunk, "choices": [choice]})


def ask(server: StubLLM, **keys: Any) -> list[str]:
    bot = Bot(model="m", base_url=server.base_url, **keys)
    return [piece.text for piece in stream(bot, SAID) if piece.text]


def test_a_reply_comes_in_pieces_with_what_it_took() -> None:
    with StubLLM("I hear  you.\nReally.") as server:
        pieces = list(stream(Bot(model="m", base_url=server.base_url), SAID))
    assert [p.text for p in pieces if p.text] == ["I ", "hear  ", "you.\n", "Really."]
    assert pieces[0].model == "stub"
    assert (pieces[-1].tokens_in, pieces[-1].tokens_out) == (10, 5)


def test_only_the_settings_of_the_study_are_sent() -> None:
    with StubLLM() as server:
        ask(server)
        ask(server, temperature=0.2, max_tokens=90)
    assert {"temperature", "max_tokens"}.isdisjoint(server.requests[0])
    assert (server.requests[1]["temperature"], server.requests[1]["max_tokens"]) == (0.2, 90)
    assert server.requests[0]["messages"] == SAID
    assert server.requests[0]["model"] == "m"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ((500, "{}"), "HTTP 500"),
        ((429, '{"error": {"message": "slow down"}}'), "HTTP 429: slow down"),
        ((401, '{"error": {"message": "who are you"}}'), "HTTP 401: who are you"),
        ((200, "no stream at all"), "broke off"),
        ([event("I he")], "broke off"),
        ([event("I he"), '{"error": {"message": "out of memory"}}'], "out of memory"),
        ([event("I he"), "{not JSON"], "broke off"),
        ([event("I he"), event(finish="content_filter")], "filter"),
        ([event("", refusal="I would rather not")], "refused: I would rather not"),
    ],
)
def test_a_reply_that_does_not_come_whole_has_failed(answer: Answer, why: str) -> None:
    with StubLLM(lambda request: answer) as server, pytest.raises(ReplyFailed, match=why):
        ask(server)


def test_an_endpoint_is_asked_once_and_not_behind_peoples_backs() -> None:
    with StubLLM(lambda request: (503, "{}")) as server:
        with pytest.raises(ReplyFailed):
            ask(server)
        assert server.calls == 1


def test_an_endpoint_that_is_down_cannot_be_reached() -> None:
    with StubLLM() as server:
        pass
    with pytest.raises(ReplyFailed, match="cannot be reached"):
        ask(server)


def test_a_reply_that_takes_too_long_has_failed() -> None:
    server = StubLLM("one two three", pause=threading.Event())
    with server, pytest.raises(ReplyFailed, match="in time"):
        ask(server, timeout_s=0.2)


class Endless(BaseHTTPRequestHandler):
    """Answers with a piece of a stream again and again until nobody listens any more."""

    piece = b": still there\n\n"

    def do_POST(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        with contextlib.suppress(OSError):
            while True:
                self.wfile.write(self.piece)

    def log_message(self, *said: object) -> None:
        """Say nothing."""


class EndlessLine(Endless):
    piece = b"data: " + b"x" * 65_536


@contextlib.contextmanager
def served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize(("handler", "limit"), [(Endless, 0.3), (EndlessLine, 60)])
def test_a_stream_that_says_nothing_for_ever_has_failed(
    handler: type[BaseHTTPRequestHandler], limit: float
) -> None:
    with served(handler) as url, pytest.raises(ReplyFailed, match="in time"):
        list(stream(Bot(model="m", base_url=url, timeout_s=limit), SAID))


def test_what_people_wrote_is_not_sent_on_to_where_a_server_points() -> None:
    with StubLLM() as elsewhere:

        class Pointing(Endless):
            def do_POST(self) -> None:
                self.send_response(307)
                self.send_header("Location", f"{elsewhere.base_url}/chat/completions")
                self.send_header("Content-Length", "0")
                self.end_headers()

        with served(Pointing) as url, pytest.raises(ReplyFailed, match="HTTP 307"):
            list(stream(Bot(model="m", base_url=url), SAID))
        assert elsewhere.calls == 0


@pytest.mark.parametrize("odd", ["17", -1, 1e99, 1 << 40, [3], None, True])
def test_odd_counts_and_names_do_not_cost_the_reply(odd: object) -> None:
    told = json.loads(event("I hear you.", finish="stop"))
    told |= {"model": odd, "usage": {"prompt_tokens": odd, "completion_tokens": 5}}
    with StubLLM(lambda request: [json.dumps(told), "[DONE]"]) as server:
        (piece,) = stream(Bot(model="m", base_url=server.base_url), SAID)
    assert (piece.text, piece.tokens_in, piece.tokens_out) == ("I hear you.", None, 5)
    assert piece.model in (None, "17")


def test_the_key_comes_from_the_environment_and_is_never_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BOT_KEY", "sk-very-secret")
    wrong = (401, '{"error": {"message": "wrong key sk-very-secret"}}')
    with StubLLM(lambda request: wrong) as server:
        with pytest.raises(ReplyFailed) as failed:
            ask(server, api_key_env="BOT_KEY")
        sent = {name.lower(): value for name, value in server.request_headers[0].items()}
        assert sent["authorization"] == "Bearer sk-very-secret"
    assert "sk-very-secret" not in str(failed.value)


def test_a_key_that_is_not_set_is_named() -> None:
    with StubLLM() as server, pytest.raises(ReplyFailed, match="NO_SUCH_KEY is not set"):
        ask(server, api_key_env="NO_SUCH_KEY")


def test_calls_to_this_machine_do_not_go_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with StubLLM("I hear you.") as server:
        assert "".join(ask(server)) == "I hear you."


@pytest.mark.local
@pytest.mark.slow
def test_the_embedded_model_replies() -> None:
    pytest.importorskip("xllamacpp")
    bot = Bot(model="local", max_tokens=60)
    text = "".join(piece.text for piece in stream(bot, SAID))
    assert len(text.split()) > 5
