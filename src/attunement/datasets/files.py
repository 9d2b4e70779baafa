"""Load files without being told what they are: the columns say it."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from attunement.datasets import counselchat, tabular, transcripts
from attunement.datasets.base import Loaded, Options
from attunement.errors import UserError
from attunement.tables import read_frame

SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")


def load(path: str | Path | None, options: Options) -> Loaded:
    """Load a file as transcripts, CounselChat or a table, whichever its columns fit.

    Raises
    ------
    UserError
        Where the file cannot be read or fits none of them.

    """
    if path is None:
        raise UserError("which file? Give its path.")
    return load_all([Path(path)], options, name=Path(path).name)


def load_all(paths: list[Path], options: Options, *, name: str) -> Loaded:
    """Load files that are parts of one source; rows are numbered through."""
    where = ", ".join(map(str, paths))
    if all(path.suffix.lower() in (".json", ".jsonl", ".ndjson") for path in paths):
        # Read as objects first: a chat may hold what a column of text cannot.
        chats = [record for path in paths for record in transcripts.records(path)]
        if any(shape in record for record in chats for shape in transcripts.SHAPES):
            return transcripts.from_records(chats, options, name=name, where=where)
    frame = pl.concat([_frame(path) for path in paths], how="diagonal_relaxed")
    if any(shape in frame.columns for shape in transcripts.SHAPES):
        return transcripts.from_records(transcripts.rows_of(frame), options, name=name, where=where)
    layout = counselchat.layout_of(frame.columns)
    if layout is not None and not options.mapping:
        return counselchat.from_frame(frame, layout, options, where=where)
    return tabular.from_frame(frame, options, name=name, where=where)


def _frame(path: Path) -> pl.DataFrame:
    if path.suffix.lower() != ".json":
        return read_frame(path)
    return pl.DataFrame(list(transcripts.records(path)), infer_schema_length=None, strict=False)
