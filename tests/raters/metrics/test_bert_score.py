"""BERTScore between vectors written by hand; the model's tests hold it to the package's values."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from attunement.models.token_embeddings import TokenVectors
from attunement.raters.metrics import bert_score, named
from attunement.raters.metrics.base import Batch, Score
from attunement.raters.metrics.bert_score import greedy_match

AXES = {
    "cat": (1.0, 0.0),
    "dog": (0.6, 0.8),
    "sky": (0.0, 1.0),
}


class Listed:
    """Words with vectors of length 1, between a beginning and an end that are no words."""

    name = "listed+layer-0"
    window = 9

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[TokenVectors]:
        self.asked += texts
        found = []
        for text in texts:
            words = [AXES[w] for w in text.split() if w in AXES]
            rows = [(-1.0, 0.0), *words, (0.0, -1.0)] if words else []
            vectors = np.array(rows, dtype=np.float32).reshape(-1, 2)
            counted = np.ones(len(rows), dtype=np.bool_)
            counted[[0, -1] if words else []] = False
            found.append(TokenVectors(vectors, counted))
        return found


def vectors(text: str) -> TokenVectors:
    return Listed().embed([text])[0]


def scores(name: str, **columns: list[str]) -> list[Score]:
    (metric,) = named([name])
    return metric.scores(Batch(embeddings=Listed(), **columns), "standard")


def test_every_token_counts_with_its_nearest() -> None:
    # cat is nearest to dog (0.6); of dog and sky, cat is 0.6 and 0 away, by cosine
    precision, recall, f = greedy_match(vectors("cat"), vectors("dog sky"))
    assert (precision, recall) == (pytest.approx(0.6), pytest.approx(0.3))
    assert f == pytest.approx(2 * 0.6 * 0.3 / 0.9)


def test_precision_and_recall_of_opposite_signs_have_no_f() -> None:
    def alone(*axis: float) -> TokenVectors:
        return TokenVectors(np.array([axis], np.float32), np.array([True]))

    # One token each: precision and recall are one cosine
    assert greedy_match(alone(1, 0), alone(-0.6, 0.8)) == pytest.approx((-0.6, -0.6, -0.6))
    assert greedy_match(alone(1, 0), alone(0, 1)) == (0, 0, 0)
    # "cat" is nearest to the beginning of the other, which itself does not count
    other = TokenVectors(np.array([[0.6, 0.8], [-1, 0]], np.float32), np.array([False, True]))
    precision, recall, f = greedy_match(alone(1, 0), other)
    assert (precision, recall) == (pytest.approx(0.6), -1)
    assert math.isnan(f)


def test_where_there_is_no_f_there_is_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bert_score, "greedy_match", lambda a, b: (0.6, -1.0, math.nan))
    found = scores("bert_score", answers=["cat"], references=["dog"])
    assert found == [(None, "precision and recall have opposite signs, and no F")]


def test_the_order_of_tokens_and_their_number_at_once_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = greedy_match(vectors("cat dog sky dog"), vectors("sky cat"))
    monkeypatch.setattr(bert_score, "_ROWS", 2)
    assert greedy_match(vectors("dog sky dog cat"), vectors("cat sky")) == pytest.approx(whole)


def test_answers_are_compared_with_the_reference_or_with_all_that_was_said() -> None:
    columns = {"answers": ["cat", "cat"], "references": ["dog", "cat"], "questions": ["sky"] * 2}
    assert [s.value for s in scores("bert_score", **columns)] == pytest.approx([0.6, 1])
    assert [s.value for s in scores("bert_score_context", **columns)] == pytest.approx([0, 0])
    said = scores("bert_score_context", **columns, contexts=["dog", "cat sky"])
    assert [s.value for s in said] == pytest.approx([0.6, 2 * 0.5 / 1.5])


def test_what_has_no_tokens_has_no_value() -> None:
    answers = ["", "x", "cat", "cat", "cat"]
    found = scores("bert_score", answers=answers, references=["cat", "cat", "", "x", "cat"])
    assert [s.reason for s in found] == [
        "the answer is empty",
        "the answer has no tokens",
        "the item has no reference",
        "the reference has no tokens",
        None,
    ]
    with pytest.raises(ValueError, match="no tokens"):
        greedy_match(vectors("cat"), vectors("x"))


def test_a_reference_that_many_answers_share_is_read_once() -> None:
    model = Listed()
    (metric,) = named(["bert_score"])
    metric.scores(Batch(["cat", "dog"], references=["sky", "sky"], embeddings=model), "standard")
    assert sorted(model.asked) == ["cat", "dog", "sky"]


def test_the_signature_names_model_and_layer() -> None:
    (metric,) = named(["bert_score"])
    said = metric.signature(Batch(["cat"], embeddings=Listed()), "standard")
    assert "|model:listed+layer-0|score:f|idf:no|rescaled:no|window:9|" in said
