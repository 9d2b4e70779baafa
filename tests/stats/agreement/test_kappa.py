import math
from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from attunement.stats.agreement import cohen_kappa

NAN = math.nan
SKLEARN = {"identity": None, "linear": "linear", "quadratic": "quadratic"}


def table(seed, items=60, raters=2):
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, size=(items, 1))
    noise = rng.integers(-1, 2, size=(items, raters))
    return np.clip(truth + noise, 1, 5).astype(float)


@pytest.mark.parametrize("weights", SKLEARN)
@pytest.mark.parametrize("seed", range(5))
def test_two_raters_equal_scikit_learn(weights, seed):
    x = table(seed)
    theirs = cohen_kappa_score(x[:, 0], x[:, 1], weights=SKLEARN[weights])
    ours = cohen_kappa(x, weights)
    assert ours.estimate == pytest.approx(theirs, abs=1e-9)
    assert ours.ci_low < ours.estimate < ours.ci_high


@pytest.mark.parametrize("weights", SKLEARN)
def test_more_raters_are_the_mean_over_pairs_on_the_items_both_rated(weights):
    x = table(7, raters=4)
    x[np.random.default_rng(1).random(x.shape) < 0.2] = NAN
    each = []
    for a, b in combinations(range(4), 2):
        both = ~np.isnan(x[:, [a, b]]).any(axis=1)
        # The whole scale, so that scikit-learn measures distances on it.
        each.append(
            cohen_kappa_score(
                x[both, a], x[both, b], weights=SKLEARN[weights], labels=[1, 2, 3, 4, 5]
            )
        )
    ours = cohen_kappa(x, weights)
    assert ours.estimate == pytest.approx(np.mean(each), abs=1e-9)
    assert ours.name.startswith("mean_pairwise_")
    assert "mean over pairs" in ours.method


def test_uneven_categories_weigh_by_their_distance():
    # Cohen (1968) by hand: a mean distance of 1/4 against that of the two raters' marginals.
    x = np.array([[1, 1], [2, 1], [10, 10], [1, 1]])
    d = np.abs(np.array([1, 2, 10])[:, None] - np.array([1, 2, 10]))
    first, second = np.array([2, 1, 1]) / 4, np.array([3, 0, 1]) / 4
    expected = 1 - (1 / 4) / (first @ d @ second)
    assert cohen_kappa(x, "linear").estimate == pytest.approx(expected, abs=1e-12)


def test_a_constant_rater_agrees_no_better_than_chance():
    assert cohen_kappa([[1, 1], [1, 2], [1, 1], [1, 2]]).estimate == 0


def test_one_and_the_same_value_says_nothing():
    result = cohen_kappa(np.ones((12, 2)))
    assert math.isnan(result.estimate)
    assert "one and the same value" in result.reason


def test_a_pair_without_a_kappa_is_left_out_and_counted():
    x = np.full((24, 3), NAN)
    x[:12, :2] = table(3, items=12)
    x[12:, 1:] = 2
    result = cohen_kappa(x)
    # The first and third rater share nothing, the second and third one value.
    assert result.estimate == pytest.approx(cohen_kappa(x[:12, :2]).estimate)
    assert result.reason.startswith("2 of 3 pairs of raters undefined and left out")


def test_pairs_that_share_a_handful_of_items_have_no_interval():
    x = table(5, items=40, raters=12)
    order = np.random.default_rng(0).permuted(np.tile(np.arange(12), (40, 1)), axis=1)
    result = cohen_kappa(np.where(order < 3, x, NAN))
    assert math.isfinite(result.estimate)
    assert math.isnan(result.ci_low)
    assert "no interval: half of the pairs share" in result.reason


def test_a_value_outside_the_scale_is_refused():
    with pytest.raises(ValueError, match="none of the categories"):
        cohen_kappa([[1, 6]], categories=[1, 2, 3, 4, 5])


@pytest.mark.parametrize("x", [np.empty((0, 2)), [[1], [2]], [[1, NAN], [NAN, 2]]])
def test_nothing_to_compare_is_said(x):
    result = cohen_kappa(x)
    assert math.isnan(result.estimate)
    assert result.reason == "no item has two ratings"
