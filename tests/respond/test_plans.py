"""Plans out of tables and from planners."""

import json
from pathlib import Path

import pytest

from attunement.errors import UserError
from attunement.planning import DAILYDIALOG, ConstantPlanner, contexts
from attunement.planning.planner import Plan
from attunement.respond import plans
from attunement.tables import write_frame


def read(tmp_path: Path, rows: list[dict[str, object]], *ids: str) -> list[Plan]:
    file = tmp_path / "labels.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    return list(
        plans.read(file, ids or [str(r["item_id"]) for r in rows], DAILYDIALOG, "gold").plans
    )


@pytest.mark.parametrize(
    "cell",
    [
        ["question", "sadness"],
        "question, sadness",
        '["question", "sadness"]',
        "Question,SADNESS",
        "['question', 'sadness']",  # as Python prints a list
        "['question' 'sadness']",  # and NumPy
        "[question, sadness]",
    ],
)
def test_labels_are_a_list_or_words(tmp_path: Path, cell: object) -> None:
    assert read(tmp_path, [{"item_id": "a", "labels": cell}]) == [Plan(("question", "sadness"))]


def test_labels_may_have_a_column_a_group(tmp_path: Path) -> None:
    rows = [
        {"item_id": "a", "act": "question", "emotion": "sadness"},
        {"item_id": "b", "act": 3, "emotion": 0},  # the data's numbers: directive, neutral
        {"item_id": "c", "act": None, "emotion": None},
    ]
    found = read(tmp_path, rows)
    assert found[:2] == [Plan(("question", "sadness")), Plan(("directive",))]
    assert found[2] == plans.NOT_GIVEN


def test_numbers_of_a_column_with_gaps_are_read(tmp_path: Path) -> None:
    file = tmp_path / "l.csv"
    file.write_text("item_id,act,emotion\na,2.0,\nb,,5.0\nc,9.0,1.5\n")
    found = plans.read(file, ["a", "b", "c"], DAILYDIALOG, "gold")
    assert found.plans[:2] == (Plan(("question",)), Plan(("sadness",)))
    assert found.unknown(DAILYDIALOG) == {"9.0": 1, "1.5": 1}


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ({"a": 1}, "not an object"),
        (["inform", None], "not nothing"),
        ('["inform", ["fear"]]', "not a list"),
    ],
)
def test_a_cell_that_holds_no_labels_is_refused(tmp_path: Path, cell: object, said: str) -> None:
    with pytest.raises(UserError, match=said) as told:
        read(tmp_path, [{"item_id": "a", "labels": cell}])
    assert "item 'a'" in str(told.value.where)


def test_a_row_without_an_item_is_refused(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"item_id": "a", "labels": "x"}, {"labels": "x"}]
    with pytest.raises(UserError, match="no item_id"):
        read(tmp_path, rows, "a")


def test_a_label_that_is_left_out_of_sequences_is_left_out(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"item_id": "a", "labels": "inform, neutral"}]
    assert read(tmp_path, rows) == [Plan(("inform",))]


def test_unknown_labels_are_kept_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "l.csv"
    file.write_text("item_id,labels\na,encouraging\nb,inform\n")
    found = plans.read(file, ["a", "b"], DAILYDIALOG, "chosen")
    assert found.plans[0] == Plan(("encouraging",))
    assert found.unknown(DAILYDIALOG) == {"encouraging": 1}


def test_an_item_that_is_not_in_the_table_has_no_plan(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"item_id": "a", "labels": "inform"}]
    assert read(tmp_path, rows, "b", "a") == [plans.NOT_IN_TABLE, Plan(("inform",))]


def test_an_empty_cell_leaves_it_open_and_an_empty_list_plans_nothing(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"item_id": "a", "labels": None},
        {"item_id": "b", "labels": []},
    ]
    assert read(tmp_path, rows) == [plans.NOT_GIVEN, Plan(())]


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_what_plan_predict_wrote_is_read_with_its_statuses(tmp_path: Path, suffix: str) -> None:
    made = [Plan(("inform", "happiness")), Plan((), "unparsed", "It said None.")]
    planner = ConstantPlanner(DAILYDIALOG, ("inform",))
    file = tmp_path / f"plans.{suffix}"
    write_frame(contexts.as_frame(["a", "b"], made, planner), file)
    assert list(plans.read(file, ["a", "b"], DAILYDIALOG, "predicted").plans) == made


def test_a_planner_is_asked_about_every_item() -> None:
    found = plans.predicted(ConstantPlanner(DAILYDIALOG, ("inform",)), [("Hi",), ()])
    assert found.plans == (Plan(("inform",)), Plan(("inform",)))
    assert found.kind == "predicted"
    assert found.signature.startswith("plan-constant")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item_id,words\na,x\n", "no labels"),
        ("id,labels\na,x\n", "no labels"),
        ("item_id,labels\na,inform\na,inform\n", "stands twice"),
        ("item_id,labels\nz,inform\n", "none of the items"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "l.csv"
    file.write_text(text)
    with pytest.raises(UserError, match=said):
        plans.read(file, ["a"], DAILYDIALOG, "chosen")
