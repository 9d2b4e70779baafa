"""Normalized Levenshtein similarity of label sequences.

The paper writes (1 - LD) / max(len(T), len(S)), a misplaced bracket: meant and computed is
1 - LD / max(len(T), len(S)), as `textdistance` does.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray


def distance(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Return the Levenshtein distance: insertions, deletions and substitutions from a to b.

    >>> distance("kitten", "sitting")
    3
    """
    if len(a) < len(b):
        a, b = b, a
    codes: dict[Hashable, int] = {}
    first, second = (np.array([codes.setdefault(x, len(codes)) for x in s]) for s in (a, b))
    place = np.arange(len(b) + 1)
    row = place.copy()
    for i, symbol in enumerate(first, start=1):
        new = np.empty_like(row)
        new[0] = i
        new[1:] = np.minimum(row[1:] + 1, row[:-1] + (second != symbol))
        # An insertion comes from the left: the least of all cells to the left plus the way.
        row = np.minimum.accumulate(new - place) + place
    return int(row[-1])


def similarity(a: Sequence[Hashable], b: Sequence[Hashable]) -> float:
    """Return the normalized Levenshtein similarity, 0 to 1; two empty sequences are equal: 1.

    >>> similarity(("inform", "happiness"), ("inform",))
    0.5
    """
    longest = max(len(a), len(b))
    return 1 - distance(a, b) / longest if longest else 1.0


def similarities(
    first: Sequence[tuple[str, ...]], second: Sequence[tuple[str, ...]]
) -> NDArray[np.float64]:
    """Return the similarity of each pair, shape (pairs,)."""
    once = lru_cache(maxsize=None)(similarity)  # sequences of labels repeat
    pairs = zip(first, second, strict=True)
    return np.array([once(a, b) for a, b in pairs], dtype=np.float64)
