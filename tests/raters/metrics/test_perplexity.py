"""Perplexity from given probabilities, by hand; the models have tests of their own."""

import math
from collections.abc import Sequence

import polars as pl
import pytest

from attunement.models.language_model import Surprise
from attunement.raters.metrics import Summary, named
from attunement.raters.metrics.base import Batch, Score, Variant
from attunement.raters.metrics.scoring import Scorer, usable
from attunement.stats.result import Result


class Dice:
    """Every word is one of as many as it says: "8" has the probability 1/8."""

    name = "dice"
    window = 6

    def surprises(self, texts: Sequence[str]) -> list[Surprise]:
        words = [[float(w) for w in text.split()] for text in texts]
        return [Surprise(sum(map(math.log, some)), len(some)) for some in words]


def scores(*answers: str) -> list[Score]:
    (metric,) = named(["perplexity"])
    return metric.scores(Batch(answers, language_model=Dice()), "standard")


def of_system(variant: Variant, *answers: str) -> Result:
    ids = [str(i) for i in range(len(answers))]
    frame = pl.DataFrame({"item_id": ids, "source": "a", "text": list(answers)})
    summary = Summary()
    metrics = named(["perplexity"])
    scorer = Scorer(metrics, variant, language_model=Dice(), systems=summary.systems)
    summary.add(scorer.rate(usable(frame)))
    (found,) = summary.by_system(replicates=200)
    return found


def test_it_is_the_geometric_mean_of_how_many_words_there_might_have_been() -> None:
    assert [s.value for s in scores("8", "2 8", "2 2 16")] == pytest.approx([8, 4, 4])


def test_a_system_is_all_its_tokens_together() -> None:
    found = of_system("standard", "2 2 2", "32")
    assert found.estimate == pytest.approx(4)  # the fourth root of 2 * 2 * 2 * 32
    assert (found.name, found.n, found.n_missing) == ("corpus", 2, 0)
    assert "over:tokens" in found.signature


def test_paper_is_the_mean_of_answers_as_evaluate_has_it() -> None:
    found = of_system("paper", "2 2 2", "32", "")
    assert found.estimate == pytest.approx((2 + 32) / 2)
    assert (found.n, found.n_missing) == (2, 1)
    assert "over:answers" in found.signature


def test_no_answer_has_none_and_one_that_is_impossible_neither() -> None:
    assert scores(" ")[0].reason == "the answer is empty"
    (metric,) = named(["perplexity"])

    class Silent(Dice):
        def surprises(self, texts: Sequence[str]) -> list[Surprise]:
            return [Surprise(0.0, 0), Surprise(math.inf, 3)]

    found = metric.scores(Batch(["a", "b"], language_model=Silent()), "standard")
    assert [s.value for s in found] == [None, None]
    assert [s.reason for s in found] == [
        "the answer has no token that follows another",
        "the model gives it no probability",
    ]


def test_the_signature_names_the_model() -> None:
    (metric,) = named(["perplexity"])
    said = metric.signature(Batch(["2"], language_model=Dice()), "standard")
    assert "perplexity|variant:standard|model:dice|window:6|" in said
