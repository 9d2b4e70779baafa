"""A planner as a folder: ``model.json``, and ``arrays.npz`` or ``network/`` where it has them.

Nothing in it is executed when it is read: JSON, NumPy arrays without objects, safetensors.
"""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from attunement.decoding import decode_json
from attunement.errors import UserError
from attunement.models import folder as folders
from attunement.models import hf_models
from attunement.models.folder import HEADER
from attunement.planning.formats import ARRAYS, NETWORK, READERS, parts
from attunement.planning.labels import LabelSet
from attunement.planning.planner import Planner
from attunement.planning.windows import TARGETS, Target

FORMAT = "attunement-planner@1"
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
    state, arrays, network = parts(planner)
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

    def fill(new: Path) -> None:
        if arrays:
            np.savez_compressed(new / ARRAYS, allow_pickle=False, **arrays)
        if network is not None:
            hf_models.save(network.model, network.tokenizer, new / NETWORK)

    folders.write(folder, header, fill)


def refuse(folder: Path, *, force: bool = False) -> None:
    """Refuse to write a planner where something is already.

    Raises
    ------
    UserError
        Where the folder exists, unless it is a planner's alone and ``force`` is set.
    """
    folders.refuse(folder, FORMAT, "planner", parts=(ARRAYS, NETWORK), force=force)


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
        if folder.is_file():
            what = "this is a file; a planner or tagger is a folder."
        else:
            found = "it has no model.json" if folder.is_dir() else "there is no such folder"
            what = f"this is no planner or tagger: {found}."
        raise UserError(
            what,
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
