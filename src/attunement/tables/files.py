"""Read and write tables: Parquet, CSV, TSV and JSONL, whole or in batches."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

import polars as pl

from attunement.decoding import decode_json
from attunement.errors import UserError
from attunement.tables.checking import require
from attunement.tables.conform import as_text, conform, empty
from attunement.tables.schema import SUFFIXES, Kind

if TYPE_CHECKING:
    from attunement.tables.conform import Frame


def read_frame(path: str | Path) -> pl.DataFrame:
    """Read any Parquet, CSV, TSV or JSONL file as text-faithful columns, whatever its schema.

    CSV is read with every column as text; a byte-order mark is accepted, other encodings than UTF-8
    and a wrong delimiter are errors that say so.

    Raises
    ------
    UserError
        Where the file is missing, empty, of an unknown kind, or cannot be decoded.

    """
    file = Path(path)
    if not file.exists():
        raise UserError("no such file.", where=str(path), fix="Check the path.")
    if file.is_dir():
        raise UserError("this is a folder, not a table.", where=str(path))
    if file.stat().st_size == 0:
        raise UserError("the file is empty.", where=str(path))
    suffix = file.suffix.lower()
    try:
        if suffix == ".parquet":
            return pl.read_parquet(file)
        if suffix in (".csv", ".tsv"):
            return _read_csv(file, "\t" if suffix == ".tsv" else ",")
        if suffix in (".jsonl", ".ndjson"):
            return _read_jsonl(file)
    except pl.exceptions.PolarsError as error:
        raise UserError(
            f"cannot be read: {str(error).splitlines()[0]}.", where=str(path)
        ) from error
    raise UserError(
        f"unknown kind of file {suffix!r}.",
        where=str(path),
        fix=f"Use one of {', '.join(SUFFIXES)}.",
    )


def text_of(file: Path) -> str:
    """Return a file's text, UTF-8 or UTF-16 by its byte-order mark; say where it is neither."""
    raw = file.read_bytes()
    wide = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        return raw.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise UserError(
            f"byte 0x{raw[error.start]:02x} in line {line} is not {'UTF-16' if wide else 'UTF-8'}.",
            where=str(file),
            fix="Save the file as UTF-8 (for example: iconv -f LATIN1 -t UTF-8).",
        ) from None


def _read_csv(file: Path, separator: str) -> pl.DataFrame:
    text = text_of(file)
    if "\n" not in text:
        text = text.replace("\r", "\n")  # the line ends of old Macs
    header = text.split("\n", 1)[0]
    if separator not in header:
        other = next((s for s in ";\t|," if s != separator and s in header), None)
        if other:
            raise UserError(
                f"the header has no {separator!r} but {other!r}: a wrong delimiter?",
                where=str(file),
                fix=f"Save the file with {separator!r} between the columns.",
            )
    try:
        table = pl.read_csv(text.encode(), separator=separator, infer_schema=False)
    except pl.exceptions.ComputeError:
        _refuse_long_row(text, separator, file)
        raise
    for name in table.columns:
        twice = re.fullmatch(r"(.+)_duplicated_\d+", name, re.DOTALL)
        if twice is not None and twice[1] in table.columns:
            raise UserError(f"the header names {twice[1]!r} twice.", where=str(file))
    return table


def _refuse_long_row(text: str, separator: str, file: Path) -> None:
    """Raise where a row has more fields than the header, and name the first."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    header, start = 0, 1
    try:
        for row in rows:
            header = header or len(row)
            if len(row) > header:
                raise UserError(
                    f"the row in line {start} has {len(row)} fields, the header has {header}.",
                    where=str(file),
                    fix=f"Put a text that holds {separator!r} into double quotes.",
                )
            start = rows.line_num + 1
    except csv.Error:  # what it is, the reader of tables says
        return


def _read_jsonl(file: Path) -> pl.DataFrame:
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(text_of(file).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = decode_json(line)
        except ValueError as error:
            raise UserError(f"not valid JSON: {error}.", where=f"{file}, line {number}") from None
        if not isinstance(row, dict):
            raise UserError("a line is not a JSON object.", where=f"{file}, line {number}")
        rows.append(row)
    if not rows:
        raise UserError("the file has no rows.", where=str(file))
    names = list(dict.fromkeys(key for row in rows for key in row))
    try:
        return pl.DataFrame([_json_column(n, [row.get(n) for row in rows]) for n in names])
    except UnicodeEncodeError:
        raise UserError(
            "a text holds half of a surrogate pair (an escape from \\ud800 to \\udfff).",
            where=str(file),
            fix="Write the file again from the texts, with a JSON library.",
        ) from None


def _json_column(name: str, values: list[Any]) -> pl.Series:
    # Nested or mixed values travel as JSON text; `conform` decodes them by the schema.
    if any(isinstance(v, (list, dict)) for v in values):
        return pl.Series(name, [as_text(v) for v in values], dtype=pl.String)
    # A mixture of types as well: as numbers, 9007199254740993 beside 1.5 would lose its last digit.
    if len({type(v) for v in values if v is not None}) > 1:
        return pl.Series(name, [as_text(v) for v in values], dtype=pl.String)
    if any(isinstance(v, int) and abs(v) >= 2**63 for v in values):
        return pl.Series(name, [as_text(v) for v in values], dtype=pl.String)
    return pl.Series(name, values)


def read_table(path: str | Path, kind: Kind) -> pl.DataFrame:
    """Read and validate one of the four tables.

    Raises
    ------
    UserError
        Where the file cannot be read or the table is not valid.

    """
    return require(read_frame(path), kind, where=str(path))


def write_table(frame: Frame, path: str | Path, kind: Kind) -> None:
    """Write a table by its suffix: Parquet, CSV, TSV or JSONL; whole or not at all."""
    write_frame(conform(frame, kind), path)


def write_frame(table: pl.DataFrame, path: str | Path, *, spreadsheet: bool = False) -> None:
    """Write any table by its suffix: Parquet, CSV, TSV or JSONL; whole or not at all.

    Parameters
    ----------
    table
        Its lists become JSON text in CSV and TSV.
    path
        The file; its folder is made where it does not exist.
    spreadsheet
        Whether people open it: texts of CSV and TSV are then as `for_spreadsheet` has them.

    Raises
    ------
    UserError
        Where the suffix is that of no table.

    """
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}.part")
    suffix = file.suffix.lower()
    if suffix == ".parquet":
        table.write_parquet(part)
    elif suffix in (".csv", ".tsv"):
        flat = encode_nested(table)
        flat = for_spreadsheet(flat) if spreadsheet else flat
        flat.write_csv(part, separator="\t" if suffix == ".tsv" else ",")
    elif suffix in (".jsonl", ".ndjson"):
        table.write_ndjson(part)
    else:
        raise UserError(
            f"cannot write {suffix!r}.", where=str(path), fix=f"Use one of {', '.join(SUFFIXES)}."
        )
    part.replace(file)


def for_spreadsheet(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table so that no spreadsheet takes a text in it for a formula.

    A text that starts with ``=``, ``+``, ``-``, ``@``, a tab or a return gets an apostrophe before
    it. For tables that people open; the four tables stay as they are.
    """
    text = pl.col(pl.String)
    return table.with_columns(
        pl.when(text.str.contains(r"^[=+\-@\t\r]")).then("'" + text).otherwise(text).name.keep()
    )


def encode_nested(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with list columns as JSON text, ready for CSV."""
    nested = [c for c, t in table.schema.items() if t.is_nested()]
    return table.with_columns(
        pl.Series(c, [as_text(v) for v in table[c].to_list()], dtype=pl.String) for c in nested
    )


def iter_batches(path: str | Path, kind: Kind, *, size: int = 4096) -> Iterator[pl.DataFrame]:
    """Yield a table in batches of at most ``size`` rows, without holding a Parquet file in memory.

    Batches are conformed, not checked across batches; CSV and JSONL are read whole first.
    """
    file = Path(path)
    if file.suffix.lower() != ".parquet" or not file.exists():
        table = conform(read_frame(file), kind)
        for start in range(0, table.height, size):
            yield table.slice(start, size)
        return
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as parquet:
        for batch in parquet.iter_batches(batch_size=size):
            yield conform(cast(pl.DataFrame, pl.from_arrow(batch)), kind)


class TableWriter:
    """Write one table in batches: Parquet by row groups, other formats gathered till the end.

    A context manager; the file appears under its name only when the block ends without an error.
    """

    def __init__(self, path: str | Path, kind: Kind) -> None:
        self.path = Path(path)
        self.kind = kind
        self.rows = 0
        self._part = self.path.with_name(f".{self.path.name}.part")
        self._batches: list[pl.DataFrame] = []
        self._writer: Any = None

    def __enter__(self) -> Self:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        return self

    def write(self, frame: Frame) -> None:
        """Append rows."""
        table = conform(frame, self.kind)
        self.rows += table.height
        if self.path.suffix.lower() != ".parquet":
            self._batches.append(table)
            return
        import pyarrow.parquet as pq

        arrow = table.to_arrow()
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._part, arrow.schema, compression="zstd")
        self._writer.write_table(arrow)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._writer is not None:
            self._writer.close()
        if kind is not None:
            self._part.unlink(missing_ok=True)
        elif self._writer is not None:
            self._part.replace(self.path)
        else:
            whole = pl.concat(self._batches) if self._batches else empty(self.kind)
            write_table(whole, self.path, self.kind)
