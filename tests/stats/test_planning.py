import math

import numpy as np
import pytest

from attunement.stats.planning import (
    half_width_of_crossed_mean,
    half_width_of_mean,
    items_for_crossed_mean,
    items_for_difference,
    items_for_mean,
    raters_for_rating,
    raters_for_reliability,
    sd_of_difference,
)


@pytest.mark.parametrize(("sd", "half", "n"), [(15, 5, 38), (1, 0.1, 387), (0.2, 1, 3)])
def test_items_are_those_of_a_search_in_r(sd, half, n):
    # comparison.R: the fewest n with qt(.975, n - 1) sd / sqrt(n) <= h
    plan = items_for_mean(sd, half)
    assert plan.n == n
    assert plan.half_width <= half
    assert half_width_of_mean(sd, n - 1) > half


def test_nothing_to_estimate_takes_two_items():
    assert items_for_mean(0, 0.1).n == 2


def test_a_paired_difference_needs_fewer_items_the_closer_the_two_go_together():
    assert sd_of_difference(3, 4, 0) == 5
    assert sd_of_difference(2, 2, 1) == 0
    assert items_for_difference(1, 1, 0.8, 0.1).n < items_for_difference(1, 1, 0, 0.1).n
    assert items_for_difference(3, 4, 0, 1).n == items_for_mean(5, 1).n


def test_raters_by_the_closed_form():
    # (1.959964 / 0.5)^2 * 1.2^2 * (1 - 0.4) = 13.28
    plan = raters_for_rating(0.5, sd=1.2, icc=0.4)
    assert plan.n == 14
    assert plan.half_width == pytest.approx(1.959964 * 1.2 * math.sqrt(0.6 / 14), abs=1e-6)
    assert raters_for_rating(0.5, sd=1.2, icc=1).n == 1


def test_raters_by_spearman_brown():
    # Six raters of ICC .4 have 6 * .4 / (1 + 5 * .4) = .8
    assert raters_for_reliability(0.8, icc=0.4).n == 6
    assert raters_for_reliability(0.81, icc=0.4).n == 7


def test_crossed_items_and_raters_agree_with_simulation():
    rng = np.random.default_rng(1)
    n, k, runs = 20, 4, 4000
    means = (
        rng.normal(0, 1.0, (runs, n)).mean(axis=1)
        + rng.normal(0, 0.5, (runs, k)).mean(axis=1)
        + rng.normal(0, 0.8, (runs, n * k)).mean(axis=1)
    )
    half = half_width_of_crossed_mean(
        n, k, item_variance=1, rater_variance=0.25, residual_variance=0.64
    )
    assert half == pytest.approx(1.96 * means.std(), rel=0.03)


def test_items_for_a_crossed_mean_invert_the_half_width():
    parts = {"item_variance": 1.0, "rater_variance": 0.04, "residual_variance": 0.5}
    plan = items_for_crossed_mean(0.3, 4, **parts)
    assert plan.half_width <= 0.3
    assert half_width_of_crossed_mean(plan.n - 1, 4, **parts) > 0.3


def test_no_number_of_items_makes_up_for_too_few_raters():
    assert (
        items_for_crossed_mean(0.3, 2, item_variance=1, rater_variance=0.5, residual_variance=0.5)
        is None
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda: items_for_mean(1, 0),
        lambda: items_for_mean(math.nan, 1),
        lambda: half_width_of_mean(1, 1),
        lambda: sd_of_difference(1, 1, 2),
        lambda: raters_for_rating(0, sd=1, icc=0.5),
        lambda: raters_for_reliability(1, icc=0.5),
        lambda: half_width_of_crossed_mean(
            0, 1, item_variance=1, rater_variance=1, residual_variance=1
        ),
        lambda: items_for_crossed_mean(
            0, 1, item_variance=1, rater_variance=1, residual_variance=1
        ),
    ],
)
def test_numbers_out_of_range_are_errors(call):
    with pytest.raises(ValueError, match=r"needs|out of range|not standard|at least"):
        call()
