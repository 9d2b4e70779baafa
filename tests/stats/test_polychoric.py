"""Polychoric correlations, against lavaan 0.6-14 (tests/stats/psychometrics.R) and known values."""

import math

import numpy as np
import pytest

from attunement.stats.polychoric import bivariate_normal, polychoric
from stubs.likert import answers


def test_correlations_thresholds_and_errors_are_those_of_lavaan() -> None:
    found = polychoric(answers()[:, :4])
    assert found.correlation[np.tril_indices(4, -1)] == pytest.approx(
        [0.6100117447, 0.4057817500, 0.3864220477, 0.3150055342, 0.3184358684, 0.2242522670],
        abs=1e-6,
    )
    assert found.thresholds[0] == pytest.approx(
        [-1.244451786771, -0.534011853182, 0.184867027619, 1.095418498930], abs=1e-9
    )
    # lavaan divides by n - 1 here
    assert math.sqrt(found.covariance[0, 0] / 299) == pytest.approx(0.04171413172, abs=1e-6)


@pytest.mark.parametrize("rho", [-0.9, -0.3, 0.0, 0.5, 0.95])
def test_the_normal_quadrant_has_its_closed_form(rho: float) -> None:
    # Sheppard: P(X < 0, Y < 0) = 1/4 + arcsin(rho) / (2 pi)
    expected = 0.25 + math.asin(rho) / (2 * math.pi)
    assert float(bivariate_normal(0.0, 0.0, rho)) == pytest.approx(expected, abs=1e-10)


def test_two_by_two_at_the_medians_has_the_closed_form() -> None:
    # With thresholds at 0 the tetrachoric correlation is sin(pi/2 (2 P(same) - 1)).
    rows = [(0, 0)] * 40 + [(0, 1)] * 10 + [(1, 0)] * 10 + [(1, 1)] * 40
    found = polychoric(np.array(rows)).correlation[0, 1]
    assert found == pytest.approx(math.sin(math.pi / 2 * 0.6), abs=1e-8)


def test_only_the_order_of_answers_counts() -> None:
    x = answers()[:, :2]
    assert polychoric(np.exp(x)).correlation == pytest.approx(polychoric(x).correlation)


def test_answers_that_agree_fully_stay_inside_the_bound() -> None:
    x = np.repeat(np.arange(5), 10)
    found = polychoric(np.stack([x, x], axis=1))
    assert 0.95 < found.correlation[0, 1] < 1
    assert found.empty_pairs == 1


@pytest.mark.parametrize(
    ("values", "message"),
    [([[1, np.nan], [2, 1]], "complete"), ([[1, 2], [1, 3]], "same answer to item 1")],
)
def test_what_has_no_polychoric_correlation_is_refused(values: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        polychoric(np.asarray(values))
