"""Confirmatory models, against lavaan 0.6-14 (tests/stats/psychometrics.R)."""

import numpy as np
import pytest

from attunement.stats.cfa import confirm, confirm_correlations
from attunement.stats.cfa_ordinal import confirm_ordinal
from attunement.stats.fit_indices import fit, rmsea_interval
from stubs.likert import answers

THREE = [0, 0, 0, 1, 1, 1, 2, 2, 2]

# Covariances (n) of Holzinger and Swineford's nine tests, 301 pupils, lavaan's own example.
HOLZINGER = [
    1.35837, 0.407371, 0.579899, 0.504835, 0.440616, 0.454808, 0.084765, 0.263838, 0.458339,
    1.381784, 0.451064, 0.208923, 0.211091, 0.247545, -0.096751, 0.109659, 0.244009, 1.274865,
    0.20817, 0.112296, 0.244109, 0.088342, 0.212323, 0.373853, 1.350665, 1.097753, 0.895516,
    0.219743, 0.125593, 0.243363, 1.659786, 1.014524, 0.143, 0.180605, 0.295241, 1.196358,
    0.144078, 0.165431, 0.235997, 1.183139, 0.535245, 0.373297, 1.021983, 0.457317, 1.015004,
]  # fmt: skip


def holzinger() -> np.ndarray:
    matrix = np.zeros((9, 9))
    matrix[np.triu_indices(9)] = HOLZINGER
    matrix += np.triu(matrix, 1).T
    scale = 1 / np.sqrt(np.diagonal(matrix))
    return matrix * np.outer(scale, scale)


def test_holzinger_and_swineford_fit_as_in_lavaan() -> None:
    found = confirm_correlations(holzinger(), 301, THREE)
    assert found.converged
    assert not found.improper
    f = found.fit
    assert (f.degrees, f.baseline_degrees) == (24, 36)
    assert (f.chi_squared, f.baseline) == pytest.approx((85.305522, 918.851589), abs=2e-4)
    assert (f.cfi, f.tli) == pytest.approx((0.9305596518, 0.8958394777), abs=1e-6)
    assert (f.rmsea, f.rmsea_low, f.rmsea_high) == pytest.approx(
        (0.09212148451, 0.07141849044, 0.1136780168), abs=1e-5
    )
    assert f.srmr == pytest.approx(0.06520509755, abs=1e-6)
    assert f.p_value == pytest.approx(8.502553e-09, rel=1e-4)
    assert found.loadings == pytest.approx(
        [0.77188, 0.42360, 0.58113, 0.85158, 0.85507, 0.83801, 0.56952, 0.72304, 0.66501], abs=2e-5
    )
    assert found.loading_errors[[0, 3, 8]] == pytest.approx(
        [0.054973, 0.022543, 0.051094], abs=2e-5
    )
    below = np.tril_indices(3, -1)
    assert found.correlations[below] == pytest.approx([0.45851, 0.47053, 0.28299], abs=2e-5)
    assert found.correlation_errors[below] == pytest.approx([0.06378, 0.07283, 0.06873], abs=2e-5)


def test_answers_taken_as_continuous_fit_as_in_lavaan() -> None:
    found = confirm(answers(), THREE)
    assert found.fit.chi_squared == pytest.approx(33.72257894, abs=1e-6)
    assert found.fit.cfi == pytest.approx(0.98492476695, abs=1e-8)
    assert found.fit.tli == pytest.approx(0.97738715042, abs=1e-8)
    assert found.fit.rmsea_high == pytest.approx(0.06366432, abs=1e-6)
    assert found.fit.srmr == pytest.approx(0.03451508631, abs=1e-6)
    assert found.loadings[:3] == pytest.approx([0.7699027, 0.7355479, 0.4688955], abs=1e-6)
    assert found.loading_errors[:3] == pytest.approx([0.0429514, 0.0436249, 0.0542176], abs=1e-6)


def test_ordered_answers_fit_as_in_lavaan() -> None:
    found = confirm_ordinal(answers(), THREE)
    f = found.fit  # lavaan: chisq.scaled, baseline.chisq.scaled, cfi.scaled ...
    assert (f.chi_squared, f.baseline) == pytest.approx((30.6873347, 1133.294269), abs=1e-4)
    assert (f.cfi, f.tli) == pytest.approx((0.9939056141, 0.9908584212), abs=1e-7)
    assert (f.rmsea, f.rmsea_high) == pytest.approx((0.03052708354, 0.05912357338), abs=1e-7)
    assert f.rmsea_low == 0
    assert f.srmr == pytest.approx(0.03484841037, abs=1e-7)
    assert found.loadings == pytest.approx(
        [0.81896, 0.75783, 0.48338, 0.75291, 0.67266, 0.67392, 0.70917, 0.78804, 0.65449], abs=1e-5
    )
    assert found.loading_errors[:3] == pytest.approx([0.0479504, 0.0445801, 0.0593829], abs=1e-6)
    assert found.correlation_errors[1, 0] == pytest.approx(0.06132596956, abs=1e-6)


def test_a_wrong_model_of_ordered_answers_fits_as_badly_as_in_lavaan() -> None:
    f = confirm_ordinal(answers(), [0] * 9).fit
    assert f.chi_squared == pytest.approx(217.0542141, abs=1e-4)
    assert (f.cfi, f.tli) == pytest.approx((0.8267974068, 0.7690632077), abs=1e-7)
    assert (f.rmsea, f.rmsea_low, f.rmsea_high) == pytest.approx(
        (0.1534338829, 0.1348508471, 0.1727025332), abs=1e-7
    )
    assert f.srmr == pytest.approx(0.09521434970, abs=1e-7)


def test_a_model_that_is_exact_fits_perfectly() -> None:
    pattern = np.kron(np.eye(2), np.array([[0.8], [0.7], [0.6]]))
    matrix = pattern @ np.array([[1, 0.4], [0.4, 1]]) @ pattern.T
    np.fill_diagonal(matrix, 1.0)
    found = confirm_correlations(matrix, 200, [0, 0, 0, 1, 1, 1])
    assert found.fit.chi_squared == pytest.approx(0, abs=1e-8)
    assert found.fit.rmsea == 0
    assert found.fit.cfi == 1
    assert found.correlations[1, 0] == pytest.approx(0.4, abs=1e-6)


def test_a_factor_that_takes_all_of_an_item_is_improper() -> None:
    matrix = np.array([[1.0, 0.8, 0.8], [0.8, 1.0, 0.3], [0.8, 0.3, 1.0]])
    assert confirm_correlations(matrix, 100, [0, 0, 0]).improper


@pytest.mark.parametrize("factor", [[0, 0, 0, 1], [0, 0]])
def test_a_model_that_answers_do_not_determine_is_refused(factor: list[int]) -> None:
    with pytest.raises(ValueError, match="at least three items"):
        confirm(answers()[:, : len(factor)], factor)


def test_fewer_respondents_than_items_are_refused() -> None:
    with pytest.raises(ValueError, match="no inverse"):
        confirm(answers()[:6], THREE)


def test_a_constant_item_is_refused() -> None:
    x = answers().copy()
    x[:, 4] = 3
    with pytest.raises(ValueError, match="constant"):
        confirm(x, THREE)


def test_a_saturated_model_has_no_rmsea() -> None:
    f = fit(0.0, 0, 100.0, 3, n=100, srmr=0.0)
    assert np.isnan([f.rmsea, f.tli, f.p_value]).all()
    assert f.cfi == 1


def test_the_interval_of_rmsea_starts_at_zero_where_the_model_fits() -> None:
    assert rmsea_interval(24.0, 24, 300)[0] == 0
    low, high = rmsea_interval(85.305522, 24, 301)
    assert 0 < low < 0.0921 < high
