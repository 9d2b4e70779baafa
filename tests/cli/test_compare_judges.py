"""``attunement compare-judges`` from the command line."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import typer
from typer.testing import CliRunner, Result

from attunement import tables
from attunement.cli.compare_judges import compare_judges
from attunement.runs import Run

app = typer.Typer()
app.command()(compare_judges)


def ratings() -> pl.DataFrame:
    rng = np.random.default_rng(1)
    rows = []
    for i in range(40):
        truth = rng.integers(1, 5)
        for rater in ("p0", "p1", "p2", "judge:m"):
            rows.append(
                {
                    "unit": "response",
                    "unit_id": f"q{i}/a/0",
                    "item_id": f"q{i}",
                    "source": "a",
                    "rater": rater,
                    "rater_kind": "judge" if rater == "judge:m" else "human",
                    "instrument": "own@1",
                    "dimension": "warmth",
                    "value": float(truth + rng.integers(0, 2)),
                    "status": "ok",
                    "spans": [{"start": 0, "end": 5, "text": "Good.", "label": None}],
                }
            )
    return pl.DataFrame(rows)


def answers() -> pl.DataFrame:
    texts = ["Good. And so on."] * 40
    return pl.DataFrame(
        {"item_id": [f"q{i}" for i in range(40)], "source": ["a"] * 40, "text": texts}
    )


@pytest.fixture
def study(tmp_path: Path) -> Path:
    run = Run(tmp_path / "study")
    run.write(tables.conform(ratings(), "ratings"), "ratings")
    run.write(tables.require(answers(), "responses"), "responses")
    return run.folder


def run(*words: Any) -> Result:
    return CliRunner().invoke(app, [*map(str, words), "--replicates", "100"])


def test_a_run_folder_gives_numbers_and_a_verdict(study: Path) -> None:
    result = run(study, "--json")
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert said["schema_version"] == 1
    assert {r["name"] for r in said["results"]} >= {"judge_bias", "winning_rate", "flag_recall"}
    (verdict,) = said["verdicts"]
    assert verdict["may"] == ["warmth"]
    assert verdict["text"].startswith("judge:m: May stand in for one of several people on warmth")
    assert [p["person"] for p in said["people"]] == ["p0", "p1", "p2"]
    assert said["flagged"][0]["agreed"] == 40
    assert said["settings"]["epsilon"] == 0.2


def test_a_table_for_people_to_read(study: Path, tmp_path: Path) -> None:
    save = tmp_path / "numbers.csv"
    result = run(study / "ratings.parquet", "--out", save)
    assert result.exit_code == 0, result.output
    assert "warmth" in result.stdout
    assert "May stand in" in result.stdout
    assert "--responses" in result.stderr
    written = pl.read_csv(save)
    assert written.columns[:5] == ["judge", "instrument", "dimension", "option", "name"]
    assert written.filter(name="judge_mae").height == 1


def test_the_answers_may_be_named(study: Path) -> None:
    result = run(study / "ratings.parquet", "--responses", study / "responses.parquet", "--json")
    assert "flag_precision" in result.stdout


def test_a_person_may_be_held_against_the_others(study: Path) -> None:
    result = run(study, "--judge", "p0", "--json")
    assert json.loads(result.stdout)["verdicts"][0]["judge"] == "p0"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--judge", "judge:n"], "did you mean 'judge:m'?"),
        (["--judge", "nobody"], "to do: The ratings table has p0, p1, p2, judge:m."),
        (["--epsilon", "2"], "--epsilon lies between 0 and 1, not 2."),
        (["--ci-level", "95"], "--ci-level lies between 0 and 1, not 95."),
        (["--out", "numbers.docx"], "does not end in '.docx'"),
        (["--instrument", "missing.yaml"], "no such file"),
    ],
)
def test_a_mistake_is_said_in_words(study: Path, words: list[str], said: str) -> None:
    result = run(study, *words)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_names_are_shown_as_they_stand(tmp_path: Path) -> None:
    named = ratings().with_columns(
        pl.col("rater").replace("judge:m", "judge:m: [/x]"), dimension=pl.lit("[red]w")
    )
    named.write_parquet(tmp_path / "ratings.parquet")
    result = run(tmp_path / "ratings.parquet")
    assert result.exit_code == 0, result.exception
    assert result.stdout.count("judge:m: [/x]") == 2
    assert result.stdout.count("[red]w") == 3


def test_nothing_is_cut_on_eighty_columns(tmp_path: Path) -> None:
    name = "factual_consistency_of_an_answer"
    ratings().with_columns(dimension=pl.lit(name)).write_parquet(tmp_path / "ratings.parquet")
    shown = run(tmp_path / "ratings.parquet").stdout
    assert "…" not in shown
    assert all(len(line) <= 80 for line in shown.splitlines()[:-1])  # the verdict is one line
    first = [line.split()[0] for line in shown.splitlines() if line.strip()]
    assert name in "".join(first)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"instrument": pl.lit("nuance-judges@1"), "dimension": pl.lit("active_listening"),
             "value": pl.col("value") * 100},
            "is not on the scale of nuance-judges@1 active_listening, 0 to 10",
        ),
        ({"value": pl.lit(1e200)}, "larger than 1e+100"),
        ({"rater": pl.lit("x"), "unit_id": pl.col("unit_id") + pl.col("rater")}, "several kinds"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_right_is_refused(
    tmp_path: Path, change: dict[str, pl.Expr], said: str
) -> None:
    ratings().with_columns(**change).write_parquet(tmp_path / "ratings.parquet")
    result = run(tmp_path / "ratings.parquet")
    assert result.exit_code == 2, result.exception
    assert said in " ".join(result.stderr.split())
    assert "to do:" in result.stderr


def test_a_table_names_no_file_to_be_read(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text("not an instrument")
    named = ratings().with_columns(instrument=pl.lit(str(tmp_path / "own.yaml")))
    named.write_parquet(tmp_path / "ratings.parquet")
    assert run(tmp_path / "ratings.parquet").exit_code == 0


def test_where_the_table_goes_is_checked_first(study: Path, tmp_path: Path) -> None:
    result = run(study, "--out", tmp_path / "none" / "numbers.csv")
    assert result.exit_code == 2
    assert "no such folder" in result.stderr
    assert run(study, "--out", tmp_path / "NUMBERS.CSV").exit_code == 0
    assert (tmp_path / "NUMBERS.CSV").exists()
