"""The alternative-annotator test, by hand and against the authors' published procedure."""

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from attunement.stats.alt_test import (
    AltTest,
    adjust_together,
    alignment,
    alt_test,
    alt_test_of,
    benjamini_yekutieli,
)

NAN = math.nan


def reference(judge, people, closeness, epsilon, fdr, min_items):
    """The paper's section 3, item by item, with SciPy's t test and statsmodels' correction."""
    p_values, advantages = [], []
    for j in range(people.shape[1]):
        judge_wins, differences = [], []
        for f, row in zip(judge, people, strict=True):
            others = [y for k, y in enumerate(row) if k != j and not math.isnan(y)]
            if math.isnan(f) or math.isnan(row[j]) or not others:
                continue
            a, b = closeness(f, others), closeness(row[j], others)
            judge_wins.append(a >= b)
            differences.append(float(b >= a) - float(a >= b))
        if len(judge_wins) < min_items:
            continue
        p_values.append(stats.ttest_1samp(differences, epsilon, alternative="less").pvalue)
        advantages.append(np.mean(judge_wins))
    rejected = multipletests(p_values, alpha=fdr, method="fdr_by")[0]
    return rejected.mean(), np.mean(advantages), p_values


def rmse(f, others):
    return -math.sqrt(np.mean([(f - y) ** 2 for y in others]))


def accuracy(f, others):
    return np.mean([f == y for y in others])


def simulated(seed: int, n: int = 60, p: int = 4, noise: float = 1.0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1, n)
    people = np.clip(np.rint(truth[:, None] + rng.normal(0, 1, (n, p))), 1, 5)
    people[rng.random((n, p)) < 0.2] = NAN
    judge = np.clip(np.rint(truth + rng.normal(0, noise, n)), 1, 5)
    judge[rng.random(n) < 0.05] = NAN
    return judge, people


def test_a_small_table_by_hand() -> None:
    # Three people, four items. Left out: the first. Others' ratings and distances by hand:
    #   item  judge  1  2  3   judge to {2,3}   1 to {2,3}
    #   a     2      2  2  2   0                0            draw
    #   b     3      1  3  4   sqrt(1/2)        sqrt(13/2)   judge
    #   c     5      1  1  2   sqrt(25/2)       sqrt(1/2)    person
    #   d     4      2  4  4   0                2            judge
    judge = [2, 3, 5, 4]
    people = [[2, 2, 2], [1, 3, 4], [1, 1, 2], [2, 4, 4]]
    own, theirs = alignment(judge, people)
    assert own[:, 0] == pytest.approx([0, -math.sqrt(0.5), -math.sqrt(12.5), 0])
    assert theirs[:, 0] == pytest.approx([0, -math.sqrt(6.5), -math.sqrt(0.5), -2])
    test = alt_test(judge, people, min_items=4, names=["x", "y", "z"])
    first = test.people[0]
    assert (first.name, first.n, first.judge, first.person) == ("x", 4, 0.75, 0.5)
    # differences 0, -1, 1, -1: mean -1/4, s = sqrt(2.75/3), t = (-0.25-0.2)/(s/2), 3 df
    t = (-0.25 - 0.2) / (math.sqrt(2.75 / 3) / 2)
    assert first.p_value == pytest.approx(stats.t.cdf(t, 3), abs=1e-12)
    # y left out: a, b and d are draws (judge and y say the same), c is the person's.
    # z left out: a and d are draws, b is the judge's (4/2 against 10/2), c the person's.
    assert [(p.judge, p.person) for p in test.people[1:]] == [(0.75, 1.0), (0.75, 0.75)]
    assert test.advantage == pytest.approx(0.75)
    assert test.winning_rate == 0
    assert test.passed is False


def test_accuracy_by_hand() -> None:
    own, theirs = alignment([1, 2, 3], [[1, 1, 2], [1, 2, 2], [1, 1, NAN]], "accuracy")
    assert own[:, 0].tolist() == [0.5, 1.0, 0.0]
    assert theirs[:, 0].tolist() == [0.5, 0.0, 1.0]
    assert own[2].tolist()[:2] == [0.0, 0.0]
    assert math.isnan(own[2, 2])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("score", "closeness"), [("rmse", rmse), ("accuracy", accuracy)])
@pytest.mark.parametrize("noise", [0.3, 3.0])
def test_it_equals_the_published_procedure(seed, score, closeness, noise) -> None:
    judge, people = simulated(seed, noise=noise)
    omega, rho, p_values = reference(judge, people, closeness, 0.2, 0.05, 30)
    test = alt_test(judge, people, score)
    assert test.winning_rate == pytest.approx(omega, abs=1e-12)
    assert test.advantage == pytest.approx(rho, abs=1e-12)
    assert [p.p_value for p in test.people] == pytest.approx(p_values, abs=1e-12)
    assert test.passed is bool(omega >= 0.5)


def test_a_good_judge_passes_and_one_that_guesses_does_not() -> None:
    assert alt_test(*simulated(1, n=200, noise=0.1)).passed is True
    assert alt_test(*simulated(1, n=200, noise=4.0)).passed is False


def test_nobody_is_tested_on_few_items() -> None:
    judge, people = simulated(3, n=29)
    test = alt_test(judge, people)
    assert test.passed is None
    assert math.isnan(test.winning_rate)
    assert test.tested == 0
    most = max(p.n for p in test.people)
    assert test.reason == f"nobody rated 30 comparable items; the most is {most}"
    assert 0 < test.advantage < 1


def test_two_people_are_too_few_for_a_verdict_unless_asked_for() -> None:
    judge, people = simulated(2, n=100, p=2)
    test = alt_test(judge, people)
    assert test.passed is None
    assert test.reason == "2 of 2 people rated 30 comparable items; a verdict needs 3"
    assert test.winning_rate in (0.0, 0.5, 1.0)
    assert alt_test(judge, people, min_people=2).passed is not None


def test_those_who_rated_too_few_are_left_out_of_the_rate() -> None:
    judge, people = simulated(4, n=80, p=5, noise=0.2)
    people[20:, 4] = NAN
    test = alt_test(judge, people)
    assert test.people[4].won is None
    assert test.tested == 4
    won = [p.won for p in test.people[:4]]
    assert test.winning_rate == sum(won) / 4


def test_constant_differences_need_no_spread() -> None:
    people = np.tile([1.0, 1.0, 2.0], (40, 1))
    always, never = alt_test(np.ones(40), people), alt_test(np.full(40, 9.0), people)
    assert [p.p_value for p in always.people] == [0.0, 0.0, 0.0]
    assert [p.p_value for p in never.people] == [1.0, 1.0, 1.0]
    assert (always.winning_rate, never.winning_rate) == (1.0, 0.0)


def test_missing_ratings_are_counted() -> None:
    judge, people = simulated(5)
    test = alt_test(judge, people)
    usable = np.isfinite(judge) & (np.isfinite(people).sum(1) >= 2)
    assert (test.n, test.n_missing) == (usable.sum(), 60 - usable.sum())
    nothing = alt_test([NAN, 1], [[1, 1], [1, NAN]])
    assert nothing.reason == "no item was rated by the judge and two people"
    assert math.isnan(nothing.advantage)


def test_several_dimensions_are_corrected_together() -> None:
    tests = [alt_test(*simulated(s)) for s in range(3)]
    together = adjust_together(tests)
    p = [person.p_value for test in tests for person in test.people]
    adjusted = [person.p_adjusted for test in together for person in test.people]
    assert adjusted == pytest.approx(multipletests(p, method="fdr_by")[1], abs=1e-12)
    assert all(isinstance(test, AltTest) for test in together)
    assert adjust_together([]) == []


def test_benjamini_yekutieli_is_statsmodels() -> None:
    rng = np.random.default_rng(1)
    for n in (1, 2, 7, 40):
        p = rng.random(n) ** 3
        expected = multipletests(p, method="fdr_by")[1]
        assert benjamini_yekutieli(p) == pytest.approx(expected, abs=1e-12)
    with_gap = benjamini_yekutieli([0.01, NAN, 0.02])
    assert math.isnan(with_gap[1])
    assert with_gap[[0, 2]] == pytest.approx(multipletests([0.01, 0.02], method="fdr_by")[1])
    assert benjamini_yekutieli([]).size == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: alt_test([1, 2], [[1], [2], [3]]),
        lambda: alt_test([[1]], [[1]]),
        lambda: alt_test([1], [[1, 1]], "f1"),
        lambda: alt_test([1], [[1, 1]], epsilon=1.5),
        lambda: alt_test([1], [[1, 1]], names=["one"]),
        lambda: alt_test_of([[1.0]], [[1.0, 2.0]]),
    ],
)
def test_what_does_not_go_together_is_refused(call) -> None:
    with pytest.raises(ValueError, match=r"must|names|epsilon|both"):
        call()
