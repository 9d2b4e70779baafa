"""Sentiment change: expected values from TextBlob's lexicon (good 0.7, bad -0.7, nice 0.6)."""

import math

import pytest

from attunement.raters.metrics.base import Batch
from attunement.raters.metrics.sentiment_change import METRIC, percentage, sigmoid


def values(
    questions: list[str], answers: list[str], variant: str = "standard"
) -> list[float | None]:
    batch = Batch(answers=answers, questions=questions)
    return [s.value for s in METRIC.scores(batch, variant)]  # type: ignore[arg-type]


def test_standard_is_the_difference_of_polarities() -> None:
    assert values(["It is bad", "It is good"], ["It is good", "It is nice"]) == pytest.approx(
        [0.7 - -0.7, 0.6 - 0.7]
    )


def test_paper_is_the_sigmoid_of_the_percentage_change() -> None:
    assert values(["It is bad"], ["It is good"], "paper") == pytest.approx([1 / (1 + math.exp(-2))])


@pytest.mark.parametrize(
    ("question", "answer", "limit"),
    [(0.0, 0.3, 1.0), (0.0, -0.3, 0.0), (0.0, 0.0, 0.5), (-1e-17, 1e-17, 0.5), (1e-17, 0.2, 1.0)],
)
def test_paper_takes_the_limit_where_the_question_is_neutral(
    question: float, answer: float, limit: float
) -> None:
    assert percentage(question, answer) == limit


@pytest.mark.parametrize(("x", "y"), [(0, 0.5), (-1e4, 0.0), (1e4, 1.0), (1, 0.7310585786300049)])
def test_the_sigmoid_does_not_overflow(x: float, y: float) -> None:
    assert sigmoid(x) == pytest.approx(y)


def test_a_question_or_an_answer_that_is_not_there_gives_a_reason() -> None:
    batch = Batch(answers=["good", " ", "good"], questions=["bad", "bad", ""])
    assert [s.reason for s in METRIC.scores(batch, "paper")] == [
        None,
        "the answer is empty",
        "the item has no question",
    ]


def test_another_model_can_be_put_in() -> None:
    class Length:
        name = "length-1"

        def polarity(self, texts):
            return [len(t) / 10 for t in texts]

    batch = Batch(answers=["four"], questions=["no"], sentiment=Length())
    assert METRIC.scores(batch, "standard")[0].value == pytest.approx(0.2)
    assert "sentiment:length-1" in METRIC.signature(batch, "standard")
