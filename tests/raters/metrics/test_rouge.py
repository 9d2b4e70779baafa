"""ROUGE; values from Lin (2004) and from rouge_score's own tests."""

import logging
import random
import time

import pytest
from rouge_score.rouge_scorer import RougeScorer

from attunement.raters.metrics import named, rouge
from attunement.raters.metrics.base import Batch
from attunement.raters.metrics.rouge import lcs, rouge_l

POLICE = "police killed the gunman"


def rated(answer: str, reference: str, name: str) -> tuple[float | None, str | None]:
    (metric,) = named([name])
    return tuple(metric.scores(Batch(answers=[answer], references=[reference]), "standard")[0])  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("name", "answer", "reference", "expected"),
    [
        # Lin (2004), section 3.1: S2 and S3 against S1
        ("rougeL", "police kill the gunman", POLICE, 3 / 4),
        ("rougeL", "the gunman kill police", POLICE, 2 / 4),
        ("rouge2", "police kill the gunman", POLICE, 1 / 3),
        ("rouge2", "the gunman kill police", POLICE, 1 / 3),
        # rouge_score's own tests: precision 1 and recall 1/3; 1 and 1/2
        ("rouge1", "testing", "testing one two", 1 / 2),
        ("rouge2", "testing one", "testing one two", 2 / 3),
        ("rougeL", "testing", "testing one two", 1 / 2),
        ("rouge1", "Testing, ONE!", "testing one", 1.0),
    ],
)
def test_published_examples(name: str, answer: str, reference: str, expected: float) -> None:
    assert rated(answer, reference, name) == (pytest.approx(expected), None)


def test_the_longest_sequence_is_that_of_rouge_score() -> None:
    scorer, draw = RougeScorer(["rougeL"]), random.Random(3)
    for _ in range(60):
        a, b = ([draw.choice("abcdefg") for _ in range(draw.randint(1, 90))] for _ in "ab")
        expected = scorer.score(" ".join(b), " ".join(a))["rougeL"].fmeasure
        assert rouge_l(a, b) == pytest.approx(expected)
    assert (lcs([], ["a"]), rouge_l([], ["a"])) == (0, 0)


def test_two_answers_of_50_000_characters_take_no_minute() -> None:
    draw = random.Random(4)
    a, b = (" ".join(draw.choice(POLICE.split()) for _ in range(8_000)) for _ in "ab")
    before = time.process_time()
    value, _ = rated(a, b, "rougeL")
    assert value is not None
    assert 0.4 < value < 1
    assert time.process_time() - before < 10


@pytest.mark.parametrize(
    ("name", "answer", "reference", "why"),
    [
        ("rouge1", "😂 !!", POLICE, "the answer has no words"),
        ("rougeL", POLICE, "😂", "the reference has no words"),
        ("rouge2", "Police.", POLICE, "the answer has fewer than 2 words"),
        ("rouge2", POLICE, "Police.", "the reference has fewer than 2 words"),
        ("rouge1", "Мне очень грустно", POLICE, "most of the answer's are others"),
        ("rouge1", "", POLICE, "the answer is empty"),
        ("rouge1", POLICE, "", "the item has no reference"),
    ],
)
def test_what_cannot_be_compared_has_no_value(
    name: str, answer: str, reference: str, why: str
) -> None:
    value, reason = rated(answer, reference, name)
    assert value is None
    assert reason is not None
    assert why in reason


def test_accents_of_a_latin_script_are_not_refused() -> None:
    assert rated("Perché sei triste?", "Perché piangi?", "rouge1")[0] == pytest.approx(0.4)


def test_the_signature_names_the_library() -> None:
    (metric,) = named(["rougeL"])
    said = metric.signature(Batch(answers=["a"]), "standard")
    assert "rougeL|variant:standard|score:f|stemmer:no|rouge_score:0.1" in said


def test_a_callers_logging_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.root, "handlers", [])
    rouge._scorer.cache_clear()
    rated(POLICE, POLICE, "rouge1")
    assert logging.root.handlers == []
