"""A trained planner as a folder: ``model.json`` and, where it has arrays, ``arrays.npz``.

Nothing in it is executed when it is read: JSON and NumPy arrays without objects.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attunement.decoding import decode_json
from attunement.errors import UserError
from attunement.planning.baselines import ConstantPlanner, RandomPlanner
from attunement.planning.features import Hashing, Vocabulary
from attunement.planning.labels import LabelSet
from attunement.planning.linear import LinearPlanner
from attunement.planning.planner import Planner
from attunement.planning.thresholds import Cut
from attunement.planning.windows import TARGETS, Target

FORMAT = "attunement-planner@1"
HEADER, ARRAYS = "model.json", "arrays.npz"
LARGEST = 2**31
"""Bytes that the arrays may have once unpacked."""

Arrays = Mapping[str, NDArray[Any]]
_UNREADABLE = (
    ValueError, KeyError, TypeError, AttributeError, EOFError, OverflowError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def write(
    planner: Planner,
    folder: Path,
    *,
    target: Target = "next",
    force: bool = False,
    **about: Any,
) -> None:
    """Write a planner to a folder, whole or not at all.

    Parameters
    ----------
    planner
        One of `READERS`' kinds.
    folder
        Must not exist, unless it is a planner's and ``force`` is set.
    target
        Whose labels it says; ``current`` for a tagger.
    about
        What people should know of it, such as its data; JSON.

    Raises
    ------
    UserError
        Where the folder exists.
    """
    refuse(folder, force=force)
    state, arrays = _parts(planner)
    header = {
        "format": FORMAT,
        "kind": planner.kind,
        "target": target,
        "signature": planner.signature,
        "context": planner.context,
        "labels": planner.labels.as_json(),
        **state,
        "about": about,
    }
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as made:
        new = Path(made) / "new"
        new.mkdir()
        text = json.dumps(header, ensure_ascii=False, indent=1, allow_nan=False)
        (new / HEADER).write_text(text + "\n", encoding="utf-8")
        if arrays:
            np.savez_compressed(new / ARRAYS, allow_pickle=False, **arrays)
        if folder.exists():
            shutil.move(folder, Path(made) / "old")
        new.rename(folder)


def refuse(folder: Path, *, force: bool = False) -> None:
    """Refuse to write a planner where something is already.

    Raises
    ------
    UserError
        Where the folder exists, unless it is a planner's and ``force`` is set.
    """
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    ours = (folder / HEADER).is_file() and {p.name for p in folder.iterdir()} <= {HEADER, ARRAYS}
    if not (force and ours):
        what = "a planner is there already." if ours else "something is there that is no planner."
        fix = "Give another --out" + (", or write over it with --force." if ours else ".")
        raise UserError(what, where=str(folder), fix=fix)


def read(folder: Path, *, target: Target = "next") -> Planner:
    """Read a planner; nothing in its folder is executed.

    Parameters
    ----------
    folder
        As `write` wrote it.
    target
        Whose labels it has to say.

    Raises
    ------
    UserError
        Where the folder is no planner, is damaged, is of another format, or says the labels of
        another turn.
    """
    header = header_of(folder)
    if header["target"] != target:
        what, use = (
            ("tags a turn and plans none", "plan tag or plan evaluate")
            if target == "next"
            else ("plans the next turn and tags none", "plan predict")
        )
        raise UserError(
            f"it {what}.",
            where=str(folder),
            fix=f"Use it with {use}, or train another with --target {target}.",
        )
    try:
        reader = READERS.get(header["kind"])
        if reader is None:
            raise ValueError(f"its kind {header['kind']!r} is unknown")
        return reader(header, LabelSet.from_json(header["labels"]), folder)
    except _UNREADABLE as error:
        raise _damaged(folder, error) from error


def header_of(folder: Path) -> dict[str, Any]:
    """Return what a planner's ``model.json`` says; ``target`` is always there.

    Raises
    ------
    UserError
        Where the folder is no planner, or the file is damaged or of another format.
    """
    file = folder / HEADER
    if not file.is_file():
        raise UserError(
            "this is no planner: it has no model.json.",
            where=str(folder),
            fix="Make one: attunement plan train --data DIR --out MODEL.",
        )
    try:
        header = decode_json(file.read_bytes())
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise ValueError(f"its format is not {FORMAT!r}")
        if header.setdefault("target", "next") not in TARGETS:
            raise ValueError(f"its target {header['target']!r} is unknown")
    except _UNREADABLE as error:
        raise _damaged(folder, error) from error
    return header


def _damaged(folder: Path, error: Exception) -> UserError:
    what = f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
    return UserError(
        f"the planner cannot be read: {what}.", where=str(folder), fix="Train it again."
    )


def _parts(planner: Planner) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return what a planner's JSON file holds, and its arrays."""
    if isinstance(planner, ConstantPlanner | RandomPlanner):
        return planner.state(), {}
    if not isinstance(planner, LinearPlanner):
        raise TypeError(f"no way to write a planner of kind {planner.kind!r}")
    state = {
        "names": list(planner.names),
        "words": planner.hashing.words,
        "bits": planner.hashing.bits,
        "longest": planner.cut.longest,
        "shortest": planner.cut.shortest,
        "thresholds": planner.cut.thresholds.tolist(),
    }
    arrays = {
        "columns": planner.vocabulary.columns,
        "idf": planner.vocabulary.idf,
        "weights": planner.weights,
        "intercept": planner.intercept,
    }
    return state, arrays


def _constant(header: dict[str, Any], labels: LabelSet, _: Path) -> Planner:
    sequence = labels.sequence([str(label) for label in header["sequence"]])
    return ConstantPlanner(labels, sequence, header["kind"], _whole(header, "context", 1, 1000))


def _random(header: dict[str, Any], labels: LabelSet, _: Path) -> Planner:
    lengths = {int(k): int(n) for k, n in header["lengths"].items()}
    if not lengths or min(lengths) < 0 or max(lengths) > len(labels.labels) - len(labels.silent):
        raise ValueError("lengths are not numbers of labels")
    if min(lengths.values()) < 0 or not sum(lengths.values()):
        raise ValueError("lengths say how often each was seen")
    seed = _whole(header, "seed", 0, 2**63)
    return RandomPlanner(labels, lengths, seed, _whole(header, "context", 1, 1000))


def _linear(header: dict[str, Any], labels: LabelSet, folder: Path) -> Planner:
    names = tuple(str(name) for name in header["names"])
    labels.sequence(names)  # refuses unknown ones
    hashing = Hashing(
        _whole(header, "context", 1, 1000),
        _whole(header, "words", 1, 5),
        _whole(header, "bits", 1, 24),
    )
    thresholds = np.array(header["thresholds"], dtype=np.float64)
    if thresholds.shape != (len(names),) or not (thresholds > 0).all():
        raise ValueError("the thresholds are not one for each label, above 0")
    longest = _whole(header, "longest", 0, len(names))
    cut = Cut(thresholds, longest, _whole(header, "shortest", 0, len(names)))
    arrays = _arrays(folder / ARRAYS)
    used = len(arrays["columns"])
    shapes = {
        "columns": (np.int32, (used,)), "idf": (np.float32, (used,)),
        "weights": (np.float32, (used, len(names))), "intercept": (np.float32, (len(names),)),
    }  # fmt: skip
    for name, (dtype, shape) in shapes.items():
        if arrays[name].dtype != dtype or arrays[name].shape != shape:
            raise ValueError(f"{name} is {arrays[name].dtype}{arrays[name].shape}")
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} holds what is no number")
    columns = arrays["columns"]
    if used and ((np.diff(columns) <= 0).any() or columns[0] < 0 or columns[-1] >= hashing.columns):
        raise ValueError("the columns are not ascending")
    return LinearPlanner(
        labels,
        names,
        hashing,
        Vocabulary(columns, arrays["idf"]),
        arrays["weights"],
        arrays["intercept"],
        cut,
        str(header["signature"]),
    )


def _arrays(file: Path) -> Arrays:
    if not file.is_file():
        raise ValueError(f"{file.name} is missing")
    # Opened here, because NumPy leaves a file open that turns out not to be a zip archive.
    with file.open("rb") as raw:
        with zipfile.ZipFile(raw) as archive:
            if sum(part.file_size for part in archive.infolist()) > LARGEST:
                raise ValueError("its arrays are too large")
        raw.seek(0)
        with np.load(raw, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}


def _whole(header: Mapping[str, Any], key: str, least: int, most: int) -> int:
    value = header[key]
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{key} is no whole number from {least} to {most}")
    return value


Reader = Callable[[dict[str, Any], LabelSet, Path], Planner]

READERS: dict[str, Reader] = {
    "linear": _linear,
    "random": _random,
    "majority": _constant,
    "constant": _constant,
}
"""Kind of planner -> what makes it from its file. Further kinds are entered here."""
