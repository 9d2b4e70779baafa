"""CounselBench-Adv: questions that tempt a model into one of six failures, and verdicts on answers.

Source: Li et al. (2025), arXiv:2506.08584, section 5. The published questions are wide, one column
a failure mode; the published annotations have a row an answer. Both are also read in a plain long
layout. Twenty-four questions of this project's own come with the package; no clinician wrote them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl

from attunement import tables
from attunement.datasets.base import Ledger, Loaded, Options, item_id, meta, user_turn
from attunement.datasets.cleaning import topic_slug
from attunement.datasets.counselbench import Annotations, plain_text, read_score
from attunement.errors import UserError
from attunement.stats.result import signature

INSTRUMENT = "counselbench-adv@1"
MODES = ("medication", "therapy", "symptoms", "judgmental", "apathetic", "assumptions")
"""The six failure modes, in the paper's order."""
EXPERT = "expert"
"""Who judged, where the file does not say."""

_STEMS = {
    "medication": "medicat",
    "therapy": "therap",
    "symptoms": "symptom",
    "judgmental": "jud",  # the paper also has "judmental"
    "apathetic": "apath",
    "assumptions": "assum",
}
_PUBLISHED = {
    "mode": "mode",
    "question": "new_post",
    "source": "model_name",
    "response": "new_response",
    "verdict": "human_answer",
}
_LONG = {
    "mode": ("failure_mode", "mode"),
    "question": ("question", "new_post"),
    "source": ("source", "model", "model_name"),
    "response": ("response", "text", "new_response"),
    "verdict": ("verdict", "human_answer", "value"),
    "rater": ("rater", "annotator"),
    "topic": ("topic",),
}
_NEEDED = ("mode", "question", "source", "verdict")
_NUMBERS = {"1": "yes", "1.0": "yes", "0": "no", "0.0": "no"}


def mode_of(text: str) -> str | None:
    """Return the failure mode that a name or a sentence means, None where it is none or several.

    >>> mode_of("The response is apathetic."), mode_of("judmental"), mode_of("other")
    ('apathetic', 'judgmental', None)
    """
    found = [m for m, stem in _STEMS.items() if re.search(rf"\b{stem}", text.lower())]
    return found[0] if len(found) == 1 else None


def load(path: str | Path | None, options: Options) -> Loaded:
    """Load adversarial questions, wide or long; without a path, the project's own.

    Wide: a column a failure mode, a question a cell. Long: a column ``failure_mode`` (or ``mode``)
    and a column ``question``. The same question under the same mode is one item.

    Raises
    ------
    UserError
        Where the file cannot be read or has neither layout.
    """
    if path is None:
        return own_questions()
    frame = tables.read_frame(path)
    modes = {c: mode for c in frame.columns if c and (mode := mode_of(c)) is not None}
    if len(modes) < 2:
        return _long_questions(frame, str(path))
    if len(set(modes.values())) < len(modes):
        raise UserError("two columns are the same failure mode.", where=str(path))
    cells = [
        (modes[column], text, None)
        for row in frame.select(pl.col(list(modes)).cast(pl.String)).iter_rows(named=True)
        for column, text in row.items()
    ]
    return _questions(cells, "CounselBench-Adv questions, wide", "question cell", str(path))


def own_questions() -> Loaded:
    """Return the 24 questions that come with the package, four a failure mode.

    No clinician wrote or checked them, and their ``meta`` says so.
    """
    text = files("attunement.sample").joinpath("adversarial.jsonl").read_text("utf-8")
    ledger, items = Ledger(), []
    for number, line in enumerate(text.splitlines(), start=1):
        row = json.loads(line)
        items.append(
            {
                "item_id": row["item_id"],
                "topic": row["topic"],
                "turns": user_turn(row["question"]),
                "failure_mode": row["failure_mode"],
                "lang": "en",
                "meta": meta(written_by=row["written_by"]),
            }
        )
        ledger.keep(number, row["item_id"])
    return ledger.finish(
        "the project's own adversarial questions",
        items,
        [],
        notes=["Written by the project, not by clinicians; no finding rests on them."],
        unit="question",
    )


def _long_questions(frame: pl.DataFrame, where: str) -> Loaded:
    columns = _columns(frame, where, ("mode", "question"))
    topics = columns.get("topic")
    cells = [
        (
            mode_of(row[columns["mode"]] or "") or "",
            row[columns["question"]],
            topics and row[topics],
        )
        for row in frame.cast(pl.String).iter_rows(named=True)
    ]
    return _questions(cells, "adversarial questions, long", "question", where)


def _questions(
    cells: Sequence[tuple[str, str | None, str | None]], name: str, unit: str, where: str
) -> Loaded:
    ledger = Ledger()
    items: dict[str, dict[str, Any]] = {}
    for number, (mode, raw, topic) in enumerate(cells, start=1):
        text = plain_text(raw or "")
        if not text:
            ledger.drop(number, "the question is empty")
        elif not mode:
            ledger.drop(number, "the failure mode is none of the six")
        elif (made := _item(mode, text, topic))["item_id"] in items:
            ledger.drop(number, "the same question and failure mode as an earlier one")
        else:
            items[made["item_id"]] = made
            ledger.keep(number, made["item_id"])
    return ledger.finish(name, list(items.values()), [], notes=[], unit=unit, where=where)


def _item(mode: str, text: str, topic: str | None = None) -> dict[str, Any]:
    return {
        "item_id": item_id(f"adv-{mode}", text),
        "topic": topic_slug(topic) if topic else None,
        "turns": user_turn(text),
        "failure_mode": mode,
        "lang": "en",
    }


def is_annotations(columns: list[str]) -> bool:
    """Say whether a header is that of verdicts, published or long."""
    return all(any(c in columns for c in _LONG[part]) for part in _NEEDED)


def load_annotations(path: str | Path) -> Annotations:
    """Load verdicts on answers to adversarial questions.

    The published layout, or a long one: ``failure_mode``, ``question``, ``source``, ``verdict``
    (yes, no, not sure), and optionally ``response`` and ``rater``. An item's id follows from its
    mode and text, so that it is the same as in the file of questions. A second answer of a model to
    a question is another candidate.

    Raises
    ------
    UserError
        Where the file cannot be read or has another layout.
    """
    return annotations_from_frame(tables.read_frame(path), where=str(path))


def annotations_from_frame(frame: pl.DataFrame, *, where: str) -> Annotations:
    """Load a frame of verdicts, as `load_annotations` does a file.

    Raises
    ------
    UserError
        Where a column is missing.
    """
    published = set(_PUBLISHED.values()) <= set(frame.columns)
    columns = _PUBLISHED if published else _columns(frame, where, _NEEDED)
    ledger = Ledger()
    items: dict[str, dict[str, Any]] = {}
    answers: dict[tuple[str, str], list[str | None]] = {}
    responses: dict[str, dict[str, Any]] = {}
    ratings: dict[tuple[str, str], dict[str, Any]] = {}
    odd: Counter[str] = Counter()
    for number, row in enumerate(frame.cast(pl.String).iter_rows(named=True), start=1):
        given = {part: (row[column] or "").strip() for part, column in columns.items()}
        mode = mode_of(given["mode"])
        empty = next((part for part in _NEEDED if not given[part]), None)
        if empty or mode is None:
            ledger.drop(number, f"{empty} is empty" if empty else "the failure mode is none of six")
            continue
        item = _item(mode, plain_text(given["question"]), given.get("topic"))
        ident, source = str(item["item_id"]), given["source"]
        text = plain_text(given.get("response", "")) or None
        known = answers.setdefault((ident, source), [])
        if text not in known:
            known.append(text)
        candidate = known.index(text)
        unit = f"{ident}/{source}/{candidate}"
        rater = given.get("rater") or EXPERT
        if (unit, rater) in ratings:
            ledger.drop(number, "a second verdict on the same answer by the same rater")
            continue
        verdict = given["verdict"]
        status, value = read_score(_NUMBERS.get(verdict, verdict), (0, 1))
        odd[verdict] += status == "unparsed"
        items.setdefault(ident, item)
        responses[unit] = {
            "response_id": unit,
            "item_id": ident,
            "source": source,
            "candidate": candidate,
            "text": text,
            "model": source,
            "error": None if text else "the file does not have the text",
        }
        ratings[unit, rater] = {
            "unit": "response",
            "unit_id": unit,
            "item_id": ident,
            "source": source,
            "rater": rater,
            "rater_kind": "human",
            "instrument": INSTRUMENT,
            "dimension": mode,
            "value": value,
            "status": status,
            "signature": signature("published", instrument=INSTRUMENT),
        }
        ledger.keep(number, ident)
    loaded = ledger.finish(
        "CounselBench-Adv annotations" + ("" if published else ", long"),
        list(items.values()),
        list(responses.values()),
        notes=_notes(odd, published, frame.columns, columns),
        unit="annotation row",
        where=where,
    )
    raters = [{"rater": r, "kind": "human"} for r in dict.fromkeys(r for _, r in ratings)]
    return Annotations(
        loaded,
        tables.conform(pl.DataFrame(list(ratings.values()), infer_schema_length=None), "ratings"),
        tables.conform(pl.DataFrame(raters), "raters"),
    )


def _notes(
    odd: Counter[str], published: bool, there: list[str], columns: dict[str, str]
) -> list[str]:
    notes = []
    if sum(odd.values()):
        words = ", ".join(sorted(repr(word) for word, n in odd.items() if n))
        notes.append(
            f"Verdicts that are neither yes, no nor not sure, and unparsed: {sum(odd.values())} "
            f"({words})."
        )
    if "rater" not in columns:
        notes.append(f"The file does not say who judged; every verdict is by {EXPERT!r}.")
    if published and "example_post" in there:
        notes.append("The worked example that each row repeats belongs to the instrument.")
    return notes


def _columns(frame: pl.DataFrame, where: str, needed: tuple[str, ...]) -> dict[str, str]:
    found = {
        part: next(n for n in names if n in frame.columns)
        for part, names in _LONG.items()
        if any(n in frame.columns for n in names)
    }
    missing = [_LONG[part][0] for part in needed if part not in found]
    if missing:
        raise UserError(
            f"no column {' and no column '.join(missing)}; "
            f"the file has {', '.join(c for c in frame.columns if c)}.",
            where=where,
            fix="Questions: one column a failure mode, or failure_mode and question. "
            "Verdicts: failure_mode, question, source, verdict.",
        )
    return found
