"""Recycling: how many of the answer's words the person had used.

Source: *nuance*, Algorithm 5 and its list of words that do not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version

from attunement.raters.metrics.base import Batch, Metric, Score, Variant
from attunement.raters.metrics.fluff import FLUFF
from attunement.text import lemma, words


def rate(batch: Batch, variant: Variant) -> list[Score]:
    """Return the share of each answer's content words that are the question's too, 0 to 1.

    A word counts as often as the answer has it. ``standard`` compares dictionary forms without
    punctuation; an answer or a question without content words is not applicable. ``paper``
    compares what stands between spaces, so "anxious," is not "anxious"; without content words 0.
    """
    questions = batch.questions or [""] * len(batch)
    if variant == "paper":
        asked = {q: frozenset(q.lower().split()) for q in dict.fromkeys(questions)}
        return [
            Score(share([w for w in answer.lower().split() if w not in FLUFF], asked[question]))
            for answer, question in zip(batch.answers, questions, strict=True)
        ]
    known = {q: frozenset(content(words(q))) for q in dict.fromkeys(questions)}
    return [
        _standard(content(found), known[question])
        for found, question in zip(batch.words, questions, strict=True)
    ]


def _standard(answer: Sequence[str], question: frozenset[str]) -> Score:
    if not answer:
        return Score(None, "the answer has no content words")
    if not question:
        return Score(None, "the question has no content words")
    return Score(share(answer, question))


def content(found: Sequence[str]) -> list[str]:
    """Return the dictionary forms of the words that are not fluff.

    >>> content(["my", "feelings", "were", "hurt"])
    ['feeling', 'hurt']
    """
    return [form for word in found if (form := _content(word))]


@lru_cache(maxsize=16_384)
def _content(word: str) -> str:
    form = lemma(word)
    return "" if word in FLUFF or form in FLUFF else form


def share(answer: Sequence[str], question: frozenset[str]) -> float:
    """Return the share of the answer's words that are in the question, 0 where it has none.

    >>> share(["feel", "sad", "today", "sad"], frozenset({"sad", "work"}))
    0.5
    """
    return sum(1 for word in answer if word in question) / len(answer) if answer else 0.0


def _parameters(batch: Batch, variant: Variant) -> Mapping[str, object]:
    lemmas = f"simplemma-{version('simplemma')}" if variant == "standard" else "none"
    return {"lemmas": lemmas, "left_out": "nuance-4.2.5"}


METRIC = Metric(
    name="recycling",
    summary="Share of the answer's content words that are in the question; 0 to 1.",
    rate=rate,
    needs=("question",),
    variants=("standard", "paper"),
    english=True,
    parameters=_parameters,
)
