"""``attunement score`` from the command line."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import sacrebleu
from typer.testing import CliRunner, Result

from attunement import tables
from attunement.cli import app
from stubs import tiny_models
from stubs.hub import serve


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    file = tmp_path / "answers.csv"
    pl.DataFrame(
        {
            "item_id": ["q1", "q1", "q2"],
            "source": ["a", "b", "a"],
            "text": ["It is good. I hear you.", "It is bad.", ""],
            "question": ["It is bad", "It is bad", "How?"],
        }
    ).write_csv(file)
    return file


def run(*words: Any) -> Result:
    return CliRunner().invoke(app, ["score", *map(str, words)])


def test_ratings_are_written_and_summed_up(answers: Path, tmp_path: Path) -> None:
    out = tmp_path / "ratings.csv"
    result = run(answers, "--out", out)
    assert result.exit_code == 0, result.output
    assert tables.read_table(out, "ratings").height == 3 * 4
    assert "2 ok, 1 not_applicable" in result.stdout
    assert "simplicity: 2 without a value: 100 words or fewer" in result.stdout
    assert "Left out: emotion_consistency (no reference given)." in result.stderr


def test_two_long_names_of_sources_are_told_apart_and_few_items_said(tmp_path: Path) -> None:
    said = ["I hear you, and I am here for you.", "You did all that you could for her."]
    rows = [
        {"item_id": f"q{i}", "source": name, "text": text, "reference": said[0], "question": "How?"}
        for name in ("model-with-a-plan-rerank-predicted", "model-with-a-plan-rerank-chosen")
        for i, text in enumerate(said)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "answers.csv")
    words = ("--metrics", "bleu,chrf", "--out", tmp_path / "ratings.csv")
    result = run(tmp_path / "answers.csv", *words)
    assert result.exit_code == 0, result.output
    assert "…" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "Intervals of bleu, chrf: a bootstrap of 2 items is too narrow." in result.stderr


def test_json_has_means_by_source_and_what_is_missing(answers: Path, tmp_path: Path) -> None:
    out = tmp_path / "ratings.parquet"
    result = run(answers, "--out", out, "--metrics", "sentiment_change, simplicity", "--json")
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    found = {(r["group"]["source"], r["group"]["metric"]): r for r in said["results"]}
    first = found["a", "sentiment_change"]
    assert (first["estimate"], first["n"], first["n_missing"]) == (pytest.approx(1.4), 1, 1)
    assert found["b", "simplicity"]["estimate"] is None
    assert said["statuses"]["simplicity"] == {"not_applicable": 3}
    assert said["reasons"]["sentiment_change"] == {"the answer is empty": 1}
    assert said["left_out"] == {}


def test_the_variant_is_written_with_the_ratings(answers: Path, tmp_path: Path) -> None:
    out = tmp_path / "ratings.parquet"
    assert run(answers, "--out", out, "--variant", "paper").exit_code == 0
    assert pl.read_parquet(out)["rater"].unique().to_list() == ["metric:paper"]


def test_items_bring_questions_and_references(answers: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.csv"
    pl.read_csv(answers).drop("question").write_csv(bare)
    items = tmp_path / "items.jsonl"
    turns = [{"role": "user", "text": "It is bad"}]
    rows = [{"item_id": i, "turns": turns, "reference": "I am so sorry."} for i in ("q1", "q2")]
    items.write_text("".join(json.dumps(r) + "\n" for r in rows))
    out = tmp_path / "ratings.parquet"
    result = run(bare, "--out", out, "--items", items)
    assert result.exit_code == 0, result.output
    assert pl.read_parquet(out)["dimension"].n_unique() == 5


def test_where_the_ratings_cannot_go_is_said_before_anything_is_rated(
    answers: Path, tmp_path: Path
) -> None:
    result = run(answers, "--out", tmp_path / "ratings.txt")
    assert result.exit_code == 2
    assert "cannot write '.txt'" in result.stderr
    assert "Rating" not in result.stderr


def test_an_answer_that_failed_is_exit_code_1(tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    file.write_text("item_id,source,text,error\nq1,a,,timeout\nq1,b,It is good. Bye.,\n")
    result = run(file, "--out", tmp_path / "ratings.csv")
    assert result.exit_code == 1
    assert "sentiment_slope: 1 without a value: no answer" in result.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--metrics", "recyling"], "Did you mean 'recycling'?"),
        (["--metrics", "agreeability"], "attunement judge"),
        (["--metrics", ","], "no metric is asked for"),
        (["--metrics", "emotion_consistency"], "needs a reference"),
        (["--variant", "papre"], "Use 'paper'."),
        (["--items", "nowhere.csv"], "no such file"),
    ],
)
def test_a_users_mistake_is_said_without_a_traceback(
    answers: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    result = run(answers, "--out", tmp_path / "ratings.csv", *words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert not (tmp_path / "ratings.csv").exists()


def test_ratings_of_people_are_not_written_over(answers: Path, tmp_path: Path) -> None:
    out = tmp_path / "ratings.csv"
    assert run(answers, "--out", out, "--metrics", "simplicity").exit_code == 0
    assert run(answers, "--out", out, "--metrics", "simplicity").exit_code == 0
    pl.read_csv(out).with_columns(rater_kind=pl.lit("human")).write_csv(out)
    result = run(answers, "--out", out, "--metrics", "simplicity")
    assert result.exit_code == 2
    assert "rows of another rater_kind (human)" in result.stderr
    assert run(answers, "--out", out, "--metrics", "simplicity", "--force").exit_code == 0


@pytest.fixture
def compared(tmp_path: Path) -> Path:
    """Answers of two systems to two items with references; the example of sacrebleu's README."""
    file = tmp_path / "compared.csv"
    pl.DataFrame(
        {
            "item_id": ["q1", "q2", "q1", "q2"],
            "source": ["a", "a", "b", "b"],
            "text": ["The dog bit the man.", "It wasn't surprising.", "The man had a dog.", ""],
            "reference": ["The dog had bit the man.", "No one was surprised."] * 2,
        }
    ).write_csv(file)
    return file


def test_a_system_has_one_number_of_all_its_answers(compared: Path, tmp_path: Path) -> None:
    out, systems = tmp_path / "ratings.parquet", tmp_path / "systems.csv"
    words = ["--metrics", "response", "--systems", systems, "--replicates", 50]
    result = run(compared, "--out", out, *words)
    assert result.exit_code == 0, result.output
    theirs = sacrebleu.corpus_bleu(["The man had a dog."], [["The dog had bit the man."]]).score
    shown = [line.split() for line in result.stdout.splitlines()]
    assert ["b", "corpus", f"{theirs:.3f}", "1", "1"] in shown
    table = pl.read_csv(systems)
    assert table.height == 2 * 8
    found = {(r["source"], r["metric"]): r for r in table.iter_rows(named=True)}
    expected = sacrebleu.corpus_bleu(
        ["The dog bit the man.", "It wasn't surprising."],
        [["The dog had bit the man.", "No one was surprised."]],
    )
    assert found["a", "bleu"]["estimate"] == pytest.approx(expected.score)
    assert found["a", "bleu"]["name"] == "corpus"
    assert found["a", "rouge1"]["name"] == "mean"
    assert (found["b", "chrf"]["n"], found["b", "chrf"]["n_missing"]) == (1, 1)
    assert found["b", "chrf"]["reason"] == "fewer than two items: no interval"
    assert pl.read_parquet(out)["instrument"].unique().to_list() == ["response-metrics@1"]


def test_json_has_the_same_numbers(compared: Path, tmp_path: Path) -> None:
    words = ["--metrics", "distinct_1,length", "--json", "--ci-level", 0.9]
    result = run(compared, "--out", tmp_path / "ratings.csv", *words)
    said = json.loads(result.stdout)["results"]
    found = {(r["group"]["source"], r["group"]["metric"]): r for r in said}
    assert found["a", "distinct_1"]["estimate"] == pytest.approx(7 / 8)
    assert found["a", "distinct_1"]["name"] == "corpus"
    assert found["a", "length"]["estimate"] == 4
    assert {r["ci_level"] for r in said} == {0.9}


def test_without_references_a_set_is_computed_as_far_as_it_goes(
    answers: Path, tmp_path: Path
) -> None:
    result = run(answers, "--out", tmp_path / "ratings.csv", "--metrics", "response")
    assert result.exit_code == 0, result.output
    assert "Left out: bleu (no reference given)." in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--bert-model", "roberta-base"], "no metric that uses it"),
        (["--metrics", "bleu", "--perplexity-model", "gpt2"], "no metric that uses it"),
        (["--metrics", "respnse"], "Did you mean 'response'?"),
        (["--systems", "systems.xls"], "cannot write '.xls'"),
        (["--ci-level", "95"], "Give 0.95"),
    ],
)
def test_options_that_do_not_fit_are_refused_before_anything_is_rated(
    compared: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    result = run(compared, "--out", tmp_path / "ratings.csv", *words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (tmp_path / "ratings.csv").exists()


def test_no_table_is_written_over_what_is_read_or_over_another(
    compared: Path, tmp_path: Path
) -> None:
    items, notes = tmp_path / "items.csv", tmp_path / "notes.csv"
    for file in (items, notes):
        file.write_text("mine\n1\n", encoding="utf-8")
    ratings = tmp_path / "ratings.csv"
    before = compared.read_bytes()
    for out, systems, said in (
        (ratings, items, "written over what is read"),
        (ratings, compared, "written over what is read"),
        (items, None, "written over what is read"),
        (compared, None, "written over what is read"),
        (ratings, ratings, "--out and --systems are the same file"),
        (ratings, notes, "another file is there already"),
    ):
        more = () if systems is None else ("--systems", systems)
        result = run(compared, "--items", items, "--out", out, "--force", *more)
        assert result.exit_code == 2, result.output
        assert said in " ".join(result.stderr.split())
    assert items.read_text() == notes.read_text() == "mine\n1\n"
    assert compared.read_bytes() == before
    assert not ratings.exists()


def test_neural_metrics_without_their_extra_say_what_to_install(
    compared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for words in (["bert_score"], ["perplexity", "--perplexity-model", "gpt2"]):
        result = run(compared, "--out", tmp_path / "ratings.csv", "--metrics", *words)
        assert result.exit_code == 2
        assert "attunement[train]" in result.stderr


def test_the_default_metrics_need_no_torch(answers: Path, tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from typer.testing import CliRunner\n"
        "from attunement.cli import app\n"
        f"r = CliRunner().invoke(app, ['score', {str(answers)!r}, '--out', sys.argv[1]])\n"
        "heavy = {'torch', 'transformers', 'sacrebleu', 'rouge_score', 'nltk'} & set(sys.modules)\n"
        "sys.exit(r.exit_code or ' '.join(heavy) or 0)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "ratings.csv")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.train
def test_models_of_ones_own_measure_from_the_command_line(compared: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch").set_num_threads(1)
    bert, gpt2 = tiny_models.bert(tmp_path / "bert"), tiny_models.gpt2(tmp_path / "gpt2")
    out, systems = tmp_path / "ratings.parquet", tmp_path / "systems.csv"
    words = ["--bert-model", bert, "--bert-layer", 2, "--perplexity-model", gpt2]
    result = run(compared, "--out", out, "--metrics", "neural", "--systems", systems, *words)
    assert result.exit_code == 0, result.output
    assert "Left out: bert_score_context (no question given)." in result.stderr
    table = pl.read_csv(systems)
    assert table["metric"].unique().sort().to_list() == ["bert_score", "perplexity"]
    assert all(f"model:hf:{bert}+layer-2" in s for s in table["signature"].to_list()[:1])
    ratings = pl.read_parquet(out)
    empty = ratings.filter(pl.col("unit_id") == "q2/b/0")
    assert empty["status"].to_list() == ["not_applicable"] * 2
    assert ratings.filter(pl.col("status") == "ok")["value"].is_finite().all()


@pytest.mark.train
def test_a_model_comes_from_the_hub_at_a_revision(compared: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    tiny_models.gpt2(tmp_path / "hub" / "someone" / "tiny")
    out = tmp_path / "ratings.parquet"
    with serve(tmp_path / "hub") as hub:
        # A child process, because huggingface_hub reads HF_ENDPOINT when it is imported
        commit = hub.commit("someone/tiny")
        words = [compared, "--out", out, "--metrics", "perplexity"]
        words += ["--perplexity-model", f"someone/tiny@{commit}"]
        done = subprocess.run(
            [sys.executable, "-c", "from attunement.cli import main; main()", "score", *words],
            env=hub.env(tmp_path / "cache"),
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert f"|model:hf:someone/tiny@{commit}|" in pl.read_parquet(out)["signature"][0]
