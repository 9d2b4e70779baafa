"""Two means, against R's t.test and psych's d.ci (tests/stats/psychometrics.R)."""

import math

import numpy as np
import pytest

from attunement.stats.mean_difference import independent_difference, paired_difference
from stubs.likert import answers

A, B = answers()[:40, :3].mean(axis=1), answers()[40:90, :3].mean(axis=1)
C = answers()[:40, 3:6].mean(axis=1)
SHRINK_88, SHRINK_39 = 1 - 3 / (4 * 88 - 1), 1 - 3 / (4 * 39 - 1)  # Hedges' approximation


def test_two_groups_are_compared_as_in_r() -> None:
    found = independent_difference(A, B)
    assert (found.difference.ci_low, found.difference.ci_high) == pytest.approx(
        (-0.2817128957, 0.4450462291), abs=1e-9
    )
    assert found.test.statistic == pytest.approx(0.4481777784, abs=1e-9)
    assert found.test.p_value == pytest.approx(0.6553992012, abs=1e-9)
    assert found.effect.estimate == pytest.approx(0.09729915, abs=1e-5)
    ends = np.array([found.effect.ci_low, found.effect.ci_high]) / SHRINK_88
    assert ends == pytest.approx([-0.3181608951, 0.5138885486], abs=1e-4)
    assert (found.n_a, found.n_b, found.difference.n) == (40, 50, 90)


def test_pairs_are_compared_as_in_r() -> None:
    found = paired_difference(A, C)
    assert (found.difference.ci_low, found.difference.ci_high) == pytest.approx(
        (-0.152398755, 0.602398755), abs=1e-8
    )
    assert found.test.p_value == pytest.approx(0.235120942, abs=1e-8)
    assert found.effect.estimate / SHRINK_39 == pytest.approx(0.1906696565, abs=1e-4)
    ends = np.array([found.effect.ci_low, found.effect.ci_high]) / SHRINK_39
    assert ends == pytest.approx([-0.1232820076, 0.5022223794], abs=1e-4)


def test_who_lacks_one_score_is_left_out_of_the_pairs() -> None:
    x = np.append(A, [3.0, math.nan])
    y = np.append(C, [math.nan, 2.0])
    found = paired_difference(x, y).difference
    assert found.estimate == pytest.approx(paired_difference(A, C).difference.estimate)
    assert (found.n, found.n_missing) == (40, 2)


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ([], [], "fewer than two scores"),
        ([1.0], [2.0], "fewer than two scores"),
        ([2.0, 2.0], [2.0, 2.0], "the scores do not vary"),
    ],
)
def test_what_has_no_interval_says_why(a: list[float], b: list[float], reason: str) -> None:
    for found in (paired_difference(a, b), independent_difference(a, b)):
        assert found.effect.reason == reason
        assert math.isnan(found.effect.estimate)
        assert math.isnan(found.difference.ci_low)


def test_one_group_too_few_is_named() -> None:
    found = independent_difference([1.0, 2.0], [3.0])
    assert found.difference.estimate == -1.5
    assert found.difference.reason == "fewer than two scores of one of them"


def test_pairs_have_the_same_length() -> None:
    with pytest.raises(ValueError, match="equally long"):
        paired_difference([1.0], [1.0, 2.0])


def test_a_large_difference_either_way_has_an_interval() -> None:
    # t of 20 with 59 degrees of freedom: noncentralities 15.8794746 and 24.0764941 by R's
    # uniroot of pt(20, 59, ncp) - 0.975 and - 0.025.
    around = np.tile([1.0, -1.0], 30)
    for sign in (1, -1):
        given = around + sign * 20 / math.sqrt(59)
        g = paired_difference(given, np.zeros(60)).effect
        ends = sorted((g.ci_low / g.estimate, g.ci_high / g.estimate))
        assert ends == pytest.approx([15.8794746 / 20, 24.0764941 / 20], rel=1e-6)
