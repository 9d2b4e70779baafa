"""Asking a model when it goes wrong: what is tried again, what is a row, and what stops the run."""

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from attunement.errors import UserError
from attunement.inspect_bridge import ModelSpec, ask
from stubs.calls import call, calls, only


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


def test_nothing_is_said_on_the_terminal(stub, spec_for, capfd) -> None:
    with stub.StubLLM(lambda r: (500, "oops")) as server:
        only(spec_for(server, max_retries=1), call("k"))
    assert capfd.readouterr() == ("", "")
