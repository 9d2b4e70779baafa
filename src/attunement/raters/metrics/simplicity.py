"""Simplicity: how easy the answer is to read.

Source: *nuance*, Algorithm 4; Flesch 1948; Kincaid et al. 1975. The counts are those of the
``readability`` package, whose syllable rules are applied here once a word.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from typing import NamedTuple

from attunement.raters.metrics.base import Batch, Metric, Score, Variant

MINIMUM_WORDS = 100
"""An answer must have more words than this: readability means little in shorter texts."""

_PUNCTUATION = frozenset(string.punctuation)
_CACHED = 32_768
_LONGEST = 40


class Counts(NamedTuple):
    """What the readability formulas are made of."""

    words: int
    syllables: int
    sentences: int

    def flesch_reading_ease(self) -> float:
        """Return Flesch's reading ease: about 0 (hard) to 100 (easy), not bounded."""
        return (
            206.835 - 84.6 * (self.syllables / self.words) - 1.015 * (self.words / self.sentences)
        )

    def kincaid_grade(self) -> float:
        """Return the grade level of Kincaid et al.: higher is harder."""
        return 11.8 * (self.syllables / self.words) + 0.39 * (self.words / self.sentences) - 15.59


def counts(text: str) -> Counts:
    """Count words, syllables and sentences as ``readability.getmeasures(text, lang="en")`` does.

    A word is what stands between white space, unless it is punctuation only; a sentence is a line
    that is not empty.
    """
    found = text.split()
    per_word = _syllables()
    syllables = 0
    words = 0
    for word in found:
        n = per_word[word]
        if n >= 0:
            syllables += n
            words += 1
    return Counts(words, syllables, sum(1 for line in text.split("\n") if line))


def rate(batch: Batch, variant: Variant) -> list[Score]:
    """Return each answer's reading ease; answers of 100 words or fewer are not applicable.

    ``standard``: Flesch reading ease, one sentence a line. ``paper``: the Kincaid grade of the text
    as it is, in which only a line break ends a sentence; it mostly counts how few of those there
    are.
    """
    scores: list[Score] = []
    for row, answer in enumerate(batch.answers):
        if len(answer.split()) <= MINIMUM_WORDS:
            scores.append(Score(None, f"{MINIMUM_WORDS} words or fewer"))
            continue
        found = counts(answer if variant == "paper" else "\n".join(batch.sentences[row]))
        if not found.words:
            scores.append(Score(None, "the answer has no words"))
        elif variant == "paper":
            scores.append(Score(found.kincaid_grade()))
        else:
            scores.append(Score(found.flesch_reading_ease()))
    return scores


class _Syllables(dict[str, int]):
    """Word -> number of syllables, -1 for punctuation; made when first asked for, bounded."""

    def __init__(self) -> None:
        from readability import langdata

        super().__init__()
        # The package keeps every word it ever counted; a copy of what it starts with does not.
        self._given: dict[str, int] = dict(langdata.fallback_cache)
        self._add: list[re.Pattern[str]] = list(langdata.fallback_addsyl)
        self._subtract: list[re.Pattern[str]] = list(langdata.fallback_subsyl)
        self._vowels = re.compile(f"[{langdata.VOWELS}y]+")

    def __missing__(self, word: str) -> int:
        n = -1 if _PUNCTUATION.issuperset(word) else self._count(word)
        if len(word) <= _LONGEST:
            if len(self) >= _CACHED:
                self.clear()
            self[word] = n
        return n

    def _count(self, word: str) -> int:
        stem = word.removesuffix("e")
        if stem in self._given:
            return self._given[stem]
        n = len(self._vowels.findall(stem))
        n += sum(1 for rule in self._add if rule.search(stem))
        return n - sum(1 for rule in self._subtract if rule.search(stem))


@cache
def _syllables() -> _Syllables:
    return _Syllables()


def _parameters(batch: Batch, variant: Variant) -> Mapping[str, object]:
    formula = "flesch_reading_ease" if variant == "standard" else "kincaid_grade_unsplit"
    return {
        "formula": formula,
        "over_words": MINIMUM_WORDS,
        "readability": version("readability"),
        "sentences": f"sentencex-{version('sentencex')}" if variant == "standard" else None,
    }


METRIC = Metric(
    name="simplicity",
    summary="Flesch reading ease, about 0 (hard) to 100 (easy); answers of over 100 words only.",
    rate=rate,
    variants=("standard", "paper"),
    english=True,
    parameters=_parameters,
)
