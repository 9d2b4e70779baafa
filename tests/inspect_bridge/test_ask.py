"""Asking a model: what is sent, what comes back, and what happens when it goes wrong."""

import asyncio
import json
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from attunement.errors import UserError
from attunement.inspect_bridge import Call, Message, ModelSpec, Settings, ask


def call(key: str, text: str = "I am sad.", **more) -> Call:
    return Call(key, (Message("user", text),), **more)


def calls(n: int):
    return (call(str(i), f"question {i}") for i in range(n))


def only(spec: ModelSpec, one: Call, journal=None):
    (reply,) = ask(spec, [one], journal=journal)
    return reply


def test_a_conversation_and_the_settings_arrive_as_they_are(stub, spec_for) -> None:
    turns = (
        Message("system", "Be kind."),
        Message("user", "I am sad."),
        Message("assistant", "Since when?"),
        Message("user", "Since May."),
    )
    with stub.StubLLM("I hear you.") as server:
        spec = spec_for(server, temperature=0.5, top_p=0.9, max_tokens=7, seed=1, stop=("END",))
        reply = only(spec, Call("k", turns, seed=42))
    (sent,) = server.requests
    assert [(m["role"], m["content"]) for m in sent["messages"]] == [
        (t.role, t.text) for t in turns
    ]
    assert sent["model"] == "m"
    assert (sent["temperature"], sent["top_p"], sent["max_tokens"]) == (0.5, 0.9, 7)
    assert (sent["seed"], sent["stop"]) == (42, ["END"])
    assert (reply.key, reply.text, reply.stop_reason, reply.error) == (
        "k",
        "I hear you.",
        "stop",
        None,
    )
    assert (reply.tokens_in, reply.tokens_out, reply.cost_usd) == (10, 5, None)
    assert reply.latency_s is not None
    assert reply.latency_s >= 0


def test_a_schema_is_sent_as_response_format(stub, spec_for) -> None:
    schema = {
        "type": "object",
        "properties": {"score": {"type": "integer", "enum": [0, 1]}},
        "required": ["score"],
        "additionalProperties": False,
    }
    with stub.StubLLM('{"score": 1}') as server:
        only(spec_for(server), call("k", schema=schema))
    sent = server.requests[0]["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"]["schema"] == schema
    assert sent["json_schema"]["strict"] is True


def test_the_cost_comes_from_the_prices(stub, spec_for) -> None:
    with stub.StubLLM(lambda r: stub.completion("x", tokens=(1_000_000, 500_000))) as server:
        spec = replace(spec_for(server), price_in=2.0, price_out=4.0)
        assert only(spec, call("k")).cost_usd == pytest.approx(4.0)


def test_tokens_and_cost_are_unknown_where_the_server_does_not_count(stub, spec_for) -> None:
    body = stub.completion("x")
    del body["usage"]
    with stub.StubLLM(lambda r: body) as server:
        reply = only(replace(spec_for(server), price_in=1.0, price_out=1.0), call("k"))
    assert (reply.tokens_in, reply.tokens_out, reply.cost_usd) == (None, None, None)


def test_replies_come_as_they_arrive(stub, spec_for) -> None:
    slow = threading.Event()

    def answer(request):
        if stub.said(request) == "slow":
            slow.wait(10)
        return stub.said(request)

    with stub.StubLLM(answer) as server:
        replies = ask(spec_for(server), [call("a", "slow"), call("b", "fast")], journal=None)
        assert next(replies).key == "b"
        slow.set()
        assert [r.key for r in replies] == ["a"]


def test_as_many_calls_at_once_as_connections_and_no_more(stub, spec_for) -> None:
    with stub.StubLLM("x", latency=0.02) as server:
        assert len(list(ask(spec_for(server, max_connections=4), calls(24), journal=None))) == 24
    assert server.peak == 4


def test_each_run_has_the_connections_it_asks_for(stub, spec_for) -> None:
    with stub.StubLLM("x", latency=0.02) as server:
        for connections in (2, 5):
            server.peak = 0
            list(ask(spec_for(server, max_connections=connections), calls(15), journal=None))
            assert server.peak == connections


def test_calls_are_taken_only_as_there_is_room(stub, spec_for) -> None:
    taken = []

    def many():
        for one in calls(100):
            taken.append(one.key)
            yield one

    with stub.StubLLM("x") as server:
        replies = ask(spec_for(server, max_connections=3), many(), journal=None)
        next(replies)
        assert len(taken) <= 7
        replies.close()


def test_nothing_is_kept_of_past_calls(stub, spec_for) -> None:
    from inspect_ai.log import transcript

    before = len(transcript().events)
    with stub.StubLLM("x") as server:
        list(ask(spec_for(server), calls(5), journal=None))
    assert len(transcript().events) == before


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_failure_is_retried(stub, spec_for, status: int) -> None:
    answers = iter([(status, '{"error": {"message": "later"}}')] * 2 + ["well"])
    with stub.StubLLM(lambda r: next(answers)) as server:
        assert only(spec_for(server, max_retries=2), call("k")).text == "well"
    assert server.calls == 3


@pytest.mark.parametrize("status", [429, 500])
def test_a_lasting_failure_is_an_error_after_the_retries(stub, spec_for, status: int) -> None:
    with stub.StubLLM(lambda r: (status, '{"error": {"message": "no room"}}')) as server:
        reply = only(spec_for(server, max_retries=2), call("k"))
    assert server.calls == 3
    assert reply.text == ""
    assert reply.stop_reason is None
    assert f"HTTP {status}" in reply.error
    assert "no room" in reply.error


def test_a_mistake_in_the_request_is_not_retried(stub, spec_for) -> None:
    with stub.StubLLM(lambda r: (400, '{"error": {"message": "bad seed"}}')) as server:
        reply = only(spec_for(server), call("k"))
    assert server.calls == 1
    assert "HTTP 400" in reply.error


def test_a_call_that_takes_too_long_is_an_error(stub, spec_for) -> None:
    with stub.StubLLM("x", hold=threading.Event()) as server:
        reply = only(spec_for(server, timeout=1, max_retries=0), call("k"))
    assert reply.error == "no answer in time"


@pytest.mark.parametrize(
    "body",
    ["<html>Bad gateway</html>", '"a bare string"', "{}", '{"choices": []}', ""],
    ids=["html", "string", "object", "no choice", "nothing"],
)
def test_garbage_is_an_error_and_the_rest_goes_on(stub, spec_for, body: str) -> None:
    def answer(request):
        return (200, body) if stub.said(request) == "bad" else "fine"

    with stub.StubLLM(answer) as server:
        spec = spec_for(server, max_retries=0)
        replies = {r.key: r for r in ask(spec, [call("a", "bad"), call("b", "good")], journal=None)}
    assert replies["b"].text == "fine"
    assert replies["a"].error
    assert "\n" not in replies["a"].error


@pytest.mark.parametrize("text", ["", None])
def test_an_empty_answer_is_an_answer(stub, spec_for, text: str | None) -> None:
    with stub.StubLLM(lambda r: stub.completion(text)) as server:
        reply = only(spec_for(server), call("k"))
    assert (reply.text, reply.error, reply.stop_reason) == ("", None, "stop")


def test_a_very_long_answer_arrives_whole(stub, spec_for, tmp_path) -> None:
    text = "I hear you 🌱. " * 70_000
    with stub.StubLLM(text) as server:
        spec = spec_for(server)
        assert only(spec, call("k"), tmp_path / "j").text == text
        assert only(spec, call("k"), tmp_path / "j").text == text
    assert server.calls == 1


def test_a_refusal_is_recognized(stub, spec_for) -> None:
    with stub.StubLLM(lambda r: stub.completion("", stop="content_filter")) as server:
        reply = only(spec_for(server), call("k"))
    assert reply.refused
    assert reply.stop_reason == "content_filter"


def test_an_answer_cut_at_the_token_limit_says_so(stub, spec_for) -> None:
    with stub.StubLLM(lambda r: stub.completion("I he", stop="length")) as server:
        assert only(spec_for(server), call("k")).stop_reason == "max_tokens"


def test_a_server_that_is_not_there_is_said_at_once(spec_for) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    spec = spec_for(url, backoff_s=60.0, max_retries=9)
    with pytest.raises(UserError, match="cannot be reached") as caught:
        list(ask(spec, calls(50), journal=None))
    assert url in str(caught.value)


def test_a_host_that_does_not_exist_is_said_at_once() -> None:
    spec = ModelSpec("m", "openai-api/stub/m", base_url="http://attunement.invalid/v1")
    spec = replace(spec, api_key_env="ATTUNEMENT_TEST_KEY")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTUNEMENT_TEST_KEY", "k")
        with pytest.raises(UserError, match="cannot be reached"):
            list(ask(spec, calls(1), journal=None))


def test_a_server_that_goes_away_stops_the_run_and_keeps_what_came(
    stub, spec_for, tmp_path
) -> None:
    spec, got = None, []
    with stub.StubLLM("x") as server:
        spec = spec_for(server, max_connections=2, max_retries=1)
        replies = ask(spec, calls(100), journal=tmp_path / "j")
        got.append(next(replies))
    with pytest.raises(UserError, match="stopped answering"):
        got.extend(replies)
    assert sum(r.error is None for r in got) >= 1
    assert sum(r.error is not None for r in got) < 40


@pytest.mark.parametrize("status", [401, 404])
def test_a_key_or_a_model_that_is_not_accepted_stops_the_run(stub, spec_for, status) -> None:
    with (
        stub.StubLLM(lambda r: (status, '{"error": {"message": "unknown"}}')) as server,
        pytest.raises(UserError, match=f"HTTP {status}"),
    ):
        list(ask(spec_for(server), calls(50), journal=None))
    assert server.calls <= 40


def test_one_call_that_is_turned_away_does_not_stop_the_others(stub, spec_for) -> None:
    def answer(request):
        return (403, "{}") if stub.said(request) == "question 0" else "x"

    with stub.StubLLM(answer) as server:
        replies = list(ask(spec_for(server, max_connections=1), calls(6), journal=None))
    assert [bool(r.error) for r in sorted(replies, key=lambda r: r.key)] == [True] + [False] * 5


@contextmanager
def dropping_server() -> Iterator[tuple[str, list[int]]]:
    """A server that takes every connection and closes it without an answer."""
    met = [0]

    class Drop(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(1)
            met[0] += 1

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Drop) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", met
        server.shutdown()
        thread.join()


def test_a_server_that_drops_every_connection_stops_the_run(spec_for) -> None:
    with dropping_server() as (url, met):
        spec = spec_for(url, max_connections=4, max_retries=1)
        with pytest.raises(UserError, match="drops every connection") as caught:
            list(ask(spec, calls(200), journal=None))
    assert url in str(caught.value)
    assert 3 <= met[0] < 40


def test_a_dropped_connection_is_tried_again(spec_for) -> None:
    with dropping_server() as (url, met), pytest.raises(UserError):
        only(spec_for(url, max_retries=2), call("k"))
    assert met[0] == 3


def test_a_run_of_which_nothing_is_answered_is_called_off(stub, spec_for) -> None:
    refusal = '{"error": {"message": "no such schema"}}'
    with stub.StubLLM(lambda r: (400, refusal)) as server:
        replies = ask(spec_for(server, max_connections=2), calls(200), journal=None)
        with pytest.raises(UserError, match=r"first 10 calls was answered.*no such schema"):
            list(replies)
    assert server.calls < 40


def test_failures_after_an_answer_stay_rows(stub, spec_for) -> None:
    def answer(request):
        return "x" if stub.said(request) == "question 0" else (400, "{}")

    with stub.StubLLM(answer) as server:
        replies = list(ask(spec_for(server, max_connections=1), calls(40), journal=None))
    assert sum(reply.error is not None for reply in replies) == 39


def test_it_works_inside_a_running_event_loop(stub, spec_for) -> None:
    async def notebook() -> list[str]:
        return [r.text for r in ask(spec_for(server), calls(3), journal=None)]

    with stub.StubLLM("x") as server:
        assert asyncio.run(notebook()) == ["x"] * 3


def test_two_runs_at_once_do_not_disturb_each_other(stub, spec_for) -> None:
    with stub.StubLLM("x") as server:
        one = ask(spec_for(server), calls(6), journal=None)
        two = ask(spec_for(server), calls(6), journal=None)
        assert len(list(zip(one, two, strict=True))) == 6


def test_stopping_early_drops_what_is_in_flight(stub, spec_for) -> None:
    hold = threading.Event()

    def answer(request):
        if stub.said(request) != "question 0":
            hold.wait(10)
        return "x"

    with stub.StubLLM(answer) as server:
        replies = ask(spec_for(server, max_connections=2), calls(50), journal=None)
        next(replies)
        replies.close()
        hold.set()
    assert server.calls < 10
    assert not [t for t in threading.enumerate() if t.name == "attunement-calls"]


def test_nothing_is_said_on_the_terminal(stub, spec_for, capfd) -> None:
    with stub.StubLLM(lambda r: (500, "oops")) as server:
        only(spec_for(server, max_retries=1), call("k"))
    assert capfd.readouterr() == ("", "")


def test_a_reply_is_reported_before_it_is_handed_on(stub, spec_for) -> None:
    seen = []
    with stub.StubLLM("x") as server:
        for reply in ask(spec_for(server), calls(3), journal=None, on_reply=seen.append):
            assert seen[-1] is reply
    assert len(seen) == 3


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"max_connections": 0}, "max_connections is 1 or more"),
        ({"max_retries": -1}, "max_retries is 0 or more"),
        ({"temperature": float("nan")}, "a temperature is 0 or more"),
        ({"temperature": -0.1}, "a temperature is 0 or more"),
        ({"top_p": 1.5}, "top_p lies between 0 and 1"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        Settings(**settings)


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8000/v1", "ftp://host/v1", "http://", "", "http://[::1", "http://a:b/v1"]
)
def test_an_address_that_no_server_has(url: str) -> None:
    with pytest.raises(UserError, match="is not the address of a server"):
        ModelSpec("m", "openai-api/stub/m", base_url=url)


@pytest.mark.parametrize("price", [float("nan"), float("inf"), -1.0])
@pytest.mark.parametrize("which", ["price_in", "price_out"])
def test_a_price_that_is_none(which: str, price: float) -> None:
    with pytest.raises(UserError, match="is not a price"):
        ModelSpec("m", "openai/m", **{which: price})


def test_what_is_sent_goes_to_the_server_and_not_through_a_proxy(
    stub, spec_for, monkeypatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with stub.StubLLM("x") as server:
        assert only(spec_for(server), call("k")).text == "x"
    assert json.dumps(server.requests[0]["messages"])
