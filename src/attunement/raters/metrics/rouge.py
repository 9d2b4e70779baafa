"""ROUGE: how many words, or pairs of words, answer and reference share.

Source: Lin (2004), as `rouge_score` computes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

from attunement.raters.metrics._sacrebleu import pairs
from attunement.raters.metrics._tokens import ascii_share, has_words
from attunement.raters.metrics.base import RESPONSE_METRICS, Batch, Metric, Score, Variant

ENOUGH = 0.5
"""Least share of letters that the tokenizer, which knows a to z and 0 to 9 only, has to keep."""


def rouge_l(answer: Sequence[str], reference: Sequence[str]) -> float:
    """Return ROUGE-L's F, from the longest common subsequence of two lists of words; 0 to 1.

    `rouge_score` fills a table of Python numbers, which takes a minute and 800 MB for two answers
    of 50,000 characters; `lcs` does the same with the bits of one long integer.
    """
    if not answer or not reference:
        return 0.0
    common = lcs(answer, reference)
    return 2 * common / (len(answer) + len(reference))


def lcs(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the length of the longest common subsequence (Hyyrö 2004, bit-parallel).

    >>> lcs("the cat is here".split(), "the black cat was here".split())
    3

    """
    at: dict[str, int] = {}
    for place, word in enumerate(a):
        at[word] = at.get(word, 0) | 1 << place
    every = (1 << len(a)) - 1
    row = every
    for word in b:
        matched = row & at.get(word, 0)
        row = ((row + matched) | (row - matched)) & every
    return len(a) - row.bit_count()


def _rate(
    score: Callable[[str, str], float], least: int
) -> Callable[[Batch, Variant], list[Score]]:
    def rate(batch: Batch, variant: Variant) -> list[Score]:
        """Return F of each answer and its reference, 0 to 1."""
        scores = []
        for answer, reference in pairs(batch):
            why = _unread("answer", answer, least) or _unread("reference", reference, least)
            scores.append(Score(None, why) if why else Score(score(answer, reference)))
        return scores

    return rate


def _unread(name: str, text: str, least: int) -> str | None:
    if not has_words(text):
        return f"the {name} has no words"
    if ascii_share(text) < ENOUGH:
        return f"ROUGE reads the letters a to z, and most of the {name}'s are others"
    if len(_tokenizer().tokenize(text)) < least:
        return f"the {name} has fewer than {least} words"
    return None


def _of_n(name: str) -> Callable[[str, str], float]:
    return lambda answer, reference: float(_scorer().score(reference, answer)[name].fmeasure)


def _of_l(answer: str, reference: str) -> float:
    tokenize = _tokenizer().tokenize
    return rouge_l(tokenize(answer), tokenize(reference))


@cache
def _scorer() -> Any:
    from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]

    # Without a tokenizer it logs a line through absl, which sets up the process's root logger.
    return RougeScorer(["rouge1", "rouge2"], tokenizer=_tokenizer())


@cache
def _tokenizer() -> Any:
    from rouge_score.tokenizers import DefaultTokenizer  # type: ignore[import-untyped]

    return DefaultTokenizer(use_stemmer=False)


def _parameters(batch: Batch, variant: Variant) -> Mapping[str, object]:
    return {"score": "f", "stemmer": "no", "rouge_score": version("rouge_score")}


def _metric(name: str, what: str, score: Callable[[str, str], float], least: int = 1) -> Metric:
    return Metric(
        name=name,
        summary=f"F score of {what} shared with the reference; 0 to 1.",
        rate=_rate(score, least),
        needs=("reference",),
        category=1,
        parameters=_parameters,
        instrument=RESPONSE_METRICS,
        by_default=False,
    )


METRICS = (
    _metric("rouge1", "words", _of_n("rouge1")),
    _metric("rouge2", "pairs of words", _of_n("rouge2"), 2),
    _metric("rougeL", "the longest sequence of words", _of_l),
)
