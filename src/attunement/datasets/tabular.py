"""Any CSV, TSV, JSONL or Parquet file, by column mapping.

Three forms are understood. A row is a *question* with its reference; or an *answer* whose
``source`` column says which system gave it (``reference`` is the gold standard); or an answer by a
person, with no source column: then the most upvoted answer becomes the reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import polars as pl

from attunement.datasets import gold
from attunement.datasets.base import EXAMPLES, Ledger, Loaded, Options, item_id, meta, user_turn
from attunement.datasets.cleaning import clean
from attunement.errors import UserError, first_of, nearest
from attunement.tables import REFERENCE, read_frame

TARGETS: dict[str, str] = {
    "question": "what the person asked (needed, or title)",
    "title": "stands for the question where that is empty",
    "answer": "one answer to the question",
    "source": "which system gave the answer; 'reference' is the gold standard",
    "reference": "the gold standard answer to the question",
    "topic": "the question's topic",
    "item_id": "the question's id; without one, it is made from the question's text",
    "lang": "the question's language, en by default",
    "upvotes": "how much an answer without a source is liked",
    "model": "the full name of the model that gave the answer",
}
"""What a column can be mapped to, and what it means."""


def columns_of(frame: pl.DataFrame, mapping: Mapping[str, str], where: str) -> dict[str, str]:
    """Return target to column: what the mapping says, then columns that bear a target's name.

    Raises
    ------
    UserError
        Where a target is unknown, a column is missing, or no question is found.

    """
    for target, column in mapping.items():
        if target not in TARGETS:
            guess = nearest(target, list(TARGETS))
            raise UserError(
                f"{target!r} is not something a column can be mapped to.",
                where="--map",
                fix=f"Did you mean {guess!r}? Known: {', '.join(TARGETS)}."
                if guess
                else f"Known: {', '.join(TARGETS)}.",
            )
        if column not in frame.columns:
            guess = nearest(column, frame.columns)
            raise UserError(
                f"the file has no column {column!r}; it has {', '.join(frame.columns)}.",
                where=where,
                fix=f"Did you mean --map {target}={guess}?" if guess else None,
            )
    taken = set(mapping.values())
    named = {c.strip().lower(): c for c in frame.columns if c not in taken}
    found = {t: named[t] for t in TARGETS if t in named} | dict(mapping)
    if "question" not in found and "title" not in found:
        raise UserError(
            f"no column is the question; the file has {', '.join(frame.columns)}.",
            where=where,
            fix="Say which: --map question=COLUMN.",
        )
    if "source" in found and "answer" not in found:
        raise UserError(
            f"column {found['source']!r} says who answered, but no column is the answer; "
            f"the file has {', '.join(frame.columns)}.",
            where=where,
            fix="Say which: --map answer=COLUMN.",
        )
    return found


@dataclass
class _Item:
    id: str
    question: str
    title: str | None
    topic: str | None
    lang: str | None
    rows: int = 0
    people: dict[str, gold.Answer] = field(default_factory=dict)
    systems: dict[tuple[str, str], str | None] = field(default_factory=dict)


Row = Mapping[str, str | None]


def load(path: str | Path | None, options: Options) -> Loaded:
    """Load a table: an item a question, a response an answer; texts are cleaned.

    An empty answer of a named system is kept, since failing to answer is a result; an empty answer
    of a person is left out and counted.

    Raises
    ------
    UserError
        Where the file cannot be read, the mapping does not fit, or an id stands for two questions.

    """
    if path is None:
        raise UserError("a table needs the path of its file.")
    return from_frame(read_frame(path), options, name=f"table {Path(path).name}", where=str(path))


def from_frame(frame: pl.DataFrame, options: Options, *, name: str, where: str) -> Loaded:
    """Load a frame as `load` does a file."""
    found = columns_of(frame, options.mapping, where)
    add = _form(found, options, where)
    ledger = Ledger()
    items: dict[str, _Item] = {}
    conflicts: list[tuple[int, str]] = []
    texts = {target: _texts(frame[column]) for target, column in found.items()}
    for number, values in options.rows(zip(*texts.values(), strict=True), frame.height):
        row = dict(zip(texts, values, strict=True))
        title = clean(row.get("title"))
        question = clean(row.get("question")) or title
        if not question:
            both = "question" in found and "title" in found
            ledger.drop(number, f"the question {'and its title are' if both else 'is'} empty")
            continue
        given = _plain(row, "item_id")
        known = items.get(given or item_id("item", question))
        if known is not None and known.question != question:
            conflicts.append((number, known.id))
            continue
        item = known or _new_item(given, question, title, row)
        reason = add(item, row)
        if reason == _SECOND_REFERENCE and given:
            conflicts.append((number, item.id))
        elif reason and reason != _SECOND_REFERENCE:
            ledger.drop(number, reason)
        else:
            items[item.id] = item
            item.rows += 1
            ledger.keep(number, item.id)
    if conflicts:
        _raise_duplicates(conflicts, found["item_id"], where)
    return _finish(ledger, list(items.values()), options, _unused(frame, found), name, where)


def _texts(column: pl.Series) -> list[str | None]:
    if column.dtype.is_nested():
        raise UserError(
            f"column {column.name!r} holds lists or objects, not text.",
            fix="Chats are loaded as transcripts: attunement data load transcripts FILE.",
        )
    return [None if v is None else str(v) for v in column.to_list()]


def _plain(row: Row, target: str) -> str | None:
    return (row.get(target) or "").strip() or None


def _new_item(given: str | None, question: str, title: str, row: Row) -> _Item:
    return _Item(
        id=given or item_id("item", question),
        question=question,
        title=title if title != question else None,
        topic=_plain(row, "topic"),
        lang=_plain(row, "lang"),
    )


_REPEATED = "the same question and answer as an earlier row"
_REPEATED_SYSTEM = "the same question, source and answer as an earlier row"
_SECOND_REFERENCE = "another reference to the same question"
"""Not a reason to leave a row out, but an id that has it twice is a mistake."""


def _form(
    found: Mapping[str, str], options: Options, where: str
) -> Callable[[_Item, Row], str | None]:
    """Return how a row is added to its item; what is returned says why a row was not added."""
    if "answer" not in found:
        return _add_question
    if "source" in found or options.source is not None:
        return partial(_add_answer, default=options.source)
    if "reference" in found:
        raise UserError(
            "the file has a reference and an answer, but nothing says whose answer it is.",
            where=where,
            fix="Say so with --map source=COLUMN, or with --source NAME for all of them.",
        )
    return _add_person


def _add_question(item: _Item, row: Row) -> str | None:
    reference = clean(row.get("reference"))
    several = bool(item.people)
    if item.rows and (not reference or reference in item.people):
        return _REPEATED
    if reference:
        item.people[reference] = gold.Answer(reference, gold.whole_number(row.get("upvotes")))
    return _SECOND_REFERENCE if several else None


def _add_person(item: _Item, row: Row) -> str | None:
    answer = clean(row.get("answer"))
    if not answer:
        return "the answer is empty"
    if answer in item.people:
        return _REPEATED
    item.people[answer] = gold.Answer(answer, gold.whole_number(row.get("upvotes")))
    return None


def _add_answer(item: _Item, row: Row, *, default: str | None) -> str | None:
    source = _plain(row, "source") or default
    if source is None:
        return "the source is empty"
    reference = clean(row.get("reference"))
    if reference:
        item.people.setdefault(reference, gold.Answer(reference))
    if source == REFERENCE:
        return _add_person(item, row)
    key = (source, clean(row.get("answer")))
    if source == gold.THERAPIST and not key[1]:
        return "the answer is empty"
    if key in item.systems:
        return _REPEATED_SYSTEM
    item.systems[key] = _plain(row, "model")
    return None


def _raise_duplicates(conflicts: list[tuple[int, str]], column: str, where: str) -> NoReturn:
    shown = first_of([f"row {row} ({item})" for row, item in conflicts], EXAMPLES)
    raise UserError(
        f"duplicate ids: {shown} repeat the id of another question or reference.",
        where=f"{where}, column {column!r}",
        fix="Give every question its own id, or leave the column out and ids are made.",
    )


def _unused(frame: pl.DataFrame, found: Mapping[str, str]) -> list[str]:
    unused = [c for c in frame.columns if c not in found.values()]
    return [f"Columns that were not used: {', '.join(unused)}."] if unused else []


def _finish(
    ledger: Ledger,
    loaded: list[_Item],
    options: Options,
    notes: list[str],
    name: str,
    where: str,
) -> Loaded:
    items: list[dict[str, Any]] = []
    responses: list[dict[str, Any]] = []
    tied = several = unanswered = 0
    for item in loaded:
        people = gold.ranked(list(item.people.values()), options.seed)
        several += len(people) > 1
        tied += gold.is_tied(people)
        unanswered += not people
        items.append(
            {
                "item_id": item.id,
                "topic": item.topic,
                "turns": user_turn(item.question),
                "reference": people[0].text if people else None,
                "lang": item.lang,
                "meta": meta(title=item.title),
            }
        )
        responses += gold.responses(item.id, people)
        counts = Counter({gold.THERAPIST: max(len(people) - 1, 0)})
        for (source, text), model in item.systems.items():
            responses.append(
                {
                    "item_id": item.id,
                    "source": source,
                    "candidate": counts[source],
                    "text": text,
                    "model": model,
                }
            )
            counts[source] += 1
    if unanswered:
        notes.append(f"Questions without a reference: {unanswered}.")
    voted = any(a.upvotes for item in loaded for a in item.people.values())
    note = gold.tie_note(tied, several, voted)
    return ledger.finish(
        name, items, responses, notes=[*notes, note] if note else notes, where=where
    )
