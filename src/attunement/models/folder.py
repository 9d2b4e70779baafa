"""A model's folder: ``model.json`` and what belongs to it, written whole or not at all."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from attunement.decoding import decode_json
from attunement.errors import UserError, first_of

HEADER = "model.json"


def write(
    folder: Path, header: Mapping[str, Any], fill: Callable[[Path], None] | None = None
) -> None:
    """Write a folder in the place of one that may be there; see `refuse` first.

    Parameters
    ----------
    folder
        Where to.
    header
        What ``model.json`` says.
    fill
        Writes the rest into the folder that it is given.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as made:
        new = Path(made) / "new"
        new.mkdir()
        if fill is not None:
            fill(new)
        text = json.dumps(header, ensure_ascii=False, indent=1, allow_nan=False)
        (new / HEADER).write_text(text + "\n", encoding="utf-8")
        if folder.exists():
            shutil.move(folder, Path(made) / "old")
        new.rename(folder)


def refuse(
    folder: Path, format: str, what: str, *, parts: Collection[str] = (), force: bool = False
) -> None:
    """Refuse to write a model where something is already.

    Parameters
    ----------
    folder
        Where it shall go.
    format
        Of a header that may be written over.
    what
        What the user calls such a model, such as "generator".
    parts
        What such a folder holds beside its header; where more is there, it may not be written
        over.
    force
        Whether it may.

    Raises
    ------
    UserError
        Where the folder exists, unless it is such a model and nothing else, and ``force`` is set.
    """
    if not folder.exists() and not folder.is_symlink():
        _refuse_above(folder)
        return
    if folder.is_dir() and not any(folder.iterdir()):
        return
    ours = _format(folder) == format
    known = {HEADER, *parts}
    if ours and (more := sorted(p.name for p in folder.iterdir() if p.name not in known)):
        raise UserError(
            f"a {what} is there already, and {first_of(more, 3)} beside it.",
            where=str(folder),
            fix="Give another --out.",
        )
    if not (force and ours):
        said = f"a {what} is" if ours else f"something that is no {what} is"
        fix = "Give another --out" + (", or write over it with --force." if ours else ".")
        raise UserError(f"{said} there already.", where=str(folder), fix=fix)


def _refuse_above(folder: Path) -> None:
    """Refuse a folder that cannot be made, since a file is where one would be above it."""
    above = next((p for p in folder.parents if p.exists()), None)
    if above is not None and not above.is_dir():
        raise UserError(f"{above} is no folder.", where=str(folder), fix="Give another --out.")


def read(folder: Path, format: str, what: str, make: str) -> dict[str, Any]:
    """Return a folder's header.

    Parameters
    ----------
    folder, format, what
        See `refuse`.
    make
        The command that makes one.

    Raises
    ------
    UserError
        Where it has none, or one of another format.
    """
    if not (folder / HEADER).is_file():
        raise UserError(
            f"this is no {what}: it has no {HEADER}.", where=str(folder), fix=f"Make one: {make}."
        )
    found = _format(folder)
    if found != format:
        raise UserError(
            f"this is no {what}, or a damaged one: its format is {found!r} and not {format!r}.",
            where=str(folder),
            fix=f"Make one: {make}.",
        )
    header: dict[str, Any] = decode_json((folder / HEADER).read_bytes())
    return header


def _format(folder: Path) -> object:
    try:
        header = decode_json((folder / HEADER).read_bytes())
    except (OSError, ValueError):
        return None
    return header.get("format") if isinstance(header, dict) else None
