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


def study_text(**keys: Any) -> str:
    """Return the study file: the base above with some keys replaced."""
    return yaml.safe_dump({**BASE, **keys}, allow_unicode=True)
