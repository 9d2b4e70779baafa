"""Rank-biased overlap of two rankings that may have ties and different lengths.

Sources: Webber, Moffat and Zobel 2010, "A similarity measure for indefinite rankings", ACM TOIS 28
(doi:10.1145/1852102.1852106); Corsi and Urbano 2024, "The treatment of ties in rank-biased
overlap", SIGIR (arXiv:2406.07121). Without ties all variants are Webber's equation 32.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Literal, TypeVar

Ties = Literal["a", "b", "w"]
Item = TypeVar("Item", bound=Hashable)


def tie_groups(ranked: Sequence[tuple[Item, float]]) -> list[list[Item]]:
    """Return the items of a ranking in groups of equal weight.

    Parameters
    ----------
    ranked
        Items and weights, the heaviest first.

    >>> tie_groups([("joy", 0.9), ("love", 0.4), ("relief", 0.4)])
    [['joy'], ['love', 'relief']]

    """
    groups: list[list[Item]] = []
    last = math.nan
    for item, weight in ranked:
        if weight == last:
            groups[-1].append(item)
        else:
            groups.append([item])
        last = weight
    return groups


def rbo(
    first: Sequence[Sequence[Item]],
    second: Sequence[Sequence[Item]],
    *,
    p: float = 0.9,
    ties: Ties = "a",
) -> float:
    """Return the extrapolated rank-biased overlap of two rankings.

    Parameters
    ----------
    first, second
        Rankings as groups of tied items, best first; the items of a ranking are distinct.
    p
        Persistence, between 0 and 1: how far down the ranking a reader goes.
    ties
        What a tie means. ``a``: that the order is not known; the overlap is the mean over all
        orders. ``b``: the same, corrected for the information that ties lose, so that a ranking
        overlaps with itself by 1. ``w``: that the items share the rank.

    Returns
    -------
    0 (nothing in common) to 1; 0 where one ranking is empty, NaN where both are.

    Raises
    ------
    ValueError
        Where an item occurs twice in a ranking or ``p`` is not between 0 and 1.

    >>> round(rbo([["red"], ["blue", "green"], ["yellow"], ["pink"]],
    ...           [["blue", "red"], ["white"], ["yellow", "black", "purple"], ["green"]],
    ...           p=0.95), 7)
    0.6922853

    """
    if not 0 < p < 1:
        raise ValueError(f"p must be between 0 and 1, not {p}")
    short, long = sorted((_Ranking(first, ties), _Ranking(second, ties)), key=len)
    s, n = len(short), len(long)
    if n == 0:
        return math.nan
    if s == 0:
        return 0.0
    common = [item for item in short.ranks if item in long.ranks]
    only_long = [item for item in long.ranks if item not in short.ranks]
    agreement_s = overlap = total = 0.0
    for depth in range(1, n + 1):
        # X_d: how much of each item both rankings have by this depth (Corsi and Urbano, eq. 9).
        overlap = sum(short.share(item, depth) * long.share(item, depth) for item in common)
        assumed = overlap
        if depth > s:
            # The short ranking's unseen part is taken to agree as its seen part did.
            shares = [c for item in only_long if (c := long.share(item, depth)) > 0]
            assumed += (depth - s) * agreement_s * sum(shares) / len(shares)
        agreement = assumed / _size(short, long, depth, ties)
        if depth == s:
            agreement_s = agreement
        total += agreement * p**depth
    # Beyond the longer ranking the agreement stays what it was (Webber et al., eq. 32).
    beyond = (overlap + (n - s) * agreement_s) / n * p ** (n + 1) / (1 - p)
    return (1 - p) / p * (total + beyond)


class _Ranking:
    """A ranking by the first and last rank that each item may have."""

    def __init__(self, groups: Sequence[Sequence[Hashable]], ties: Ties) -> None:
        self.ranks: dict[Hashable, tuple[int, int]] = {}
        self._shared = ties == "w"
        end = 0
        for group in groups:
            start, end = end + 1, end + len(group)
            self.ranks.update(dict.fromkeys(group, (start, end)))
        if len(self.ranks) != end:
            raise ValueError("an item occurs twice in a ranking")

    def __len__(self) -> int:
        return len(self.ranks)

    def share(self, item: Hashable, depth: int) -> float:
        """Return how much of an item is expected in the first ``depth`` ranks, 0 to 1."""
        start, end = self.ranks[item]
        if depth < start:
            return 0.0
        if depth >= end or self._shared:
            return 1.0
        return (depth - start + 1) / (end - start + 1)

    def power(self, depth: int, exponent: int) -> float:
        """Return the sum of the shares, or of their squares, at a depth."""
        return sum(self.share(item, depth) ** exponent for item in self.ranks)


def _size(short: _Ranking, long: _Ranking, depth: int, ties: Ties) -> float:
    """Return what the overlap at a depth is divided by to give the agreement."""
    seen = depth <= len(short)
    if ties == "a":
        return float(depth)
    if ties == "w":
        return ((short.power(depth, 1) if seen else depth) + long.power(depth, 1)) / 2
    return math.sqrt((short.power(depth, 2) if seen else depth) * long.power(depth, 2))
