"""Precision, recall and F1 from counts, held against scikit-learn."""

import math

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from attunement.stats.detection import detection
from attunement.stats.proportion import wilson


def counts(seed: int = 1, n: int = 120):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    said = np.where(rng.random(n) < 0.75, truth, ~truth)
    return truth, said, (truth & said, ~truth & said, truth & ~said)


def test_the_three_are_scikit_learns() -> None:
    truth, said, three = counts()
    found = detection(*three, prefix="yes_")
    p, r, f, _ = precision_recall_fscore_support(truth, said, average="binary")
    assert found.precision.estimate == pytest.approx(p, abs=1e-12)
    assert found.recall.estimate == pytest.approx(r, abs=1e-12)
    assert found.f1.estimate == pytest.approx(f, abs=1e-12)
    assert (found.recall.n, found.precision.n) == (truth.sum(), said.sum())
    assert (found.recall.name, found.f1.name) == ("yes_recall", "yes_f1")
    for result in (found.precision, found.recall, found.f1):
        assert 0 < result.ci_low < result.estimate < result.ci_high < 1


def test_the_interval_of_a_share_is_about_wilsons_where_items_are_single_cases() -> None:
    truth, said, three = counts(n=400)
    found = detection(*three).recall
    expected = wilson(int((truth & said).sum()), int(truth.sum()))
    assert (found.ci_low, found.ci_high) == pytest.approx(
        (expected.ci_low, expected.ci_high), abs=0.02
    )


def test_none_found_is_not_certain() -> None:
    found = detection([0, 0], [0, 0], [2, 3])
    assert found.recall.estimate == 0
    assert found.recall.ci_high == pytest.approx(wilson(0, 5).ci_high)
    assert "Wilson" in found.recall.method
    assert math.isnan(found.precision.estimate)
    assert found.precision.reason == "nothing was found"
    assert found.f1.estimate == 0
    assert math.isnan(found.f1.ci_high)


def test_nothing_there_is_undefined() -> None:
    found = detection([0], [0], [0], n_missing=4)
    assert found.recall.reason == "nothing was there to be found"
    assert found.f1.reason == "nothing was there and nothing was found"
    assert found.f1.n_missing == 4
    assert detection([], [], []).recall.n == 0


def test_counts_have_to_be_counts() -> None:
    with pytest.raises(ValueError, match="equally long"):
        detection([1], [1, 2], [1])
    with pytest.raises(ValueError, match="negative"):
        detection([-1], [1], [1])
