"""``attunement plan tag`` and taggers in ``plan train`` and ``plan evaluate``."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from attunement.cli import app
from attunement.tables import read_frame

TURNS = ["where is the cup ?", "over there .", "please bring it !", "of course ."]


def plan(*words: object) -> Result:
    return CliRunner().invoke(app, ["plan", *map(str, words)])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    row = {"dialog": TURNS, "act": [2, 1, 3, 4], "emotion": [0, 0, 0, 4]}
    flat = pl.DataFrame([{k: json.dumps(v) for k, v in row.items()}] * 9)
    for split in ("train", "validation", "test"):
        flat.write_csv(tmp_path / f"{split}.csv")
    return tmp_path


def rows(file: Path) -> list[dict[str, Any]]:
    return read_frame(file).rows(named=True)


def test_answers_are_tagged_with_what_they_answer(tmp_path: Path) -> None:
    items = pl.DataFrame(
        {"item_id": ["i"], "turns": [[{"role": "user", "text": "Would you like to talk now?"}]]}
    )
    items.write_parquet(tmp_path / "items.parquet")
    answers = pl.DataFrame(
        {
            "response_id": ["a", "b"],
            "item_id": ["i", "i"],
            "text": ["Tomorrow is better.", None],
        }
    )
    answers.write_parquet(tmp_path / "answers.parquet")
    out = tmp_path / "tags.parquet"
    alone = plan("tag", tmp_path / "answers.parquet", "--out", out)
    assert alone.exit_code == 0, alone.output
    assert "2 tags: 1 ok, 1 not_applicable" in " ".join(alone.output.split())
    assert pl.read_parquet(out)["labels"].to_list() == [["inform"], []]
    words = ("tag", tmp_path / "answers.parquet", "--items", tmp_path / "items.parquet")
    told = plan(*words, "--out", out)
    assert told.exit_code == 0, told.output
    assert rows(out)[0] | {"signature": ""} == {
        "response_id": "a", "tagger": "embedded", "labels": ["commissive"], "status": "ok",
        "reason": None, "signature": "",
    }  # fmt: skip
    assert rows(out)[1]["reason"] == "There is no text."


def test_tags_of_other_texts_are_not_written_over(tmp_path: Path) -> None:
    out, table = tmp_path / "tags.csv", tmp_path / "texts.csv"
    table.write_text("id,text\na,Sit down.\n", encoding="utf-8")
    assert plan("tag", table, "--out", out).exit_code == 0
    table.write_text("id,text\nb,Why?\n", encoding="utf-8")
    lost = plan("tag", table, "--out", out)
    assert lost.exit_code == 2
    assert "rows of another id (a), which would be lost" in " ".join(lost.output.split())
    assert plan("tag", table, "--out", out, "--force").exit_code == 0


def test_a_table_of_texts_may_have_its_context_or_none(tmp_path: Path) -> None:
    table = tmp_path / "t.jsonl"
    lines = [
        {"text": "Tomorrow is better.", "context": ["Hi.", "Would you like to talk now?"]},
        {"text": "Tomorrow is better.", "context": []},
    ]
    table.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert plan("tag", table, "--out", tmp_path / "o.parquet").exit_code == 0
    assert [(r["row"], r["labels"]) for r in rows(tmp_path / "o.parquet")] == [
        ("row-1", ["commissive"]), ("row-2", ["inform"]),
    ]  # fmt: skip


def test_an_empty_table_has_no_tags(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("response_id,text\n", encoding="utf-8")
    made = plan("tag", table, "--out", tmp_path / "o.parquet")
    assert made.exit_code == 0, made.output
    assert "0 tags: no rows" in made.output
    assert pl.read_parquet(tmp_path / "o.parquet").height == 0


def test_a_tagger_is_trained_used_and_evaluated(data: Path, tmp_path: Path) -> None:
    model = tmp_path / "tagger"
    made = plan("train", "--target", "current", "--data", data, "--out", model)
    assert made.exit_code == 0, made.output
    table = tmp_path / "t.csv"
    table.write_text("id,text\n1,please bring it !\n2,\n", encoding="utf-8")
    used = plan("tag", table, "--tagger", model, "--out", tmp_path / "o.parquet")
    assert used.exit_code == 0, used.output
    assert [r["labels"] for r in rows(tmp_path / "o.parquet")] == [["directive"], []]
    found = json.loads(plan("evaluate", model, "--data", data, "--json", "--replicates", 20).stdout)
    shares = {
        (r["name"], r["group"]["labels"]): (r["estimate"], r["n"])
        for r in found["results"]
        if "labels" in r["group"]
    }
    # Four turns a dialogue, one of them happy.
    assert shares == {
        ("accuracy", "act"): (1, 36),
        ("accuracy_of_most_frequent", "act"): (1 / 4, 36),
        ("accuracy", "emotion"): (1, 36),
        ("accuracy_of_most_frequent", "emotion"): (3 / 4, 36),
    }
    asked = plan("predict", model, table, "--out", tmp_path / "p.csv")
    assert asked.exit_code == 2
    assert "plans none" in asked.output


def test_the_embedded_tagger_is_evaluated_by_name(data: Path) -> None:
    shown = plan("evaluate", "embedded", "--data", data, "--replicates", 20)
    assert shown.exit_code == 0, shown.output
    assert "embedded, test: 36 windows" in shown.stdout
    assert "accuracy of most frequent" in shown.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tag", "t.csv", "--out", "o.csv"), "it has answer"),
        (("tag", "twice.csv", "--out", "o.csv"), "the id '1' stands twice"),
        (("tag", "good.csv", "--out", "o.csv", "--tagger", "embeded"), "no tagger 'embeded'"),
        (("tag", "good.csv", "--out", "o.csv", "--items", "items.csv"), "no item 1"),
        (("tag", "noitem.csv", "--out", "o.csv", "--items", "items.csv"), "no column item_id"),
        (("tag", "good.csv", "--out", "o.txt"), "no table can be written"),
        (("train", "--data", ".", "--out", "m", "--target", "last"), "Use next or current"),
        (
            ("train", "--data", ".", "--out", "m", "--target", "current", "--context", "3"),
            "not 3 turns",
        ),
    ],
)
def test_wrong_words_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "t.csv": "answer\nx\n",
        "twice.csv": "id,text\n1,a\n1,b\n",
        "good.csv": "item_id,text\n1,a\n",
        "noitem.csv": "id,text\n1,a\n",
        "items.csv": "item_id,context\n2,hello\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    result = plan(*words)
    assert result.exit_code == 2, result.output
    assert said in " ".join(result.output.split())
