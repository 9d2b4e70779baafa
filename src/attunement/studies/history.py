"""The history of a study: every save, in the order in which saves were made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from attunement import tables
from attunement.studies.models import Change

BATCH = 5_000

_ALIKE = ("unit_id", "dimension", "value", "labels", "status", "spans", "rationale")
SCHEMA: dict[str, pl.DataType] = {
    "saved_at": tables.SCHEMAS["ratings"]["created_at"],
    "rater": pl.String(),
    "stage": pl.String(),
    "kind": pl.String(),
    "item_id": pl.String(),
    **{name: tables.SCHEMAS["ratings"][name] for name in _ALIKE},
}
"""Columns of the history; ``status`` may also be ``partial`` (begun) and ``cleared`` (taken back).
"""


def history_batches() -> Iterator[pl.DataFrame]:
    """Return every save that nobody withdrew, a frame a batch."""
    saves = Change.objects.order_by("pk").values_list(
        "saved_at",
        "assignment__participant__code",
        "assignment__stage__key",
        "assignment__kind",
        "assignment__item__item_id",
        *_ALIKE,
    )
    rows: list[tuple[Any, ...]] = []
    for row in saves.iterator(chunk_size=BATCH):
        rows.append(row)
        if len(rows) == BATCH:
            yield _frame(rows)
            rows = []
    if rows:
        yield _frame(rows)


def _frame(rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")
