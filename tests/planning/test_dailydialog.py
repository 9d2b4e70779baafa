"""The forms in which the data come, on invented dialogues."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from attunement.errors import UserError
from attunement.planning import Split, duplicates, load_split, windows, without_duplicates

TURNS = [["Tea ?", "Yes , it's good .", "Fine !"], ["It rains .", "Oh no ."]]
ACTS = [[2, 4, 1], [1, 1]]
EMOTIONS = [[0, 4, 0], [0, 5]]
SEQUENCES = [
    [("question",), ("commissive", "happiness"), ("inform",)],
    [("inform",), ("inform", "sadness")],
]


def original(folder: Path, split: str = "train", *, acts: list[list[int]] = ACTS) -> Path:
    place = folder / split
    place.mkdir(parents=True)
    texts = "".join(" __eou__ ".join(t) + " __eou__\n" for t in TURNS)
    (place / f"dialogues_{split}.txt").write_text(texts, encoding="utf-8")
    for name, rows in (("act", acts), ("emotion", EMOTIONS)):
        lines = "".join(" ".join(map(str, row)) + " \n" for row in rows)
        (place / f"dialogues_{name}_{split}.txt").write_text(lines, encoding="utf-8")
    return folder


def check(split: Split) -> None:
    assert [list(d.turns) for d in split.dialogues] == TURNS
    assert [list(d.labels) for d in split.dialogues] == SEQUENCES
    assert split.faults == ()


def test_the_original_files_are_read(tmp_path: Path) -> None:
    check(load_split(original(tmp_path), "train"))


def test_the_original_files_may_stand_in_one_folder(tmp_path: Path) -> None:
    check(load_split(original(tmp_path) / "train", "train"))


def test_a_csv_file_may_hold_what_numpy_prints_for_a_list(tmp_path: Path) -> None:
    rows = {
        "dialog": [str(np.array(t, dtype=object)) for t in TURNS],
        "act": [str(np.array(a)) for a in ACTS],
        "emotion": [str(np.array(e)) for e in EMOTIONS],
    }
    pl.DataFrame(rows).write_csv(tmp_path / "validation.csv")
    check(load_split(tmp_path, "validation"))


def test_a_csv_file_may_hold_json_lists(tmp_path: Path) -> None:
    rows = {"dialog": TURNS, "act": ACTS, "emotion": EMOTIONS}
    flat = pl.DataFrame({k: [json.dumps(cell) for cell in v] for k, v in rows.items()})
    flat.write_csv(tmp_path / "test.csv")
    check(load_split(tmp_path, "test"))


def test_parquet_shards_as_on_the_hub_are_read_in_order(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for i in range(2):
        row = {"dialog": [TURNS[i]], "act": [ACTS[i]], "emotion": [EMOTIONS[i]]}
        pl.DataFrame(row).write_parquet(tmp_path / "data" / f"train-0000{i}-of-00002.parquet")
    check(load_split(tmp_path, "train"))


def test_a_table_may_have_a_turn_a_row_with_words_for_labels(tmp_path: Path) -> None:
    rows = [
        {"dialogue_id": d, "text": text, "labels": ", ".join(labels)}
        for d, (turns, sequences) in enumerate(zip(TURNS, SEQUENCES, strict=True))
        for text, labels in zip(turns, sequences, strict=True)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "dev.csv")
    check(load_split(tmp_path, "validation"))


def test_turns_and_labels_that_differ_in_number_are_paired_and_reported(tmp_path: Path) -> None:
    split = load_split(original(tmp_path, acts=[[2, 4], [1, 1]]), "train")
    assert [len(d.turns) for d in split.dialogues] == [2, 2]
    assert split.fault_counts() == {"fewer labels than turns": 2}
    assert all(":1" in fault.where for fault in split.faults)


def test_an_unknown_number_leaves_its_turn_without_that_label(tmp_path: Path) -> None:
    split = load_split(original(tmp_path, acts=[[2, 9, 1], [1, 7]]), "train")
    assert split.dialogues[0].labels[1] == ("happiness",)
    assert split.fault_counts() == {"unknown label": 2}


def test_a_turn_without_any_label_is_context_and_no_target(tmp_path: Path) -> None:
    pl.DataFrame(
        {"dialogue_id": [1, 1, 1], "text": ["a", "b", "c"], "labels": ["inform", "", "question"]}
    ).write_csv(tmp_path / "train.csv")
    split = load_split(tmp_path, "train")
    (window,) = windows(split)
    assert (window.context, window.target) == (("a", "b"), ("question",))
    assert split.fault_counts() == {"no label": 1}


def test_files_of_different_lengths_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"1 lines, but dialogues_train\.txt has 2"):
        load_split(original(tmp_path, acts=[[1]]), "train")


def test_a_folder_without_the_split_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no test split"):
        load_split(original(tmp_path), "test")
    with pytest.raises(UserError, match="Did you mean 'train'"):
        load_split(tmp_path, "trian")
    with pytest.raises(UserError, match="no such folder"):
        load_split(tmp_path / "absent", "train")


@pytest.mark.parametrize("cell", ["['a' + 'b']", "[__import__('os')]", "hello", "['a', \\x]"])
def test_a_cell_that_is_no_list_is_refused_and_never_executed(tmp_path: Path, cell: str) -> None:
    frame = pl.DataFrame({"dialog": [cell], "act": ["[1]"], "emotion": ["[0]"]})
    frame.write_csv(tmp_path / "train.csv")
    with pytest.raises(UserError, match="dialog"):
        load_split(tmp_path, "train")


def test_dialogues_of_another_split_are_found_whatever_their_marks(tmp_path: Path) -> None:
    train = load_split(original(tmp_path), "train")
    other = tmp_path / "test"
    other.mkdir()
    pl.DataFrame(
        {"dialog": [["IT RAINS!", "Oh, no."], ["New .", "Yes ."]]} | {"labels": [[1, 1], [1, 1]]}
    ).with_columns(labels=pl.lit([["inform"], ["inform"]])).write_parquet(other / "test.parquet")
    test = load_split(other, "test")
    assert duplicates(test, train) == ["test-1"]
    kept = without_duplicates(test, train)
    assert [d.id for d in kept.dialogues] == ["test-2"]
    assert kept.left_out == 1
    assert kept.hash != test.hash


def test_a_dialogue_that_stands_twice_in_its_split_is_reported(tmp_path: Path) -> None:
    row = {"dialog": [TURNS[1]] * 2, "act": [ACTS[1]] * 2, "emotion": [EMOTIONS[1]] * 2}
    pl.DataFrame(row).write_parquet(tmp_path / "train.parquet")
    assert load_split(tmp_path, "train").fault_counts() == {"stands twice in the split": 1}


def test_texts_alone_need_no_labels(tmp_path: Path) -> None:
    folder = original(tmp_path / "original")
    for name in ("act", "emotion"):
        (folder / "train" / f"dialogues_{name}_train.txt").unlink()
    turns = [{"dialogue_id": i, "text": t} for i, turns in enumerate(TURNS) for t in turns]
    for name, rows in {"lists": [{"dialog": t} for t in TURNS], "turns": turns}.items():
        (tmp_path / name).mkdir()
        pl.DataFrame(rows).write_parquet(tmp_path / name / "train.parquet")
    for name in ("original", "lists", "turns"):
        found = load_split(tmp_path / name, "train", None)
        assert [list(d.turns) for d in found.dialogues] == TURNS
        assert {label for d in found.dialogues for label in d.labels} == {None}
        assert found.faults == ()


@pytest.mark.shared
@pytest.mark.parametrize(
    ("split", "expected", "full"),
    # 76,052, 7,070 and 6,740 are printed in appendix A. The validation split's 8,069 turns in 1,000
    # dialogues give 7,069. Full windows: counted by a plain loop over the files.
    [("train", 76052, 54299), ("validation", 7069, 5109), ("test", 6740, 4782)],
)
def test_the_real_splits_give_the_papers_numbers_of_windows(
    shared: Path, split: str, expected: int, full: int
) -> None:
    found = load_split(shared / "data" / "dailydialog", split)
    assert len(windows(found)) == expected
    assert len(windows(found, full=True)) == full


@pytest.mark.shared
def test_the_known_faults_of_the_real_data_are_reported(shared: Path) -> None:
    data = shared / "data" / "dailydialog"
    train, test = load_split(data, "train"), load_split(data, "test")
    (fault,) = (f for f in train.faults if f.kind == "fewer labels than turns")
    assert fault.where.endswith("dialogues_train.txt:7852")
    assert fault.detail.startswith("12 turns, 11 labels")
    # 102 test lines stand in train with the same words and marks (a plain count over the files).
    assert len(duplicates(test, train)) >= 102
