"""``attunement generate`` from the command line."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from attunement import tables
from attunement.cli import app
from attunement.runs import Run


@pytest.fixture
def items(tmp_path: Path) -> Path:
    file = tmp_path / "items.jsonl"
    lines = [
        {"item_id": f"q{i}", "turns": [{"role": "user", "text": f"question {i}"}]} for i in range(3)
    ]
    file.write_text("\n".join(json.dumps(line) for line in lines))
    return file


def run(*words: Any) -> Result:
    return CliRunner().invoke(app, ["generate", *map(str, words)])


def test_answers_are_written_and_counted(stub, items: Path, tmp_path: Path) -> None:
    out = tmp_path / "answers.csv"
    with stub.StubLLM(lambda r: f"{r['model']}: {stub.said(r)}") as server:
        models = ("--model", "a=openai-api/stub/x", "--model", "openai-api/stub/y")
        result = run(items, *models, "--base-url", server.base_url, "--out", out, "--limit", 2)
    assert result.exit_code == 0, result.output
    table = tables.read_table(out, "responses")
    assert table.select("source", "text").rows() == [
        ("a", "x: question 0"),
        ("a", "x: question 1"),
        ("openai-api/stub/y", "y: question 0"),
        ("openai-api/stub/y", "y: question 1"),
    ]
    assert "a: 2 answers, 0 failed; 20 tokens in, 10 out." in result.stderr
    assert result.stdout == ""


def test_the_settings_are_passed_on(stub, items: Path, tmp_path: Path) -> None:
    prompt = tmp_path / "mine.txt"
    prompt.write_text("Be kind.")
    with stub.StubLLM() as server:
        result = run(
            *(items, "--model", "openai-api/stub/m", "--base-url", server.base_url),
            *("--out", tmp_path / "o.parquet", "--limit", 1, "--system", f"@{prompt}"),
            *("--temperature", 0.3, "--top-p", 0.8, "--max-tokens", 9, "--seed", 4),
        )
    assert result.exit_code == 0, result.output
    (sent,) = server.requests
    assert sent["messages"][0] == {"role": "system", "content": "Be kind."}
    assert [sent[k] for k in ("temperature", "top_p", "max_tokens", "seed")] == [0.3, 0.8, 9, 4]


def test_a_run_folder_takes_items_and_answers(stub, items: Path, tmp_path: Path) -> None:
    folder = Run(tmp_path / "run")
    with stub.StubLLM("x") as server:
        words = (items, "--base-url", server.base_url, "--run", folder.folder)
        assert run(*words, "--model", "a=openai-api/stub/a").exit_code == 0
        assert run(*words, "--model", "b=openai-api/stub/b").exit_code == 0
        assert run(*words, "--model", "b=openai-api/stub/b").exit_code == 0
    assert server.calls == 6
    assert folder.read("items").height == 3
    assert folder.read("responses")["source"].to_list() == ["a"] * 3 + ["b"] * 3
    assert folder.manifest()["stages"]["generate b"]["answers"] == 3
    assert len(list(folder.calls.iterdir())) == 2


def test_failed_calls_are_marked_and_the_exit_code_says_so(
    stub, items: Path, tmp_path: Path
) -> None:
    out = tmp_path / "o.parquet"

    def answer(request):
        return (400, '{"error": {"message": "no"}}') if "1" in stub.said(request) else "fine"

    with stub.StubLLM(answer) as server:
        words = (items, "--model", "m=openai-api/stub/m", "--base-url", server.base_url)
        result = run(*words, "--out", out)
        server._answer = "fine"
        again = run(*words, "--out", out)
    assert result.exit_code == 1
    assert "m: 2 answers, 1 failed" in result.stderr
    assert "HTTP 400" in result.stderr
    assert again.exit_code == 0
    assert server.calls == 4
    assert tables.read_table(out, "responses")["text"].to_list() == ["fine"] * 3


def test_answers_over_the_word_limit_are_no_failed_calls(stub, items: Path, tmp_path: Path) -> None:
    with stub.StubLLM("one two three") as server:
        result = run(
            *(items, "--model", "m=openai-api/stub/m", "--base-url", server.base_url),
            *("--out", tmp_path / "o.parquet", "--words", 2, "--attempts", 2, "--json"),
        )
    assert result.exit_code == 0
    (said,) = json.loads(result.stdout)["sources"]
    assert (said["answers"], said["failed"], said["over_word_limit"]) == (3, 0, 3)
    assert said["attempts"] == 6


def test_a_dry_run_says_what_it_would_take_and_makes_no_call(
    stub, items: Path, tmp_path: Path
) -> None:
    with stub.StubLLM() as server:
        words = (items, "--model", "m=openai-api/stub/m", "--base-url", server.base_url)
        words += ("--candidates", 2, "--max-tokens", 50, "--system", "none", "--dry-run")
        said = run(*words)
        priced = run(*words, "--price-in", 1, "--price-out", 1000, "--json")
    assert server.calls == 0
    assert "m: 6 answers, 6 calls; about 39 tokens in, 300 out; cost unknown" in said.stderr
    assert "No call was made" in said.stderr
    (estimate,) = json.loads(priced.stdout)["estimates"]
    assert estimate["calls"] == 6
    assert estimate["cost_usd"] == pytest.approx(0.300039)
    assert [p.name for p in tmp_path.iterdir()] == ["items.jsonl"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--model", "opnai/gpt", "--out", "x.parquet"), "Did you mean 'openai'"),
        (("--model", "openai/gpt", "--out", "x.parquet"), "OPENAI_API_KEY"),
        (("--model", "openai/gpt"), "nowhere to put the answers"),
        (("--model", "=", "--out", "x.parquet"), "is not a model"),
        (("--model", "gpt-4o", "--out", "x.parquet", "--dry-run"), "names no provider"),
        (("--model", "a/b", "--model", "a/b", "--out", "x.parquet"), "two models"),
        (("--model", "reference=a/b", "--out", "x.parquet"), "people's answers"),
        (("--model", "a/b", "--out", "x.parquet", "--system", "conselor"), "'counselor'"),
        (("--model", "a/b", "--out", "x.parquet", "--api-key-env", "NO_KEY"), "NO_KEY"),
    ],
)
def test_mistakes_are_said_in_words(
    items: Path, words: tuple[str, ...], said: str, monkeypatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("NO_KEY", raising=False)
    result = run(items, *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_a_server_that_is_not_there_is_a_mistake(items: Path, tmp_path: Path) -> None:
    model = ("--model", "openai-api/x/y", "--base-url", "http://127.0.0.1:1/v1")
    result = run(items, *model, "--out", tmp_path / "o.parquet")
    assert result.exit_code == 2
    assert "http://127.0.0.1:1/v1 cannot be reached" in result.stderr


def test_the_columns_of_the_answers_are_all_there(stub, items: Path, tmp_path: Path) -> None:
    out = tmp_path / "o.parquet"
    with stub.StubLLM() as server:
        run(items, "--model", "openai-api/x/y", "--base-url", server.base_url, "--out", out)
    assert pl.read_parquet(out).schema == pl.Schema(tables.SCHEMAS["responses"])


def test_answers_of_others_are_not_written_over(stub, items: Path, tmp_path: Path) -> None:
    out = tmp_path / "answers.parquet"
    with stub.StubLLM("x") as server:
        words = (items, "--base-url", server.base_url, "--out", out)
        assert run(*words, "--model", "a=openai-api/stub/m").exit_code == 0
        result = run(*words, "--model", "b=openai-api/stub/m")
        assert server.calls == 3
        assert result.exit_code == 2
        assert "rows of another source (a)" in result.stderr
        both = ("--model", "a=openai-api/stub/m", "--model", "b=openai-api/stub/m")
        assert run(*words, *both).exit_code == 0
    assert tables.read_table(out, "responses").height == 6


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--out", "answers.docx"), "no table can be written under this name"),
        (("--base-url", "localhost:8000"), "is not the address of a server"),
        (("--price-in", "inf"), "inf is not a price"),
        (("--temperature", "inf"), "a temperature is 0 or more"),
    ],
)
def test_what_would_fail_after_the_calls_is_refused_before(
    stub, items: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    with stub.StubLLM("x") as server:
        given = {"--base-url": server.base_url, "--out": tmp_path / "o.csv", words[0]: words[1]}
        options = [word for pair in given.items() for word in pair]
        result = run(items, "--model", "openai-api/stub/m", *options)
        assert server.calls == 0
    assert result.exit_code == 2
    assert said in result.stderr
