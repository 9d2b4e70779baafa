"""Tables written batch by batch: Parquet, and CSV beside it for spreadsheets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import polars as pl

from attunement.tables import encode_nested, for_spreadsheet

Write = Callable[[pl.DataFrame], None]


@contextmanager
def batch_file(path: Path, schema: Mapping[str, pl.DataType], *, csv: bool) -> Iterator[Write]:
    """Open a Parquet file, and a CSV file of the same name, for frames of one schema.

    The files appear under their names when the block ends without an error, with no rows where none
    were written; without ``csv`` a CSV file of the name is removed. In the CSV lists are JSON text,
    and a text that a spreadsheet would take for a formula has an apostrophe before it.
    """
    import pyarrow.parquet as pq

    sheet = path.with_suffix(".csv")
    parts = {path: _part(path), **({sheet: _part(sheet)} if csv else {})}
    empty = pl.DataFrame(schema=schema)
    try:
        with ExitStack() as open_files:
            arrow = empty.to_arrow().schema
            parquet = open_files.enter_context(
                pq.ParquetWriter(parts[path], arrow, compression="zstd")
            )
            lines = open_files.enter_context(parts[sheet].open("wb")) if csv else None
            if lines is not None:
                encode_nested(empty).write_csv(lines)

            def write(frame: pl.DataFrame) -> None:
                parquet.write_table(frame.select(list(schema)).to_arrow().cast(arrow))
                if lines is not None:
                    for_spreadsheet(encode_nested(frame)).write_csv(lines, include_header=False)

            yield write
    except BaseException:
        for part in parts.values():
            part.unlink(missing_ok=True)
        raise
    for file, part in parts.items():
        part.replace(file)
    if not csv:  # one of an earlier export may hold what was erased since
        sheet.unlink(missing_ok=True)


def _part(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")
