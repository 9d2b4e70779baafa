"""``attunement socemo`` on a study small enough to score by hand.

Three contexts, three sources, two raters. In q1 source C gave the same text as A; in q3 nobody
chose anything. All expected numbers were worked out on paper from the formulas of Vanel et al.
(2024), section IV-C: questions put on 0 to 1, their mean an axis, the mean of raters an answer's
axis, the mean of the three axes its score.
"""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import typer
from typer.testing import CliRunner, Result

from attunement import tables
from attunement.cli.socemo import socemo
from attunement.runs import Run

app = typer.Typer()
app.command()(socemo)

TEXTS = {
    "q1": {"A": "Yes.", "B": "No.", "C": "Yes. "},
    "q2": {"A": "Hm.", "B": "Why?", "C": "Well."},
    "q3": {"A": "Oh.", "B": "So.", "C": "And."},
}
KEEP = {
    "r1": {
        "q1A": 1,
        "q1B": 0,
        "q1C": 1,
        "q2A": 1,
        "q2B": 1,
        "q2C": 0,
        "q3A": 0,
        "q3B": 0,
        "q3C": 0,
    },
    "r2": {
        "q1A": 1,
        "q1B": 1,
        "q1C": 1,
        "q2A": 0,
        "q2B": 1,
        "q2C": 0,
        "q3A": 0,
        "q3B": 0,
        "q3C": 0,
    },
}
CHOICE = {
    "r1": {"q1": ["q1A", "q1C"], "q2": ["q2A", "q2B"], "q3": []},
    "r2": {"q1": ["q1B"], "q2": [], "q3": []},
}
QUESTIONS = (
    "usefulness",
    "fluency",
    "style_consistency",
    "emotional_tone",
    "dialogue_strategy",
    "role_consistency",
)
RATED = {
    ("r1", "q1A"): (3, 3, 1, 2, 3, 0),  # logical 1, emotional 1/2, social 1/2
    ("r2", "q1A"): (1, 3, 0, 2, 3, 1),  # logical 1/3, emotional 1/2, social 1
    ("r1", "q1B"): (1, 2, 1, 3, 1, 1),  # logical 1/2, emotional 1, social 1/2
    ("r1", "q2A"): (3, 3, 1, 3, 3, 1),  # all 1
    ("r1", "q2B"): (2, 1, 1, 1, 2, 1),  # logical 1/2, emotional 0, social 3/4
}
FILTER = {"A": 1 / 2, "B": 1 / 2, "C": 1 / 3}
TOP3 = {"A": 1 / 3, "B": 1 / 3, "C": 1 / 6}
# q1A: logical 2/3, emotional 1/2, social 3/4, so 23/36; q1B: 2/3; q2A: 1; q2B: 5/12
SOCEMO_OF_TWO = {"A": 59 / 72, "B": 13 / 24, "C": 23 / 72}
FLUENCY_OF_TWO = {"A": 1.0, "B": 1 / 4, "C": 1 / 2}


def row(rater: str, unit: str, unit_id: str, dimension: str, value: float, **more: Any) -> Any:
    return {
        "unit": unit,
        "unit_id": unit_id,
        "item_id": unit_id[:2],
        "rater": rater,
        "rater_kind": "human",
        "instrument": "socio-emotional@1",
        "dimension": dimension,
        "value": float(value),
        "labels": more.get("labels"),
        "status": "ok",
    }


def rows() -> list[Any]:
    found = [row(r, "response", id, "keep", v) for r, ids in KEEP.items() for id, v in ids.items()]
    for rater, choices in CHOICE.items():
        found += [
            row(rater, "item", item, "choice", len(ids), labels=ids)
            for item, ids in choices.items()
        ]
    for (rater, id), values in RATED.items():
        # The study's tables have a row for each source of an answer that several gave
        ids = (id, "q1C") if id == "q1A" else (id,)
        for each in ids:
            pairs = zip(QUESTIONS, values, strict=True)
            found += [row(rater, "response", each, question, value) for question, value in pairs]
    return found


@pytest.fixture
def study(tmp_path: Path) -> Path:
    run = Run(tmp_path / "study")
    run.write(tables.conform(pl.DataFrame(rows()), "ratings"), "ratings")
    answers = [
        {"response_id": item + source, "item_id": item, "source": source, "text": text}
        for item, texts in TEXTS.items()
        for source, text in texts.items()
    ]
    run.write(tables.conform(pl.DataFrame(answers), "responses"), "responses")
    items = [
        {
            "item_id": item,
            "turns": [{"role": "user", "text": "Hello."}],
            "meta": '{"annotate": true}' if item != "q3" else None,
        }
        for item in TEXTS
    ]
    run.write(tables.conform(pl.DataFrame(items), "items"), "items")
    return run.folder


def run(*words: Any) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


def scored(*words: Any) -> dict[str, dict[str, float]]:
    """Return estimates by name and source."""
    answer = run(*words, "--json", "--replicates", 0)
    assert answer.exit_code == 0, answer.output
    found: dict[str, dict[str, float]] = {}
    for result in json.loads(answer.stdout)["results"]:
        name = result["group"].get("source") or result["group"].get("dimension")
        found.setdefault(result["name"], {})[name] = result["estimate"]
    return found


def test_the_scores_are_those_worked_out_by_hand(study: Path) -> None:
    found = scored(study)
    assert found["filter"] == pytest.approx(FILTER)
    assert found["top3"] == pytest.approx(TOP3)
    assert found["logical"] == pytest.approx({"A": 5 / 6, "B": 1 / 2, "C": 2 / 3})
    assert found["emotional"] == pytest.approx({"A": 3 / 4, "B": 1 / 2, "C": 1 / 2})
    assert found["social"] == pytest.approx({"A": 7 / 8, "B": 5 / 8, "C": 3 / 4})
    assert found["socemo"] == pytest.approx(SOCEMO_OF_TWO)
    assert found["weighted_fluency"] == pytest.approx(FLUENCY_OF_TWO)


def test_without_items_a_context_of_which_nothing_was_chosen_counts(study: Path) -> None:
    found = scored(study / "ratings.parquet", "--responses", study / "responses.parquet")
    expected = {source: value * 2 / 3 for source, value in SOCEMO_OF_TWO.items()}
    assert found["socemo"] == pytest.approx(expected)


def test_agreement_counts_an_answer_of_two_sources_once(study: Path) -> None:
    found = scored(study)
    # 8 answers: 2 of them in dispute; 6 times kept, 10 times not: 1 - (2/8) / (2*6*10 / (16*15))
    alpha = next(values for values in found.values() if "keep" in values)
    assert alpha["keep"] == pytest.approx(0.5)
    # q1 and q2 share nothing, in q3 both chose nothing
    assert found["mean_pairwise_jaccard"]["choice"] == pytest.approx(1 / 3)


def test_equal_answers_that_were_rated_one_by_one_are_not_merged(study: Path) -> None:
    given = rows()
    for each in given:
        if (each["rater"], each["unit_id"], each["dimension"]) == ("r1", "q1C", "keep"):
            each["value"] = 0.0
    Run(study).write(tables.conform(pl.DataFrame(given), "ratings"), "ratings")
    # C loses one of the three contexts of one of the two raters
    assert scored(study)["filter"] == pytest.approx({**FILTER, "C": 1 / 6})


def test_people_read_a_table_and_what_the_numbers_are_not(study: Path) -> None:
    answer = run(study, "--replicates", 20)
    assert answer.exit_code == 0, answer.output
    assert "socemo" in answer.stdout
    assert "no clinical validation" in answer.stderr


def test_the_answers_have_to_be_there(study: Path) -> None:
    answer = run(study / "ratings.parquet")
    assert answer.exit_code == 2
    assert "--responses" in answer.output


@pytest.fixture
def systems(tmp_path: Path) -> Path:
    """Automatic metrics of the study's sources, of the reference and of one that nobody rated."""
    file = tmp_path / "systems.csv"
    file.write_text(
        "source,metric,estimate,ci_low,ci_high,n\n"
        "A,bleu,12.5,10,15,3\nB,bleu,11.5,9,14,3\nC,bleu,,,,0\nD,bleu,1,0,2,3\n"
        "A,perplexity,20,,,3\nB,perplexity,30,,,3\nC,perplexity,25,,,3\n"
    )
    return file


def test_metrics_stand_beside_peoples_scores_and_are_correlated(study: Path, systems: Path) -> None:
    answer = run(study, "--systems", systems, "--replicates", 0, "--json")
    assert answer.exit_code == 0, answer.output
    said = json.loads(answer.stdout)
    found = {(r["name"], *sorted(r["group"].values())): r for r in said["results"]}
    assert found["given", "A", "bleu"]["estimate"] == 12.5
    # socemo orders A, B, C; perplexity A, C, B: one of three pairs stands the other way
    kendall = found["kendall", "perplexity", "socemo"]
    assert (kendall["estimate"], kendall["n"]) == (pytest.approx(-1 / 3), 3)
    pair = found["pearson", "bleu", "socemo"]
    assert (pair["n"], pair["n_missing"]) == (2, 1)
    assert pair["reason"] == "two points: no test and no interval"
    assert said["points"] == ["A", "B", "C"]
    assert said["unrated"] == ["D"]
    assert len(said["tests"]) == 7 * 2 * 3
    assert {"p_value", "p_adjusted"} <= set(said["tests"][0])


def test_people_read_one_table_and_what_few_systems_cannot_say(study: Path, systems: Path) -> None:
    answer = run(study, "--systems", systems, "--replicates", 0)
    assert answer.exit_code == 0, answer.output
    assert "12.50" in answer.stdout
    assert "kendall" in answer.stdout
    assert "3 systems are few for a correlation" in answer.stderr
    assert "Not rated by people, and left out: D." in answer.stderr
    assert "no clinical validation" in answer.stderr


def test_a_table_that_is_too_wide_goes_on_below(study: Path, systems: Path) -> None:
    more = "".join(f"{s},metric_with_a_long_name_{i},{i}\n" for s in "ABC" for i in range(6))
    rows = pl.read_csv(systems).select("source", "metric", "estimate").write_csv()
    systems.write_text(rows + more)
    shown = run(study, "--systems", systems, "--replicates", 0).stdout.splitlines()
    heads = [line for line in shown if line.startswith("source ")]
    assert len(heads) > 2
    assert max(map(len, heads)) <= 80
    assert [name for head in heads for name in head.split() if name != "source"] == [
        *("filter", "top3", "logical", "emotional", "social", "socemo", "weighted_fluency"),
        *("filter", "top3", "socemo", "bleu", "perplexity"),
        *(f"metric_with_a_long_name_{i}" for i in range(6)),
    ]


def test_the_tables_can_be_written(study: Path, systems: Path, tmp_path: Path) -> None:
    table, pairs = tmp_path / "table.csv", tmp_path / "correlations.csv"
    words = ["--systems", systems, "--table", table, "--correlations", pairs]
    assert run(study, *words, "--replicates", 20).exit_code == 0
    rows = pl.read_csv(table)
    assert rows["source"].to_list() == ["A", "B", "C"]
    assert rows["filter"].to_list() == pytest.approx([FILTER[s] for s in "ABC"])
    assert rows["bleu"].to_list() == [12.5, 11.5, None]
    assert rows["bleu_high"].to_list() == [15, 14, None]
    found = pl.read_csv(pairs)
    assert found.height == 7 * 2 * 3
    assert found.filter(pl.col("n") == 2)["ci_low"].null_count() == 7 * 3
    alone = tmp_path / "alone.csv"
    assert run(study, "--table", alone, "--replicates", 0).exit_code == 0
    assert "bleu" not in pl.read_csv(alone).columns


def test_the_reference_is_in_the_table_and_no_point_of_the_correlations(
    study: Path, systems: Path, tmp_path: Path
) -> None:
    folder = Run(study)
    for kind in ("ratings", "responses"):
        old = folder.read(kind)
        folder.write(old.with_columns(pl.col("source").replace("B", "reference")), kind)
    text = systems.read_text().replace("B,", "reference,")
    systems.write_text(text)
    answer = run(study, "--systems", systems, "--replicates", 0, "--json")
    assert json.loads(answer.stdout)["points"] == ["A", "C"]
    said = run(study, "--systems", systems, "--replicates", 0).stderr
    assert "No points of the correlations: reference." in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--correlations", "c.csv"], "--correlations needs automatic metrics"),
        (["--table", "t.xls"], "cannot write '.xls'"),
        (["--systems", "nowhere.csv"], "no such file"),
    ],
)
def test_what_does_not_fit_is_said(study: Path, words: list[str], message: str) -> None:
    answer = run(study, *words)
    assert answer.exit_code == 2
    assert message in answer.stderr


def test_metrics_of_other_systems_are_refused(study: Path, systems: Path) -> None:
    systems.write_text("source,metric,estimate\nx,bleu,1\n")
    answer = run(study, "--systems", systems)
    assert answer.exit_code == 2
    assert "people rated 'A', 'B', 'C', the metrics have 'x'" in answer.stderr
    systems.write_text("source,metric,estimate\nA,filter,1\n")
    assert "'filter' is a score of people's and of a metric" in run(
        study, "--systems", systems
    ).stderr.replace("\n", " ")


def test_no_table_is_written_over_what_is_read(study: Path, systems: Path, tmp_path: Path) -> None:
    before = {file: file.read_bytes() for file in (systems, *study.glob("*.parquet"))}
    both = ("--table", tmp_path / "t.csv", "--correlations", tmp_path / "t.csv")
    for words, said in (
        (("--table", study / "ratings.parquet"), "written over what is read"),
        (("--correlations", systems), "written over what is read"),
        (both, "are the same file"),
    ):
        answer = run(study, "--systems", systems, *words)
        assert answer.exit_code == 2
        assert said in " ".join(answer.output.split())
    assert {file: file.read_bytes() for file in before} == before
    again = ("--replicates", 0, "--table", study / "t.csv", "--correlations", study / "c.csv")
    for _ in range(2):
        assert run(study, "--systems", systems, *again).exit_code == 0
    clash = run(study, "--systems", systems, "--table", study / "c.csv")
    assert "another file is there already" in clash.output
