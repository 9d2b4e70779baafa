"""The sample that ships with the package: the project's own writing, an illustration only."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any

from attunement.datasets.base import Ledger, Loaded, Options, meta, user_turn
from attunement.errors import UserError
from attunement.tables import REFERENCE

NOTE = (
    "These questions and answers were written for illustration; "
    "nothing about real models or people follows from them."
)


def load(path: str | Path | None, options: Options) -> Loaded:
    """Load the bundled questions with the answers of a reference and of three sample systems.

    Raises
    ------
    UserError
        Where a path is given: the sample has none.

    """
    if path is not None:
        raise UserError("the sample is bundled and takes no path.", where=str(path))
    text = files("attunement.sample").joinpath("sample.jsonl").read_text(encoding="utf-8")
    ledger = Ledger()
    items: list[dict[str, Any]] = []
    responses: list[dict[str, Any]] = []
    row = 0
    for entry in (json.loads(line) for line in text.splitlines() if line.strip()):
        counts: Counter[str] = Counter()
        gold = None
        for answer in entry["answers"]:
            row += 1
            ledger.keep(row, entry["item_id"])
            source = answer["source"]
            gold = answer["text"] if source == REFERENCE else gold
            responses.append(
                {
                    "item_id": entry["item_id"],
                    "source": source,
                    "candidate": counts[source],
                    "text": answer["text"],
                }
            )
            counts[source] += 1
        items.append(
            {
                "item_id": entry["item_id"],
                "topic": entry["topic"],
                "turns": user_turn(entry["question"]),
                "reference": gold,
                "lang": "en",
                "meta": meta(title=entry.get("title"), illustration=True),
            }
        )
    return ledger.finish("bundled sample", items, responses, notes=[NOTE], unit="answer")
