"""Krippendorff's alpha for unitizing: whether raters mark the same passages, labels included.

Krippendorff (1995), Sociological Methodology 25, 47-76; Krippendorff (2004), Content Analysis, 2nd
edition, chapter 11, and (2013), 3rd edition. Where F1 only counts what two raters share, alpha
asks how much better their passages fit than passages of the same lengths thrown at random would.

Several texts are one continuum, one text after the other: what a rater left unmarked at the end of
one and at the beginning of the next is one gap, and each text answers for its own part of it. A
text that fewer raters have looked at counts for as much as these have seen of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from attunement.stats.agreement.resampling import Bootstrap, Floats, estimate, ratio
from attunement.stats.result import Result, input_hash

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Integers = NDArray[np.int64]
Labeled = tuple[int, int] | tuple[int, int, str]
"""Start, end (the first code point that is not in it), and a label where there are several."""
Units = Sequence[Labeled] | None


@dataclass(frozen=True)
class _Category:
    """What one label needs: each array has one entry a text, the tables one row a text."""

    apart: Floats
    """Squared differences over ordered pairs of raters, each pair weighing 1 / (raters - 1)."""
    number: Floats
    own: Floats
    """Sum over units of 2 l^3 - 3 l^2 + l."""
    inner: Floats
    """Sum over units of l (l - 1)."""
    lengths: Floats
    units: csr_array
    gaps: csr_array
    """How many units and gaps of each length; shape (texts, lengths). Of a gap that runs over
    several texts, each has the share that lies in it."""


def unitizing_alpha(
    marks: Sequence[Sequence[Units]], lengths: Sequence[int], **bootstrap: Unpack[Bootstrap]
) -> Result:
    """Return Krippendorff's alpha of marked passages.

    Parameters
    ----------
    marks
        Texts of raters of passages, ``(start, end)`` or ``(start, end, label)``; None where a rater
        did not look at the text. Passages of one rater and label that overlap are taken as one.
    lengths
        Of the texts, in the unit of the passages (code points).
    bootstrap
        ``replicates``, ``ci_level``, ``seed`` and ``clusters``; see `Bootstrap`.

    Returns
    -------
    Result
        ``n`` texts that at least two raters looked at, ``n_missing`` the others. NaN with a reason
        where nothing was marked.

    Raises
    ------
    ValueError
        Where a passage is empty or outside its text, or texts have different numbers of raters.

    >>> round(unitizing_alpha([[[(0, 10)], [(0, 10)]]], [40]).estimate, 3)
    1.0
    """
    if len({len(row) for row in marks}) > 1:
        raise ValueError("every text needs the same raters: None where one did not look at it")
    if len(marks) != len(lengths):
        raise ValueError("one length a text is needed")
    looked = np.array([[m is not None for m in row] for row in marks], dtype=np.bool_)
    looked = looked.reshape(len(marks), len(marks[0]) if len(marks) else 0)
    kept = looked.sum(1) >= 2
    size = np.asarray(lengths, dtype=np.float64)[kept]
    seen = size * looked[kept].sum(1)
    texts = [row for row, k in zip(marks, kept, strict=True) if k]
    labels = sorted({_label(unit) for row in texts for m in row for unit in m or ()})
    parts = [_category(texts, size.astype(np.int64), label) for label in labels]

    def statistic(weights: Floats) -> Floats:
        length, total = weights @ size, weights @ seen
        observed = np.zeros(weights.shape[0])
        expected = np.zeros(weights.shape[0])
        for part in parts:
            observed += weights @ part.apart / (total * length)
            expected += _expected(part, weights, length, total)
        return 1 - ratio(observed, expected)

    flat = [str(row) for row in marks]
    return estimate(
        "krippendorff_alpha_unitizing",
        statistic,
        kept,
        method="Krippendorff's alpha for unitizing",
        inputs=input_hash(np.asarray(lengths), *flat),
        nothing="no text was looked at by two raters",
        constant="nothing was marked",
        **bootstrap,
    )


def _expected(part: _Category, weights: Floats, length: Floats, total: Floats) -> Floats:
    """Krippendorff (2004), equation of the expected disagreement of one category."""
    other_units = (weights @ part.number - 1) / 3 * (weights @ part.own)
    # A gap of g has g - l + 1 places for a unit of l.
    gaps = weights @ part.gaps
    longer = _from_the_end(gaps * (part.lengths + 1)) - part.lengths * _from_the_end(gaps)
    in_gaps = np.einsum("bl,bl->b", (weights @ part.units) * np.square(part.lengths), longer)
    places = total * (total - 1) - weights @ part.inner
    return ratio(2 * (other_units + in_gaps), length * places)


def _from_the_end(values: Floats) -> Floats:
    return np.asarray(np.cumsum(values[:, ::-1], axis=1)[:, ::-1], dtype=np.float64)


def _label(unit: Labeled) -> str:
    return unit[2] if len(unit) == 3 else ""


def _category(texts: Sequence[Sequence[Units]], size: Integers, label: str) -> _Category:
    by_rater = [
        [None if m is None else _units(m, label, int(n)) for m in row]
        for row, n in zip(texts, size, strict=True)
    ]
    apart = np.array([_disagreement(row, int(n)) for row, n in zip(by_rater, size, strict=True)])
    units = [np.concatenate([np.diff(u)[:, 0] for u in row if u is not None]) for row in by_rater]
    columns = zip(*by_rater, strict=True)
    pieces = [_gaps_of(column, size) for column in columns]
    rows, gaps, shares = (np.concatenate(part) for part in zip(*pieces, strict=True))
    every = np.unique(np.concatenate([*units, gaps]))
    real = [u.astype(np.float64) for u in units]
    one = np.repeat(np.arange(len(texts)), [u.size for u in units])
    return _Category(
        apart=apart,
        number=np.array([u.size for u in real], dtype=np.float64),
        own=np.array([(2 * u**3 - 3 * u**2 + u).sum() for u in real]),
        inner=np.array([(u * (u - 1)).sum() for u in real]),
        lengths=every.astype(np.float64),
        units=_histogram(one, np.concatenate(units), np.ones(one.size), every, len(texts)),
        gaps=_histogram(rows, gaps, shares, every, len(texts)),
    )


def _disagreement(row: Sequence[Integers | None], size: int) -> float:
    there = [(units, _between(units, size)) for units in row if units is not None]
    apart = sum(_difference(*a, *b) for a, b in combinations(there, 2))
    return 2 * apart / (len(there) - 1)


def _gaps_of(
    column: Sequence[Integers | None], size: Integers
) -> tuple[Integers, Integers, Floats]:
    """Return the gaps of one rater over all texts: the text, the gap's length, the text's share."""
    seen = np.array([i for i, units in enumerate(column) if units is not None], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(size[seen])])
    units = [u + s for u, s in zip((u for u in column if u is not None), starts[:-1], strict=True)]
    gaps = _between(np.concatenate([np.zeros((0, 2), np.int64), *units]), int(starts[-1]))
    # Cut at the texts' borders; each piece knows the length of the whole.
    cuts = np.unique(np.concatenate([gaps.ravel(), starts]))
    whole = np.searchsorted(gaps[:, 0], cuts[:-1], side="right") - 1
    inside = (whole >= 0) & (cuts[:-1] < gaps[whole, 1]) if gaps.size else whole >= 0
    pieces, whole = np.diff(cuts)[inside], whole[inside]
    text = seen[np.searchsorted(starts, cuts[:-1][inside], side="right") - 1]
    length = gaps[whole, 1] - gaps[whole, 0]
    return text, length, pieces / length


def _units(marks: Sequence[Labeled], label: str, size: int) -> Integers:
    """Return the passages of one label, overlapping ones joined, shape (units, 2)."""
    joined: list[list[int]] = []
    for start, end in sorted((u[0], u[1]) for u in marks if _label(u) == label):
        if not 0 <= start < end <= size:
            raise ValueError(f"the passage {start} to {end} is empty or not in a text of {size}")
        if joined and start < joined[-1][1]:
            joined[-1][1] = max(end, joined[-1][1])
        else:
            joined.append([start, end])
    return np.array(joined, dtype=np.int64).reshape(-1, 2)


def _between(units: Integers, size: int) -> Integers:
    """Return the gaps between units, before the first and after the last, shape (gaps, 2)."""
    edges = np.concatenate([[0], units.ravel(), [size]]).reshape(-1, 2)
    return edges[edges[:, 1] > edges[:, 0]]


def _difference(units: Integers, gaps: Integers, others: Integers, other_gaps: Integers) -> float:
    """Return the squared differences between what two raters marked in one text."""
    overlap = (units[:, None, 0] < others[:, 1]) & (others[:, 0] < units[:, None, 1])
    squares = np.square(units[:, None, :] - others[None, :, :]).sum(2)
    return float((squares * overlap).sum() + _alone(units, other_gaps) + _alone(others, gaps))


def _alone(units: Integers, gaps: Integers) -> float:
    """Return the squared lengths of units that lie wholly in a gap of the other rater."""
    inside = (gaps[:, 0] <= units[:, None, 0]) & (units[:, None, 1] <= gaps[:, 1])
    return float((np.square(units[:, 1] - units[:, 0]) * inside.any(axis=1)).sum())


def _histogram(
    texts: Integers, lengths: Integers, shares: Floats, every: Integers, n_texts: int
) -> Any:
    from scipy.sparse import csr_array

    columns = np.searchsorted(every, lengths)
    return csr_array((shares, (texts, columns)), shape=(n_texts, every.size))
