"""Sentiment slope: expected values from SciPy's linear regression."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import linregress

from attunement.raters.metrics.base import Batch, Score
from attunement.raters.metrics.sentiment_change import sigmoid
from attunement.raters.metrics.sentiment_slope import METRIC, slope

RISING = "It is bad. It is a day. It is good."  # polarities -0.7, 0, 0.7


def scores(answer: str, variant: str = "standard") -> Score:
    return METRIC.scores(Batch(answers=[answer]), variant)[0]  # type: ignore[arg-type]


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30))
def test_the_slope_is_that_of_least_squares(values: list[float]) -> None:
    assert slope(values) == pytest.approx(linregress(range(len(values)), values).slope, abs=1e-12)


def test_standard_runs_from_0_to_1_whatever_the_length() -> None:
    assert scores(RISING).value == pytest.approx(1.4)
    longer = "It is bad. It is a day. It is a day. It is good."
    expected = linregress([0, 1 / 3, 2 / 3, 1], [-0.7, 0, 0, 0.7]).slope
    assert scores(longer).value == pytest.approx(expected)


def test_standard_does_not_split_at_an_abbreviation() -> None:
    assert scores("Dr. Good is nice") == Score(None, "only one sentence")


def test_paper_splits_at_every_full_stop_and_keeps_empty_pieces() -> None:
    # The last piece, after the last full stop, is empty and neutral.
    expected = linregress([0, 1, 2, 3], [-0.7, 0, 0.7, 0]).slope
    assert scores(RISING, "paper").value == pytest.approx(sigmoid(expected))


def test_paper_gives_one_piece_a_half() -> None:
    assert scores("It is good", "paper").value == 0.5


def test_an_empty_answer_is_not_applicable_in_both() -> None:
    for variant in ("standard", "paper"):
        assert scores("  ", variant) == Score(None, "the answer is empty")
