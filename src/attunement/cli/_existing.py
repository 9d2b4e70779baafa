"""Where a command writes its table: a name that it can have, and what may be written over."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attunement.errors import UserError

if TYPE_CHECKING:
    import polars as pl


def refuse_no_table(out: Path) -> None:
    """Refuse a name that no table can have before calls are made and paid for.

    Raises
    ------
    UserError
        Where the file's ending is that of no table, or it is a folder.

    """
    from attunement.tables.schema import SUFFIXES

    if out.suffix.lower() not in SUFFIXES or out.is_dir():
        raise UserError(
            "no table can be written under this name.",
            where=f"--out {out}",
            fix=f"Give a file that ends in {', '.join(SUFFIXES)}.",
        )


def refuse_loss(out: Path, mine: Mapping[str, Collection[str]], *, force: bool) -> None:
    """Refuse to write over a table with rows that the command will not write again.

    A table of the command's own making is written over: that is how a stopped run goes on.

    Parameters
    ----------
    out
        The file; nothing is refused where it is not there or empty.
    mine
        By column, the words of the rows that the command writes, such as its raters.
    force
        Whether all may be lost.

    Raises
    ------
    UserError
        Where other rows are there, or something that is no table of the kind.

    """
    if force or not out.is_file() or not out.stat().st_size:
        return
    fix = "Give another --out, or write over it with --force."
    try:
        there = _read(out, list(mine))
    except UserError as error:
        raise UserError(
            f"a file is there already that is no table: {error.what}", where=f"--out {out}", fix=fix
        ) from None
    for column, own in mine.items():
        if column not in there.columns:
            raise UserError(
                f"a table is there already that has no column {column!r}.",
                where=f"--out {out}",
                fix=fix,
            )
        others = set(map(str, there[column].drop_nulls().unique())) - set(own)
        if others:
            names = ", ".join(sorted(others)[:3]) + (", ..." if len(others) > 3 else "")
            raise UserError(
                f"a table is there already with rows of another {column} ({names}), which would be "
                "lost.",
                where=f"--out {out}",
                fix=fix,
            )


def refuse_clash(written: Mapping[str, Path | None], read: Collection[Path | None]) -> None:
    """Refuse to write a table over one that is read, or two to one place, also with --force.

    Parameters
    ----------
    written
        The file behind each option; None where it was not given.
    read
        Files that the command reads.

    Raises
    ------
    UserError
        Where two are the same.

    """
    sources = {file.resolve() for file in read if file is not None}
    taken: dict[Path, str] = {}
    for option, file in written.items():
        if file is None:
            continue
        place = file.resolve()
        fix = f"Give another {option}."
        if place in sources:
            raise UserError(
                "it would be written over what is read.", where=f"{option} {file}", fix=fix
            )
        if place in taken:
            raise UserError(
                f"{taken[place]} and {option} are the same file.", where=str(file), fix=fix
            )
        taken[place] = option


def refuse_other_table(out: Path | None, option: str, columns: Collection[str]) -> None:
    """Refuse to write over a file that is no table of the kind.

    Raises
    ------
    UserError
        Where one is there that has not all these columns.

    """
    if out is None or not out.is_file() or not out.stat().st_size:
        return
    try:
        there = _read(out, list(columns)).columns
    except UserError:
        there = []
    if not set(columns) <= set(there):
        raise UserError(
            "another file is there already, and would be lost.",
            where=f"{option} {out}",
            fix=f"Give another {option}.",
        )


def _read(file: Path, columns: list[str]) -> pl.DataFrame:
    """Return these columns of a table, those that it has; a large one is not read whole."""
    import polars as pl

    from attunement.tables import read_frame

    if file.suffix.lower() != ".parquet":
        return read_frame(file)
    try:
        names = pl.read_parquet_schema(file)
    except pl.exceptions.PolarsError:
        return read_frame(file)  # which says what is wrong
    return pl.read_parquet(file, columns=[name for name in columns if name in names])
