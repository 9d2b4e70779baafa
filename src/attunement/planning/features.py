"""What the linear planner sees of a context: hashed n-grams, turn by turn, and how many turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

if TYPE_CHECKING:
    Matrix = sparse.csr_matrix[Any]

TOKEN = r"\w+|[^\w\s]"
"""Words, and each mark by itself: a question mark says much about what comes next."""
ALGORITHM = "murmurhash3, sublinear tf-idf, l2 a turn"


@dataclass(frozen=True)
class Hashing:
    """How contexts become rows.

    Parameters
    ----------
    context
        Turns of context; each place has its own columns, the last turn the last ones.
    words
        The longest n-gram of words and marks.
    bits
        Columns a place: two to the power of it.
    """

    context: int
    words: int = 2
    bits: int = 18

    @property
    def columns(self) -> int:
        """Columns of all places and of the number of turns."""
        return self.context * (1 << self.bits) + self.context

    def counts(self, contexts: Sequence[Sequence[str]]) -> Matrix:
        """Return how often each n-gram stands in each place, shape (contexts, columns).

        The last columns say how many turns there are. A context longer than the window gives its
        last turns.
        """
        from sklearn.feature_extraction.text import HashingVectorizer

        hashing = HashingVectorizer(
            token_pattern=TOKEN,
            ngram_range=(1, self.words),
            n_features=1 << self.bits,
            alternate_sign=False,
            norm=None,
            dtype=np.float32,
        )
        last = [list(turns)[-self.context :] for turns in contexts]
        padded = [[""] * (self.context - len(turns)) + turns for turns in last]
        places = [hashing.transform([t[i] for t in padded]) for i in range(self.context)]
        turns = np.zeros((len(last), self.context), dtype=np.float32)
        for i, row in enumerate(last):
            turns[i, max(0, len(row) - 1)] = 1
        return sparse.csr_matrix(
            sparse.hstack([*places, sparse.csr_matrix(turns)], format="csr", dtype=np.float32)
        )


@dataclass(frozen=True)
class Vocabulary:
    """The columns that are used, and their inverse document frequencies.

    Parameters
    ----------
    columns
        Ascending, shape (used,), int32.
    idf
        Shape (used,), float32, above 0.
    """

    columns: NDArray[np.int32]
    idf: NDArray[np.float32]

    @classmethod
    def fit(cls, counts: Matrix, fewest: int) -> Vocabulary:
        """Return the columns that at least ``fewest`` contexts have, and their idf.

        The idf is 1 + ln((1 + n) / (1 + df)), as scikit-learn smooths it.
        """
        df = np.bincount(counts.indices, minlength=counts.shape[1])
        columns = np.flatnonzero(df >= fewest).astype(np.int32)
        idf = 1 + np.log((1 + counts.shape[0]) / (1 + df[columns]))
        return cls(columns, idf.astype(np.float32))

    def rows(self, counts: Matrix, hashing: Hashing) -> Matrix:
        """Return the contexts' rows: (1 + ln count) * idf, each turn's part of length one.

        Shape (contexts, used), float32.
        """
        x = sparse.csr_matrix(counts[:, self.columns])
        x.data = (1 + np.log(x.data)) * self.idf[x.indices]
        # The columns that say how many turns there are lie behind all places: a part of their own.
        place = self.columns[x.indices] >> hashing.bits
        part = np.repeat(np.arange(x.shape[0]), np.diff(x.indptr)) * (hashing.context + 1) + place
        square = np.bincount(
            part, weights=x.data.astype(np.float64) ** 2,
            minlength=x.shape[0] * (hashing.context + 1),
        )  # fmt: skip
        x.data = (x.data / np.sqrt(square[part])).astype(np.float32)
        return x
