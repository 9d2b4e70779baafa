"""Recycling: what of the question comes back in the answer."""

from pathlib import Path

import pytest

from attunement.raters.metrics.base import Batch, Score
from attunement.raters.metrics.fluff import FLUFF
from attunement.raters.metrics.recycling import METRIC

QUESTION = "My anxious feelings keep me awake, and my mother worries."


def scores(question: str, answer: str, variant: str = "standard") -> Score:
    batch = Batch(answers=[answer], questions=[question])
    return METRIC.scores(batch, variant)[0]  # type: ignore[arg-type]


def test_paper_compares_what_stands_between_spaces() -> None:
    # Content: anxious, feeling, keeps, awake; only "anxious" is in the question as it stands.
    assert scores(QUESTION, "An anxious feeling keeps you awake", "paper").value == 1 / 4


def test_standard_compares_dictionary_forms_without_punctuation() -> None:
    # Content: anxious, feeling, keep, awake, tonight; all but "tonight" are in the question.
    found = scores(QUESTION, "The anxious feeling keeps you awake tonight!")
    assert found.value == pytest.approx(4 / 5)


def test_a_word_counts_as_often_as_the_answer_has_it() -> None:
    assert scores("sad", "sad sad happy", "paper").value == pytest.approx(2 / 3)
    assert scores("sad", "Sad, sad; happy.").value == pytest.approx(2 / 3)


def test_contractions_of_fluff_are_fluff() -> None:
    assert scores("I'm sad", "I’m sad").value == 1
    assert scores("you're here", "they're gone").value == 0


def test_without_content_words_paper_says_0_and_standard_why_not() -> None:
    assert scores("I am sad", "It is what it is", "paper").value == 0
    assert scores("I am sad", "It is what it is").reason == "the answer has no content words"
    assert scores("Who am I?", "You are brave").reason == "the question has no content words"


@pytest.mark.shared
def test_the_list_is_the_papers_word_for_word(shared: Path) -> None:
    (seed,) = (shared / "seeds").glob("000_*.txt")
    (line,) = (x for x in seed.read_text(encoding="utf-8").splitlines() if x.startswith("fluff ="))
    assert {w.strip(' "') for w in line.split("[", 1)[1].split("]")[0].split(",")} == FLUFF
