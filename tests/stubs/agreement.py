"""Ratings of twelve items by three raters, and ``attunement agreement`` on a table of them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import typer
from typer.testing import CliRunner, Result

from attunement import tables
from attunement.cli.agreement import agreement

app = typer.Typer()
app.command()(agreement)

VALUES = np.array(
    [[1, 2, 1], [3, 3, 4], [5, 4, 5], [2, math.nan, 3], [2, 2, 2], [4, 5, 5], [1, 1, 3], [3, 4, 3],
     [2, 2, 1], [5, 5, 4], [2, 3, 1], [4, 4, 4]]
)  # fmt: skip
"""Ratings of each item; one is missing."""
RATERS = ("ann", "bo", "cy")


def run(path: Path, *words: str) -> Result:
    """Run the command on a table, with or without success."""
    result = CliRunner().invoke(app, [str(path), *words])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def found(path: Path, *words: str) -> dict[str, Any]:
    """Return what the command finds, as a program reads it."""
    result = run(path, *words, "--json")
    assert result.exit_code == 0, result.output
    answer: dict[str, Any] = json.loads(result.stdout)
    assert answer["schema_version"] == 1
    return answer


def refused(path: Path, *words: str) -> str:
    """Return what the command says to a mistake."""
    result = run(path, *words)
    assert result.exit_code == 2, result.output
    return " ".join(result.output.split())


def write(tmp_path: Path, text: str, name: str = "t.csv") -> Path:
    """Write a table as it stands."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def long(tmp_path: Path, **more: list[str]) -> Path:
    """Write the ratings a row each, with more columns of a value for each item."""
    frame = pl.DataFrame(
        [
            {"item_id": f"i{i}", "rater": r, "value": v, **{k: w[i] for k, w in more.items()}}
            for i, row in enumerate(VALUES)
            for r, v in zip(RATERS, row, strict=True)
        ]
    ).with_columns(pl.col("value").fill_nan(None))
    frame.write_csv(tmp_path / "long.csv")
    return tmp_path / "long.csv"


def rating(i: int, rater: str, value: float | None, **more: Any) -> dict[str, Any]:
    """Return a row of the package's own table of ratings."""
    row = {
        "unit": "response",
        "unit_id": f"r{i}",
        "item_id": f"q{i // 4}",
        "source": ("a", "b")[i % 2],
        "rater": rater,
        "rater_kind": "human",
        "instrument": "test@1",
        "dimension": "empathy",
        "value": value,
        "status": "not_sure" if value is None else "ok",
    }
    return {**row, **more}


def our_ratings(tmp_path: Path, *more: dict[str, Any]) -> Path:
    """Write the package's own table of ratings, with more rows."""
    rows = [
        rating(i, r, None if math.isnan(v) else float(v))
        for i, row in enumerate(VALUES)
        for r, v in zip(RATERS, row, strict=True)
    ]
    path = tmp_path / "ratings.parquet"
    tables.write_table(pl.DataFrame([*rows, *more], infer_schema_length=None), path, "ratings")
    return path
