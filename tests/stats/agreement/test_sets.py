import math

import numpy as np
import pytest
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import jaccard_distance, masi_distance

from attunement.stats.agreement import alpha, alpha_of_sets, set_distances

THEIRS = {"jaccard": jaccard_distance, "masi": masi_distance}


def random_sets(seed, items=30, raters=4):
    rng = np.random.default_rng(seed)
    # nltk divides by zero where both sets are empty, so there is always a label.
    return [
        [
            None if rng.random() < 0.2 else frozenset(rng.choice(list("abcd"), rng.integers(1, 4)))
            for _ in range(raters)
        ]
        for _ in range(items)
    ]


@pytest.mark.parametrize("distance", THEIRS)
@pytest.mark.parametrize("seed", range(4))
def test_random_sets_with_missing_ratings_equal_nltk(distance, seed):
    labels = random_sets(seed)
    data = [
        (f"r{j}", f"i{i}", labeled)
        for i, row in enumerate(labels)
        for j, labeled in enumerate(row)
        if labeled is not None
    ]
    theirs = AnnotationTask(data, distance=THEIRS[distance]).alpha()
    ours = alpha_of_sets(labels, distance)
    assert ours.estimate == pytest.approx(theirs, abs=1e-9)
    assert ours.ci_low < ours.estimate < ours.ci_high


def test_masi_is_passonneaus():
    # Passonneau (2006): equal 1, subset 2/3, overlap 1/3, disjoint 0, times Jaccard.
    sets = [frozenset(s) for s in ("ab", "abcd", "bc", "xy", "")]
    masi = set_distances(sets, "masi")
    assert masi[0].tolist() == pytest.approx([0, 1 - 2 / 3 / 2, 1 - 1 / 3 / 3, 1, 1])
    assert set_distances(sets, "jaccard")[0].tolist() == pytest.approx([0, 0.5, 2 / 3, 1, 1])
    assert masi[4, 4] == 0


def test_sets_of_one_label_are_nominal():
    values = np.random.default_rng(0).integers(0, 3, size=(30, 3))
    labels = [[{str(v)} for v in row] for row in values]
    nominal = alpha(values, "nominal").estimate
    assert alpha_of_sets(labels, "jaccard").estimate == pytest.approx(nominal, abs=1e-12)
    assert alpha_of_sets(labels, "masi").estimate == pytest.approx(nominal, abs=1e-12)


def test_nothing_chosen_is_a_rating_and_none_is_not():
    assert alpha_of_sets([[[], []], [["a"], ["a"]]]).estimate == 1
    result = alpha_of_sets([[None, []], [["a"], ["a"]], [["b"], ["b"]]])
    assert (result.n, result.n_missing) == (2, 1)
    same = alpha_of_sets([[[], []], [[], []]])
    assert math.isnan(same.estimate)
    assert "all ratings are the same" in same.reason
    assert alpha_of_sets([]).reason == "no item has two ratings"


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match="a string, not a set"):
        alpha_of_sets([["joy", "joy"]])
    with pytest.raises(ValueError, match="the same raters"):
        alpha_of_sets([[["a"]], [["a"], ["b"]]])
    with pytest.raises(ValueError, match="distance must be one of"):
        alpha_of_sets([[["a"], ["b"]]], "dice")
