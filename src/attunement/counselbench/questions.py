"""The question set, built from CounselChat as the paper did (section 4.1), and its study file.

The paper took the five questions of each topic whose answers have the most upvotes, with the most
upvoted answer of at most 250 words as the human answer. Its authors also took out by hand what has
to do with religion or sexuality; that is left to ``exclude``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from attunement.datasets.base import Ledger, Loaded, stable_hash
from attunement.datasets.cleaning import topic_slug
from attunement.errors import UserError, nearest

PAPER_TOPICS = (
    "depression",
    "relationships",
    "anxiety",
    "family-conflict",
    "parenting",
    "self-esteem",
    "relationship-dissolution",
    "behavioral-change",
    "anger-management",
    "trauma",
    "marriage",
    "domestic-violence",
    "grief-and-loss",
    "social-relationships",
    "workplace-relationships",
    "legal-regulatory",
    "substance-abuse",
    "counseling-fundamentals",
    "eating-disorders",
    "professional-ethics",
)
"""The twenty topics of section 4.1."""
PER_TOPIC = 5
WORDS = 250
"""Words (parts between white space) that an answer may have."""


@dataclass(frozen=True)
class Settings:
    """How the paper's models were asked (appendix D.1)."""

    temperature: float = 0.7
    top_p: float = 1.0
    max_tokens: int = 1024
    words: int = WORDS


SETTINGS = Settings()
"""Temperature 0.7, top-p 1.0, 1,024 tokens, 250 words; longer answers are asked for again."""


@dataclass(frozen=True)
class _Candidate:
    item: dict[str, Any]
    topics: tuple[str, ...]
    answer: str
    upvotes: int
    others: tuple[str, ...]
    order: str


def question_set(
    loaded: Loaded,
    *,
    topics: Sequence[str] = PAPER_TOPICS,
    per_topic: int = PER_TOPIC,
    words: int = WORDS,
    exclude: Collection[str] = (),
    seed: int = 1,
) -> Loaded:
    """Choose the questions of each topic whose best answers have the most upvotes.

    A question's human answer is its most upvoted answer of at most ``words`` words; a question
    without one is out. A question with several topics is taken once: topics with the fewest
    questions choose first. Ties, between answers as between questions, go by a hash of seed and
    text, whatever the order of the file.

    Parameters
    ----------
    loaded
        CounselChat, as `attunement.datasets.load` gives it: its items say each answer's upvotes.
    topics
        Which topics, in the order of the result.
    per_topic
        Questions a topic.
    words
        Longest human answer.
    exclude
        Ids of questions to leave out: item ids, or CounselChat's own.
    seed
        Breaks ties.

    Returns
    -------
    Loaded
        Items with the human answer as their reference; responses with the reference, and the other
        answers of at most ``words`` words as ``therapist``. Its account is of questions.

    Raises
    ------
    UserError
        Where a topic or an excluded id does not occur, or answers have no upvotes.
    """
    left: list[tuple[int, str]] = []
    found: list[tuple[int, _Candidate]] = []
    out, known_ids, known_topics = {str(e) for e in exclude}, set[str](), set[str]()
    answers = _answers(loaded)
    for number, item in enumerate(loaded.items.iter_rows(named=True), start=1):
        about = json.loads(item["meta"] or "{}")
        ids = {item["item_id"], *map(str, about.get("question_ids", []))}
        named = tuple(about.get("topics") or ([item["topic"]] if item["topic"] else []))
        known_ids |= ids
        known_topics |= set(named)
        texts, votes = answers.get(item["item_id"], []), about.get("upvotes")
        if votes is None or len(votes) != len(texts):
            raise UserError(
                "the questions do not say how often their answers were upvoted.",
                where=loaded.name,
                fix="Load CounselChat's own CSV file.",
            )
        short = [(t, v) for t, v in zip(texts, votes, strict=True) if len(t.split()) <= words]
        if ids & out:
            left.append((number, "excluded by its id"))
        elif not short:
            left.append((number, f"no answer of at most {words} words"))
        else:
            # Answers are ranked: the most upvoted first, ties by the seed already.
            (answer, upvotes), *rest = short
            candidate = _Candidate(
                item=item,
                topics=named,
                answer=answer,
                upvotes=-1 if upvotes is None else int(upvotes),
                others=tuple(text for text, _ in rest),
                order=stable_hash(seed, item["item_id"]),
            )
            found.append((number, candidate))
    if out - known_ids:
        raise UserError(
            f"no question has the id {sorted(out - known_ids)[0]!r}.", where="--exclude"
        )
    return _chosen(loaded, found, left, _slugs(topics, known_topics), per_topic)


def _answers(loaded: Loaded) -> dict[str, list[str]]:
    """Return each item's answers in their order: the reference, then therapist 0, 1, ..."""
    ranked = loaded.responses.with_columns(
        place=pl.when(pl.col("source") == "reference").then(-1).otherwise(pl.col("candidate"))
    ).sort("place", maintain_order=True)
    return {
        str(item): texts
        for item, texts in ranked.group_by("item_id", maintain_order=True).agg("text").iter_rows()
    }


def _slugs(topics: Sequence[str], there: set[str]) -> list[str]:
    slugs = list(dict.fromkeys(topic_slug(t) for t in topics))
    for slug in slugs:
        if slug not in there:
            guess = nearest(slug, sorted(there))
            raise UserError(
                f"no question has the topic {slug!r}; there are {', '.join(sorted(there))}.",
                where="--topics",
                fix=f"Did you mean {guess!r}?" if guess else None,
            )
    return slugs


def _chosen(
    loaded: Loaded,
    found: list[tuple[int, _Candidate]],
    left: list[tuple[int, str]],
    topics: list[str],
    per_topic: int,
) -> Loaded:
    sizes = {t: sum(t in candidate.topics for _, candidate in found) for t in topics}
    taken: dict[int, str] = {}
    for topic in sorted(topics, key=lambda t: (sizes[t], topics.index(t))):
        free = [(n, c) for n, c in found if topic in c.topics and n not in taken]
        free.sort(key=lambda pair: (-pair[1].upvotes, pair[1].order))
        taken.update({number: topic for number, _ in free[:per_topic]})
    ledger = Ledger()
    for number, reason in left:
        ledger.drop(number, reason)
    chosen: list[tuple[str, _Candidate]] = []
    for number, candidate in found:
        if number in taken:
            ledger.keep(number, candidate.item["item_id"])
            chosen.append((taken[number], candidate))
        elif set(candidate.topics) & set(topics):
            ledger.drop(number, f"not among the {per_topic} of its topic with the most upvotes")
        else:
            ledger.drop(number, "another topic")
    chosen.sort(key=lambda pair: (topics.index(pair[0]), -pair[1].upvotes, pair[1].order))
    notes = [
        f"Topic {t!r} has only {n} questions that fit."
        for t in topics
        if (n := sum(topic == t for topic, _ in chosen)) < per_topic
    ]
    if chosen and not any(c.upvotes > 0 for _, c in chosen):
        notes.append("No answer has an upvote, so the seed alone chose questions and answers.")
    return ledger.finish(
        f"question set of {loaded.name}",
        [{**c.item, "topic": topic, "reference": c.answer} for topic, c in chosen],
        [row for _, c in chosen for row in _responses(c)],
        notes=notes,
        unit="question",
        where=loaded.name,
    )


def _responses(candidate: _Candidate) -> list[dict[str, Any]]:
    rows = [("reference", 0, candidate.answer)]
    rows += [("therapist", place, text) for place, text in enumerate(candidate.others)]
    return [
        {"item_id": candidate.item["item_id"], "source": source, "candidate": n, "text": text}
        for source, n, text in rows
    ]


def study_file(questions: str, models: Sequence[str], *, settings: Settings = SETTINGS) -> str:
    """Return a study file that asks models the questions under the paper's settings.

    Parameters
    ----------
    questions
        The table of questions, relative to the study file.
    models
        As Inspect AI names them.
    settings
        The paper's by default.
    """
    import yaml

    study = {
        "name": "CounselBench-Eval question set",
        "data": {"source": "table", "path": questions},
        "models": [
            {
                "model": model,
                "temperature": settings.temperature,
                "top_p": settings.top_p,
                "max_tokens": settings.max_tokens,
            }
            for model in models
        ],
        "generate": {"system": "counselor", "words": settings.words},
    }
    head = (
        "# Answers under the settings of CounselBench-Eval (Li et al. 2025, appendix D.1):\n"
        "# temperature 0.7, top-p 1.0, 1,024 tokens; an answer over 250 words is asked for again.\n"
        "# The system prompt is this project's, not the paper's: give another one as @FILE.\n"
    )
    return head + yaml.safe_dump(study, sort_keys=False, allow_unicode=True)


def write_question_set(
    chosen: Loaded, folder: str | Path, *, models: Sequence[str] = ("local",)
) -> list[Path]:
    """Write the tables, ``questions.csv`` and ``study.yaml``; return the paths.

    Raises
    ------
    UserError
        Where the folder is a file.
    """
    to = Path(folder)
    paths = [*chosen.write(to), to / "questions.csv", to / "study.yaml"]
    asked = [turns[0]["text"] for turns in chosen.items["turns"].to_list()]
    chosen.items.select(
        "item_id", "topic", question=pl.Series(asked), reference="reference"
    ).write_csv(paths[-2])
    paths[-1].write_text(study_file("questions.csv", models), encoding="utf-8")
    return paths
