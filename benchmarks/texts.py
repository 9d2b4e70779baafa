"""Questions and answers to measure on: CounselChat's, or the bundled sample's, shuffled."""

from __future__ import annotations

import csv
import json
import random
import sys
from importlib.resources import files
from pathlib import Path

COUNSEL_CHAT = Path("counsel-chat/20200325_counsel_chat.csv")


def pairs(data: Path | None, rows: int | None = None) -> list[tuple[str, str]]:
    """Return question and answer pairs.

    Parameters
    ----------
    data
        The folder with the public data; None for answers made of the sample's sentences.
    rows
        How many; by default all of CounselChat's, or 2,000.

    """
    found = _counsel_chat(data / COUNSEL_CHAT) if data else _made(rows or 2000)
    return found[:rows]


def _counsel_chat(path: Path) -> list[tuple[str, str]]:
    csv.field_size_limit(sys.maxsize)
    with path.open(encoding="utf-8", newline="") as file:
        return [(row["questionText"], row["answerText"]) for row in csv.DictReader(file)]


def _made(rows: int) -> list[tuple[str, str]]:
    """Return answers of real sentences in random order and number, the same on every run."""
    sample = files("attunement.sample").joinpath("sample.jsonl").read_text(encoding="utf-8")
    items = [json.loads(line) for line in sample.splitlines() if line.strip()]
    questions = [item["question"] for item in items]
    sentences = [
        f"{sentence.strip()}."
        for item in items
        for answer in item["answers"]
        for sentence in answer["text"].split(".")
        if sentence.strip()
    ]
    rng = random.Random(1)
    return [
        (rng.choice(questions), " ".join(rng.choices(sentences, k=rng.randint(2, 20))))
        for _ in range(rows)
    ]
