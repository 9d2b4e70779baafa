"""Errors that a user can act on."""

from __future__ import annotations


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
