"""chrF2; values from sacrebleu's documentation, tests and public calls."""

import numpy as np
import pytest
import sacrebleu

from attunement.raters.metrics import chrf
from attunement.raters.metrics.base import Batch

PAIRS = [
    ("The dog bit the man.", "The dog had bit the man."),
    ("It wasn't surprising.", "No one was surprised."),
    ("Niemand hat die Absicht, eine Mauer zu errichten", "Niemand will hier eine Mauer bauen"),
    ("我很难过。", "我今天很难过。"),
]
ANSWERS, REFERENCES = [list(column) for column in zip(*PAIRS, strict=True)]
BATCH = Batch(answers=ANSWERS, references=REFERENCES)


def test_answers_are_scored_as_by_sacrebleu() -> None:
    found = [s.value for s in chrf.METRIC.scores(BATCH, "standard")]
    assert found == pytest.approx([sacrebleu.sentence_chrf(a, [r]).score for a, r in PAIRS])
    same = Batch(answers=["a b c", "a"], references=["abc", "b"])
    assert [s.value for s in chrf.METRIC.scores(same, "standard")] == [100, 0]


def test_a_corpus_is_scored_as_by_sacrebleu() -> None:
    whole = chrf.METRIC.whole
    assert whole is not None
    sums = np.array(whole.parts(BATCH, "standard"), dtype=float).sum(axis=0, keepdims=True)
    expected = sacrebleu.corpus_chrf(ANSWERS, [REFERENCES]).score
    assert chrf.corpus(sums, "standard")[0] == pytest.approx(expected)


def test_the_signature_is_the_librarys() -> None:
    said = chrf.METRIC.signature(BATCH, "standard")
    assert "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|sacrebleu:2." in said
