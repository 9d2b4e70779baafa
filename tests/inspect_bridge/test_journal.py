"""The journal: what had arrived is never asked for again."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from attunement.errors import UserError
from attunement.inspect_bridge import Call, Message, Reply, Settings, ask, count_answered


def calls(n: int, *, key: str = "", text: str = "question") -> list[Call]:
    return [Call(f"{key}{i}", (Message("user", f"{text} {i}"),)) for i in range(n)]


def run(spec, todo, path: Path) -> dict[str, Reply]:
    return {r.key: r for r in ask(spec, todo, journal=path)}


def test_a_second_run_makes_no_call_and_says_the_same(stub, spec_for, tmp_path) -> None:
    path = tmp_path / "runs" / "m.jsonl"
    with stub.StubLLM(stub.said) as server:
        first = run(spec_for(server), calls(5), path)
        again = run(spec_for(server), calls(5), path)
    assert server.calls == 5
    assert all(r.cached for r in again.values())
    assert {k: replace(r, cached=False) for k, r in again.items()} == first


def test_the_reply_is_on_disk_before_it_is_handed_on(stub, spec_for, tmp_path) -> None:
    path = tmp_path / "m.jsonl"
    with stub.StubLLM("x") as server:
        replies = ask(spec_for(server), calls(3), journal=path)
        reply = next(replies)
        keys = [json.loads(line)["key"] for line in path.read_text().splitlines()]
        assert reply.key in keys
        replies.close()


@pytest.mark.parametrize(
    "change",
    [
        lambda s, c: (replace(s, model="openai-api/stub/other"), c),
        lambda s, c: (replace(s, settings=replace(s.settings, temperature=0.3)), c),
        lambda s, c: (replace(s, settings=replace(s.settings, top_p=0.3)), c),
        lambda s, c: (replace(s, settings=replace(s.settings, max_tokens=3)), c),
        lambda s, c: (replace(s, settings=replace(s.settings, seed=3)), c),
        lambda s, c: (replace(s, settings=replace(s.settings, stop=("x",))), c),
        lambda s, c: (s, replace(c, seed=3)),
        lambda s, c: (s, replace(c, key="replicate 2")),
        lambda s, c: (s, replace(c, messages=(Message("user", "other"),))),
        lambda s, c: (s, replace(c, messages=(Message("system", "x"), *c.messages))),
        lambda s, c: (s, replace(c, schema={"type": "object"})),
    ],
)
def test_what_changes_the_answer_is_asked_anew(stub, spec_for, tmp_path, change) -> None:
    path = tmp_path / "m.jsonl"
    with stub.StubLLM("x") as server:
        spec, (call,) = spec_for(server), calls(1)
        run(spec, [call], path)
        changed, other = change(spec, call)
        run(changed, [other], path)
    assert server.calls == 2


def test_what_does_not_change_the_answer_is_not(stub, spec_for, tmp_path) -> None:
    path = tmp_path / "m.jsonl"
    with stub.StubLLM("x") as server:
        spec = spec_for(server)
        run(spec, calls(1), path)
        settings = Settings(max_connections=3, max_retries=0, timeout=9, backoff_s=1.0)
        run(replace(spec, name="n", settings=settings, price_in=1.0), calls(1), path)
    assert server.calls == 1


def test_an_error_is_written_down_and_asked_again(stub, spec_for, tmp_path) -> None:
    path = tmp_path / "m.jsonl"
    answers = iter([(500, "{}"), "well"])
    with stub.StubLLM(lambda r: next(answers)) as server:
        spec = spec_for(server, max_retries=0)
        assert "HTTP 500" in str(run(spec, calls(1), path)["0"].error)
        assert run(spec, calls(1), path)["0"].text == "well"
        assert run(spec, calls(1), path)["0"].cached
    assert ["error" in json.loads(line) for line in path.read_text().splitlines()] == [True, False]


def test_a_torn_last_line_is_cut_off_and_asked_again(stub, spec_for, tmp_path) -> None:
    path = tmp_path / "m.jsonl"
    with stub.StubLLM("🌱" * 50) as server:
        run(spec_for(server, max_connections=1), calls(3), path)
        whole = path.read_bytes()
        path.write_bytes(whole[:-101])  # in the middle of a code point
        replies = run(spec_for(server), calls(3), path)
    assert server.calls == 4
    assert {r.text for r in replies.values()} == {"🌱" * 50}
    assert all(json.loads(line) for line in path.read_text().splitlines())
    assert len(path.read_text().splitlines()) == 3


@pytest.mark.parametrize("line", ["garbage", "{}", '{"id": "zz", "reply": {}}', "[1]", "null"])
def test_a_line_that_cannot_be_read_is_passed_over(stub, spec_for, tmp_path, line: str) -> None:
    path = tmp_path / "m.jsonl"
    with stub.StubLLM("x") as server:
        run(spec_for(server), calls(2), path)
        path.write_text(line + "\n" + path.read_text())
        run(spec_for(server), calls(2), path)
    assert server.calls == 2


def test_strange_text_survives(stub, spec_for, tmp_path) -> None:
    text = 'שלום\u2028"\\ \x00 \U0001f9d1\u200d\U0001f9b0\r\n'
    with stub.StubLLM(text) as server:
        run(spec_for(server), calls(1), tmp_path / "m.jsonl")
        assert run(spec_for(server), calls(1), tmp_path / "m.jsonl")["0"].text == text
    assert server.calls == 1


def test_two_runs_cannot_write_to_one_journal(stub, spec_for, tmp_path) -> None:
    path = tmp_path / "m.jsonl"
    with stub.StubLLM("x") as server:
        first = ask(spec_for(server), calls(3), journal=path)
        next(first)
        with pytest.raises(UserError, match="another run"):
            run(spec_for(server), calls(3), path)
        first.close()
        assert len(run(spec_for(server), calls(3), path)) == 3


def test_a_folder_that_cannot_be_written(stub, spec_for, tmp_path) -> None:
    (tmp_path / "file").write_text("")
    with stub.StubLLM("x") as server, pytest.raises(UserError, match="cannot write"):
        run(spec_for(server), calls(1), tmp_path / "file" / "m.jsonl")


def test_what_arrived_before_an_interruption_is_kept(stub, spec_for, tmp_path) -> None:
    path, hold = tmp_path / "m.jsonl", threading.Event()

    def answer(request):
        if stub.said(request) == "question 5":
            hold.wait(10)
        return "x"

    def interrupted(reply: Reply) -> None:
        if reply.key == "4":
            raise KeyboardInterrupt

    with stub.StubLLM(answer) as server:
        spec = spec_for(server, max_connections=1)
        with pytest.raises(KeyboardInterrupt):
            list(ask(spec, calls(10), journal=path, on_reply=interrupted))
        hold.set()
        before = server.calls
        assert len(run(spec, calls(10), path)) == 10
    assert server.calls - before <= 5


def test_counting_what_has_arrived(stub, spec_for, tmp_path) -> None:
    path = tmp_path / "m.jsonl"
    with stub.StubLLM("x") as server:
        spec = spec_for(server)
        assert count_answered(spec, calls(4), path) == 0
        assert not path.exists()
        run(spec, calls(3), path)
        assert count_answered(spec, calls(4), path) == 3
        assert count_answered(spec, calls(4), None) == 0
