"""The folder of a training that may be interrupted: what it was, and its last whole checkpoint."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from attunement.decoding import decode_json
from attunement.errors import UserError

STATE = "trainer_state.json"
ORDER = "training.json"


def prepare(folder: Path, wanted: dict[str, Any], resume: bool) -> Path | None:
    """Make a training's folder, and return the checkpoint to go on from, if there is one.

    Parameters
    ----------
    folder
        Empty, not there, or of an interrupted training.
    wanted
        What must be the same for a training to go on; JSON.
    resume
        Where not, what is there is deleted.

    Raises
    ------
    UserError
        Where something else is there, or another training.
    """
    file = folder / ORDER
    if folder.exists() and not file.is_file() and any(folder.iterdir()):
        raise UserError(
            "something is there that is no interrupted training.",
            where=str(folder),
            fix="Move it, or give another --out.",
        )
    if not resume and folder.exists():
        shutil.rmtree(folder)
    if file.is_file():
        _same(_read(file), wanted, folder)
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / f"{ORDER}.new"
    new.write_text(json.dumps(wanted, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    new.replace(file)
    return _last(folder)


def state_of(checkpoint: Path) -> dict[str, Any]:
    """Return the state of a training; empty where the checkpoint is not whole."""
    file = checkpoint / STATE  # it is written last
    state = _read(file) if file.is_file() else None
    if not isinstance(state, dict):
        return {}
    best = state.get("best_model_checkpoint")
    here = None if best is None else str(checkpoint.with_name(Path(best).name))
    if best != here:  # the folder was moved
        state["best_model_checkpoint"] = here
        file.write_text(json.dumps(state, indent=2), encoding="utf-8")
    return state


def ended(state: dict[str, Any], patience: int | None) -> bool:
    """Return whether a training had ended, though its model may not have been written.

    Parameters
    ----------
    state
        See `state_of`; empty where there was none.
    patience
        See `Fit`.
    """
    if not state or state["best_model_checkpoint"] is None:
        return False
    losses = losses_of(state["log_history"])
    since_best = len(losses) - 1 - losses.index(min(losses))
    stopped = patience is not None and since_best >= patience
    return bool(stopped or state["global_step"] >= state["max_steps"])


def losses_of(history: Sequence[Mapping[str, Any]]) -> list[float]:
    """Return the losses on validation examples, epoch by epoch."""
    return [row["eval_loss"] for row in history if "eval_loss" in row]


def step_of(checkpoint: Path) -> int:
    """Return the step of a checkpoint, from its name."""
    step = checkpoint.name.removeprefix("checkpoint-")
    return int(step) if step.isdigit() else -1


def _same(found: object, wanted: dict[str, Any], folder: Path) -> None:
    known = found if isinstance(found, dict) else {}
    # Through JSON and back, as what is in the file went
    other = [k for k, v in decode_json(json.dumps(wanted)).items() if known.get(k) != v]
    if other:
        said = ", ".join(f"{k.replace('_', ' ')} {known.get(k)!r}" for k in other)
        raise UserError(
            f"an interrupted training of another kind is there: {said}.",
            where=str(folder),
            fix="Give what it was started with, or begin again with --restart.",
        )


def _read(file: Path) -> Any:
    try:
        return decode_json(file.read_bytes())
    except ValueError:
        return None


def _last(folder: Path) -> Path | None:
    """Return the last whole checkpoint; delete what a killed process left of a later one."""
    found = sorted(folder.glob("checkpoint-*"), key=step_of)
    while found:
        if state_of(found[-1]) and _whole(found[-1]):
            return found[-1]
        shutil.rmtree(found.pop())
    return None


def _whole(checkpoint: Path) -> bool:
    """Return whether no file of a checkpoint was cut off, as where the power failed."""
    safetensors = import_module("safetensors")
    try:
        for file in checkpoint.glob("*.safetensors"):
            with safetensors.safe_open(file, framework="pt"):
                pass
    except safetensors.SafetensorError:
        return False
    # What torch writes is a zip archive, whose directory stands at its end.
    return all(map(zipfile.is_zipfile, checkpoint.glob("*.pt*")))
