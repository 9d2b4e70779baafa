import numpy as np
import pytest

from attunement.stats.agreement import agreement_weights


def test_weights_of_five_categories_are_gwets():
    # Gwet (2014), chapter 3, by hand: 1, 3, 6 and 10 pairs of categories of 10 lie between.
    assert agreement_weights([1, 2, 3, 4, 5], "ordinal")[0] == pytest.approx([1, 0.9, 0.7, 0.4, 0])
    expected = [1, 15 / 16, 12 / 16, 7 / 16, 0]
    assert agreement_weights([1, 2, 3, 4, 5], "quadratic")[0] == pytest.approx(expected)


def test_an_uneven_scale_weighs_by_distance_and_ordinal_by_place():
    assert agreement_weights([1, 2, 5], "linear")[0] == pytest.approx([1, 0.75, 0])
    assert agreement_weights([1, 2, 5], "ordinal")[0] == pytest.approx([1, 2 / 3, 0])
    assert np.array_equal(agreement_weights([1, 2, 5]), np.eye(3))


def test_one_category_agrees_with_itself():
    assert agreement_weights([3], "linear").tolist() == [[1]]


def test_unknown_weights_are_refused():
    with pytest.raises(ValueError, match="weights must be one of"):
        agreement_weights([1, 2], "cubic")
