"""What is judged: answers, items or whole conversations, as an instrument's unit says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from attunement.raters.judges.prompt import Material


@dataclass(frozen=True)
class Task:
    """One unit to judge, mostly an answer; ``skip`` says why it is not judged, where it is not."""

    unit_id: str
    item_id: str
    source: str | None
    material: Material
    skip: str | None = None


def make_tasks(answers: pl.DataFrame, questions: pl.DataFrame, unit: str) -> Iterator[Task]:
    """Yield what is judged.

    Parameters
    ----------
    answers, questions
        A responses and an items table.
    unit
        The instrument's: ``response`` gives each answer, ``item`` each item that has answers (its
        turns alone), ``conversation`` and ``session`` each transcript as a whole. Items are one
        transcript where their ``meta`` names the same ``session``: its longest item is taken, with
        its answer as the last turn.

    """
    turns = {
        item_id: tuple((turn["role"], turn["text"] or "") for turn in said)
        for item_id, said in questions.select("item_id", "turns").iter_rows()
    }
    if unit == "item":
        used = questions.join(answers, on="item_id", how="semi")
        for item_id in used["item_id"]:
            yield Task(item_id, item_id, None, Material(turns[item_id], None))
        return
    sessions: dict[str, str] = {}
    if unit != "response":
        answers = _last_answers(answers, questions, turns, sessions)
    columns = ("response_id", "item_id", "source", "text", "error")
    for response_id, item_id, source, text, error in answers.select(columns).iter_rows():
        skip = None
        if not (text or "").strip():
            skip = f"there is no answer: {error}" if error else "the answer is empty"
        if unit == "response":
            yield Task(response_id, item_id, source, Material(turns[item_id], text or ""), skip)
        else:
            said = (*turns[item_id], ("assistant", text or ""))
            unit_id = sessions.get(response_id, response_id)
            yield Task(unit_id, item_id, source, Material(said, None), skip)


def _last_answers(
    answers: pl.DataFrame,
    questions: pl.DataFrame,
    turns: dict[str, tuple[tuple[str, str], ...]],
    sessions: dict[str, str],
) -> pl.DataFrame:
    """Return the answers that end a transcript; those that are its only end get its id."""
    session = {
        item_id: _session(meta) or item_id
        for item_id, meta in questions.select("item_id", "meta").iter_rows()
    }
    last: dict[str, str] = {}
    for item_id in answers["item_id"].unique(maintain_order=True):
        longest = last.setdefault(session[item_id], item_id)
        if len(turns[item_id]) > len(turns[longest]):
            last[session[item_id]] = item_id
    ends = answers.filter(pl.col("item_id").is_in(list(last.values())))
    only = ends.filter(~pl.col("item_id").is_duplicated())
    for response_id, item_id in only.select("response_id", "item_id").iter_rows():
        sessions[response_id] = session[item_id]
    return ends


def _session(meta: str | None) -> str | None:
    known = json.loads(meta) if meta else {}
    given = known.get("session") if isinstance(known, dict) else None
    return None if given is None else str(given)
