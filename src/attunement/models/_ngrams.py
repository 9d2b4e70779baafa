"""Word and character n-grams of many texts at once, as 64-bit keys in NumPy arrays.

A Python loop over the n-grams of a 200-word answer takes milliseconds; here a batch of texts is
one long array of symbols, and every n-gram of the batch is made by a few array operations. A text's
n-grams do not depend on the texts beside it: integer arithmetic modulo 2**64 is exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

UInt64 = NDArray[np.uint64]
Int64 = NDArray[np.int64]

_BITS = np.uint64(10)
MAX_ALPHABET = 1021
_OTHER = 1
_SPACE = 2
_WORD_KEY = np.uint64(1 << 63)
_BASE = 0x9E3779B97F4A7C15 | 1
_UNBASE = pow(_BASE, -1, 1 << 64)
_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "…": "...", "\ufe0f": None})
_SPACES = re.compile(r"\s+")


def normalize(text: str) -> str:
    """Return ``text`` in lower case, quotation marks straight, each run of white space one space.

    >>> normalize("I’m   SO glad…")
    "i'm so glad..."
    """
    return _SPACES.sub(" ", text.translate(_STRAIGHT).lower()).strip()


@dataclass(frozen=True)
class NGrams:
    """The n-grams of texts over an alphabet.

    Parameters
    ----------
    alphabet
        The characters that are told apart, at most 1021 different ones, no white space. No n-gram
        spans any other character, so a text in another script has no n-grams.
    words
        The longest word n-gram (1 or 2). A word is a run of letters, digits and apostrophes, or one
        other character, so that "!" and an emoji are words.
    chars
        The shortest and the longest character n-gram (at most 6), white space included.

    """

    alphabet: str
    words: int = 2
    chars: tuple[int, int] = (2, 5)
    _symbols: NDArray[np.uint16] = field(init=False, repr=False, compare=False)
    _letters: NDArray[np.bool_] = field(init=False, repr=False, compare=False)
    _values: UInt64 = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(set(self.alphabet)) != len(self.alphabet) or len(self.alphabet) > MAX_ALPHABET:
            raise ValueError(f"the alphabet must be at most {MAX_ALPHABET} different characters")
        if self.words not in (1, 2) or not 1 <= self.chars[0] <= self.chars[1] <= 6:
            raise ValueError("n-grams: words up to 1 or 2, characters from 1 to 6")
        symbols = np.full(0x110000, _OTHER, dtype=np.uint16)
        symbols[ord(" ")] = _SPACE
        for i, char in enumerate(self.alphabet):
            symbols[ord(char)] = i + 3
        letters = np.array([False] * 3 + [c.isalnum() or c in "'_" for c in self.alphabet])
        # Each symbol stands for a random-looking number in a word's hash, always the same one.
        values = _mix(np.arange(len(self.alphabet) + 3, dtype=np.uint64))
        for name, value in (("_symbols", symbols), ("_letters", letters), ("_values", values)):
            object.__setattr__(self, name, value)

    def keys(self, texts: Sequence[str]) -> Iterator[tuple[Int64, UInt64]]:
        """Yield the n-grams of ``texts``, one pair of arrays for each kind of n-gram.

        Yields
        ------
        rows, keys
            Two arrays of one length: the position in ``texts`` and the n-gram's key, in the order
            of the text. Character n-grams have exact keys below 2**60; a word n-gram's key is a
            hash with the highest bit set.

        """
        # A space on both ends marks where a text begins and ends; symbol 0 parts the texts.
        padded = [f" {text} " if (text := normalize(raw)) else "" for raw in texts]
        joined = "\0".join(padded) + "\0"
        codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        symbols = self._symbols[codes]
        lengths = np.fromiter((len(text) for text in padded), dtype=np.int64, count=len(padded))
        symbols[np.cumsum(lengths + 1) - 1] = 0
        rows = np.repeat(np.arange(len(padded), dtype=np.int64), lengths + 1)
        yield from self._character_keys(symbols, rows)
        yield from self._word_keys(symbols, rows)

    def _character_keys(
        self, symbols: NDArray[np.uint16], rows: Int64
    ) -> Iterator[tuple[Int64, UInt64]]:
        wide = symbols.astype(np.uint64)
        key = wide
        inside = symbols > _OTHER
        alive = inside
        for n in range(1, self.chars[1] + 1):
            if n > 1:
                key = (key[:-1] << _BITS) | wide[n - 1 :]
                alive = alive[:-1] & inside[n - 1 :]
            if n >= self.chars[0]:
                yield rows[: len(key)][alive], key[alive]

    def _word_keys(
        self, symbols: NDArray[np.uint16], rows: Int64
    ) -> Iterator[tuple[Int64, UInt64]]:
        letter = self._letters[symbols]
        before = np.concatenate(([False], letter[:-1]))
        after = np.concatenate((letter[1:], [False]))
        mark = ~letter & (symbols > _SPACE)
        starts = np.flatnonzero((letter & ~before) | mark)
        stops = np.flatnonzero((letter & ~after) | mark) + 1
        # The hash of symbols s..e is sum(value * base**i); dividing by base**s takes the word's
        # place in the batch out of it again.
        powers = _powers(_BASE, len(symbols))
        sums = np.concatenate(
            (np.zeros(1, np.uint64), np.cumsum(self._values[symbols] * powers, dtype=np.uint64))
        )
        unpowers = _powers(_UNBASE, len(symbols))
        words = _mix((sums[stops] - sums[starts]) * unpowers[starts])
        where = rows[starts]
        yield where, words | _WORD_KEY
        if self.words > 1:
            pairs = _mix(words[:-1] * np.uint64(_BASE) + words[1:])
            same = where[:-1] == where[1:]
            yield where[:-1][same], pairs[same] | _WORD_KEY


def _powers(base: int, n: int) -> UInt64:
    """Return base**0 .. base**(n-1) modulo 2**64."""
    factors = np.full(n, base, dtype=np.uint64)
    factors[:1] = 1
    return np.multiply.accumulate(factors)


def _mix(x: UInt64) -> UInt64:
    """Scramble 64-bit numbers one to one (the finalizer of SplitMix64, Steele et al. 2014)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


class KeyTable:
    """Finds the column of an n-gram's key; a hash table with open addressing in two arrays.

    Parameters
    ----------
    keys
        The known keys, ascending and different; the column is the position.

    """

    def __init__(self, keys: UInt64) -> None:
        self._keys = keys
        bits = max(4, int(np.ceil(np.log2(max(len(keys), 1)))) + 2)
        self._shift = np.uint64(64 - bits)
        self._mask = np.int64((1 << bits) - 1)
        self._table = np.full(1 << bits, -1, dtype=np.int32)
        slots = self._slots(keys)
        waiting = np.arange(len(keys), dtype=np.int32)
        while len(waiting):
            # Of several keys that want one free slot the last written stays; the rest move on.
            free = self._table[slots[waiting]] < 0
            self._table[slots[waiting[free]]] = waiting[free]
            waiting = waiting[self._table[slots[waiting]] != waiting]
            slots[waiting] = (slots[waiting] + 1) & self._mask

    def _slots(self, keys: UInt64) -> Int64:
        return ((keys * np.uint64(_BASE)) >> self._shift).astype(np.int64)

    def find(self, keys: UInt64) -> NDArray[np.int32]:
        """Return the column of each key, -1 for a key that is not known."""
        slots = self._slots(keys)
        columns = self._table[slots]
        waiting = np.flatnonzero(columns >= 0)
        waiting = waiting[self._keys[columns[waiting]] != keys[waiting]]
        while len(waiting):
            slots[waiting] = (slots[waiting] + 1) & self._mask
            columns[waiting] = self._table[slots[waiting]]
            waiting = waiting[columns[waiting] >= 0]
            waiting = waiting[self._keys[columns[waiting]] != keys[waiting]]
        return columns


class NGramVectors:
    """Texts as vectors: (1 + log count) * idf, word and character n-grams each of length one.

    Parameters
    ----------
    ngrams
        Which n-grams there are.
    keys
        The n-grams that have a column: ascending keys, shape (columns,).
    idf
        Inverse document frequency of each, shape (columns,), above zero.

    """

    def __init__(self, ngrams: NGrams, keys: UInt64, idf: NDArray[np.floating[Any]]) -> None:
        self._ngrams = ngrams
        self._table = KeyTable(keys)
        self._idf = np.asarray(idf, dtype=np.float32)
        self._first_word = int(np.searchsorted(keys, _WORD_KEY))

    def transform(self, texts: Sequence[str]) -> sparse.csr_array[Any, tuple[int, int]]:
        """Return the vectors, shape (texts, columns), float32; a row may be empty."""
        rows, columns = [], []
        for row, key in self._ngrams.keys(texts):
            column = self._table.find(key)
            known = column >= 0
            rows.append(row[known].astype(np.int32))
            columns.append(column[known])
        place = (np.concatenate(rows), np.concatenate(columns))
        shape = (len(texts), len(self._idf))
        ones = np.ones(len(place[0]), dtype=np.float32)
        matrix = sparse.coo_array((ones, place), shape=shape).tocsr()
        matrix.data = (1 + np.log(matrix.data)) * self._idf[matrix.indices]
        # Two blocks a row, words behind characters. bincount adds in order, so that a row's length
        # does not depend on the rows beside it.
        blocks = 2 * np.repeat(np.arange(len(texts)), np.diff(matrix.indptr))
        blocks += matrix.indices >= self._first_word
        square = matrix.data.astype(np.float64) ** 2
        length = np.sqrt(np.bincount(blocks, weights=square, minlength=2 * len(texts)))
        matrix.data = (matrix.data / length[blocks]).astype(np.float32)
        return matrix
