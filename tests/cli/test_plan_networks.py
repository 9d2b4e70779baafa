"""``attunement plan`` with fine-tuned networks, tiny ones on invented dialogues."""

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from attunement.cli import app
from stubs.tiny_hf import no_datasets
from stubs.tiny_planners import save_bart, save_bert

pytestmark = pytest.mark.train


@pytest.fixture(autouse=True)
def _trainable(monkeypatch: pytest.MonkeyPatch) -> None:
    no_datasets(monkeypatch)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    turns = ["where is the cup ?", "over there .", "please bring it !", "of course ."]
    row = {"dialog": turns, "act": [2, 1, 3, 4], "emotion": [0, 0, 0, 4]}
    flat = pl.DataFrame([{k: json.dumps(v) for k, v in row.items()}] * 16)
    for split in ("train", "validation", "test"):
        flat.write_csv(folder / f"{split}.csv")
    return folder


def plan(*words: object) -> Result:
    return CliRunner().invoke(app, ["plan", *map(str, words)])


FAST = ("--epochs", 9, "--learning-rate", 0.005, "--batch-size", 8)


@pytest.mark.parametrize("kind", ["encoder", "seq2seq"])
def test_a_network_is_trained_evaluated_and_asked(data: Path, tmp_path: Path, kind: str) -> None:
    base = (save_bert if kind == "encoder" else save_bart)(tmp_path / "base")
    model = tmp_path / "model"
    words = ("train", "--data", data, "--planner", kind, "--base-model", base, *FAST)
    more = ("--threshold", "tuned") if kind == "encoder" else ()
    made = plan(*words, *more, "--out", model)
    assert made.exit_code == 0, made.output
    said = " ".join(made.output.split())
    assert "9 epochs at most, learning rate 0.005, batches of 8, patience 2, seed 1" in said
    assert "Validation loss by epoch" in said
    assert not (tmp_path / "model.training").exists()
    about = json.loads((model / "model.json").read_text(encoding="utf-8"))["about"]
    assert about["training_windows"] == 48
    assert len(about["validation_losses"]) == about["epochs_trained"]
    assert plan(*words, "--out", model).exit_code == 2  # a planner is there
    found = plan("evaluate", model, "--data", data, "--json", "--replicates", 10)
    assert found.exit_code == 0, found.output
    scores = {(r["name"], r["group"]["average"]): r["estimate"] for r in
              json.loads(found.stdout)["results"]}  # fmt: skip
    assert scores["f1", "sample"] == 1  # the turn before says it all
    table = tmp_path / "t.csv"
    table.write_text("context\nplease bring it !\n\n", encoding="utf-8")
    asked = plan("predict", model, table, "--out", tmp_path / "p.parquet")
    assert asked.exit_code == 0, asked.output
    assert pl.read_parquet(tmp_path / "p.parquet")["labels"][0].to_list() == [
        "commissive", "happiness",
    ]  # fmt: skip


def test_training_that_was_stopped_goes_on_with_the_same_command(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from attunement.planning import storage

    base = save_bert(tmp_path / "base")
    words = ("train", "--data", data, "--planner", "encoder", "--base-model", base, "--epochs", 3)
    with monkeypatch.context() as patch:

        def stop(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        patch.setattr(storage, "write", stop)
        assert plan(*words, "--out", tmp_path / "m").exit_code == 130
    assert (tmp_path / "m.training").is_dir()
    other = plan(*words, "--seed", 2, "--out", tmp_path / "m")
    assert other.exit_code == 2
    assert "--restart" in other.output
    again = plan(*words, "--out", tmp_path / "m")
    assert again.exit_code == 0, again.output
    assert "It went on from step 6" in " ".join(again.output.split())
    assert not (tmp_path / "m.training").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--planner", "encoder", "--base-model", "absent"), "base model cannot be loaded"),
        (("--planner", "encoder", "--threshold", "high"), "--threshold lies between 0 and 1"),
        (("--planner", "encoder", "--threshold", "1"), "--threshold lies between 0 and 1"),
        (("--planner", "seq2seq", "--learning-rate", "0"), "learning rate must be above 0"),
    ],
)
def test_wrong_words_are_answered(
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "absent").mkdir()
    result = plan("train", "--data", data, "--out", tmp_path / "m", *words)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())
    assert not (tmp_path / "m").exists()
