"""Rank-biased overlap against published worked values."""

import math
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attunement.raters.metrics.rbo import Ties, rbo, tie_groups

ALPHABET = [[letter] for letter in string.ascii_lowercase]


def untied(items: str) -> list[list[str]]:
    return [[item] for item in items]


# The alphabet against a shorter or shuffled ranking: values of Webber's own implementation of
# equation 32, as published in the test data of the Rust crate `rbo` (six decimals).
@pytest.mark.parametrize(
    ("other", "p", "expected"),
    [
        ("karfvodcjmwgzlypebunq", 0.9, 0.468431),
        ("zhatsimjpnkvcfxwqgoeryubd", 0.9, 0.364444),
        ("f", 0.9, 0.053090),
        ("zclx", 0.9, 0.233312),
        ("bj", 0.9, 0.474895),
        ("fcjdeoa", 0.9, 0.557926),
        ("bafnecwvlog", 0.9, 0.620766),
        ("av", 0.2, 0.900000),
        ("bplrs", 0.2, 0.092587),
        ("kxcnarvmwyp", 0.99, 0.529392),
    ],
)
def test_uneven_lengths_as_published(other: str, p: float, expected: float) -> None:
    assert rbo(ALPHABET, untied(other), p=p) == pytest.approx(expected, abs=1e-6)
    assert rbo(untied(other), ALPHABET, p=p) == pytest.approx(expected, abs=1e-6)


# The example in the documentation of Corsi and Urbano's implementation (SIGIR 2024): ties and
# uneven lengths at once, p = 0.95.
@pytest.mark.parametrize(
    ("ties", "expected"), [("a", 0.6922853), ("w", 0.7068257), ("b", 0.7207131)]
)
def test_ties_and_uneven_lengths_as_published(ties: Ties, expected: float) -> None:
    x = [["red"], ["blue", "green"], ["yellow"], ["pink"]]
    y = [["blue", "red"], ["white"], ["yellow", "black", "purple"], ["green"]]
    assert rbo(x, y, p=0.95, ties=ties) == pytest.approx(expected, abs=5e-8)
    assert rbo(y, x, p=0.95, ties=ties) == pytest.approx(expected, abs=5e-8)


def test_a_tie_is_the_mean_over_its_orders() -> None:
    # Corsi and Urbano, section 4.2: RBO^a is the expectation over the permutations of the ties.
    other = untied("bca")
    orders = [rbo(untied(o), other) for o in ("abc", "bac")]
    assert rbo([["a", "b"], ["c"]], other) == pytest.approx(sum(orders) / 2)


rankings = st.permutations("abcdef").flatmap(
    lambda items: st.lists(st.integers(1, 3), min_size=1, max_size=4).map(
        lambda sizes: [
            group
            for i, n in enumerate(sizes)
            if (group := list(items[sum(sizes[:i]) : sum(sizes[:i]) + n]))
        ]
    )
)


@given(rankings, rankings)
def test_it_is_symmetric_and_between_0_and_1(x: list[list[str]], y: list[list[str]]) -> None:
    for ties in ("a", "b", "w"):
        value = rbo(x, y, ties=ties)
        assert -1e-12 <= value <= 1 + 1e-12
        assert value == pytest.approx(rbo(y, x, ties=ties))


@given(rankings)
def test_a_ranking_overlaps_with_itself_fully(x: list[list[str]]) -> None:
    flat = [[item] for group in x for item in group]
    assert rbo(flat, flat) == pytest.approx(1)
    assert rbo(x, x, ties="b") == pytest.approx(1)


def test_nothing_in_common_is_0_and_two_empty_rankings_have_no_overlap() -> None:
    assert rbo(untied("ab"), untied("cd")) == 0
    assert rbo([], untied("cd")) == 0
    assert rbo(untied("cd"), []) == 0
    assert math.isnan(rbo([], []))


def test_what_is_no_ranking_is_an_error() -> None:
    with pytest.raises(ValueError, match="twice"):
        rbo([["a"], ["a"]], [["b"]])
    with pytest.raises(ValueError, match="between 0 and 1"):
        rbo([["a"]], [["b"]], p=1.0)


def test_equal_weights_are_one_group() -> None:
    assert tie_groups([]) == []
    assert tie_groups([("a", 0.5), ("b", 0.5), ("c", 0.1), ("d", 0.1)]) == [["a", "b"], ["c", "d"]]
