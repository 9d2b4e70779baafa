import json
from pathlib import Path

import polars as pl
import pytest

from attunement.errors import UserError
from attunement.planning import DAILYDIALOG, ConstantPlanner, Plan, contexts
from attunement.tables import read_frame, write_frame


def read(tmp_path: Path, cells: list[str], name: str = "context") -> list[tuple[str, ...]]:
    file = tmp_path / "t.csv"
    pl.DataFrame({name: cells}).write_csv(file)
    return list(contexts.read(file).contexts)


@pytest.mark.parametrize(
    ("cell", "turns"),
    [
        ("Hello .", ("Hello .",)),
        ("[laughs] Fine .", ("[laughs] Fine .",)),
        ("[laughs]", ("[laughs]",)),
        ('["a", "b"]', ("a", "b")),
        ("['a' 'b']", ("a", "b")),
        ('["a", null]', ("a",)),
        ('[{"role": "system", "text": "Be kind."}, {"role": "user", "text": "a"}]', ("a",)),
        ('[{"role": "user", "content": "a"}]', ("a",)),
        ("[]", ()),
        (" ", ()),
    ],
)
def test_turns_come_in_many_forms(tmp_path: Path, cell: str, turns: tuple[str, ...]) -> None:
    assert read(tmp_path, [cell, "x"])[0] == turns


def test_a_table_without_turns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no turns"):
        read(tmp_path, ["a"], name="letter")


def test_ids_may_not_repeat(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("item_id,context\na,x\na,y\n", encoding="utf-8")
    with pytest.raises(UserError, match="'a' stands twice"):
        contexts.read(file)


def test_a_row_needs_an_id_where_others_have_one(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("item_id,context\na,x\n,y\n", encoding="utf-8")
    with pytest.raises(UserError, match="row 2 has no id"):
        contexts.read(file)


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "csv", "tsv"])
def test_plans_are_written_in_every_form(tmp_path: Path, suffix: str) -> None:
    planner = ConstantPlanner(DAILYDIALOG, ("inform", "sadness"))
    plans = [*planner.plan([("a",)]), Plan((), "unparsed", "It said: None.")]
    file = tmp_path / f"plans.{suffix}"
    write_frame(contexts.as_frame(["1", "2"], plans, planner), file)
    first, second = read_frame(file).rows(named=True)
    labels = first["labels"]
    assert (json.loads(labels) if isinstance(labels, str) else labels) == ["inform", "sadness"]
    assert (second["status"], second["reason"]) == ("unparsed", "It said: None.")
