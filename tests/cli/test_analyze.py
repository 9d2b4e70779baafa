import json

import polars as pl
import pytest
import typer
from typer.testing import CliRunner

from attunement import tables
from attunement.cli.analyze import analyze
from attunement.runs import Run

APP = typer.Typer()
APP.command()(analyze)
GOLD = [60.0, 72.0, 81.0, 55.0, 66.0, 90.0, 78.0, 49.0]
SHIFTS = {"near": 1.0, "far": 20.0, "therapist": 8.0}


def call(*words: object):
    return CliRunner().invoke(APP, [str(w) for w in words], env={"COLUMNS": "140"})


@pytest.fixture
def run(tmp_path):
    items, responses, ratings = [], [], []
    for i, gold in enumerate(GOLD):
        items.append(
            {"item_id": f"q{i}", "topic": "grief", "turns": [{"role": "user", "text": "Why?"}]}
        )
        values = {"reference": gold} | {s: gold + d + i / 10 for s, d in SHIFTS.items()}
        for source, value in values.items():
            responses.append({"item_id": f"q{i}", "source": source, "text": "Let us look."})
            ratings.append(
                {
                    "unit": "response",
                    "unit_id": f"q{i}/{source}/0",
                    "item_id": f"q{i}",
                    "source": source,
                    "rater": "metric:standard",
                    "rater_kind": "metric",
                    "instrument": "nuance@1",
                    "dimension": "simplicity",
                    "value": value,
                    "status": "ok",
                }
            )
    made = Run(tmp_path / "run")
    made.write(pl.DataFrame(items), "items")
    made.write(pl.DataFrame(responses), "responses")
    made.write(pl.DataFrame(ratings), "ratings")
    return made


def test_a_run_folder_gets_its_analysis_and_the_two_sentences_are_shown(run):
    result = call("--run", run.folder)
    assert result.exit_code == 0, result.output
    assert "2 sources (near and far) were compared" in result.stdout
    assert "near has the smallest mean standardized distance" in result.stdout
    assert "yardstick" in result.stdout
    assert (run.folder / "analysis.json").exists()
    assert "analyze" in run.manifest()["stages"]


def test_ratings_alone_are_enough(run, tmp_path):
    path = tmp_path / "ratings.csv"
    tables.write_table(run.read("ratings"), path, "ratings")
    result = call(path, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "Ratings: 32 used; none missing." in result.stdout
    assert (tmp_path / "out" / "analysis.json").exists()
    assert pl.read_csv(tmp_path / "out" / "ranking.csv").height == 2


def test_json_holds_results_and_what_stands_beside_them(run):
    result = call("--run", run.folder, "--json", "--replicates", "200", "--seed", "5")
    printed = json.loads(result.stdout)
    assert printed["schema_version"] == 1
    assert len(printed["summary"]) == 2
    assert printed["recommendations"][0]["topic"] == "all"
    assert printed["coverage"][0].keys() == {"source", "metric", "status", "count"}
    assert {t["name"] for t in printed["tests"]} >= {"wilcoxon", "tost"}
    distance = next(
        r
        for r in printed["results"]
        if r["name"] == "distance"
        and r["group"] == {"source": "far", "topic": "all", "metric": "simplicity"}
    )
    assert distance["estimate"] == pytest.approx(20.35)
    assert distance["n"] == 8


def test_the_planner_says_items(run):
    shown = call("--run", run.folder, "--plan", "--width", "0.5")
    assert shown.exit_code == 0, shown.output
    assert "items" in shown.stdout
    printed = json.loads(call("--run", run.folder, "--plan", "--json").stdout)
    assert printed["results"] == []
    assert printed["plan"][0]["quantity"] == "distance"
    assert printed["plan"][0]["width_wanted"] == 0.2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "there are no ratings to analyze"),
        (("nowhere.csv",), "no such file"),
        (("--run", "nowhere"), "no such run folder"),
    ],
)
def test_mistakes_say_what_to_do_and_exit_with_2(words, said):
    result = call(*words)
    assert result.exit_code == 2
    assert said in result.stderr


def test_an_unknown_variant_is_a_mistake(run):
    result = call("--run", run.folder, "--variant", "new")
    assert result.exit_code == 2
    assert "standard or paper" in result.stderr


def test_intervals_are_printed_as_they_are_written_in_papers(run):
    said = call("--run", run.folder, "--replicates", "200").stdout
    assert "[" in said
    assert "\\" not in said
