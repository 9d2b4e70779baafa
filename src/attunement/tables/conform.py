"""Bring any frame into the shape of one of the four tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from attunement.decoding import decode_json
from attunement.errors import UserError, nearest
from attunement.tables.schema import DEFAULTS, REQUIRED, SCHEMAS, SPANS, TURNS, Kind

if TYPE_CHECKING:
    import pandas as pd

    Frame = pl.DataFrame | pd.DataFrame


def empty(kind: Kind) -> pl.DataFrame:
    """Return a table of ``kind`` with no rows."""
    return pl.DataFrame(schema=SCHEMAS[kind])


def to_polars(frame: Frame) -> pl.DataFrame:
    """Return ``frame`` as polars, whether it is a polars or a pandas frame."""
    if isinstance(frame, pl.DataFrame):
        return frame
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    if type(frame).__module__.startswith("pandas"):
        return pl.from_pandas(frame)
    raise TypeError(f"expected a polars or pandas frame, got {type(frame).__name__}")


def needed(kind: Kind) -> str:
    """Say which columns a table must have."""
    return f"A {kind} table needs the columns {', '.join(REQUIRED[kind])} (see the page on tables)."


def conform(frame: Frame, kind: Kind) -> pl.DataFrame:
    """Return ``frame`` with exactly the columns of ``kind``, in order and of the right type.

    Missing optional columns come as nulls or their default; JSON text in nested columns is decoded;
    a missing ``response_id`` is made from item, source and candidate; a missing ``unit_id`` is not
    invented. Columns that the schema does not know are dropped.

    Raises
    ------
    UserError
        Where a required column is missing or a value does not fit its type.

    """
    table = to_polars(frame)
    schema = SCHEMAS[kind]
    for column in REQUIRED[kind]:
        if column not in table.columns:
            # A column that has its own place is not the missing one under another name.
            guess = nearest(column, [c for c in table.columns if c not in schema])
            raise UserError(
                f"the {kind} table has no column {column!r}; "
                f"it has {', '.join(table.columns) or 'none'}.",
                fix=f"Rename {guess!r} if that is it." if guess else needed(kind),
            )
    columns = []
    for name, dtype in schema.items():
        default = DEFAULTS[kind].get(name)
        if name not in table.columns:
            columns.append(pl.lit(default, dtype=dtype).alias(name))
            continue
        values = _cast(table[name], dtype, kind)
        columns.append(pl.lit(values if default is None else values.fill_null(default)).alias(name))
    if not table.height:
        return empty(kind)
    out = table.select(columns)
    if kind == "responses" and out["response_id"].null_count():
        made = pl.concat_str(
            [pl.col("item_id"), pl.col("source"), pl.col("candidate").cast(pl.String)],
            separator="/",
        )
        out = out.with_columns(response_id=pl.col("response_id").fill_null(made))
    return out


def _cast(column: pl.Series, dtype: pl.DataType, kind: Kind) -> pl.Series:
    """Cast one column, decoding JSON text for nested types."""
    if column.dtype == dtype:
        return column
    if isinstance(dtype, pl.List) and column.dtype == pl.String:
        return _decode(column, dtype, kind)
    if column.dtype == pl.Object or (dtype == pl.String and column.dtype.is_nested()):
        column = pl.Series(column.name, [as_text(v) for v in column.to_list()], dtype=pl.String)
    if column.dtype == pl.String and dtype != pl.String:
        column = column.str.strip_chars().replace("", None)
        if isinstance(dtype, pl.Datetime):
            return column.str.to_datetime(time_unit="us", time_zone="UTC", strict=True)
    cast = column.cast(dtype, strict=False)
    lost = (cast.is_null() & column.is_not_null()).arg_true()
    if len(lost):
        row = int(lost[0])
        raise UserError(
            f"{column[row]!r} is not a value of type {_type_name(dtype)}.",
            where=f"{kind} table, row {row + 1}, column {column.name!r}",
        )
    return cast


def _decode(column: pl.Series, dtype: pl.DataType, kind: Kind) -> pl.Series:
    values: list[Any] = []
    for row, text in enumerate(column.to_list()):
        try:
            values.append(None if text is None or not text.strip() else decode_json(text))
        except ValueError as error:
            raise UserError(
                f"not valid JSON: {error}.",
                where=f"{kind} table, row {row + 1}, column {column.name!r}",
                fix="Nested columns are written as JSON text in CSV.",
            ) from None
    try:
        return pl.Series(column.name, values, dtype=dtype, strict=True)
    except (TypeError, pl.exceptions.PolarsError) as error:
        raise UserError(
            f"the JSON does not have the shape {_type_name(dtype)}.",
            where=f"{kind} table, column {column.name!r}",
        ) from error


def as_text(value: Any) -> str | None:
    """Return text as it is and anything else as JSON."""
    if value is None:
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _type_name(dtype: pl.DataType) -> str:
    if dtype == TURNS:
        return "list of {role, text}"
    if dtype == SPANS:
        return "list of {start, end, text, label}"
    return {"String": "text", "Int64": "whole number", "Float64": "number"}.get(
        str(dtype), str(dtype)
    )
