"""The endpoint, asked by the real client over a real connection; a stub stands for the model."""

import errno
import http.client
import json
import socket
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import openai
import pytest

from attunement.errors import UserError
from attunement.inspect_bridge import ModelSpec
from attunement.planning import DAILYDIALOG
from attunement.planning.planner import Plan
from attunement.respond.endpoint import LARGEST_BODY
from attunement.respond.serving import Server
from attunement.respond.turn_journal import TurnJournal
from stubs.planned_server import planned_server

Serve = Callable[..., AbstractContextManager[Server]]
SAID: list[Any] = [{"role": "user", "content": "I cannot sleep."}]


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "turns.jsonl"


@pytest.fixture
def served(spec_for: Callable[..., ModelSpec], journal: Path) -> Serve:
    def serve(stub_server: Any, *planner: Any, **how: Any) -> AbstractContextManager[Server]:
        return planned_server(spec_for(stub_server, "bot", max_retries=0), journal, *planner, **how)

    return serve


def client(server: Server) -> openai.OpenAI:
    return openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0, timeout=120)


def by_seed(request: dict[str, Any]) -> str:
    return {1: "That is hard.", 1001: "Since when?", 2001: "Rest."}[request["seed"]]


def turns(journal: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in journal.read_text().splitlines()]


def test_both_names_are_listed(stub, served: Serve) -> None:
    with stub.StubLLM() as llm, served(llm) as server, client(server) as ask:
        assert [m.id for m in ask.models.list()] == ["bot", "bot-planned"]
        assert ask.models.retrieve("bot-planned").id == "bot-planned"
        with pytest.raises(openai.NotFoundError):
            ask.models.retrieve("other")


def test_the_plain_name_gives_the_models_answer_and_the_planned_one_what_keeps_to_the_plan(
    stub, served: Serve
) -> None:
    with stub.StubLLM(by_seed) as llm, served(llm) as server, client(server) as ask:
        plain = ask.chat.completions.create(model="bot", messages=SAID)
        assert llm.calls == 1
        planned = ask.chat.completions.create(model="bot-planned", messages=SAID)
        assert llm.calls == 4
    assert plain.choices[0].message.content == "That is hard."
    assert planned.choices[0].message.content == "Since when?"
    assert planned.choices[0].finish_reason == "stop"
    assert planned.model == "bot-planned"
    assert planned.usage is not None
    assert (planned.usage.prompt_tokens, planned.usage.completion_tokens) == (30, 15)


def test_an_answer_comes_as_a_stream(stub, served: Serve) -> None:
    with stub.StubLLM(by_seed) as llm, served(llm) as server, client(server) as ask:
        chunks = list(
            ask.chat.completions.create(
                model="bot-planned",
                messages=SAID,
                stream=True,
                stream_options={"include_usage": True},
            )
        )
        bare = list(ask.chat.completions.create(model="bot", messages=SAID, stream=True))
    words = [c.choices[0].delta.content or "" for c in chunks if c.choices]
    assert "".join(words) == "Since when?"
    assert [w for w in words if w] == ["Since ", "when?"]
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.total_tokens == 45
    assert all(c.usage is None for c in bare)


def test_the_plan_and_every_candidate_are_kept(stub, served: Serve, journal: Path) -> None:
    with stub.StubLLM(by_seed) as llm, served(llm) as server, client(server) as ask:
        given = ask.chat.completions.create(model="bot-planned", messages=SAID, temperature=0.5)
    (turn,) = turns(journal)
    assert turn["id"] == given.id
    assert turn["turns"] == [{"role": "user", "text": "I cannot sleep."}]
    assert (turn["plan"], turn["plan_kind"]) == (["question"], "predicted")
    assert turn["settings"]["temperature"] == 0.5
    assert [(c["text"], c["similarity"], c["chosen"]) for c in turn["candidates"]] == [
        ("That is hard.", 0.0, False),
        ("Since when?", 1.0, True),
        ("Rest.", 0.0, False),
    ]
    assert turn["answer"] == "Since when?"
    assert journal.stat().st_mode & 0o077 == 0


def test_what_the_client_asks_for_reaches_the_model(stub, served: Serve) -> None:
    messages: list[Any] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
        {"role": "assistant", "content": None},
        {"role": "user", "content": "Are you there?"},
    ]
    with stub.StubLLM() as llm, served(llm) as server, client(server) as ask:
        ask.chat.completions.create(
            model="bot", messages=messages, temperature=0.3, max_tokens=9, seed=7, stop=["END"]
        )
    (sent,) = llm.requests
    assert [m["content"] for m in sent["messages"]] == ["Be brief.", "Hi", "", "Are you there?"]
    assert [sent[k] for k in ("temperature", "max_tokens", "seed", "stop")] == [0.3, 9, 7, ["END"]]


def test_a_model_can_be_told_the_plan(stub, served: Serve) -> None:
    with (
        stub.StubLLM("Since when?") as llm,
        served(llm, strategy="prompt") as server,
        client(server) as ask,
    ):
        ask.chat.completions.create(model="bot-planned", messages=SAID)
    (sent,) = llm.requests
    assert "in this order: question" in sent["messages"][0]["content"]


def test_two_are_answered_at_once(stub, served: Serve) -> None:
    found: dict[str, str | None] = {}

    def ask_for(text: str, server: Server) -> None:
        with client(server) as ask:
            given = ask.chat.completions.create(
                model="bot-planned", messages=[{"role": "user", "content": text}]
            )
        found[text] = given.choices[0].message.content

    hold = threading.Event()
    with stub.StubLLM(lambda r: f"Why {stub.said(r)}?", hold=hold) as llm, served(llm) as server:
        threads = [threading.Thread(target=ask_for, args=(t, server)) for t in ("a", "b")]
        for thread in threads:
            thread.start()
        llm.wait_for(6)  # three candidates of each, before any is answered
        hold.set()
        for thread in threads:
            thread.join(30)
    assert found == {"a": "Why a?", "b": "Why b?"}


class Silent:
    """A planner that cannot plan."""

    kind, labels, context, signature = "silent", DAILYDIALOG, 3, "silent"

    def plan(self, contexts: Any, *, advance: Any = None) -> list[Plan]:
        return [Plan((), "unparsed", "It said None.")] * len(contexts)


def test_without_a_plan_the_first_candidate_is_given_and_the_journal_says_so(
    stub, served: Serve, journal: Path
) -> None:
    with stub.StubLLM(by_seed) as llm, served(llm, Silent()) as server, client(server) as ask:
        given = ask.chat.completions.create(model="bot-planned", messages=SAID)
    assert given.choices[0].message.content == "That is hard."
    (turn,) = turns(journal)
    assert (turn["plan"], turn["plan_status"]) == (None, "unparsed")


class Broken(Silent):
    """A planner with a mistake in it."""

    def plan(self, contexts: Any, *, advance: Any = None) -> list[Plan]:
        raise ZeroDivisionError("a secret")


def test_a_planner_that_fails_is_an_error_of_the_server_and_kept(
    stub, served: Serve, journal: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with stub.StubLLM() as llm, served(llm, Broken()) as server, client(server) as ask:
        with pytest.raises(openai.InternalServerError) as caught:
            ask.chat.completions.create(model="bot-planned", messages=SAID)
        assert ask.chat.completions.create(model="bot", messages=SAID).choices
    assert "secret" not in str(caught.value)
    assert "an answer cannot be made" in caplog.text
    assert turns(journal)[0]["error"] == "ZeroDivisionError: a secret"


def test_without_room_for_the_journal_nothing_is_answered_and_the_client_is_told(
    stub, served: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(TurnJournal, "add", full)
    with (
        stub.StubLLM() as llm,
        served(llm) as server,
        client(server) as ask,
        pytest.raises(openai.InternalServerError) as caught,
    ):
        ask.chat.completions.create(model="bot", messages=SAID)
    assert "The answer cannot be made: OSError" in str(caught.value)
    assert "an answer cannot be made" in caplog.text


def test_a_journal_is_a_file_and_no_device(tmp_path: Path) -> None:
    for place in (Path("/dev/null"), tmp_path):
        with pytest.raises(UserError, match=r"no file|directory"):
            TurnJournal(place)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((500, '{"error": {"message": "out of memory"}}'), "HTTP 500"),
        ("  ", "no candidate can be used: 3 empty"),
    ],
)
def test_where_the_model_gives_nothing_the_client_is_told_why(
    answer: Any, said: str, stub, served: Serve, journal: Path
) -> None:
    with (
        stub.StubLLM(lambda r: answer) as llm,
        served(llm) as server,
        client(server) as ask,
        pytest.raises(openai.InternalServerError, match=said) as caught,
    ):
        ask.chat.completions.create(model="bot-planned", messages=SAID)
    assert caught.value.status_code == 502
    assert turns(journal)[0].get("answer") is None


def test_a_content_filter_is_passed_on(stub, served: Serve) -> None:
    filtered = stub.completion("", stop="content_filter")
    with stub.StubLLM(lambda r: filtered) as llm, served(llm) as server, client(server) as ask:
        given = ask.chat.completions.create(model="bot", messages=SAID)
    assert given.choices[0].finish_reason == "content_filter"


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"{", 400, "not JSON"),
        (b"\xff", 400, "not JSON"),
        (b"[" * 100_000, 400, "not JSON"),
        (b"[]", 400, "not a JSON object"),
        (b"{}", 400, "model is not named"),
        (b'{"model": "bto", "messages": []}', 404, "did you mean 'bot'"),
        (b'{"model": "bot", "messages": []}', 400, "at least one"),
        (b'{"model": "bot", "messages": "hi"}', 400, "at least one"),
        (b'{"model": "bot", "messages": [1]}', 400, "role is one of"),
        (b'{"model": "bot", "messages": [{"role": "clown", "content": "x"}]}', 400, "role"),
        (b'{"model": "bot", "messages": [{"role": "user", "content": 7}]}', 400, "is text"),
        (b'{"model": "bot", "messages": [{"role": "user", "content": " "}]}', 400, "has a text"),
        (
            b'{"model": "bot", "messages": [{"role": "system", "content": "x"}]}',
            400,
            "has a text",
        ),
        (b'{"model": "bot", "n": 2, "messages": []}', 400, "one choice"),
        (b'{"model": "bot", "tools": [{}], "messages": []}', 400, "no tools"),
        *(
            (
                b'{"model": "bot", "messages": [{"role": "user", "content": "x"}], ' + more + b"}",
                400,
                said,
            )
            for more, said in [
                (b'"temperature": "hot"', "temperature is a number"),
                (b'"temperature": -1', "temperature is a number"),
                (b'"temperature": NaN', "not JSON"),
                (b'"top_p": 2', "top_p"),
                (b'"max_tokens": 0', "max_tokens is a whole number"),
                (b'"max_tokens": true', "max_tokens is a whole number"),
                (b'"seed": 1.5', "seed is a whole number"),
                (b'"seed": 1' + b"0" * 400, "seed is a whole number"),
                (b'"stop": [1]', "stop is a text"),
            ]
        ),
        (b"x" * (LARGEST_BODY + 1), 413, "more than 1,048,576 bytes"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_in_words(
    body: bytes, status: int, said: str, stub, served: Serve
) -> None:
    with stub.StubLLM() as llm, served(llm) as server:
        found, answer = post(server, body)
        assert post(server, ok_body())[0] == 200
    assert found == status
    assert said in answer["error"]["message"]
    assert llm.calls == 1


def ok_body() -> bytes:
    return json.dumps({"model": "bot", "messages": SAID}).encode()


def post(server: Server, body: bytes, **headers: str) -> tuple[int, Any]:
    return send(server, "POST", "/v1/chat/completions", body, headers)


def send(
    server: Server, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
) -> tuple[int, Any]:
    host = server.base_url.removeprefix("http://").removesuffix("/v1")
    connection = http.client.HTTPConnection(host, timeout=120)
    connection.request(method, path, body, headers or {})
    answer = connection.getresponse()
    told = answer.status, json.loads(answer.read() or b"null")
    connection.close()
    return told


def test_other_paths_and_methods_are_refused(stub, served: Serve) -> None:
    with stub.StubLLM() as llm, served(llm) as server:
        assert send(server, "GET", "/")[0] == 404
        assert send(server, "GET", "/v1/chat/completions")[0] == 405
        assert send(server, "POST", "/v1/models", b"{}")[0] == 405


def test_pages_from_elsewhere_are_not_answered(stub, served: Serve) -> None:
    """A page can make a browser ask this machine, by its address or by a name that leads here."""
    with stub.StubLLM() as llm, served(llm) as server:
        assert post(server, ok_body(), Origin="https://example.org")[0] == 403
        assert post(server, ok_body(), Host="example.org")[0] == 403
        assert post(server, ok_body(), Host="[")[0] == 403
        assert post(server, ok_body(), Origin="null")[0] == 403
        assert post(server, ok_body(), Origin="http://localhost:3000")[0] == 200
    assert llm.calls == 1


def test_whoever_hangs_up_is_not_answered_any_further(stub, served: Serve, journal: Path) -> None:
    """The rest of the candidates are not asked for; the server answers the next."""
    hold = threading.Event()
    with (
        stub.StubLLM(by_seed, hold=hold) as llm,
        served(llm) as server,
        client(server) as ask,
    ):
        host, port = server.base_url.removeprefix("http://").removesuffix("/v1").split(":")
        body = json.dumps({"model": "bot-planned", "messages": SAID}).encode()
        with socket.create_connection((host, int(port))) as raw:
            head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\n"
            raw.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            llm.wait_for(3)
        hold.set()
        wait_until(lambda: journal.read_text().endswith("\n"))
        assert turns(journal)[0]["error"] == "whoever asked has hung up"
        assert ask.chat.completions.create(model="bot", messages=SAID).choices


def wait_until(true: Callable[[], bool]) -> None:
    for _ in range(1000):
        if true():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it did not happen")


def test_a_journal_goes_on_after_a_kill(stub, served: Serve, journal: Path) -> None:
    journal.write_text('{"at": "a line that a kill left unfin')
    with stub.StubLLM() as llm, served(llm) as server:
        post(server, ok_body())
    assert json.loads(journal.read_text().splitlines()[1])["answer"] == "I hear you."
    assert journal.stat().st_mode & 0o077 == 0


def test_halves_of_surrogate_pairs_are_kept_and_sent_as_a_sign(
    stub, served: Serve, journal: Path
) -> None:
    body = b'{"model": "bot", "messages": [{"role": "user", "content": "a\\ud800b"}]}'
    with stub.StubLLM() as llm, served(llm) as server:
        assert post(server, body)[0] == 200
    assert stub.said(llm.requests[0]) == "a\ufffdb"
    assert turns(journal)[0]["turns"][0]["text"] == "a\ufffdb"
