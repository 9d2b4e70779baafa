"""Factors. Values marked R come from tests/stats/psychometrics.R (psych 2.2.9, stats)."""

import numpy as np
import pytest

from attunement.stats.factor import (
    chi_squared,
    factors,
    matched,
    residual_root_mean_square,
)
from stubs.likert import answers

R = np.corrcoef(answers(), rowvar=False)


def test_minres_with_oblimin_is_that_of_psych() -> None:
    found = factors(R, 3)
    expected = [  # R: fa(x, 3)$loadings; psych stops at about four digits
        [0.0033, 0.7785, 0.0030], [0.0124, 0.7107, 0.0118], [-0.0449, 0.5020, -0.0115],
        [-0.0283, -0.0008, 0.9473], [0.1729, 0.1432, 0.3715], [0.1748, 0.0215, 0.4855],
        [0.6944, 0.0340, -0.0496], [0.7060, 0.0530, -0.0038], [0.6679, -0.0800, 0.0654],
    ]  # fmt: skip
    assert np.abs(found.loadings - expected).max() < 2e-4
    assert found.correlations[1, 0] == pytest.approx(0.5268, abs=2e-4)
    assert found.correlations[2] == pytest.approx([0.3698, 0.4267, 1.0], abs=2e-4)
    assert not found.improper


def test_maximum_likelihood_reaches_the_bound_that_r_reaches() -> None:
    found = factors(R, 3, extraction="ml")
    assert 1 - found.uniqueness == pytest.approx(
        [0.63151, 0.50697, 0.22095, 0.99500, 0.30100, 0.31387, 0.48363, 0.53666, 0.42860], abs=5e-5
    )  # R: fa(x, 3, fm = "ml")$communality
    assert found.improper
    assert chi_squared(found, 300)[0] == pytest.approx(15.59524615, abs=1e-5)  # R: factanal
    assert found.degrees == 12


def test_promax_is_that_of_r() -> None:
    found = factors(R, 3, extraction="ml", rotation="promax")
    # R: promax(varimax(factanal(x, 3, rotation = "none")$loadings))
    assert found.loadings[0] == pytest.approx([-0.0017, 0.8300, -0.0705], abs=3e-4)
    assert found.loadings[8] == pytest.approx([0.6926, -0.0818, 0.0099], abs=3e-4)
    between = found.correlations[np.tril_indices(3, -1)]
    assert between == pytest.approx([0.5649, 0.5095, 0.5203], abs=3e-4)


def test_factors_that_made_the_correlations_are_found_again() -> None:
    pattern = np.kron(np.eye(3), np.array([[0.8], [0.7], [0.6]]))
    phi = np.array([[1.0, 0.3, 0.2], [0.3, 1.0, 0.4], [0.2, 0.4, 1.0]])
    matrix = pattern @ phi @ pattern.T
    np.fill_diagonal(matrix, 1.0)
    for extraction in ("minres", "ml"):
        found = factors(matrix, 3, extraction=extraction)  # type: ignore[arg-type]
        wanted = factors(matrix, 3)
        assert np.abs(matched(found, wanted).loadings - wanted.loadings).max() < 1e-3
        assert residual_root_mean_square(matrix, found) < 1e-5
    assert np.sort(np.abs(found.loadings).max(axis=1)) == pytest.approx(
        np.sort(np.tile([0.8, 0.7, 0.6], 3)), abs=1e-3
    )


def test_a_solution_is_brought_into_the_order_of_another() -> None:
    wanted = factors(R, 3)
    turned = factors(R[::-1, ::-1], 3, start=wanted.turned)
    assert np.abs(matched(wanted, wanted).loadings - wanted.loadings).max() < 1e-12
    assert np.abs(turned.loadings[::-1] - matched(turned, turned).loadings[::-1]).max() < 1e-12


def test_explained_shares_sum_to_the_mean_communality() -> None:
    found = factors(R, 3)
    assert found.explained.sum() == pytest.approx(1 - found.uniqueness.mean(), abs=1e-5)


@pytest.mark.parametrize(
    ("matrix", "m", "message"),
    [
        (R[:4, :4], 2, "too few"),
        (np.full((5, 5), np.nan), 1, "undefined"),
    ],
)
def test_what_cannot_be_analyzed_is_refused(matrix: np.ndarray, m: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        factors(matrix, m)


def test_maximum_likelihood_refuses_items_that_repeat_each_other() -> None:
    matrix = np.ones((5, 5)) * 0.5 + 0.5 * np.eye(5)
    matrix[0, 1] = matrix[1, 0] = 1.0
    with pytest.raises(ValueError, match="positive definite"):
        factors(matrix, 1, extraction="ml")
