"""``attunement counselbench`` on tables of ratings and run folders."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from attunement import tables
from attunement.cli import app
from attunement.runs import Run

ISSUES = (
    "lacking_empathy",
    "inappropriate_tone",
    "inaccurate_suggestions",
    "unconstructive_feedback",
    "little_personalization",
    "language_terminology",
    "overgeneralizing",
)
MODES = ("medication", "therapy", "symptoms", "judgmental", "apathetic", "assumptions")


def run(*words: object, columns: int = 80) -> Result:
    command = ["counselbench", *map(str, words)]
    result = CliRunner().invoke(app, command, env={"COLUMNS": str(columns)})
    assert "Traceback" not in result.output
    return result


def shown(*words: object) -> str:
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def answer(*words: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shown(*words, "--json"))
    return found


def refused(*words: object) -> str:
    result = run(*words)
    assert result.exit_code == 2, result.output
    return " ".join(result.stderr.split())


def rating(q: int, source: str, rater: str, dimension: str, value: float | None, **more: Any):
    return {
        "unit": "response",
        "unit_id": f"q{q}/{source}/0",
        "item_id": f"q{q}",
        "source": source,
        "rater": rater,
        "rater_kind": "human",
        "instrument": "counselbench-eval@1",
        "dimension": dimension,
        "value": value,
        "status": "ok" if value is not None else "not_sure",
        "labels": None,
        **more,
    }


def sorting(q: int, source: str, labels: list[str], rater: str = "judge:x") -> dict[str, Any]:
    more = {"instrument": "low-rating-issues@1", "rater_kind": "judge", "labels": labels}
    return rating(q, source, rater, "issues", float(len(labels)), **more)


def table(rows: list[dict[str, Any]]) -> pl.DataFrame:
    types = {"value": pl.Float64, "labels": pl.List(pl.String)}
    made = pl.DataFrame(rows, schema_overrides=types, infer_schema_length=None)
    return tables.conform(made, "ratings")


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """Three questions, two sources with long names, three raters; the second has no low rating."""
    rows = [
        rating(q, source, f"r{r}", dimension, 1.0 + (q + r + base) % 3)
        for q in range(3)
        for source, base in (("a-model-with-a-long-name", 0), ("human", 2))
        for r in range(3)
        for dimension in ("overall", "factual_consistency")
    ]
    rows = [r | {"value": 4.0} if r["source"] == "human" else r for r in rows]
    path = tmp_path / "ratings.parquet"
    table(rows).write_parquet(path)
    return path


@pytest.fixture
def sorted_(tmp_path: Path) -> Path:
    rows = [sorting(q, "a-model-with-a-long-name", ["lacking_empathy"]) for q in range(3)]
    path = tmp_path / "issues.parquet"
    table([*rows, rating(0, "human", "r9", "overall", 1.0)]).write_parquet(path)
    return path


def test_a_run_folder_stands_for_its_tables(three: Path, tmp_path: Path) -> None:
    folder = Run(tmp_path / "study")
    bare = pl.read_parquet(three).with_columns(source=pl.lit(None, pl.String))
    folder.write(bare, "ratings")
    units = pl.read_parquet(three).unique("unit_id", maintain_order=True)
    answers = units.select("item_id", "source", response_id="unit_id", text=pl.lit("t"))
    folder.write(answers, "responses")
    of_run = answer("eval", folder.folder, "--replicates", 100)
    assert [r["estimate"] for r in of_run["results"]] == [
        r["estimate"] for r in answer("eval", three, "--replicates", 100)["results"]
    ]
    (tmp_path / "empty").mkdir()
    assert "no ratings.parquet" in refused("eval", tmp_path / "empty")


def test_every_issue_is_shown_with_its_interval(three: Path, sorted_: Path) -> None:
    text = shown("eval", three, "--issues", sorted_, "--replicates", 100)
    assert all(issue in text for issue in ISSUES)
    part = text[text.index("Issues of low-rated answers") :]
    assert "1.00" in part
    assert "[0.44, 1.00]" in part  # Wilson's interval of 3 of 3
    assert "[0.00, 0.56]" in part  # and of 0 of 3
    shares = answer("eval", three, "--issues", sorted_, "--replicates", 100)["results"]
    named = [r["group"]["issue"] for r in shares if r["name"] == "issue_share" and r["n"]]
    assert named == list(ISSUES)


def test_only_ratings_on_issues_are_taken_from_their_table(three: Path, sorted_: Path) -> None:
    alone = answer("eval", three, "--replicates", 100)
    both = answer("eval", three, "--issues", sorted_, "--replicates", 100)
    assert both["counts"] == alone["counts"]
    assert "no rating is on the instrument 'low-rating-issues'; there are" in refused(
        "eval", three, "--issues", three
    )


def test_few_questions_are_warned_of_and_nothing_leaves_the_scale(three: Path) -> None:
    text = " ".join(shown("eval", three, "--replicates", 100).split())
    assert "a bootstrap of 3 questions is too narrow" in text
    assert "Not tested: 3 questions: from fewer than 6 no p value can be below 0.05." in text
    # People's answers are at 5, 5 and 4, whose interval would reach beyond 5
    rows = pl.read_parquet(three)
    best = pl.col("item_id").ne("q2") & pl.col("source").eq("human")
    best &= pl.col("dimension").eq("overall")
    rows.with_columns(value=pl.when(best).then(5.0).otherwise("value")).write_parquet(three)
    means = {
        tuple(r["group"].values()): r
        for r in answer("eval", three, "--replicates", 100)["results"]
        if r["name"] == "mean_of_question_means"
    }
    people, model = means["human", "overall"], means["a-model-with-a-long-name", "overall"]
    assert 1 <= people["ci_low"] < people["estimate"] < people["ci_high"] == 5
    assert (model["ci_low"], model["reason"]) == (None, "all values are the same: no interval")


def test_nothing_is_cut_on_eighty_columns(three: Path, sorted_: Path, verdicts: Path) -> None:
    people = pl.DataFrame({"rater": [f"r{n}" for n in range(3)], "experience": ["a lot"] * 3})
    people.write_csv(three.parent / "people.csv")
    for text in (
        shown("eval", three, "--issues", sorted_, "--raters", three.parent / "people.csv"),
        shown("adv", verdicts),
    ):
        assert "…" not in text
        assert all(len(line) <= 80 for line in text.splitlines())
        assert "a-model-with-a-long-name" in "".join(text.split())


@pytest.fixture
def verdicts(tmp_path: Path) -> Path:
    """Eight questions on medication; a model fails on five, people on none; a call failed."""
    path = tmp_path / "verdicts.parquet"
    more = {"instrument": "counselbench-adv@1"}
    model = "a-model-with-a-long-name"
    rows = [rating(q, model, "r", "medication", float(q < 5), **more) for q in range(8)]
    rows += [rating(q, "human", "r", "medication", 0.0, **more) for q in range(6)]
    rows.append(rating(6, "human", "r", "medication", None, **more))
    rows.append(rating(7, "human", "r", "medication", None, **more, status="error"))
    table(rows).write_parquet(path)
    return path


def test_not_sure_and_failed_calls_are_told_apart(verdicts: Path) -> None:
    found = answer("adv", verdicts)
    assert sorted((r["source"], r["without"]) for r in found["left_out"]) == [
        ("human", "no_verdict"),
        ("human", "not_sure"),
    ]
    assert any("Repeat the judge for them." in note for note in found["notes"])
    rows = [line.split() for line in shown("adv", verdicts).splitlines()]
    assert ["human", "medication", "0.00", "[0.00,", "0.39]", "0", "6", "1", "1"] in rows


def test_two_models_stand_with_the_counts_behind_their_p_values(verdicts: Path) -> None:
    text = shown("adv", verdicts)
    part = text[text.index("Two models on the same questions") :]
    line = next(line.split() for line in part.splitlines() if line.split()[:1] == ["medication"])
    # Of six questions the model alone fails on five: 2 / 2^5.
    assert line[-5:] == ["6", "5", "0", "0.062", "0.062"]


def test_all_modes_of_every_answer_need_the_questions(tmp_path: Path) -> None:
    more = {"instrument": "counselbench-adv@1"}
    rows = [
        rating(q, s, "judge:x", mode, float(mode == "medication"), **more)
        for q in range(4)
        for s in ("a", "b")
        for mode in MODES
    ]
    table(rows).write_parquet(tmp_path / "r.parquet")
    said = refused("adv", tmp_path / "r.parquet")
    assert "8 of 8 answers were rated on several failure modes" in said
    assert "--items" in said
    turns = [[{"role": "user", "text": "Help?"}]] * 4
    items = pl.DataFrame({"item_id": [f"q{q}" for q in range(4)], "turns": turns})
    items = items.with_columns(failure_mode=pl.lit("medication"))
    items.write_parquet(tmp_path / "items.parquet")
    found = answer("adv", tmp_path / "r.parquet", "--items", tmp_path / "items.parquet")
    assert {r["n"] for r in found["results"]} == {4}


def test_a_column_of_another_dimension_is_not_taken_for_the_missing_one(tmp_path: Path) -> None:
    columns = ["questionID", "responder", "survey_id", "overall_score", "empathy_score"]
    (tmp_path / "part.csv").write_text(",".join(columns) + "\nq,gpt4,1,3,3\n")
    said = refused("eval", tmp_path / "part.csv")
    assert "Rename" not in said
    assert "Use the published file" in said
