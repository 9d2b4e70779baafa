"""Kendall's tau; values from R (over_systems.R) and Hollander and Wolfe (1973)."""

import math

import pytest

from attunement.stats.kendall import kendall

# Hollander and Wolfe (1973), p. 187f.: lightness of tuna and a panel's scores, as in R's example
LIGHTNESS = [44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1]
PANEL = [2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8]


def test_the_textbook_example_has_the_exact_p_value() -> None:
    found = kendall(LIGHTNESS, PANEL)
    assert found.estimate == pytest.approx(0.4444444444)
    assert found.p_value == pytest.approx(0.119438933, rel=1e-6)
    assert (found.name, found.n, found.reason) == ("kendall", 9, None)


def test_missing_values_are_left_out_and_counted() -> None:
    found = kendall([*LIGHTNESS, 50.0, math.nan], [*PANEL, math.nan, 3.0])
    assert (found.n, found.n_missing) == (9, 2)
    assert found.estimate == pytest.approx(0.4444444444)


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "no points"),
        ([1], [2], "one point"),
        ([1, 1, 1], [1, 2, 3], "one side is constant"),
        ([1, 2, 3, 4], [1, 2, 4, 3], "fewer than five points: no interval"),
        ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], "a correlation of 1 or -1 has no interval"),
    ],
)
def test_what_cannot_be_said_has_a_reason(x: list[float], y: list[float], reason: str) -> None:
    found = kendall(x, y)
    assert found.reason == reason
    assert math.isnan(found.ci_low)
    assert math.isnan(found.estimate) == (len(set(x)) < 2)


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="equally long"):
        kendall([1, 2], [1])
