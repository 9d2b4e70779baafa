import numpy as np
import pytest
from sklearn.metrics import f1_score

from attunement.planning.thresholds import NEVER, Cut, best_threshold, tune, weighted_f1


def test_no_other_threshold_has_a_higher_f1() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(200).round(2)
    truth = rng.random(200) < p
    found = f1_score(truth, p >= best_threshold(p, truth))
    # scikit-learn, at every threshold there is.
    assert found == pytest.approx(max(f1_score(truth, p >= t) for t in np.unique(p)))


def test_a_label_that_nobody_said_is_never_above_its_threshold() -> None:
    assert best_threshold(np.array([0.2, 0.9]), np.array([False, False])) == NEVER


def test_a_rare_label_is_not_planned_for_everybody() -> None:
    p = np.linspace(0.5, 0, 100)
    truth = np.zeros(100, dtype=bool)
    truth[60] = True
    assert (p >= best_threshold(p, truth, most=2)).sum() <= 2


def test_the_surest_are_kept_and_one_is_always_planned() -> None:
    cut = Cut(np.array([0.5, 0.1, 0.2]), longest=2)
    chosen, order = cut.choose(np.array([[0.6, 0.3, 0.5], [0.4, 0.01, 0.1]]))
    assert chosen.tolist() == [[False, True, True], [True, False, False]]
    assert order[0].tolist() == [1, 2, 0]


def test_weighted_f1_is_scikit_learns() -> None:
    rng = np.random.default_rng(1)
    truth, chosen = (rng.random((50, 4)) < 0.4 for _ in range(2))
    assert weighted_f1(truth, chosen) == pytest.approx(f1_score(truth, chosen, average="weighted"))


def test_the_length_is_the_one_that_does_best_on_validation_turns() -> None:
    truth = np.zeros((40, 3), dtype=bool)
    truth[np.arange(40), np.arange(40) % 3] = True
    assert tune(np.where(truth, 0.6, 0.4), truth).longest == 1
