"""Krippendorff's alpha for sets of labels, by Jaccard or MASI distance.

Passonneau (2006), Measuring Agreement on Set-Valued Items (MASI) for Semantic and Pragmatic
Annotation, LREC: MASI is one minus Jaccard's index times 1 for equal sets, 2/3 where one holds the
other, 1/3 where they overlap otherwise, 0 where they share nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, Unpack, get_args

import numpy as np

from attunement.stats.agreement.krippendorff import alpha_with_distance
from attunement.stats.agreement.matrix import Codes
from attunement.stats.agreement.resampling import Bootstrap, Floats
from attunement.stats.result import Result

SetDistance = Literal["jaccard", "masi"]
SET_DISTANCES: tuple[SetDistance, ...] = get_args(SetDistance)
Labels = Iterable[str] | None


def alpha_of_sets(
    labels: Sequence[Sequence[Labels]],
    distance: SetDistance = "masi",
    **bootstrap: Unpack[Bootstrap],
) -> Result:
    """Return Krippendorff's alpha where each rating is a set of labels.

    Parameters
    ----------
    labels
        Items of raters of sets of labels; None where a rating is missing. An empty set is a rating
        that says that no label holds.
    distance
        ``jaccard`` or ``masi``; two empty sets are the same, their distance is 0.
    bootstrap
        ``replicates``, ``ci_level``, ``seed`` and ``clusters``; see `Bootstrap`.

    Raises
    ------
    ValueError
        Where items have different numbers of raters, a set is a single string, or the distance is
        unknown.

    >>> round(alpha_of_sets([[{"a"}, {"a"}], [{"b"}, {"a", "b"}]], "jaccard").estimate, 4)
    0.5714
    """
    codes, sets = code_sets(labels)
    return alpha_with_distance(codes, set_distances(sets, distance), name=distance, **bootstrap)


def code_sets(labels: Sequence[Sequence[Labels]]) -> tuple[Codes, list[frozenset[str]]]:
    """Return each rating's index into the different sets (-1 where missing), and these.

    Raises
    ------
    ValueError
        Where items have different numbers of raters, or a set is a single string.
    """
    widths = {len(row) for row in labels}
    if len(widths) > 1:
        raise ValueError("every item needs the same raters: None where a rating is missing")
    if any(isinstance(cell, str) for row in labels for cell in row):
        raise ValueError("a rating is a string, not a set of labels")
    index: dict[frozenset[str], int] = {}
    codes = [
        [-1 if cell is None else index.setdefault(frozenset(cell), len(index)) for cell in row]
        for row in labels
    ]
    shape = (len(labels), widths.pop() if widths else 0)
    return np.array(codes, dtype=np.intp).reshape(shape), list(index)


def set_distances(sets: Sequence[frozenset[str]], distance: SetDistance = "masi") -> Floats:
    """Return the distance between any two sets, shape (sets, sets), 0 to 1.

    Raises
    ------
    ValueError
        Where the distance is unknown.

    >>> set_distances([frozenset("ab"), frozenset("abcd")], "masi")[0, 1].round(4)
    np.float64(0.6667)
    """
    if distance not in SET_DISTANCES:
        raise ValueError(f"distance must be one of {', '.join(SET_DISTANCES)}, not {distance!r}")
    place = {label: i for i, label in enumerate(sorted(set().union(*sets)))}
    member = np.zeros((len(sets), len(place)))
    for row, labels in enumerate(sets):
        member[row, [place[label] for label in labels]] = 1
    size = member.sum(1)
    common = member @ member.T
    union = size[:, None] + size - common
    jaccard = np.divide(common, union, out=np.ones_like(union), where=union > 0)
    if distance == "jaccard":
        return np.asarray(1 - jaccard, dtype=np.float64)
    smaller = np.minimum(size[:, None], size)
    shape = np.select(
        [common == union, (common == smaller) & (common > 0), common > 0], [1.0, 2 / 3, 1 / 3], 0.0
    )
    return np.asarray(1 - jaccard * shape, dtype=np.float64)
