"""Simplicity: expected values from the `readability` package."""

import pytest
import readability
from hypothesis import given, settings
from hypothesis import strategies as st

from attunement.raters.metrics.base import Batch, Score
from attunement.raters.metrics.simplicity import METRIC, counts
from attunement.text import sentences

SENTENCE = "Sometimes the people we love most are the hardest to understand, aren't they? "
LONG = SENTENCE * 8 + "\n" + SENTENCE * 2


def scores(answer: str, variant: str = "standard") -> Score:
    return METRIC.scores(Batch(answers=[answer]), variant)[0]  # type: ignore[arg-type]


def measured(text: str) -> dict[str, float]:
    return readability.getmeasures(text, lang="en")["readability grades"]  # type: ignore[no-any-return]


def test_standard_is_flesch_reading_ease_with_one_sentence_a_line() -> None:
    expected = measured("\n".join(sentences(LONG)))["FleschReadingEase"]
    assert scores(LONG).value == pytest.approx(expected, abs=1e-9)


def test_paper_is_the_kincaid_grade_of_the_text_as_it_is() -> None:
    assert scores(LONG, "paper").value == pytest.approx(measured(LONG)["Kincaid"], abs=1e-9)


@pytest.mark.parametrize("variant", ["standard", "paper"])
def test_an_answer_needs_more_than_100_words(variant: str) -> None:
    assert scores("word " * 100, variant) == Score(None, "100 words or fewer")
    assert scores("word " * 101, variant).value is not None


def test_100_marks_are_no_words() -> None:
    assert scores("- " * 150, "paper") == Score(None, "the answer has no words")


WORDS = st.sampled_from(
    """I make make, mcdonald queue --- ! science riot bubble coax don't étude 60 etc e A mbl
    aeiou sombre tia gui llien""".split()  # noqa: SIM905 - a list would take a page
)


@given(st.lists(st.tuples(WORDS, st.sampled_from([" ", "\n", "\n\n", "\t"])), min_size=1))
@settings(deadline=None)
def test_counts_are_those_of_the_package(pieces: list[tuple[str, str]]) -> None:
    text = "".join(word + gap for word, gap in pieces)
    found = counts(text)
    try:
        info = readability.getmeasures(text, lang="en")["sentence info"]
    except ValueError:
        assert found.words == 0
        return
    assert found == (info["words"], info["syllables"], info["sentences"])


@given(st.text(min_size=1, max_size=40))
@settings(deadline=None)
def test_counts_are_those_of_the_package_for_any_text(text: str) -> None:
    found = counts(text)
    if found.words:
        info = readability.getmeasures(text, lang="en")["sentence info"]
        assert found == (info["words"], info["syllables"], info["sentences"])


def test_the_package_is_not_made_to_remember_every_word() -> None:
    from readability import langdata

    before = len(langdata.fallback_cache)
    counts("unheardofword anotherunheardofword")
    assert len(langdata.fallback_cache) == before
