"""Files of a small study, for tests: a study file and its tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import yaml

from attunement import tables

BASE: dict[str, Any] = {
    "id": "small",
    "title": {"en": "Small study", "it": "Piccolo studio"},
    "languages": ["en", "it"],
    "contact": "study@example.org",
    "consent": {"text": {"en": "You will read answers.", "it": "Leggerà delle risposte."}},
    "items": "items.parquet",
    "responses": "responses.parquet",
    "protocol": {
        "type": "rate",
        "instrument": "crisis-handling",
        "raters_per_item": 2,
        "items_per_rater": 2,
    },
}


def write_tables(
    folder: Path, items: int = 2, sources: tuple[str, ...] = ("alpha", "beta")
) -> None:
    """Write a small items and a small responses table."""
    asked = pl.DataFrame(
        {
            "item_id": [f"q{n}" for n in range(items)],
            "topic": ["sleep"] * items,
            "turns": [[{"role": "user", "text": f"I lie awake, night {n}."}] for n in range(items)],
        }
    )
    tables.write_table(tables.conform(asked, "items"), folder / "items.parquet", "items")
    answered = pl.DataFrame(
        [
            {
                "response_id": f"q{n}-{source}",
                "item_id": f"q{n}",
                "source": source,
                "text": f"That sounds tiring. This is what {source[0]} says to night {n}.",
            }
            for n in range(items)
            for source in sources
        ]
    )
    tables.write_table(
        tables.conform(answered, "responses"), folder / "responses.parquet", "responses"
    )


def write_texts(folder: Path, asked: dict[str, str], told: dict[str, dict[str, str]]) -> None:
    """Write items by their id, and answers to each by their source."""
    items = pl.DataFrame(
        [{"item_id": id, "turns": [{"role": "user", "text": t}]} for id, t in asked.items()]
    )
    responses = pl.DataFrame(
        [
            {"response_id": f"{id}-{source}", "item_id": id, "source": source, "text": text}
            for id, answers in told.items()
            for source, text in answers.items()
        ]
    )
    tables.write_table(tables.conform(items, "items"), folder / "items.parquet", "items")
    table = tables.conform(responses, "responses")
    tables.write_table(table, folder / "responses.parquet", "responses")


def words(en: str, it: str) -> dict[str, str]:
    """Return a text in both languages."""
    return {"en": en, "it": it}


def study_text(**keys: Any) -> str:
    """Return the study file: the base above with some keys replaced."""
    return yaml.safe_dump({**BASE, **keys}, allow_unicode=True)
