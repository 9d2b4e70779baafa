import math

import numpy as np
import pytest

from attunement.stats.agreement import unitizing_alpha
from attunement.stats.agreement.unitizing import _between, _difference

# Krippendorff (2004), Content Analysis, 2nd edition, p. 254: two observers, a continuum of 300 that
# begins at 150, the categories c and k. Published: alpha of c .7286, of k 1, of both .8591, where
# the expected disagreements .0532 and .0490 are rounded to four decimals.
I = [(225, 295, "c"), (370, 400, "c"), (180, 240, "k"), (300, 350, "k")]  # noqa: E741
J = [(220, 300, "c"), (355, 375, "c"), (400, 420, "c"), (180, 240, "k"), (300, 350, "k")]


def shifted(marks, label=None):
    return [(a - 150, b - 150, k) for a, b, k in marks if label in (None, k)]


def alpha_of(label=None):
    return unitizing_alpha([[shifted(I, label), shifted(J, label)]], [300]).estimate


def test_the_published_example_comes_out():
    assert alpha_of("c") == pytest.approx(0.7286, abs=5e-5)
    assert alpha_of("k") == 1
    assert alpha_of() == pytest.approx(0.8591, abs=5e-4)


@pytest.mark.parametrize(
    ("one", "other", "published"),
    # Krippendorff (2004), chapter 11, as the tests of DKPro Statistics carry them.
    [
        ([(5, 11)], [(4, 6)], 26),
        ([(5, 11)], [(5, 7)], 16),
        ([(5, 11)], [(6, 8)], 10),
        ([(5, 11)], [(7, 9)], 8),
        ([(5, 11)], [(6, 10)], 2),
        ([(5, 11)], [(5, 11)], 0),
        ([(5, 11)], [(2, 4)], 40),
        ([(225, 295)], [(220, 300)], 50),
        ([(370, 400)], [(355, 375)], 850),
    ],
)
def test_differences_are_the_published_ones(one, other, published):
    a, b = np.array(one), np.array(other)
    assert _difference(a, _between(a, 500), b, _between(b, 500)) == published


def random_marks(rng, size, most=4):
    lengths = rng.integers(3, 30, size=rng.integers(0, most + 1))
    free = size - lengths.sum()
    starts = np.sort(rng.integers(0, free + 1, lengths.size)) + np.cumsum(lengths) - lengths
    return [(int(a), int(a + n)) for a, n in zip(starts, lengths, strict=True)]


def test_marks_at_random_have_an_alpha_of_zero():
    rng = np.random.default_rng(0)
    found = [
        unitizing_alpha(
            [[random_marks(rng, 400) for _ in range(3)] for _ in range(100)],
            [400] * 100,
            replicates=0,
        ).estimate
        for _ in range(20)
    ]
    # Twenty means of standard deviation 0.013 each.
    assert np.mean(found) == pytest.approx(0, abs=0.012)


def test_several_texts_are_one_continuum():
    rng = np.random.default_rng(1)
    marks = [[random_marks(rng, 200) for _ in range(2)] for _ in range(12)]
    joined = [[(a + 200 * i, b + 200 * i) for i, row in enumerate(marks) for a, b in row[j]]
              for j in range(2)]  # fmt: skip
    several = unitizing_alpha(marks, [200] * 12)
    assert several.estimate == pytest.approx(unitizing_alpha([joined], [2400]).estimate, abs=1e-12)
    assert several.ci_low < several.estimate < several.ci_high


def test_passages_that_fit_better_agree_better():
    exact = [[[(10, 20)], [(10, 20)]]] * 3
    near = [[[(10, 20)], [(11, 21)]]] * 3
    far = [[[(10, 20)], [(60, 70)]]] * 3
    values = [unitizing_alpha(m, [100] * 3).estimate for m in (exact, near, far)]
    assert values[0] == 1
    assert values[0] > values[1] > 0 > values[2]


def test_overlapping_passages_of_one_rater_are_one():
    apart = unitizing_alpha([[[(5, 12), (10, 20)], [(6, 20)]]], [50])
    whole = unitizing_alpha([[[(5, 20)], [(6, 20)]]], [50])
    assert apart.estimate == whole.estimate


def test_a_rater_who_did_not_look_is_no_rater_who_marked_nothing():
    marks = [[[(5, 10)], [(5, 10)], None], [[(1, 9)], [(1, 8)], None], [[(1, 3)], None, None]]
    result = unitizing_alpha(marks, [50, 50, 50])
    without = unitizing_alpha([row[:2] for row in marks[:2]], [50, 50])
    assert result.estimate == pytest.approx(without.estimate)
    assert (result.n, result.n_missing) == (2, 1)
    nothing = [[a, b, [] if c is None else c] for a, b, c in marks]
    assert unitizing_alpha(nothing, [50, 50, 50]).estimate < result.estimate


@pytest.mark.parametrize(
    ("marks", "why"),
    [
        ([[[], []]], "nothing was marked"),
        ([[[(0, 1)], None]], "no text was looked at by two raters"),
        ([], "no text was looked at by two raters"),
    ],
)
def test_what_is_undefined_says_why(marks, why):
    result = unitizing_alpha(marks, [10] * len(marks))
    assert math.isnan(result.estimate)
    assert result.reason == why


def test_wrong_input_is_refused():
    for spans in ([(5, 5)], [(5, 11)], [(-1, 3)]):
        with pytest.raises(ValueError, match="empty or not in a text of 10"):
            unitizing_alpha([[spans, []]], [10])
    with pytest.raises(ValueError, match="the same raters"):
        unitizing_alpha([[[], []], [[]]], [10, 10])
    with pytest.raises(ValueError, match="one length a text"):
        unitizing_alpha([[[], []]], [10, 10])
