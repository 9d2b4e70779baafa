"""Compute again what a paper printed, and say where and why the numbers differ.

The papers' numbers ship as facts in ``published/``, transcribed from their tables.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from attunement.errors import UserError, nearest
from attunement.reproduce import counselbench, nuance
from attunement.reproduce.comparison import Comparison

PAPERS: dict[str, Callable[[Path | None], list[Comparison]]] = {
    "nuance": nuance.reproduce,
    "counselbench": counselbench.reproduce,
}
"""Short name of a paper -> the function that computes its numbers again."""

TITLES = {"nuance": nuance.TITLE, "counselbench": counselbench.TITLE}
"""Short name of a paper -> its title."""


def reproduce(paper: str, data: Path | None = None) -> list[Comparison]:
    """Return each published number of ``paper`` beside what this package computes.

    Parameters
    ----------
    paper
        A short name from `PAPERS`.
    data
        The folder with the public data; without it only what needs none is computed.

    Raises
    ------
    UserError
        Where the paper is not known.
    """
    if paper not in PAPERS:
        guess = nearest(paper, list(PAPERS))
        raise UserError(
            f"no paper {paper!r}; there are {', '.join(PAPERS)}.",
            fix=f"Did you mean {guess!r}?" if guess else None,
        )
    return PAPERS[paper](data)


__all__ = ["PAPERS", "TITLES", "Comparison", "reproduce"]
