"""A table with one number for each source and metric: ``attunement score --systems``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from attunement import tables
from attunement.errors import UserError
from attunement.stats.result import Result
from attunement.stats.system_scores import NUMBERS, SAID

SCHEMA = pl.Schema(
    {
        "source": pl.String(),
        "metric": pl.String(),
        **NUMBERS,
        **SAID,
    }
)
_NEEDED = ("source", "metric", "estimate")


def system_table(results: Sequence[Result]) -> pl.DataFrame:
    """Return results that are about a source and a metric as a table; empty where undefined."""
    rows = [{**result.as_json(), **result.group} for result in results]
    return pl.DataFrame([{name: row[name] for name in SCHEMA} for row in rows], schema=SCHEMA)


def read_system_table(path: str | Path) -> list[Result]:
    """Return the results that `system_table` wrote, or those of a table of one's own.

    Only ``source``, ``metric`` and ``estimate`` are needed; the rest may be missing.

    Raises
    ------
    UserError
        Where a column is missing or no number, there are no rows, a source or metric is empty, or
        one stands twice.

    """
    frame = tables.read_frame(path)
    where = str(path)
    lacking = [name for name in _NEEDED if name not in frame.columns]
    if lacking:
        raise UserError(
            f"the table has no column {lacking[0]!r}.",
            where=where,
            fix="Write it with 'attunement score --systems', or give source, metric and estimate.",
        )
    if not frame.height:
        raise UserError("the table has no rows.", where=where)
    kept = [name for name in SCHEMA if name in frame.columns]
    try:
        table = frame.select(pl.col(name).cast(SCHEMA[name]) for name in kept)
    except pl.exceptions.PolarsError as error:
        said = str(error).splitlines()[0]
        raise UserError(f"a value has the wrong type: {said}.", where=where) from None
    keys = table.select("source", "metric")
    if any(not (cell or "").strip() for row in keys.iter_rows() for cell in row):
        raise UserError("a source or a metric is empty.", where=where)
    if keys.is_duplicated().any():
        source, metric = keys.filter(keys.is_duplicated()).row(0)
        raise UserError(f"{metric!r} of {source!r} stands there more than once.", where=where)
    return [_result(row) for row in table.iter_rows(named=True)]


def _result(row: dict[str, object]) -> Result:
    def of(name: str) -> float:
        value = row.get(name)
        return float(value) if isinstance(value, int | float) else math.nan

    level = of("ci_level")
    counts = {name: 0 if math.isnan(of(name)) else int(of(name)) for name in ("n", "n_missing")}
    return Result(
        name=str(row.get("name") or "given"),
        estimate=of("estimate"),
        ci_low=of("ci_low"),
        ci_high=of("ci_high"),
        ci_level=0.95 if math.isnan(level) else level,
        n=counts["n"],
        n_missing=counts["n_missing"],
        method=str(row.get("method") or "as given"),
        group={"source": str(row["source"]), "metric": str(row["metric"])},
        signature=str(row.get("signature") or ""),
        reason=None if row.get("reason") is None else str(row["reason"]),
    )
