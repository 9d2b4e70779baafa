import math

import numpy as np
import pytest

from attunement.stats.agreement.matrix import (
    as_matrix,
    category_counts,
    code,
    from_long,
    without_raters,
)

NAN = math.nan


def test_a_long_table_becomes_items_by_raters_in_order_of_appearance():
    matrix, items, raters = from_long(["b", "a", "b"], ["x", "y", "y"], [1, 2, NAN])
    assert (items, raters) == (["b", "a"], ["x", "y"])
    assert np.array_equal(matrix, [[1, NAN], [NAN, 2]], equal_nan=True)


def test_a_rating_given_twice_is_refused_and_named():
    with pytest.raises(ValueError, match="rater 'x' rated item 'a' more than once"):
        from_long(["a", "a"], ["x", "x"], [1, NAN])
    with pytest.raises(ValueError, match="same length"):
        from_long(["a"], ["x", "y"], [1])


def test_what_is_no_matrix_of_numbers_is_refused():
    for wrong, why in (
        ([["a"]], "must be numbers"),
        ([1, 2], "items x raters"),
        ([[math.inf]], "infinite"),
    ):
        with pytest.raises(ValueError, match=why):
            as_matrix(wrong)


def test_codes_are_places_in_the_scale():
    codes, values = code(np.array([[1, 4], [NAN, 2]]), [1, 2, 3, 4])
    assert codes.tolist() == [[0, 3], [-1, 1]]
    assert values.tolist() == [1, 2, 3, 4]
    assert category_counts(codes, 4).toarray().tolist() == [[1, 0, 0, 1], [0, 1, 0, 0]]
    for scale in ([1, 2], []):
        with pytest.raises(ValueError, match="none of the categories"):
            code(np.array([[1.0, 4.0]]), scale)


def test_ratings_move_to_the_left_when_raters_are_forgotten():
    table = [[NAN, 2, 3], [NAN, NAN, NAN], [1, NAN, NAN]]
    expected = [[2, 3], [NAN, NAN], [1, NAN]]
    assert np.array_equal(without_raters(table), expected, equal_nan=True)
    assert without_raters(np.empty((0, 3))).shape == (0, 0)
