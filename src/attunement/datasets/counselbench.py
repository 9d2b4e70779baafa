"""CounselBench-Eval: experts' annotations in the layout of the published file.

A row is one annotator's view of one answer: six scores, and for four of them a reason and passages
copied out of the answer. Source: Li et al. (2025), arXiv:2506.08584, section 4.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from attunement import tables
from attunement.datasets.base import FORMATS, Ledger, Loaded, Options, meta, user_turn
from attunement.datasets.cleaning import clean_characters, html_to_text, topic_slug
from attunement.datasets.copied import NO_TEXT, spans_of
from attunement.errors import UserError, nearest
from attunement.quotes import NOT_FOUND
from attunement.stats.result import signature

INSTRUMENT = "counselbench-eval@1"
RANGES: dict[str, tuple[int, int]] = {
    "overall": (1, 5),
    "empathy": (1, 5),
    "specificity": (1, 5),
    "medical_advice": (0, 1),
    "factual_consistency": (1, 4),
    "toxicity": (1, 5),
}
"""Dimension to its lowest and highest value; medical advice is 1 for Yes and 0 for No."""
DIMENSIONS = tuple(RANGES)
EVIDENCE = ("overall", "medical_advice", "factual_consistency", "toxicity")
"""Dimensions with a reason and copied passages."""

_KEYS = ("questionID", "responder", "survey_id")
_TEXTS = ("questionTitle", "questionText", "response", "topic")
COLUMNS = (
    *_KEYS,
    *_TEXTS,
    *(f"{d}_score" for d in DIMENSIONS),
    *(f"{d}_{part}" for d in EVIDENCE for part in ("reason", "copy")),
)
"""Every column of the published file; only the keys and the scores have to be there."""

HUMAN = "human"
RESPONDERS: dict[str, str | None] = {
    "gpt4": "gpt-4-0613",
    "llama3": "Llama-3.3-70B-Instruct",
    "gemini": "gemini-1.5-pro",
    HUMAN: None,
}
"""The four published responders, in the file's spelling, and the model behind each."""
_SPELLINGS = {
    "gpt4": ("gpt4", "gpt40613"),
    "llama3": ("llama3", "llama33", "llama3370binstruct", "metallamallama3370binstruct"),
    "gemini": ("gemini", "gemini15pro"),
    HUMAN: ("human", "humans", "humantherapist", "onlinehumantherapist", "onlinehumantherapists"),
}
_KNOWN = {form: name for name, forms in _SPELLINGS.items() for form in forms}
_NOT_SURE = frozenset(("iamnotsure", "imnotsure", "notsure", "unsure"))
_MARK = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class Annotations:
    """What people said about answers: the four tables, and where each row of the file went.

    Parameters
    ----------
    loaded
        Items, responses and the account of rows. A question without a text in the file has no item.
    ratings
        A row an annotation and dimension.
    raters
        A row an annotator.
    """

    loaded: Loaded
    ratings: pl.DataFrame
    raters: pl.DataFrame

    def account(self) -> dict[str, Any]:
        """Return the account of rows as JSON-ready values."""
        return {
            **self.loaded.account(),
            "ratings": self.ratings.height,
            "raters": self.raters.height,
        }

    def write(self, folder: str | Path, *, suffix: str = "parquet") -> list[Path]:
        """Write the four tables and the account (``loaded.json``); return the paths.

        Raises
        ------
        UserError
            Where ``suffix`` is none of parquet, csv and jsonl.
        """
        if suffix not in FORMATS:
            raise UserError(f"unknown format {suffix!r}.", fix=f"Use one of {', '.join(FORMATS)}.")
        to = Path(folder)
        paths = self.loaded.write(to, suffix=suffix)
        more = [to / f"ratings.{suffix}", to / f"raters.{suffix}"]
        tables.write_table(self.ratings, more[0], "ratings")
        tables.write_table(self.raters, more[1], "raters")
        account = json.dumps(self.account(), ensure_ascii=False, indent=2)
        (to / "loaded.json").write_text(account + "\n", encoding="utf-8")
        return paths + more


def is_annotations(columns: list[str]) -> bool:
    """Say whether a header is that of the published annotations."""
    return {*_KEYS, "overall_score"} <= set(columns)


def responder(name: str) -> str:
    """Return the published spelling of a responder, or the name as it is where it is another one.

    >>> responder("Gemini-1.5-Pro"), responder("LLaMA 3.3"), responder("gpt-4o")
    ('gemini', 'llama3', 'gpt-4o')
    """
    return _KNOWN.get(_MARK.sub("", name.lower()), name.strip())


def load_annotations(path: str | Path) -> Annotations:
    """Load experts' annotations.

    Every row is kept or counted with the reason why not. Texts lose their markup; the copied
    passages are looked for in the answer. A score that is empty gives no rating, and one that is
    not on the scale gives a rating with status ``unparsed``; both are counted in the notes.

    Raises
    ------
    UserError
        Where the file cannot be read or has another layout.
    """
    return from_frame(tables.read_frame(path), where=str(path))


def load(path: str | Path | None, options: Options) -> Loaded:
    """Load the questions and answers of an annotations file, as other sources are loaded.

    Raises
    ------
    UserError
        Where the file cannot be read, has another layout, or holds no texts.
    """
    if path is None:
        raise UserError("CounselBench needs the path of its annotations file.")
    loaded = load_annotations(path).loaded
    if not loaded.items.height:
        raise UserError(
            "the file has scores and no texts, so there is no question to load.",
            where=str(path),
            fix="Analyze it with: attunement counselbench eval FILE.",
        )
    return loaded


def from_frame(frame: pl.DataFrame, *, where: str) -> Annotations:
    """Load a frame in the published layout, as `load_annotations` does a file.

    Raises
    ------
    UserError
        Where a column is missing.
    """
    missing = [c for c in (*_KEYS, *(f"{d}_score" for d in DIMENSIONS)) if c not in frame.columns]
    if missing:
        # A column that has its own place is not the missing one under another name.
        guess = nearest(missing[0], [c for c in frame.columns if c not in COLUMNS])
        raise UserError(
            f"not CounselBench annotations: missing {', '.join(missing)}; "
            f"it has {', '.join(c for c in frame.columns if c)}.",
            where=where,
            fix=f"Rename {guess!r} if that is {missing[0]!r}."
            if guess
            else "Use the published file, which has a column a dimension, or a table of ratings on "
            f"{INSTRUMENT}.",
        )
    reading = _Reading()
    there = [c for c in COLUMNS if c in frame.columns]
    rows = frame.select(pl.col(there).cast(pl.String)).iter_rows(named=True)
    for number, row in enumerate(rows, start=1):
        reading.add(number, {c: (row.get(c) or "").strip() for c in COLUMNS})
    return reading.finish(_ignored(frame), where)


def _ignored(frame: pl.DataFrame) -> list[str]:
    """Say which columns are not read; empty ones, as the published file's last, are counted."""
    other = [c for c in frame.columns if c not in COLUMNS]
    filled = [
        c for c in other if frame[c].cast(pl.String).str.strip_chars().replace("", None).count()
    ]
    empty = len(other) - len(filled)
    notes = [f"Empty columns without a meaning: {empty}."] if empty else []
    if filled:
        notes.append(f"Columns that are not read: {', '.join(map(repr, filled))}.")
    return notes


@dataclass
class _Reading:
    ledger: Ledger = field(default_factory=Ledger)
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    responses: dict[str, dict[str, Any]] = field(default_factory=dict)
    ratings: list[dict[str, Any]] = field(default_factory=list)
    raters: dict[str, dict[str, Any]] = field(default_factory=dict)
    seen: set[tuple[str, str]] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, number: int, row: dict[str, str]) -> None:
        if not all(row[key] for key in _KEYS):
            empty = next(key for key in _KEYS if not row[key])
            self.ledger.drop(number, f"{empty} is empty")
            return
        item, source = row["questionID"], responder(row["responder"])
        unit, rater = f"{item}/{source}/0", f"survey-{row['survey_id']}"
        if (unit, rater) in self.seen:
            self.ledger.drop(number, "the same annotator rated the same answer in an earlier row")
            return
        if not any(row[f"{d}_score"] for d in DIMENSIONS):
            self.ledger.drop(number, "no score is filled in")
            return
        self.seen.add((unit, rater))
        self._item(item, row)
        text = self._response(unit, item, source, row["response"])
        self.raters.setdefault(
            rater,
            {
                "rater": rater,
                "kind": "human",
                "attributes": json.dumps({"survey_id": row["survey_id"]}),
            },
        )
        for rating in self._rate(row, text):
            self.ratings.append(
                {"unit": "response", "unit_id": unit, "item_id": item, "source": source}
                | {"rater": rater, "rater_kind": "human", "instrument": INSTRUMENT}
                | {"signature": signature("published", instrument=INSTRUMENT)}
                | rating
            )
        self.ledger.keep(number, item)

    def _item(self, item: str, row: dict[str, str]) -> None:
        title, text = plain_text(row["questionTitle"]), plain_text(row["questionText"])
        asked = text or title
        if not asked:
            return
        if item in self.items:
            self.counts["question"] += self.items[item]["turns"][0]["text"] != asked
            return
        self.items[item] = {
            "item_id": item,
            "topic": topic_slug(row["topic"]) or None,
            "turns": user_turn(asked),
            "lang": "en",
            "meta": meta(title=title),
        }

    def _response(self, unit: str, item: str, source: str, raw: str) -> str | None:
        text = plain_text(raw) or None
        known = self.responses.setdefault(
            unit,
            {
                "response_id": unit,
                "item_id": item,
                "source": source,
                "candidate": 0,
                "text": None,
                "model": RESPONDERS.get(source),
                "error": "the file does not have the text",
            },
        )
        if text and known["text"] is None:
            known |= {"text": text, "error": None}
        self.counts["response"] += bool(text) and known["text"] != text
        return known["text"] or None

    def _rate(self, row: dict[str, str], text: str | None) -> Iterator[dict[str, Any]]:
        for dimension in DIMENSIONS:
            raw = row[f"{dimension}_score"]
            reason = plain_text(row.get(f"{dimension}_reason", "")) or None
            copied = plain_text(row.get(f"{dimension}_copy", ""))
            if not raw:
                self.counts["empty"] += 1
                continue
            status, value = read_score(raw, RANGES[dimension])
            self.counts["odd"] += status == "unparsed"
            spans = spans_of(copied, text, label=dimension) if copied else None
            for span in spans or []:
                self.counts["spans"] += 1
                self.counts[str(span["label"])] += span["start"] is None
            yield {
                "dimension": dimension,
                "value": value,
                "status": status,
                "rationale": reason,
                "spans": spans,
            }

    def finish(self, notes: list[str], where: str) -> Annotations:
        counts = self.counts
        if not self.ratings:
            raise UserError("no row has a score.", where=where)
        without = len({r["item_id"] for r in self.responses.values()}) - len(self.items)
        said = {
            "Questions without a text in the file, which have ratings and no item: {}.": without,
            "Rows with another question text than the first of that id (the first counts): {}.": (
                counts["question"]
            ),
            "Rows with another answer text than the first of that answer (the first counts): {}.": (
                counts["response"]
            ),
            "Scores that are empty, and no rating: {}.": counts["empty"],
            "Scores that are not on their scale, and unparsed: {}.": counts["odd"],
            f"Copied passages: {{}}, of which {counts[NOT_FOUND]} do not stand in the answer"
            f" and {counts[NO_TEXT]} belong to an answer without a text.": counts["spans"],
        }
        notes = [*notes, *(text.format(n) for text, n in said.items() if n)]
        found = self.ledger.finish(
            "CounselBench-Eval annotations",
            list(self.items.values()),
            list(self.responses.values()),
            notes=notes,
            unit="annotation row",
            where=where,
            without_items=True,
        )
        return Annotations(
            found, _table(self.ratings, "ratings"), _table(list(self.raters.values()), "raters")
        )


def _table(rows: list[dict[str, Any]], kind: tables.Kind) -> pl.DataFrame:
    schema = tables.SCHEMAS[kind]
    columns = {c: [r.get(c) for r in rows] for c in schema}
    return tables.conform(pl.DataFrame(columns, schema=schema), kind)


def plain_text(text: str) -> str:
    """Return a text without markup: ``<br>`` is a line break, and the words stay as they are."""
    return clean_characters(html_to_text(text)) if text else ""


def read_score(raw: str, scale: tuple[int, int]) -> tuple[str, float | None]:
    """Return status and value of a score as the file writes it.

    >>> read_score("Yes", (0, 1)), read_score("I am not sure", (1, 4)), read_score("7", (1, 5))
    (('ok', 1.0), ('not_sure', None), ('unparsed', None))
    """
    word = _MARK.sub("", raw.lower())
    if word in _NOT_SURE:
        return "not_sure", None
    if scale == (0, 1) and word in ("yes", "no"):
        return "ok", float(word == "yes")
    try:
        value = float(raw)
    except ValueError:
        return "unparsed", None
    if scale == (0, 1) or not scale[0] <= value <= scale[1] or value != int(value):
        return "unparsed", None
    return "ok", value
