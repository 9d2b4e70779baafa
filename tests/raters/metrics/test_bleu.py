"""BLEU; values from Papineni et al. (2002) and from sacrebleu's documentation and public calls."""

import math

import numpy as np
import pytest
import sacrebleu

from attunement.raters.metrics import _sacrebleu, bleu
from attunement.raters.metrics.base import Batch, Score

# sacrebleu's README: 48.53, 82.4/50.0/45.5/37.5 (BP = 0.943, hyp_len = 17, ref_len = 18)
README = [17, 18, 14, 7, 5, 3, 17, 14, 11, 8]
ANSWERS = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."]
REFERENCES = ["The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."]


def rated(answer: str, reference: str) -> Score:
    batch = Batch(answers=[answer], references=[reference])
    return bleu.METRIC.scores(batch, "standard")[0]


def test_counts_give_the_score_of_sacrebleus_readme() -> None:
    found = bleu.corpus(np.array([README, [2 * n for n in README]], dtype=float), "standard")
    assert found == pytest.approx([48.530827, 48.530827])


def test_the_counts_are_papineni_s() -> None:
    # Example 2 of the paper: modified unigram precision 2/7, and not one bigram
    batch = Batch(answers=["the " * 7], references=["the cat is on the mat"])
    counts = _sacrebleu.counts(bleu._bleu(effective_order=False), batch)
    assert counts == [[7, 6, 2, 0, 0, 0, 7, 6, 5, 4]]


def test_a_corpus_is_what_sacrebleu_makes_of_it_and_no_mean_of_answers() -> None:
    batch = Batch(answers=ANSWERS, references=REFERENCES)
    sums = np.array(bleu._parts(batch, "standard"), dtype=float).sum(axis=0, keepdims=True)
    expected = sacrebleu.corpus_bleu(ANSWERS, [REFERENCES]).score
    assert bleu.corpus(sums, "standard")[0] == pytest.approx(expected)
    each = [s.value for s in bleu.METRIC.scores(batch, "standard")]
    assert each == pytest.approx(
        [
            sacrebleu.sentence_bleu(answer, [reference]).score
            for answer, reference in zip(ANSWERS, REFERENCES, strict=True)
        ]
    )
    assert abs(np.mean(each) - expected) > 1  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [
        # From sacrebleu's own tests
        ("test", "a test", 36.78794411714425),
        ("a test", "a test", 100.0),
        ("this is a test", "this is a test", 100.0),
    ],
)
def test_a_short_answer_counts_by_the_orders_that_it_has(
    answer: str, reference: str, expected: float
) -> None:
    assert rated(answer, reference).value == pytest.approx(expected)


def test_no_answer_of_four_tokens_leaves_a_corpus_undefined() -> None:
    batch = Batch(answers=["Yes.", "Oh no"], references=["Yes.", "Oh no"])
    sums = np.array(bleu._parts(batch, "standard"), dtype=float).sum(axis=0, keepdims=True)
    assert math.isnan(bleu.corpus(sums, "standard")[0])


def test_what_cannot_be_compared_has_no_value() -> None:
    assert rated("", "A cat.") == (None, "the answer is empty")
    assert rated("A cat.", " ") == (None, "the item has no reference")
    script = "is in a script without spaces between words"
    assert rated("我很难过。", "A cat.") == (None, f"the answer {script}")
    assert rated("A cat.", "とても悲しいです。") == (None, f"the reference {script}")


def test_the_signature_is_the_librarys() -> None:
    said = bleu.METRIC.signature(Batch(answers=["a"], references=["a"]), "standard")
    assert "nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|sacrebleu:2." in said
