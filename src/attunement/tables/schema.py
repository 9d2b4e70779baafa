"""The columns of the four tables, their types, keys and allowed words."""

from __future__ import annotations

from typing import Any, Literal, get_args

import polars as pl

Kind = Literal["items", "responses", "ratings", "raters"]
KINDS: tuple[Kind, ...] = get_args(Kind)

REFERENCE = "reference"
"""The ``source`` of a gold-standard answer."""

TURNS = pl.List(pl.Struct({"role": pl.String, "text": pl.String}))
SPANS = pl.List(
    pl.Struct({"start": pl.Int64, "end": pl.Int64, "text": pl.String, "label": pl.String})
)
LABELS = pl.List(pl.String)

SCHEMAS: dict[Kind, dict[str, pl.DataType]] = {
    "items": {
        "item_id": pl.String(),
        "topic": pl.String(),
        "turns": TURNS,
        "reference": pl.String(),
        "failure_mode": pl.String(),
        "lang": pl.String(),
        "meta": pl.String(),
    },
    "responses": {
        "response_id": pl.String(),
        "item_id": pl.String(),
        "source": pl.String(),
        "candidate": pl.Int64(),
        "text": pl.String(),
        "model": pl.String(),
        "prompt_id": pl.String(),
        "attempts": pl.Int64(),
        "latency_s": pl.Float64(),
        "tokens_in": pl.Int64(),
        "tokens_out": pl.Int64(),
        "cost_usd": pl.Float64(),
        "error": pl.String(),
    },
    "ratings": {
        "unit": pl.String(),
        "unit_id": pl.String(),
        "item_id": pl.String(),
        "source": pl.String(),
        "rater": pl.String(),
        "rater_kind": pl.String(),
        "instrument": pl.String(),
        "dimension": pl.String(),
        "replicate": pl.Int64(),
        "round": pl.Int64(),
        "value": pl.Float64(),
        "labels": LABELS,
        "status": pl.String(),
        "spans": SPANS,
        "rationale": pl.String(),
        "seconds": pl.Float64(),
        "created_at": pl.Datetime("us", "UTC"),
        "signature": pl.String(),
    },
    "raters": {
        "rater": pl.String(),
        "kind": pl.String(),
        "attributes": pl.String(),
    },
}
"""Column names and types; ``meta`` and ``attributes`` hold a JSON object as text."""

REQUIRED: dict[Kind, tuple[str, ...]] = {
    "items": ("item_id", "turns"),
    "responses": ("item_id", "source", "text"),
    "ratings": ("unit", "unit_id", "rater", "rater_kind", "instrument", "dimension", "status"),
    "raters": ("rater", "kind"),
}
"""Columns that must be there and filled; ``responses.text`` may be null where there is an error."""

KEYS: dict[Kind, tuple[str, ...]] = {
    "items": ("item_id",),
    "responses": ("response_id",),
    "ratings": ("unit", "unit_id", "rater", "instrument", "dimension", "replicate", "round"),
    "raters": ("rater",),
}

UNITS = ("item", "response", "conversation", "session")
RATER_KINDS = ("metric", "judge", "human")
STATUSES = ("ok", "not_sure", "not_applicable", "unparsed", "refused", "error")
ROLES = ("system", "user", "assistant")
CHOICES: dict[Kind, dict[str, tuple[str, ...]]] = {
    "items": {},
    "responses": {},
    "ratings": {"unit": UNITS, "rater_kind": RATER_KINDS, "status": STATUSES},
    "raters": {"kind": RATER_KINDS},
}

DEFAULTS: dict[Kind, dict[str, Any]] = {
    "items": {"lang": "en"},
    "responses": {"candidate": 0},
    "ratings": {"replicate": 0, "round": 1},
    "raters": {},
}
SUFFIXES = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson")
