"""``attunement plan`` from the command line, on invented dialogues."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from attunement.cli import app
from attunement.tables import read_frame

ROWS = [
    {
        "dialog": [f"where is the {thing} ?", "over there .", "please bring it !", "of course ."],
        "act": [2, 1, 3, 4],
        "emotion": [0, 0, 0, happy],
    }
    for thing, happy in [("cup", 4), ("boat", 0), ("lamp", 0), ("book", 4), ("bike", 0)] * 3
]


def plan(*words: object) -> Result:
    return CliRunner().invoke(app, ["plan", *map(str, words)])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    for split, rows in (("train", ROWS), ("validation", ROWS[:5]), ("test", ROWS[2:6])):
        texts = [
            {**row, "dialog": [f"{split} !", *row["dialog"][1:]]}  # type: ignore[misc]
            for row in rows
        ]
        flat = [{k: json.dumps(v) for k, v in row.items()} for row in texts]
        pl.DataFrame(flat).write_csv(folder / f"{split}.csv")
    return folder


def trained(data: Path, out: Path, *words: object) -> Path:
    result = plan("train", "--data", data, "--out", out, *words)
    assert result.exit_code == 0, result.output
    return out


def evaluated(model: Path, data: Path, *words: object) -> dict[str, Any]:
    result = plan("evaluate", model, "--data", data, "--json", "--replicates", 50, *words)
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def estimate(found: dict[str, Any], name: str, average: str = "weighted") -> float:
    (value,) = (
        r["estimate"]
        for r in found["results"]
        if r["name"] == name and r["group"]["average"] == average
    )
    return float(value)


def test_a_planner_is_trained_evaluated_and_asked(data: Path, tmp_path: Path) -> None:
    model = trained(data, tmp_path / "model")
    found = evaluated(model, data)
    # Twelve acts follow from the turn before; the two happy turns follow from nothing.
    assert estimate(found, "recall") >= 12 / 14
    assert found["windows"] == 12
    assert found["statuses"] == {"ok": 12}
    assert found["planner_signature"].startswith("plan-linear|labels:dailydialog-11|context:3")
    table = tmp_path / "contexts.jsonl"
    turns = ["where is the cat ?", "over there .", "please bring it !"]
    asked = [{"id": "a", "context": turns}, {"id": "b", "context": []}]
    table.write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    result = plan("predict", model, table, "--out", tmp_path / "plans.csv")
    assert result.exit_code == 0, result.output
    assert "2 plans: 1 ok, 1 not_applicable" in " ".join(result.output.split())
    rows = read_frame(tmp_path / "plans.csv").rows(named=True)
    assert [r["item_id"] for r in rows] == ["a", "b"]
    assert "commissive" in json.loads(rows[0]["labels"])
    assert (rows[1]["labels"], rows[1]["status"]) == ("[]", "not_applicable")
    assert rows[1]["reason"]


def test_items_of_a_study_are_planned_without_the_instructions_to_a_model(
    data: Path, tmp_path: Path
) -> None:
    model = trained(data, tmp_path / "model")
    turns = [{"role": "system", "text": "Be kind."}, {"role": "user", "text": "bring it !"}]
    items = pl.DataFrame({"item_id": ["1", "2"], "turns": [turns, turns[:1]]})
    items.write_parquet(tmp_path / "items.parquet")
    out = tmp_path / "plans.parquet"
    assert plan("predict", model, tmp_path / "items.parquet", "--out", out).exit_code == 0
    assert pl.read_parquet(out)["status"].to_list() == ["ok", "not_applicable"]


def test_the_constant_is_scored_as_the_paper_scores_it(data: Path, tmp_path: Path) -> None:
    model = trained(data, tmp_path / "m", "--planner", "constant", "--sequence", "commissive")
    # By hand: of 12 turns 4 are commissive, 2 of which are happy, so that 2 end in commissive.
    paper = evaluated(model, data, "--scoring", "paper")
    assert estimate(paper, "precision") == 1
    assert estimate(paper, "recall") == pytest.approx(2 / 12)
    standard = evaluated(model, data)
    assert estimate(standard, "recall", "sample") == pytest.approx((2 + 2 / 2) / 12)
    assert estimate(standard, "nls", "turn") == pytest.approx((2 + 2 / 2) / 12)


@pytest.mark.parametrize("kind", ["random", "majority"])
def test_baselines_are_planners_like_others(data: Path, tmp_path: Path, kind: str) -> None:
    model = trained(data, tmp_path / "m", "--planner", kind)
    shown = plan("evaluate", model, "--data", data, "--replicates", 50)
    assert shown.exit_code == 0, shown.output
    assert f"{kind}, test: 12 windows, standard scoring" in shown.stdout


def test_a_constant_that_plans_nothing_has_statuses_and_no_crash(
    data: Path, tmp_path: Path
) -> None:
    model = trained(data, tmp_path / "m", "--planner", "constant", "--sequence", "neutral")
    found = evaluated(model, data)
    assert found["empty_plans"] == 12
    precision = [r for r in found["results"] if r["name"] == "precision"]
    assert {(r["estimate"], r["reason"]) for r in precision} == {
        (None, "No plan has a label of the label set.")
    }


def test_duplicates_and_full_windows_are_left_out_on_request(data: Path, tmp_path: Path) -> None:
    (data / "test.csv").write_bytes((data / "train.csv").read_bytes().replace(b"book", b"cook"))
    model = trained(data, tmp_path / "m", "--planner", "majority")
    assert evaluated(model, data)["windows"] == 45
    assert evaluated(model, data, "--full-windows")["windows"] == 15
    gone = plan("evaluate", model, "--data", data, "--drop-duplicates")
    assert gone.exit_code == 2
    assert "no turn to ask about" in gone.output


def test_what_is_wrong_with_the_data_is_said(data: Path, tmp_path: Path) -> None:
    bad = {"dialog": '["a", "b", "c"]', "act": "[1, 1]", "emotion": "[0, 0]"}
    pl.DataFrame([bad]).write_csv(data / "validation.csv")
    result = plan("train", "--planner", "majority", "--data", data, "--out", tmp_path / "m")
    assert "validation: fewer labels than turns (1)" in result.output
    assert "3 turns, 2 labels" in result.output


def test_another_label_set_is_learned(tmp_path: Path) -> None:
    labels = tmp_path / "labels.yaml"
    labels.write_text(
        "name: weather\ngroups:\n- {name: sky, labels: [sun, rain]}\n", encoding="utf-8"
    )
    turns = {"dialogue_id": [1, 1, 1, 2, 2], "text": list("abcde"), "sky": list("01010")}
    for split in ("train", "validation", "test"):
        pl.DataFrame(turns).write_csv(tmp_path / f"{split}.csv")
    words = ("--label-set", labels, "--planner", "majority")
    model = trained(tmp_path, tmp_path / "m", *words)
    # The turns to plan are rain, sun and sun.
    assert estimate(evaluated(model, tmp_path), "f1", "sample") == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--planner", "liner"), "Did you mean 'linear'"),
        (("--planner", "constant", "--sequence", "infrom"), "Did you mean 'inform'"),
        (("--label-set", "absent.yaml"), "no label set"),
    ],
)
def test_wrong_words_are_answered(
    data: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    result = plan("train", "--data", data, "--out", tmp_path / "m", *words)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--epochs", 3), "--epochs means nothing to the planner linear"),
        (("--seed", 1), "--seed means nothing to the planner linear"),
        (("--planner", "majority", "--sequence", "inform"), "--sequence means nothing"),
        (("--planner", "random", "--threshold", "tuned"), "--threshold means nothing"),
        (
            ("--planner", "constant", "--base-model", "x", "--patience", 2, "--restart"),
            "--base-model, --patience and --restart mean nothing to the planner constant",
        ),
    ],
)
def test_options_that_a_planner_does_not_use_are_refused(
    data: Path, tmp_path: Path, words: tuple[object, ...], said: str
) -> None:
    result = plan("train", "--data", data, "--out", tmp_path / "m", *words)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())
    assert not (tmp_path / "m").exists()


def test_options_that_an_evaluation_does_not_use_are_refused(data: Path, tmp_path: Path) -> None:
    model = trained(data, tmp_path / "m", "--planner", "majority")
    for words, said in (
        (("--journal", tmp_path / "j"), "--journal means nothing where no model is asked"),
        (("--split", "train", "--drop-duplicates"), "--drop-duplicates means nothing"),
    ):
        result = plan("evaluate", model, "--data", data, *words)
        assert result.exit_code == 2
        assert said in " ".join(result.output.split())


def test_a_table_that_is_read_is_never_written_over(data: Path, tmp_path: Path) -> None:
    model = trained(data, tmp_path / "m", "--planner", "majority")
    tagger = trained(data, tmp_path / "t", "--target", "current")
    table = tmp_path / "t.csv"
    table.write_text("item_id,context,text\n1,hello,well\n", encoding="utf-8")
    before = table.read_bytes()
    for words in (("predict", model, table), ("tag", table, "--tagger", tagger)):
        result = plan(*words, "--out", table, "--force")
        assert result.exit_code == 2
        assert "written over what is read" in result.output
    assert table.read_bytes() == before


def test_a_planner_and_a_table_are_not_written_over(data: Path, tmp_path: Path) -> None:
    model = trained(data, tmp_path / "m", "--planner", "majority")
    again = plan("train", "--data", data, "--out", model, "--planner", "majority")
    assert again.exit_code == 2
    assert "--force" in again.output
    trained(data, model, "--planner", "majority", "--force")
    table = tmp_path / "t.csv"
    table.write_text("context\nhello\n", encoding="utf-8")
    lost = plan("predict", model, table, "--out", table)
    assert lost.exit_code == 2
    assert table.read_text(encoding="utf-8") == "context\nhello\n"


def test_the_same_plans_are_made_again_and_no_others_written_over(
    data: Path, tmp_path: Path
) -> None:
    model, out = trained(data, tmp_path / "m", "--planner", "majority"), tmp_path / "plans.csv"
    table = tmp_path / "t.csv"
    table.write_text("id,context\na,hello\nb,bye\n", encoding="utf-8")
    for _ in range(2):
        made = plan("predict", model, table, "--out", out)
        assert made.exit_code == 0, made.output
        assert "Planning: 2 of 2" in made.output
    table.write_text("id,context\na,hello\n", encoding="utf-8")
    fewer = plan("predict", model, table, "--out", out)
    assert fewer.exit_code == 2
    assert "rows of another item_id (b)" in " ".join(fewer.output.split())
    other = trained(data, tmp_path / "n", "--planner", "random")
    lost = plan("predict", other, table, "--out", out)
    assert lost.exit_code == 2
    assert "rows of another planner (majority)" in " ".join(lost.output.split())
    assert plan("predict", other, table, "--out", out, "--force").exit_code == 0


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("absent", "there is no such folder"),
        ("empty", "it has no model.json"),
        ("plans.csv", "this is a file; a planner or tagger is a folder"),
    ],
)
def test_what_is_no_planner_is_told_apart(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "plans.csv").write_text("item_id,labels\n", encoding="utf-8")
    result = plan("predict", tmp_path / name, tmp_path / "t.csv", "--out", tmp_path / "out.csv")
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())


def test_a_wrong_scoring_is_answered(data: Path, tmp_path: Path) -> None:
    model = trained(data, tmp_path / "m", "--planner", "majority")
    result = plan("evaluate", model, "--data", data, "--scoring", "kind")
    assert result.exit_code == 2
    assert "Use standard or paper" in result.output
