"""``attunement respond`` from the command line."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from attunement import planning
from attunement.cli import app
from attunement.respond import generator_storage, record
from attunement.runs import Run
from stubs import tiny_hf


@pytest.fixture
def items(tmp_path: Path) -> Path:
    file = tmp_path / "items.jsonl"
    lines = [
        {"item_id": f"q{i}", "turns": [{"role": "user", "text": f"I feel low, {i}."}]}
        for i in range(3)
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    return file


@pytest.fixture
def planner(tmp_path: Path) -> Path:
    folder = tmp_path / "planner"
    planning.write_planner(planning.ConstantPlanner(planning.DAILYDIALOG, ("question",)), folder)
    return folder


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    file = tmp_path / "answers.csv"
    rows = [
        (f"q{i}", source, k, text)
        for i in range(3)
        for source in ("m", "other")
        for k, text in enumerate(["That is hard.", "What happened today?", "That is hard."])
    ]
    names = ["item_id", "source", "candidate", "text"]
    pl.DataFrame(rows, schema=names, orient="row").write_csv(file)
    return file


def run(*words: Any) -> Result:
    return CliRunner().invoke(app, ["respond", *map(str, words)])


def at(server: Any) -> tuple[str, ...]:
    return ("--model", "m=openai-api/stub/x", "--base-url", server.base_url)


def by_seed(request: dict[str, Any]) -> str:
    return "What happened today?" if request["seed"] > 1000 else "That is hard."


def test_candidates_of_a_model_are_chosen_by_a_planners_plan(
    stub, items: Path, planner: Path, tmp_path: Path
) -> None:
    folder = Run(tmp_path / "run")
    with stub.StubLLM(by_seed) as server:
        words = ("--items", items, "--run", folder.folder, *at(server), "--planner", planner)
        result = run(*words, "--candidates", 2, "--json")
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert {r["name"]: r["estimate"] for r in said["results"]} == {
        "nls_chosen": 1.0,
        "nls_first": 0.0,
        "nls_chosen_minus_first": 1.0,
    }
    assert (said["source"], said["changed"]) == ("m-rerank-predicted", 3)
    assert said["statuses"] == {"ok": 6}
    assert folder.read("responses")["text"].to_list() == ["What happened today?"] * 3
    assert record.read(folder).height == 6
    assert server.calls == 6


def test_the_same_candidates_serve_every_strategy(
    stub, items: Path, planner: Path, tmp_path: Path
) -> None:
    labels = tmp_path / "gold.csv"
    labels.write_text("item_id,act,emotion\nq0,inform,neutral\nq1,inform,\nq2,question,\n")
    with stub.StubLLM(by_seed) as server:
        words = ("--items", items, "--run", tmp_path / "run", *at(server))
        first = run(*words, "--strategy", "none")
        assert first.exit_code == 0
        assert "than the first" not in first.stderr
        assert run(*words, "--planner", planner, "--candidates", 2).exit_code == 0
        gold = run(*words, "--labels", labels, "--labels-are", "gold", "--candidates", 2)
        assert gold.exit_code == 0, gold.output
    assert server.calls == 6
    found = Run(tmp_path / "run").read("responses")
    assert found.filter(pl.col("item_id") == "q0").select("source", "candidate").rows() == [
        ("m", 0),
        ("m-rerank-predicted", 1),
        ("m-rerank-gold", 0),
    ]
    assert "Another candidate than the first was chosen for 1 of 3 items." in gold.stderr
    assert "chosen minus first" in gold.stdout
    assert "not that people would find" in gold.stderr


def test_a_planner_may_be_a_model_that_is_asked_once(stub, items: Path, tmp_path: Path) -> None:
    def answer(request: dict[str, Any]) -> str:
        return "question" if request["model"] == "p" else by_seed(request)

    with stub.StubLLM(answer) as server:
        folder = tmp_path / "prompted"
        asks = ("--model", "openai-api/stub/p", "--base-url", server.base_url, "--out", folder)
        made = CliRunner().invoke(app, ["plan", "prompt", *map(str, asks)])
        assert made.exit_code == 0, made.output
        words = ("--items", items, "--run", tmp_path / "run", *at(server), "--planner", folder)
        for _ in range(2):
            result = run(*words, "--candidates", 2)
            assert result.exit_code == 0, result.output
    assert server.calls == 9  # a plan and two candidates of each item
    assert "Plans: 3 ok." in result.stderr
    assert set(Run(tmp_path / "run").read("responses")["text"]) == {"What happened today?"}


def test_a_planner_whose_calls_fail_is_exit_code_1(stub, items: Path, tmp_path: Path) -> None:
    def answer(request: dict[str, Any]) -> Any:
        return (400, "{}") if request["model"] == "p" and "1" in str(request) else "question"

    with stub.StubLLM(answer) as server:
        folder = tmp_path / "prompted"
        asks = ("--model", "openai-api/stub/p", "--base-url", server.base_url, "--out", folder)
        assert CliRunner().invoke(app, ["plan", "prompt", *map(str, asks)]).exit_code == 0
        words = ("--items", items, "--run", tmp_path / "run", *at(server), "--planner", folder)
        result = run(*words, "--candidates", 1)
    assert result.exit_code == 1, result.output
    assert "1 error" in result.stderr


def test_a_model_is_told_the_plan(stub, items: Path, planner: Path, tmp_path: Path) -> None:
    with stub.StubLLM("What happened today?") as server:
        result = run(
            *("--items", items, "--run", tmp_path / "run", *at(server), "--planner", planner),
            *("--strategy", "prompt", "--framing", "paper", "--name", "told"),
        )
    assert result.exit_code == 0, result.output
    assert server.calls == 3
    assert "The tone of the response must be question" in stub.said(server.requests[0])
    assert set(Run(tmp_path / "run").read("responses")["source"]) == {"told"}


def test_candidates_of_a_table_are_chosen(
    items: Path, answers: Path, planner: Path, tmp_path: Path
) -> None:
    words = ("--items", items, "--run", tmp_path / "run", "--planner", planner)
    result = run(*words, "--responses", answers)
    assert result.exit_code == 2
    assert "--source: m, other" in result.output
    result = run(*words, "--responses", answers, "--source", "m")
    assert result.exit_code == 0, result.output
    assert "3 items, 9 candidates: 9 ok; 3 say what an earlier one said." in result.stderr


@pytest.mark.train
@pytest.mark.parametrize("kind", ["causal", "seq2seq"])
def test_candidates_of_a_trained_generator_are_chosen(
    kind: str, items: Path, planner: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_hf.no_datasets(monkeypatch)
    import transformers

    cls = generator_storage.KINDS[kind]
    base = (tiny_hf.save_gpt2 if kind == "causal" else tiny_hf.save_bart)(tmp_path / "base")
    network = getattr(transformers, cls.auto).from_pretrained(base)
    tokens = transformers.AutoTokenizer.from_pretrained(base)
    made = cls(network, tokens, context=3, longest=6, signature="tiny")
    generator_storage.write(made, tmp_path / "tiny")
    result = run(
        *("--items", items, "--run", tmp_path / "run", "--planner", planner),
        *("--generator", tmp_path / "tiny", "--candidates", 4, "--json"),
    )
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert (said["source"], said["items"]) == ("tiny-rerank-predicted", 3)
    found = record.read(Run(tmp_path / "run"))
    for part in found.partition_by("item_id"):
        odds = part["logprob"].to_list()
        assert odds == sorted(odds, reverse=True)
        assert len(set(part["text"])) == part.height


def test_failed_calls_are_counted_and_the_exit_code_says_so(
    stub, items: Path, planner: Path, tmp_path: Path
) -> None:
    def answer(request: dict[str, Any]) -> Any:
        return (500, "{}") if stub.said(request).endswith("2.") else "What now?"

    with stub.StubLLM(answer) as server:
        result = run(
            *("--items", items, "--run", tmp_path / "run", *at(server), "--planner", planner),
            *("--candidates", 2, "--retries", 0),
        )
    assert result.exit_code == 1, result.output
    assert "4 ok, 2 error" in result.stderr
    assert "No candidate can be used for 1 of 3 items." in result.stderr


def test_a_dry_run_asks_nothing(stub, items: Path, planner: Path, tmp_path: Path) -> None:
    with stub.StubLLM() as server:
        words = ("--items", items, "--run", tmp_path / "run", *at(server), "--planner", planner)
        result = run(*words, "--dry-run")
        one = run(*words, "--dry-run", "--numbered")
    assert result.exit_code == 0, result.output
    assert "30 answers, 30 calls" in result.stderr
    assert "3 answers, 3 calls" in one.stderr
    assert server.calls == 0
    assert not (tmp_path / "run" / "candidates.parquet").exists()


def test_unknown_labels_of_a_person_are_counted(items: Path, answers: Path, tmp_path: Path) -> None:
    labels = tmp_path / "mine.csv"
    labels.write_text("item_id,labels\nq0,encouraging\nq1,\nnobody,inform\n")
    result = run(
        *("--items", items, "--run", tmp_path / "run", "--labels", labels),
        *("--responses", answers, "--source", "m"),
    )
    assert result.exit_code == 0, result.output
    assert "Labels that no candidate can have: encouraging (1)." in result.stderr
    assert "Plans: 2 not applicable, 1 ok." in result.stderr
    assert "The table has labels of 1 other items" in result.stderr


def test_labels_that_a_planner_wrote_are_no_persons_choice(
    items: Path, answers: Path, planner: Path, tmp_path: Path
) -> None:
    table = tmp_path / "plans.csv"
    asked = ["plan", "predict", planner, items, "--out", table]
    assert CliRunner().invoke(app, list(map(str, asked))).exit_code == 0
    words = ("--items", items, "--run", tmp_path / "run", "--labels", table)
    of = ("--responses", answers, "--source", "m")
    assert run(*words, *of).exit_code == 0
    assert run(*words, *of, "--labels-are", "chosen").exit_code == 0
    found = record.read(Run(tmp_path / "run"))
    assert set(found["source"]) == {"m-rerank-predicted", "m-rerank-chosen"}


def test_answers_that_another_plan_replaces_are_counted(
    items: Path, answers: Path, tmp_path: Path
) -> None:
    words = ("--items", items, "--run", tmp_path / "run", "--responses", answers, "--source", "m")
    for name in ("mine.csv", "mine.csv", "other.csv"):
        labels = tmp_path / name
        labels.write_text("item_id,labels\nq0,question\n")
        result = run(*words, "--labels", labels)
        assert result.exit_code == 0, result.output
        assert ("3 earlier answers of m-rerank-chosen" in result.stderr) == (name == "other.csv")
    fewer = run(*words, "--labels", labels, "--limit", 1, "--json")
    assert json.loads(fewer.stdout)["replaced"] == 2


ASKED = ("--items", "x.csv", "--run", "r")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Give --items TABLE and --run FOLDER"),
        (("--items", "x.csv", "--run", "r"), "Give a --model, such as local"),
        (("--items", "x.csv", "--run", "r", "--model", "m"), "one of --planner, --labels"),
        (
            ("--items", "x.csv", "--run", "r", "--model", "m", "--responses", "y.csv"),
            "--model and --responses cannot both hold",
        ),
        (("--items", "x.csv", "--run", "r", "--strategy", "rank"), "Did you mean rerank"),
        (("--items", "x.csv", "--run", "r", "--framing", "papers"), "Did you mean paper"),
        (
            ("--items", "x.csv", "--run", "r", "--strategy", "prompt", "--numbered"),
            "--numbered asks for candidates",
        ),
        (
            (*ASKED, "--responses", "y.csv", "--planner", "p", "--temperature", "1", "--numbered"),
            "--numbered and --temperature mean nothing without --model",
        ),
        ((*ASKED, "--model", "m", "--planner", "p", "--source", "s"), "without --responses"),
        ((*ASKED, "--model", "m", "--planner", "p", "--labels-are", "gold"), "without --labels"),
        ((*ASKED, "--model", "m", "--strategy", "none", "--tagger", "t"), "without a plan"),
        (
            (*ASKED, "--model", "m", "--planner", "p", "--framing", "paper", "--system", "none"),
            "--system means nothing with --framing paper",
        ),
        ((*ASKED, "--model", "m", "--planner", "p", "--name", ""), "the responses have no name"),
        ((*ASKED, "--model", "m", "--planner", "p", "--name", "reference"), "people's answers"),
        (
            (*ASKED, "--responses", "y.csv", "--planner", "p", "--strategy", "prompt"),
            "Name one with --model",
        ),
        (("--model", "m", "show", "RUN"), "--model stands before show"),
    ],
)
def test_words_that_mean_nothing_are_refused_before_any_work(
    words: tuple[str, ...], said: str
) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())


@pytest.fixture
def done(items: Path, answers: Path, planner: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "done"
    words = ("--items", items, "--run", folder, "--planner", planner)
    assert run(*words, "--responses", answers, "--source", "m").exit_code == 0
    return folder


def test_a_name_that_the_run_has_from_elsewhere_is_refused_before_any_call(
    stub, items: Path, planner: Path, tmp_path: Path
) -> None:
    folder = Run(tmp_path / "run")
    other = {"item_id": ["q0"], "source": ["m"], "text": ["x"]}
    folder.write(pl.DataFrame(other), "responses")
    with stub.StubLLM() as server:
        words = ("--items", items, "--run", folder.folder, *at(server))
        result = run(*words, "--strategy", "none")
    assert result.exit_code == 2
    assert "Give another --name" in result.output
    assert server.calls == 0


def test_a_run_is_shown_as_text(done: Path) -> None:
    result = run("show", done, "--limit", 1)
    assert result.exit_code == 0, result.output
    assert "*  2  1.00  question: highest similarity" in result.stdout
    assert "chosen minus first" in result.stdout
    assert "1 of 3 items; --limit shows more." in result.stderr


def test_one_source_is_shown_with_its_own_similarity_alone(
    items: Path, answers: Path, tmp_path: Path
) -> None:
    words = ("--items", items, "--run", tmp_path / "run", "--responses", answers)
    labels = tmp_path / "labels.csv"
    labels.write_text("item_id,labels\nq0,question\n")
    for source in ("m", "other"):
        assert run(*words, "--source", source, "--labels", labels).exit_code == 0
    assert run(*words, "--source", "m", "--strategy", "none").exit_code == 0
    shown = run("show", tmp_path / "run", "--source", "other-rerank-chosen").stdout
    assert "other-rerank-chosen: similarity" in shown
    assert "m-rerank-chosen" not in shown
    assert "1        not tagged: the first" in run("show", tmp_path / "run", "--source", "m").stdout


def test_a_run_is_shown_as_a_page(done: Path, tmp_path: Path) -> None:
    page = tmp_path / "new" / "page.html"
    result = run("show", done, "--page", page)
    assert result.exit_code == 0, result.output
    html = page.read_text()
    assert "Mean similarity, m-rerank-predicted: answers 1.000" in html
    assert html.count("What happened today?") == 3
    assert "not that people would find" in html
    assert "demonstration quality" not in html


def test_a_page_has_the_name_of_a_page_and_a_run_has_candidates(done: Path, tmp_path: Path) -> None:
    assert run("show", done, "--page", tmp_path / "page.pdf").exit_code == 2
    result = run("show", tmp_path)
    assert result.exit_code == 2
    assert "this run has no candidates" in result.output
