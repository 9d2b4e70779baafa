"""Agreement on marked passages: F1 between raters, by tokens and by sentences.

The F1 of two raters is the same whichever of them is taken as right, and needs no count of the
tokens that nobody marked (Hripcsak and Rothschild 2005, JAMIA 12, 296-298).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from typing import Unpack

import numpy as np

from attunement.stats.agreement.resampling import Bools, Bootstrap, Floats, estimate, ratio
from attunement.stats.result import Result, input_hash

Span = tuple[int, int]
"""Start and end of a passage in code points; the end is the first that is not in it."""
Marks = Sequence[Span] | None
"""What one rater marked in one text: nothing is an empty list, not having looked is None."""

_WORD = re.compile(r"\w+(?:['’\-]\w+)*")
HALF = 0.5


def tokens_of(text: str) -> list[Span]:
    """Return where the words of a text are; punctuation is no token.

    >>> tokens_of("Don't, no.")
    [(0, 5), (7, 9)]
    """
    return [found.span() for found in _WORD.finditer(text)]


def token_f1(
    marks: Sequence[Sequence[Marks]],
    tokens: Sequence[Sequence[Span]],
    **bootstrap: Unpack[Bootstrap],
) -> Result:
    """Return the F1 of marked tokens, averaged over pairs of raters.

    Parameters
    ----------
    marks
        Items of raters of marked passages, None where a rater did not look at the item.
    tokens
        Where the tokens of each item's text are; one is marked if at least half of it is.
    bootstrap
        ``replicates``, ``ci_level``, ``seed`` and ``clusters``; see `Bootstrap`.

    Returns
    -------
    Result
        Each pair over the tokens of all items that both looked at. ``n`` items that at least two
        looked at, ``n_missing`` the others. A pair that marked nothing is left out of the mean and
        counted in the reason; NaN where no pair marked anything.

    Raises
    ------
    ValueError
        Where a span is empty or begins before 0, or items have different numbers of raters.

    >>> words = [(0, 2), (3, 5), (6, 8)]
    >>> round(token_f1([[[(0, 5)], [(3, 8)]]], [words]).estimate, 3)
    0.5
    """
    flags = [
        [None if m is None else marked(m, where) for m in row]
        for row, where in zip(marks, tokens, strict=True)
    ]
    return _pairwise_f1("span_token_f1", "tokens", flags, **bootstrap)


def sentence_f1(
    marks: Sequence[Sequence[Marks]],
    tokens: Sequence[Sequence[Span]],
    sentences: Sequence[Sequence[Span]],
    *,
    share: float = HALF,
    **bootstrap: Unpack[Bootstrap],
) -> Result:
    """Return the F1 of marked sentences, averaged over pairs of raters.

    Parameters
    ----------
    marks, tokens, bootstrap
        As for `token_f1`.
    sentences
        Where the sentences of each item's text are.
    share
        A sentence is marked if at least this share of its tokens is.

    Raises
    ------
    ValueError
        As `token_f1`.
    """
    flags = [
        [None if m is None else marked_sentences(m, where, whole, share=share) for m in row]
        for row, where, whole in zip(marks, tokens, sentences, strict=True)
    ]
    return _pairwise_f1("span_sentence_f1", "sentences", flags, **bootstrap)


def marked(spans: Sequence[Span], units: Sequence[Span], *, share: float = HALF) -> Bools:
    """Say of each unit of a text whether at least ``share`` of its characters is marked.

    Raises
    ------
    ValueError
        Where a span is empty or begins before 0.

    >>> marked([(0, 3)], [(0, 2), (2, 6)]).tolist()
    [True, False]
    """
    if any(not 0 <= start < end for start, end in spans):
        raise ValueError("a span must begin at 0 or later and end after it begins")
    if not len(units):
        return np.zeros(0, dtype=np.bool_)
    edges = np.asarray(units, dtype=np.intp)
    inside = np.zeros(int(edges.max()), dtype=np.intp)
    for start, end in spans:
        inside[start:end] = 1
    before = np.concatenate([[0], np.cumsum(inside)])
    length = edges[:, 1] - edges[:, 0]
    covered = before[edges[:, 1]] - before[edges[:, 0]]
    return np.asarray((covered >= share * length) & (covered > 0), dtype=np.bool_)


def marked_sentences(
    spans: Sequence[Span],
    tokens: Sequence[Span],
    sentences: Sequence[Span],
    *,
    share: float = HALF,
) -> Bools:
    """Say of each sentence whether at least ``share`` of its tokens is marked.

    A token belongs to the sentence in which it begins. A sentence without tokens is not marked.
    """
    flags = marked(spans, tokens)
    begins = np.array([start for start, _ in tokens], dtype=np.intp)
    found = []
    for start, end in sentences:
        own = flags[(begins >= start) & (begins < end)]
        found.append(bool(own.any()) and float(own.mean()) >= share)
    return np.array(found, dtype=np.bool_)


def _pairwise_f1(
    name: str, what: str, flags: list[list[Bools | None]], **bootstrap: Unpack[Bootstrap]
) -> Result:
    if len({len(row) for row in flags}) > 1:
        raise ValueError("every item needs the same raters: None where one did not look at it")
    looked = np.array([[f is not None for f in row] for row in flags], dtype=np.bool_)
    looked = looked.reshape(len(flags), len(flags[0]) if flags else 0)
    kept = looked.sum(1) >= 2
    pairs = list(combinations(range(looked.shape[1]), 2))
    both = np.zeros((int(kept.sum()), len(pairs)))
    either = np.zeros_like(both)
    for i, row in enumerate(np.flatnonzero(kept)):
        for p, (a, b) in enumerate(pairs):
            first, second = flags[row][a], flags[row][b]
            if first is not None and second is not None:
                both[i, p] = np.count_nonzero(first & second)
                either[i, p] = np.count_nonzero(first) + np.count_nonzero(second)

    def statistic(weights: Floats) -> Floats:
        f1 = ratio(2 * (weights @ both), weights @ either)
        there = np.isfinite(f1)
        return ratio(np.where(there, f1, 0).sum(1), there.sum(1).astype(np.float64))

    silent = int((either.sum(0) == 0).sum())
    flat = [np.packbits(f) if f is not None else np.array([2]) for row in flags for f in row]
    return estimate(
        name,
        statistic,
        kept,
        method=f"F1 of marked {what}, mean over pairs of raters",
        inputs=input_hash(*flat),
        nothing="no item was looked at by two raters",
        constant="nothing was marked",
        note=f"{silent} of {len(pairs)} pairs of raters marked nothing and were left out"
        if silent
        else None,
        **bootstrap,
    )
