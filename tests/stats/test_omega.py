"""Omega, against psych's published example (Thurstone) and tests/stats/psychometrics.R."""

import numpy as np
import pytest

from attunement.stats.factor import factors
from attunement.stats.omega import Hierarchy, omega_total, one_factor, schmid_leiman
from stubs.likert import answers

# Thurstone's nine tests, below the diagonal column by column, as psych ships and documents them.
THURSTONE = [
    0.828, 0.776, 0.439, 0.432, 0.447, 0.447, 0.541, 0.38, 0.779, 0.493, 0.464, 0.489, 0.432, 0.537,
    0.358, 0.46, 0.425, 0.443, 0.401, 0.534, 0.359, 0.674, 0.59, 0.381, 0.35, 0.424, 0.541, 0.402,
    0.367, 0.446, 0.288, 0.32, 0.325, 0.555, 0.598, 0.452,
]  # fmt: skip


def thurstone() -> np.ndarray:
    matrix = np.eye(9)
    matrix[np.triu_indices(9, 1)] = THURSTONE
    return matrix + np.triu(matrix, 1).T


def hierarchy(correlation: np.ndarray) -> Hierarchy:
    found = factors(correlation, 3)
    return schmid_leiman(found.loadings, found.correlations, correlation)


def test_thurstones_tests_have_the_published_omegas() -> None:
    found = hierarchy(thurstone())
    assert found.hierarchical == pytest.approx(0.74, abs=0.005)  # psych's manual: 0.74 and 0.93
    assert found.total == pytest.approx(0.93, abs=0.005)
    assert found.hierarchical == pytest.approx(0.7360703, abs=2e-4)  # R, to its convergence
    assert found.total == pytest.approx(0.9308254, abs=2e-5)
    assert found.general[:3] == pytest.approx([0.70895, 0.72571, 0.68316], abs=2e-4)
    assert not found.improper


def test_generated_answers_have_the_omegas_of_psych() -> None:
    found = hierarchy(np.corrcoef(answers(), rowvar=False))
    assert found.hierarchical == pytest.approx(0.6071262, abs=2e-5)
    assert found.total == pytest.approx(0.8451001, abs=2e-5)


def test_a_bifactor_model_is_found_again() -> None:
    # A correlation matrix made of a general factor of 0.6 and three groups of 0.5.
    general, group = np.full(9, 0.6), np.kron(np.eye(3), np.full((3, 1), 0.5))
    matrix = np.outer(general, general) + group @ group.T
    np.fill_diagonal(matrix, 1.0)
    found = hierarchy(matrix)
    assert found.general == pytest.approx(general, abs=1e-4)
    assert found.hierarchical == pytest.approx(general.sum() ** 2 / matrix.sum(), abs=1e-4)


def test_one_factor_is_exact_where_the_model_is() -> None:
    loadings = np.array([0.9, 0.7, 0.5, 0.3])
    matrix = np.outer(loadings, loadings)
    np.fill_diagonal(matrix, 1.0)
    assert one_factor(matrix) == pytest.approx(loadings, abs=1e-8)
    stack = np.stack([matrix, matrix[::-1, ::-1]])
    assert one_factor(stack)[1] == pytest.approx(loadings[::-1], abs=1e-8)


def test_what_one_factor_does_not_determine_is_nan() -> None:
    assert np.isnan(omega_total(np.eye(2)))
    holed = np.eye(3)
    holed[0, 1] = holed[1, 0] = np.nan
    assert np.isnan(omega_total(holed))


def test_two_group_factors_do_not_determine_a_general_one() -> None:
    with pytest.raises(ValueError, match="at least three group factors"):
        schmid_leiman(np.ones((4, 2)), np.eye(2), np.eye(4))
