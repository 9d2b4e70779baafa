"""How many respondents a scale takes."""

import numpy as np
import pytest

from attunement.stats.item_moments import moments
from attunement.stats.reliability import cronbach, feldt_interval, spearman_brown
from attunement.stats.scale_planning import (
    Population,
    loading_for_alpha,
    respondents_for_alpha,
    respondents_for_structure,
)


def test_parallel_items_with_the_loading_have_the_alpha() -> None:
    loading = loading_for_alpha(0.7, 3)
    assert spearman_brown(loading**2, 3) == pytest.approx(0.7)


def test_drawn_answers_lie_on_the_scale_and_hang_together_as_said() -> None:
    x = Population(2, 4, 0.8, between=0.25, steps=7).draw(40_000, np.random.default_rng(5))
    assert set(np.unique(x)) == set(range(1, 8))
    r = moments(x).correlation
    # Seven steps lose little of the correlations 0.64 within and 0.16 between factors.
    assert r[0, 1] == pytest.approx(0.64, abs=0.03)
    assert r[0, 5] == pytest.approx(0.16, abs=0.02)


def test_the_number_for_an_interval_of_alpha_agrees_with_feldts_formula() -> None:
    population = Population(1, 3, loading_for_alpha(0.7, 3), steps=5)
    n, tried = respondents_for_alpha(population, 0.1, replicates=100)
    alpha = float(cronbach(moments(population.draw(40_000, np.random.default_rng(1))).covariance))
    formula = next(k for k in range(10, 1000) if np.ptp(feldt_interval(alpha, k, 3)) <= 0.2)
    assert n is not None
    # Four studies in five have to reach it, not the average one.
    assert formula < n < 1.4 * formula
    assert next(t for t in tried if t.n == n).succeeded.estimate >= 0.8


def test_no_number_is_given_where_the_most_does_not_suffice() -> None:
    n, tried = respondents_for_alpha(Population(1, 2, 0.3), 0.01, replicates=5, most=50)
    assert n is None
    assert max(t.n for t in tried) <= 50


def test_more_respondents_make_a_confirmatory_analysis_come_out_well_more_often() -> None:
    trials = respondents_for_structure(Population(2, 3, 0.7), [8, 60, 300], replicates=20)
    shares = [t.succeeded.estimate for t in trials]
    assert shares[0] < 0.2
    assert shares[-1] > 0.8
    assert shares == sorted(shares)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Population(0, 3, 0.5),
        lambda: Population(1, 3, 1.0),
        lambda: Population(1, 3, 0.5, between=1.0),
        lambda: loading_for_alpha(1.0, 3),
        lambda: respondents_for_alpha(Population(1, 3, 0.5), 0.0),
    ],
)
def test_numbers_out_of_range_are_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="needs"):
        wrong()  # type: ignore[operator]


def test_the_answer_does_not_depend_on_which_other_numbers_are_tried() -> None:
    population = Population(1, 4, 0.7)
    alone = respondents_for_structure(population, [60], replicates=5)
    among = respondents_for_structure(population, [40, 60], replicates=5)
    assert alone[0] == among[1]
