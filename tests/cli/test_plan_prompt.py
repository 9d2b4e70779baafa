"""``attunement plan prompt``: a folder that says whom to ask, used like any planner."""

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from attunement.cli import app
from stubs.llm import Answer, Request, StubLLM, said


def plan(*words: object) -> Result:
    return CliRunner().invoke(app, ["plan", *map(str, words)])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "t.jsonl"
    rows = [{"id": "a", "context": ["Tea?"]}, {"id": "b", "context": ["Cup."]}, {"id": "c"}]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return file


def test_a_model_plans_and_is_asked_only_for_what_is_missing(tmp_path: Path, table: Path) -> None:
    broken = True

    def answer(request: Request) -> Answer:
        if "Tea?" in said(request):
            return (400, "{}") if broken else "‘commissive’, ‘happiness’"
        return "None"

    model, out = tmp_path / "m", tmp_path / "plans.parquet"
    with StubLLM(answer) as server:
        made = plan(
            "prompt", "--model", "openai-api/stub/m", "--base-url", server.base_url, "--out", model
        )
        assert made.exit_code == 0, made.output
        assert server.calls == 0
        first = plan("predict", model, table, "--out", out)
        assert first.exit_code == 1, first.output
        told = " ".join(first.output.split())
        assert f"Asking openai-api/stub/m at {server.base_url}." in told
        broken = False
        again = plan("predict", model, table, "--out", out)
        assert again.exit_code == 0, again.output
        assert server.calls == 3
    rows = pl.read_parquet(out).rows(named=True)
    assert [(r["labels"], r["status"]) for r in rows] == [
        (["commissive", "happiness"], "ok"), ([], "unparsed"), ([], "not_applicable"),
    ]  # fmt: skip
    assert rows[1]["reason"] == "The answer names no label: 'None'."
    assert (tmp_path / "plans.calls" / "plans.jsonl").is_file()


def test_it_is_evaluated_and_what_it_does_not_answer_is_missing(tmp_path: Path) -> None:
    row = {"dialog": ["Tea?", "Yes.", "Fine."], "act": [2, 4, 1], "emotion": [0, 0, 0]}
    pl.DataFrame([{k: json.dumps(v) for k, v in row.items()}] * 3).write_csv(tmp_path / "test.csv")
    with StubLLM(lambda request: "commissive" if "Tea?" in said(request) else "None") as server:
        address = ("--model", "openai-api/stub/m", "--base-url", server.base_url)
        assert plan("prompt", *address, "--out", tmp_path / "m").exit_code == 0
        words = ("evaluate", tmp_path / "m", "--data", tmp_path, "--json", "--replicates", 20)
        for _ in range(2):
            found = plan(*words, "--journal", tmp_path / "j.jsonl")
            assert found.exit_code == 0, found.output
        assert server.calls == 2
    told = json.loads(found.stdout)
    assert told["statuses"] == {"ok": 3, "unparsed": 3}
    f1 = next(r for r in told["results"] if (r["name"], r["group"]["average"]) == ("f1", "sample"))
    assert (f1["estimate"], f1["n"], f1["n_missing"]) == (1, 3, 3)


def test_a_planner_that_never_answers_has_no_scores_and_no_crash(tmp_path: Path) -> None:
    row = {"dialog": ["Tea?", "Yes."], "act": [2, 4], "emotion": [0, 0]}
    pl.DataFrame([{k: json.dumps(v) for k, v in row.items()}]).write_csv(tmp_path / "test.csv")
    with StubLLM("None") as server:
        address = ("--model", "openai-api/stub/m", "--base-url", server.base_url)
        assert plan("prompt", *address, "--out", tmp_path / "m").exit_code == 0
        shown = plan("evaluate", tmp_path / "m", "--data", tmp_path, "--replicates", 20)
    assert shown.exit_code == 0, shown.output
    assert "There is no plan to score." in shown.output


def test_calls_that_fail_while_evaluating_are_exit_code_1(tmp_path: Path) -> None:
    row = {"dialog": ["Tea?", "Yes.", "Fine."], "act": [2, 4, 1], "emotion": [0, 0, 0]}
    pl.DataFrame([{k: json.dumps(v) for k, v in row.items()}]).write_csv(tmp_path / "test.csv")

    def answer(request: Request) -> Answer:
        return (400, "{}") if "Tea?" in said(request) else "inform"

    with StubLLM(answer) as server:
        address = ("--model", "openai-api/stub/m", "--base-url", server.base_url)
        assert plan("prompt", *address, "--out", tmp_path / "m").exit_code == 0
        words = ("evaluate", tmp_path / "m", "--data", tmp_path, "--replicates", 20)
        for more in ((), ("--json",)):
            shown = plan(*words, *more)
            assert shown.exit_code == 1, shown.output
    assert json.loads(shown.stdout)["statuses"] == {"ok": 1, "error": 1}


def test_the_embedded_model_gets_the_prompt_that_it_can_do_something_with(tmp_path: Path) -> None:
    assert plan("prompt", "--model", "local", "--out", tmp_path / "m").exit_code == 0
    header = json.loads((tmp_path / "m" / "model.json").read_text(encoding="utf-8"))
    assert (header["prompt"]["id"], header["context"]) == ("reply", 3)
    assert plan("prompt", "--model", "openai/x", "--out", tmp_path / "p").exit_code == 0
    header = json.loads((tmp_path / "p" / "model.json").read_text(encoding="utf-8"))
    assert (header["prompt"]["id"], header["context"]) == ("paper", 1)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--model", "openai/x", "--prompt", "papre"), "Did you mean 'paper'"),
        (("--model", ""), "the model has no name"),
        (
            ("--model", "local", "--base-url", "http://127.0.0.1:1/v1", "--connections", "2"),
            "--base-url and --connections mean nothing to the embedded model",
        ),
        (("--model", "openai/x", "--base-url", "nowhere"), "not the address of a server"),
        (("--model", "openai/x", "--label-set", "sky.yaml"), "names DailyDialog's labels"),
    ],
)
def test_wrong_words_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "name: weather\ngroups:\n- {name: sky, labels: [sun, rain]}\n"
    (tmp_path / "sky.yaml").write_text(text, encoding="utf-8")
    result = plan("prompt", *words, "--out", "m")
    assert result.exit_code == 2
    assert told in " ".join(result.output.split())
    assert not (tmp_path / "m").exists()
