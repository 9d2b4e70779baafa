"""``attunement respond serve`` as a process of its own."""

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import openai
import pytest
from typer.testing import CliRunner

from attunement import planning
from attunement.cli import app

SAID: list[Any] = [{"role": "user", "content": "I cannot sleep."}]


@pytest.fixture
def planner(tmp_path: Path) -> Path:
    folder = tmp_path / "planner"
    planning.write_planner(planning.ConstantPlanner(planning.DAILYDIALOG, ("question",)), folder)
    return folder


def words(planner: Path, journal: Path, *more: str) -> list[str]:
    return ["respond", "serve", "--planner", str(planner), "--journal", str(journal), *more]


@contextmanager
def running(*said: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and the address that it printed."""
    command = [sys.executable, "-c", "from attunement.cli import main; main()", *said]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            line = next((s for s in process.stderr if s.startswith("Serving")), "")
            found = re.search(r"http://127\.0\.0\.1:\d+/v1", line)
            assert found, line + process.stderr.read()
            yield process, found[0]
        finally:
            process.kill()


def ask(url: str, model: str) -> str | None:
    with openai.OpenAI(base_url=url, api_key="none", max_retries=0, timeout=60) as client:
        given = client.chat.completions.create(model=model, messages=SAID)
    return given.choices[0].message.content


def at(server: Any) -> tuple[str, ...]:
    return ("--model", "bot=openai-api/stub/x", "--base-url", server.base_url, "--port", "0")


def test_it_answers_until_it_is_told_to_end(stub, planner: Path, tmp_path: Path) -> None:
    def answer(request: dict[str, Any]) -> str:
        return "Since when?" if request["seed"] == 1001 else "That is hard."

    journal = tmp_path / "turns.jsonl"
    with (
        stub.StubLLM(answer) as llm,
        running(*words(planner, journal, *at(llm), "--candidates", "2")) as (process, url),
    ):
        assert ask(url, "bot") == "That is hard."
        assert ask(url, "bot-planned") == "Since when?"
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert said.endswith("Stopped.\n")
    assert len(journal.read_text().splitlines()) == 2


def test_after_a_kill_in_the_middle_of_a_turn_it_serves_and_writes_on(
    stub, planner: Path, tmp_path: Path
) -> None:
    journal = tmp_path / "turns.jsonl"
    hold = threading.Event()
    with stub.StubLLM("Since when?", hold=hold) as llm:
        with running(*words(planner, journal, *at(llm))) as (process, url):
            waits = threading.Thread(target=fails, args=(url,))
            waits.start()
            llm.wait_for(1)
            process.kill()
            waits.join(60)
        hold.set()
        with running(*words(planner, journal, *at(llm))) as (_, url):
            assert ask(url, "bot") == "Since when?"
    (turn,) = map(json.loads, journal.read_text().splitlines())
    assert turn["answer"] == "Since when?"


def test_what_a_planner_was_told_is_kept_beside_the_journal_and_not_asked_for_again(
    stub, tmp_path: Path
) -> None:
    folder, journal = tmp_path / "planner", tmp_path / "turns.jsonl"

    def answer(request: dict[str, Any]) -> str:
        return "question" if request["model"] == "plans" else "Since when?"

    with stub.StubLLM(answer) as llm:
        told = CliRunner().invoke(
            app,
            ["plan", "prompt", "--model", "openai-api/stub/plans", "--base-url", llm.base_url,
             "--out", str(folder)],
        )  # fmt: skip
        assert told.exit_code == 0
        for _ in range(2):
            with running(*words(folder, journal, *at(llm), "--candidates", "1")) as (_, url):
                assert ask(url, "bot-planned") == "Since when?"
        asked = [request["model"] for request in llm.requests]
    assert asked == ["plans", "x", "x"]
    kept = tmp_path / "turns.plans.jsonl"
    assert json.loads(kept.read_text())["reply"]["text"] == "question"
    assert kept.stat().st_mode & 0o077 == 0
    assert [json.loads(line)["plan"] for line in journal.read_text().splitlines()] == [
        ["question"],
        ["question"],
    ]


def test_two_endpoints_do_not_write_to_one_journal(stub, planner: Path, tmp_path: Path) -> None:
    journal = tmp_path / "turns.jsonl"
    with stub.StubLLM() as llm, running(*words(planner, journal, *at(llm))):
        result = CliRunner().invoke(app, words(planner, journal, *at(llm)))
    assert result.exit_code == 2
    assert "another endpoint is writing to this journal" in result.output


def fails(url: str) -> None:
    with pytest.raises(openai.APIConnectionError):
        ask(url, "bot-planned")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--model", "m", "--strategy", "none"), "--strategy 'none' is unknown"),
        (("--model", "m", "--framing", "x"), "--framing 'x' is unknown"),
        (("--model", "m", "--strategy", "prompt", "--numbered"), "--numbered asks for candidates"),
        (("--model", "m", "--strategy", "prompt", "--candidates", "3"), "--candidates means"),
        (("--model", "m", "--framing", "paper", "--system", "none"), "--system means nothing"),
        (("--model", "m", "--tagger", "nowhere"), "nowhere"),
    ],
)
def test_words_that_mean_nothing_are_refused(
    more: tuple[str, ...], said: str, planner: Path, tmp_path: Path
) -> None:
    result = CliRunner().invoke(app, words(planner, tmp_path / "j.jsonl", *more))
    assert result.exit_code == 2
    assert said in result.output


def test_a_port_that_is_taken_is_refused(stub, planner: Path, tmp_path: Path) -> None:
    with stub.StubLLM() as llm:
        port = llm.base_url.split(":")[2].removesuffix("/v1")
        more = ("--model", "m=openai-api/stub/m", "--base-url", llm.base_url, "--port", port)
        result = CliRunner().invoke(app, words(planner, tmp_path / "j.jsonl", *more))
    assert result.exit_code == 2
    assert f"cannot serve on port {port}" in result.output
