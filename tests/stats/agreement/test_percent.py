import math

import numpy as np
import pytest

from attunement.stats.agreement import percent_agreement

NAN = math.nan


def test_every_item_counts_alike():
    # By hand: 1 of 3 pairs, 1 of 1, none of 1.
    result = percent_agreement([[1, 1, 2], [3, 3, NAN], [1, NAN, 2], [1, NAN, NAN]])
    assert result.estimate == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert (result.n, result.n_missing) == (3, 1)


def test_two_raters_agree_as_often_as_they_are_equal():
    table = np.random.default_rng(0).integers(0, 3, size=(50, 2))
    assert percent_agreement(table).estimate == pytest.approx((table[:, 0] == table[:, 1]).mean())


def test_identical_ratings_agree_whatever_chance_says():
    assert percent_agreement(np.ones((20, 3))).estimate == 1


def test_nothing_to_compare_is_said():
    assert percent_agreement([[1, NAN]]).reason == "no item has two ratings"
