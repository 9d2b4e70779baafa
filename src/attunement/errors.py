"""Errors that a user can act on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class UserError(Exception):
    """A mistake in what the user gave, said so that it can be mended.

    The command line prints it without a traceback and exits with code 2.

    Parameters
    ----------
    what
        What is wrong, one sentence.
    where
        The file, row, column or key it is about.
    fix
        What to do about it, one sentence.

    """

    def __init__(self, what: str, *, where: str | None = None, fix: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.fix = fix

    def __str__(self) -> str:
        parts = [f"{self.where}: {self.what}" if self.where else self.what]
        if self.fix:
            parts.append(self.fix)
        return " ".join(parts)


def nearest(word: str, known: list[str]) -> str | None:
    """Return the known word closest to ``word``, or None where none is close."""
    import difflib

    found = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return found[0] if found else None


def did_you_mean(word: str, known: Iterable[str], otherwise: str = ".") -> str:
    """Return how a sentence about an unknown word ends: with the nearest known one, if any.

    >>> did_you_mean("secnd", ["first", "second"])
    "; did you mean 'second'?"
    >>> did_you_mean("third", ["second"])
    '.'
    """
    guess = nearest(word, list(known))
    return f"; did you mean {guess!r}?" if guess else otherwise


def first_of(words: Sequence[object], most: int, separator: str = ", ") -> str:
    """Return the first of several words, and how many more there are.

    >>> first_of(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return separator.join(map(str, words[:most])) + more
