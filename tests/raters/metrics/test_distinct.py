"""Distinct-n and length, counted by hand from the definition of Li et al. (2016), section 5.3."""

import math

import numpy as np
import polars as pl
import pytest

from attunement.raters.metrics import Summary, named
from attunement.raters.metrics.base import Batch, Score, Variant
from attunement.raters.metrics.scoring import Scorer, usable
from attunement.stats.result import Result

ANSWER = "I don't know. I don't know what to do."
# i do know i do know what to do: 9 words, 5 different; 8 pairs, of which "i do", "do know" twice


def rated(name: str, answer: str, variant: Variant = "standard") -> Score:
    (metric,) = named([name])
    return metric.scores(Batch(answers=[answer]), variant)[0]


def of_system(
    name: str, *texts: str, variant: Variant = "standard", **columns: list[str]
) -> Result:
    frame = {"item_id": [str(i) for i in range(len(texts))], "source": "a", "text": list(texts)}
    summary = Summary()
    scorer = Scorer(named([name]), variant, systems=summary.systems)
    summary.add(scorer.rate(usable(pl.DataFrame({**frame, **columns}))))
    (found,) = summary.by_system()
    return found


def test_an_answer_is_counted_by_hand() -> None:
    assert rated("length", ANSWER).value == 9
    assert rated("distinct_1", ANSWER).value == pytest.approx(5 / 9)
    assert rated("distinct_2", ANSWER).value == pytest.approx(6 / 8)


def test_paper_divides_pairs_by_words_as_li_et_al_do() -> None:
    assert rated("distinct_1", ANSWER, "paper").value == pytest.approx(5 / 9)
    assert rated("distinct_2", ANSWER, "paper").value == pytest.approx(6 / 9)


def test_a_system_is_all_its_answers_together_and_no_mean_of_them() -> None:
    found = of_system("distinct_1", "I see.", "I see.", "I see you.")
    assert (found.name, found.estimate, found.n) == ("corpus", pytest.approx(3 / 7), 3)
    assert of_system("distinct_2", "I see.", "I see you.").estimate == pytest.approx(2 / 3)
    paper = of_system("distinct_2", "I see.", "I see you.", variant="paper")
    assert paper.estimate == pytest.approx(2 / 5)


def test_the_interval_is_a_jackknife_by_hand() -> None:
    # Without the first 3/5, without the second 3/5, without the third 2/4
    found = of_system("distinct_1", "I see.", "I see.", "I see you.")
    leave_out = np.array([3 / 5, 3 / 5, 2 / 4])
    error = math.sqrt(2 / 3 * np.sum((leave_out - leave_out.mean()) ** 2))
    half = 4.302653 * error  # Student's t with 2 degrees of freedom, from tables
    assert (found.ci_low, found.ci_high) == pytest.approx((3 / 7 - half, 3 / 7 + half), abs=1e-6)
    assert "jackknife over items" in found.method


def test_answers_to_one_item_are_left_out_together() -> None:
    found = of_system(
        "distinct_1", "I see.", "I see.", "I see you.", item_id=["q", "q", "r"], candidate=[0, 1, 0]
    )
    leave_out = np.array([3 / 3, 2 / 4])
    error = math.sqrt(1 / 2 * np.sum((leave_out - leave_out.mean()) ** 2))
    assert found.estimate == pytest.approx(3 / 7)
    assert (found.ci_low, found.ci_high) == (0, 1)  # 12.7 times the error, cut at the ends
    assert 12.706 * error > 1


def test_what_has_no_words_is_missing_and_not_zero() -> None:
    for name in ("length", "distinct_1", "distinct_2"):
        assert rated(name, "😂👍").reason == "the answer has no words"
        assert rated(name, " \n").reason == "the answer is empty"
        assert "script without spaces" in str(rated(name, "我今天很难过。").reason)
    assert rated("distinct_2", "Yes.") == (None, "the answer has fewer than 2 words")
    assert rated("distinct_1", "Yes.").value == 1
    found = of_system("distinct_2", "Yes.", "", "😂")
    assert math.isnan(found.estimate)
    assert (found.n, found.n_missing, found.reason) == (0, 3, "no values")


def test_one_item_has_no_interval() -> None:
    found = of_system("distinct_1", "I see, I see.")
    assert (found.estimate, found.reason) == (0.5, "one item: no interval")
    assert math.isnan(found.ci_low)


def test_a_long_answer_and_another_language_have_values() -> None:
    assert rated("length", "parola " * 10_000).value == 10_000
    assert rated("distinct_1", "Мне очень, очень грустно").value == pytest.approx(3 / 4)
