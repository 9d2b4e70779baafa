"""Fine-tuning: going on after a kill gives the same weights, and stops where nothing is gained."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from attunement.errors import UserError
from attunement.models import checkpoints, hf_models, hf_training
from attunement.models.hf_training import Fit, Fitted
from stubs import tiny_hf

TRAINING = [{"ids": [i % 5 + 2, (i + 1) % 5 + 2, 9, 3 + i % 2, 0]} for i in range(12)]
VALIDATION = TRAINING[:4]
RANDOM = [{"ids": [(7 * i) % 20 + 2, (3 * i) % 20 + 2, 0]} for i in range(4)]
ORDER = Fit(epochs=3, learning_rate=1e-2, batch_size=4, patience=None)


class Killed(Exception):
    pass


@pytest.fixture(autouse=True)
def only_transformers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("train"):
        tiny_hf.no_datasets(monkeypatch)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("transformers")
    return tiny_hf.save_gpt2(tmp_path_factory.mktemp("base") / "gpt2")


def collate(examples: list[Any]) -> dict[str, Any]:
    import torch

    ids = torch.tensor([e["ids"] for e in examples])
    return {"input_ids": ids, "labels": ids}


def fitted(
    base: Path, folder: Path, order: Fit = ORDER, kill_at: int | None = None, **how: Any
) -> tuple[Fitted, list[float]]:
    model, _ = hf_models.load_base(str(base), "AutoModelForCausalLM", seed=order.seed)
    done = 0

    def advance(n: int) -> None:
        nonlocal done
        done += n
        if kill_at is not None and done >= kill_at:
            raise Killed

    how = {"validation": VALIDATION, "training": TRAINING, "fingerprint": {"data": "a"}, **how}
    found = hf_training.fit(
        model, how.pop("training"), how.pop("validation"), collate, order, folder,
        advance=advance, **how,
    )  # fmt: skip
    return found, model.transformer.wte.weight.detach().flatten().tolist()


@pytest.mark.train
@pytest.mark.parametrize(("kill_at", "resumed"), [(5, 4), (7, 6)])
def test_what_was_killed_goes_on_and_ends_with_the_same_weights(
    base: Path, tmp_path: Path, kill_at: int, resumed: int
) -> None:
    # Nine steps; a checkpoint after each, so that the seventh is within an epoch.
    whole, weights = fitted(base, tmp_path / "whole")
    with pytest.raises(Killed):
        fitted(base, tmp_path / "killed", kill_at=kill_at, save_every_s=0)
    again, same = fitted(base, tmp_path / "killed", save_every_s=0)
    assert (whole.resumed, again.resumed) == (0, resumed)
    assert same == weights
    assert again.losses == whole.losses
    assert len(whole.losses) == 3
    assert whole.losses[-1] < whole.losses[0]


@pytest.mark.train
@pytest.mark.parametrize("file", [checkpoints.STATE, "model.safetensors", "optimizer.pt"])
def test_a_checkpoint_that_was_cut_off_while_it_was_written_is_not_used(
    base: Path, tmp_path: Path, file: str
) -> None:
    with pytest.raises(Killed):
        fitted(base, tmp_path / "killed", kill_at=7)
    half = tmp_path / "killed" / "checkpoint-8"
    shutil.copytree(tmp_path / "killed" / "checkpoint-6", half)
    (half / file).write_bytes((half / file).read_bytes()[:-20])
    again, _ = fitted(base, tmp_path / "killed")
    assert again.resumed == 6
    assert len(again.losses) == 3


@pytest.mark.train
def test_training_stops_where_validation_no_longer_gains_and_keeps_the_best(
    base: Path, tmp_path: Path
) -> None:
    order = Fit(epochs=40, learning_rate=5e-2, batch_size=4, patience=2)
    found, _ = fitted(base, tmp_path / "stopped", order, validation=RANDOM)
    assert len(found.losses) < 40
    assert found.best == len(found.losses) - 2
    assert min(found.losses) == found.losses[found.best - 1]
    assert len(found.about["validation_losses"]) == found.about["epochs_trained"]


@pytest.mark.train
@pytest.mark.parametrize("validation", [VALIDATION, RANDOM])
def test_a_training_that_had_ended_before_its_model_was_written_ends_the_same(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, validation: list[Any]
) -> None:
    # With the random examples it stops early, so that the last epoch is not the best.
    order = Fit(epochs=5, learning_rate=5e-2, batch_size=4, patience=2)
    monkeypatch.chdir(tmp_path)
    whole, weights = fitted(base, Path("a"), order, validation=validation)
    (tmp_path / "a").rename(tmp_path / "moved")
    monkeypatch.chdir(base)
    again, same = fitted(base, tmp_path / "moved", order, validation=validation)
    assert (again.losses, again.best) == (whole.losses, whole.best)
    assert same == weights


@pytest.mark.train
def test_another_training_does_not_go_on_from_it(base: Path, tmp_path: Path) -> None:
    with pytest.raises(Killed):
        fitted(base, tmp_path / "a", kill_at=4)
    with pytest.raises(UserError, match=r"another kind is there: data 'a'"):
        fitted(base, tmp_path / "a", fingerprint={"data": "b"})
    with pytest.raises(UserError, match=r"batch size 4"):
        fitted(base, tmp_path / "a", Fit(3, 1e-2, 2, None))
    again, _ = fitted(base, tmp_path / "a", fingerprint={"data": "b"}, resume=False)
    assert again.resumed == 0
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("keep", encoding="utf-8")
    with pytest.raises(UserError, match="no interrupted training"):
        fitted(base, tmp_path / "notes", resume=False)
    assert (tmp_path / "notes" / "mine.txt").exists()


@pytest.mark.train
def test_a_loss_that_is_no_number_is_said(base: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no number"):
        fitted(base, tmp_path / "n", Fit(1, 1e30, 4))


@pytest.mark.parametrize(
    ("change", "said"),
    [({"epochs": 0}, "epochs"), ({"batch_size": 0}, "batch size"), ({"patience": 0}, "patience"),
     ({"learning_rate": 0.0}, "learning rate"), ({"learning_rate": float("nan")}, "nan")],
)  # fmt: skip
def test_orders_out_of_range_are_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        Fit(**{"epochs": 1, "learning_rate": 1e-5, "batch_size": 1, **change})


def test_steps_are_counted_as_if_training_did_not_stop() -> None:
    assert Fit(3, 1e-5, 4).steps(9) == 9


@pytest.mark.train
def test_a_saved_model_is_read_as_it_was_and_a_damaged_one_refused(
    base: Path, tmp_path: Path
) -> None:
    model, tokenizer = hf_models.load_base(str(base), "AutoModelForCausalLM")
    folder = tmp_path / "saved"
    hf_models.save(model, tokenizer, folder)
    assert len({file.stat().st_mode for file in folder.iterdir()}) == 1
    again, words = hf_models.read(folder, "AutoModelForCausalLM")
    assert again.lm_head.weight.tolist() == model.lm_head.weight.tolist()
    assert words("hello you").input_ids == tokenizer("hello you").input_ids
    assert hf_models.window(again, words) == 32
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, "n_layer": 3}), encoding="utf-8")
    with pytest.raises(UserError, match="it has no weights"):
        hf_models.read(folder, "AutoModelForCausalLM")
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:500])
    with pytest.raises(UserError, match="cannot be read"):
        hf_models.read(folder, "AutoModelForCausalLM")
    weights.unlink()
    with pytest.raises(UserError, match="cannot be read"):
        hf_models.read(folder, "AutoModelForCausalLM")


@pytest.mark.train
def test_a_base_model_in_half_precision_is_trained_in_full(base: Path, tmp_path: Path) -> None:
    import torch

    model, tokenizer = hf_models.load_base(str(base), "AutoModelForCausalLM")
    hf_models.save(model.half(), tokenizer, tmp_path / "half")
    again, _ = hf_models.load_base(str(tmp_path / "half"), "AutoModelForCausalLM")
    assert {p.dtype for p in again.parameters()} == {torch.float32}


@pytest.mark.train
def test_a_base_model_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="base model cannot be loaded"):
        hf_models.load_base(str(tmp_path / "empty"), "AutoModelForCausalLM")
