"""Planners on invented dialogues, and their folders."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from attunement.errors import UserError
from attunement.planning import (
    DAILYDIALOG,
    LinearPlanner,
    Planner,
    RandomPlanner,
    Window,
    read_planner,
    write_planner,
)
from attunement.planning.baselines import majority, random
from attunement.planning.linear import Settings, train
from stubs.invented_turns import invented


@pytest.fixture(scope="module")
def linear() -> LinearPlanner:
    return train(
        invented(200, 1), invented(60, 2), DAILYDIALOG, context=3, settings=Settings(bits=12, c=10)
    )


def test_the_linear_planner_learns_what_follows_what(linear: LinearPlanner) -> None:
    turns = invented(60, 3)
    plans = linear.plan([w.context for w in turns])
    right = sum(p.labels == w.target for p, w in zip(plans, turns, strict=True))
    assert right >= 57
    assert {p.status for p in plans} == {"ok"}


def test_scores_stand_beside_the_labels(linear: LinearPlanner) -> None:
    (plan,) = linear.plan([("where is the cup ?",)])
    scores = dict(plan.scores)
    assert set(scores) == {"inform", "question", "commissive", "sadness"}
    assert max(scores, key=lambda label: scores[label]) == "inform"


def test_a_context_without_text_has_no_plan(linear: LinearPlanner) -> None:
    plans = linear.plan([(), ("", " "), ("where is the cup ?",), ("你好",)])
    assert [p.status for p in plans] == ["not_applicable", "not_applicable", "ok", "ok"]
    assert plans[0].reason


def test_only_the_last_three_turns_are_read(linear: LinearPlanner) -> None:
    turns = ("i like the cup .", "oh .", "well .", "where is the boat ?")
    assert linear.plan([turns]) == linear.plan([turns[1:]])


def test_the_same_windows_give_the_same_planner(linear: LinearPlanner) -> None:
    again = train(
        invented(200, 1), invented(60, 2), DAILYDIALOG, context=3, settings=Settings(bits=12, c=10)
    )
    assert np.array_equal(again.weights, linear.weights)
    assert again.signature == linear.signature


def test_a_plan_does_not_depend_on_its_neighbors(linear: LinearPlanner) -> None:
    contexts = [w.context for w in invented(20, 4)]
    assert linear.plan(contexts)[7] == linear.plan(contexts[7:8])[0]


def test_a_label_that_every_turn_has_is_always_planned() -> None:
    turns = [Window("d", 1, (f"word{i}",), ("inform",)) for i in range(6)]
    planner = train(turns, turns, DAILYDIALOG, context=1, settings=Settings(bits=8))
    assert planner.plan([("word1",)])[0].labels == ("inform",)


def test_nothing_to_learn_from_is_refused() -> None:
    with pytest.raises(ValueError, match="training and validation"):
        train([], [], DAILYDIALOG, context=3)
    silent = [Window("d", 1, ("a",), ())]
    with pytest.raises(ValueError, match="no training turn has a label"):
        train(silent, silent, DAILYDIALOG, context=3)


def test_the_majority_is_the_most_frequent_sequence() -> None:
    turns = [Window("d", i, ("a",), t) for i, t in enumerate([("inform",), ("question",)] * 2)]
    turns.append(Window("d", 9, ("a",), ("question",)))
    planner = majority(turns, DAILYDIALOG)
    assert [p.labels for p in planner.plan([(), ("x",)])] == [("question",)] * 2


def test_the_random_planner_keeps_the_lengths_and_draws_every_label_alike() -> None:
    planner = RandomPlanner(DAILYDIALOG, {1: 80, 2: 20})
    plans = planner.plan([("x",)] * 20_000)
    lengths = Counter(len(p.labels) for p in plans)
    assert lengths[2] / 20_000 == pytest.approx(0.2, abs=0.01)
    assert set(lengths) == {1, 2}
    each = Counter(label for p in plans for label in p.labels)
    assert "neutral" not in each
    assert [n / 24_000 for n in each.values()] == pytest.approx([1 / 10] * 10, abs=0.006)
    assert plans == planner.plan([("x",)] * 20_000)


def test_the_lengths_of_the_random_planner_are_those_of_training() -> None:
    assert random(invented(200, 1), DAILYDIALOG).lengths.keys() == {1, 2}


@pytest.mark.parametrize("kind", ["linear", "random", "majority"])
def test_a_planner_comes_back_from_its_folder(
    tmp_path: Path, kind: str, linear: LinearPlanner
) -> None:
    made: dict[str, Planner] = {
        "linear": linear,
        "random": random(invented(50, 1), DAILYDIALOG, seed=7),
        "majority": majority(invented(50, 1), DAILYDIALOG),
    }
    planner = made[kind]
    write_planner(planner, tmp_path / "m")
    back = read_planner(tmp_path / "m")
    contexts = [w.context for w in invented(40, 5)]
    assert back.plan(contexts) == planner.plan(contexts)
    assert (back.kind, back.signature, back.context) == (kind, planner.signature, 3)


def test_nothing_is_written_over_without_being_told(tmp_path: Path, linear: LinearPlanner) -> None:
    write_planner(linear, tmp_path / "m")
    with pytest.raises(UserError, match="already"):
        write_planner(linear, tmp_path / "m")
    write_planner(linear, tmp_path / "m", force=True)
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match="no planner"):
        write_planner(linear, other, force=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m", "other"]


def broken(folder: Path, **changes: object) -> Path:
    header = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    header |= changes
    (folder / "model.json").write_text(json.dumps(header), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "changes",
    [
        {"format": "other"},
        {"kind": "pickle"},
        {"names": ["inform"]},
        {"names": ["inform", "?", "x", "y"]},
        {"thresholds": [0, 1, 1, 1]},
        {"thresholds": ["a"] * 4},
        {"bits": 40},
        {"bits": True},
        {"longest": 9},
        {"labels": []},
        {"context": None},
    ],
)
def test_a_folder_that_was_tampered_with_is_refused(
    tmp_path: Path, linear: LinearPlanner, changes: dict[str, object]
) -> None:
    write_planner(linear, tmp_path / "m")
    with pytest.raises(UserError, match="cannot be read"):
        read_planner(broken(tmp_path / "m", **changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"lengths": []},
        {"lengths": {"x": 1}},
        {"lengths": {"11": 1}},
        {"lengths": {"1": 0}},
        {"seed": -1},
        {"kind": ["random"]},
        {"labels": {"name": "x", "groups": [1]}},
    ],
)
def test_a_baseline_that_was_tampered_with_is_refused(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    write_planner(random(invented(20, 1), DAILYDIALOG), tmp_path / "m")
    with pytest.raises(UserError, match="cannot be read"):
        read_planner(broken(tmp_path / "m", **changes))


def test_arrays_with_objects_or_of_another_shape_are_refused(
    tmp_path: Path, linear: LinearPlanner
) -> None:
    write_planner(linear, tmp_path / "m")
    file = tmp_path / "m" / "arrays.npz"
    good = dict(np.load(file))
    bad: list[dict[str, np.ndarray]] = [
        good | {"weights": np.array([{}], dtype=object)},
        good | {"weights": good["weights"][1:]},
        good | {"idf": good["idf"].astype(np.float64)},
        good | {"intercept": np.full(4, np.nan, dtype=np.float32)},
        good | {"columns": good["columns"][::-1].copy()},
        {"weights": good["weights"]},
    ]
    for arrays in bad:
        np.savez_compressed(file, allow_pickle=True, **arrays)
        with pytest.raises(UserError, match="cannot be read"):
            read_planner(tmp_path / "m")
    file.write_bytes(b"nothing")
    with pytest.raises(UserError, match="cannot be read"):
        read_planner(tmp_path / "m")
    file.unlink()
    with pytest.raises(UserError, match="missing"):
        read_planner(tmp_path / "m")


def test_a_folder_without_a_planner_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="attunement plan train"):
        read_planner(tmp_path)
