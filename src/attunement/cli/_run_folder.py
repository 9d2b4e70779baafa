"""A run folder where a command takes a table of ratings."""

from __future__ import annotations

from pathlib import Path

from attunement.errors import UserError
from attunement.runs import Run
from attunement.tables import Kind


def ratings_file(path: Path) -> Path:
    """Return the ratings table of a run folder, or the path itself where it is no folder.

    Raises
    ------
    UserError
        Where the folder has no ratings table.
    """
    if not path.is_dir():
        return path
    run = Run(path)
    if not run.has("ratings"):
        raise UserError(
            "this folder has no ratings.parquet.",
            where=str(path),
            fix="Name the folder of a run that has ratings, or a table of ratings.",
        )
    return run.table_path("ratings")


def table_beside(path: Path, kind: Kind, given: Path | None) -> Path | None:
    """Return the table that was named, else the run folder's own, where ``path`` is one."""
    if given is not None or not path.is_dir() or not Run(path).has(kind):
        return given
    return Run(path).table_path(kind)
