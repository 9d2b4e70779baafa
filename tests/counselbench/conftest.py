"""Ratings on CounselBench-Eval whose numbers can be told in the head."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from attunement import tables

INSTRUMENT = "counselbench-eval@1"


def rating(item: str, source: str, rater: str, dimension: str, value: Any, **more: Any) -> dict:
    """One rating; the value "?" is "not sure"."""
    unsure = value == "?"
    return {
        "unit": "response",
        "unit_id": f"{item}/{source}/0",
        "item_id": item,
        "source": source,
        "rater": rater,
        "rater_kind": "human",
        "instrument": INSTRUMENT,
        "dimension": dimension,
        "value": None if unsure else float(value),
        "status": "not_sure" if unsure else "ok",
    } | more


def table(rows: list[dict]) -> pl.DataFrame:
    return tables.conform(pl.DataFrame(rows, infer_schema_length=None), "ratings")


@pytest.fixture
def make() -> Callable[..., dict]:
    return rating


@pytest.fixture
def ratings_of() -> Callable[[list[dict]], pl.DataFrame]:
    return table
