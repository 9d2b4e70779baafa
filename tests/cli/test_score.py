"""``attunement score`` from the command line."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from attunement import tables
from attunement.cli import app


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
