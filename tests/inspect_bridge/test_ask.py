"""Asking a model: what is sent, what comes back, and how many calls there are at once."""

import asyncio
import json
import threading
from dataclasses import replace

import pytest

from attunement.inspect_bridge import Call, Message, ask
from stubs.calls import call, calls, only


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


def test_a_reply_is_reported_before_it_is_handed_on(stub, spec_for) -> None:
    seen = []
    with stub.StubLLM("x") as server:
        for reply in ask(spec_for(server), calls(3), journal=None, on_reply=seen.append):
            assert seen[-1] is reply
    assert len(seen) == 3


def test_what_is_sent_goes_to_the_server_and_not_through_a_proxy(
    stub, spec_for, monkeypatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with stub.StubLLM("x") as server:
        assert only(spec_for(server), call("k")).text == "x"
    assert json.dumps(server.requests[0]["messages"])
