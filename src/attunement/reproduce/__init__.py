"""Compute again what a paper printed, and say where and why the numbers differ.

The papers' numbers ship as facts in ``published/``, transcribed from their tables.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from attunement.errors import UserError, nearest
from attunement.reproduce import ces_lcc, counselbench, nuance, socio_emotional
from attunement.reproduce.comparison import Comparison

PAPERS: dict[str, Callable[[Path | None], list[Comparison]]] = {
    "nuance": nuance.reproduce,
    "socio-emotional": socio_emotional.reproduce,
    "counselbench": counselbench.reproduce,
    "ces-lcc": ces_lcc.reproduce,
}
"""Short name of a paper -> the function that computes its numbers again."""

FILES: dict[str, tuple[Path, str]] = {
    "nuance": (
        nuance.COUNSEL_CHAT,
        "CounselChat's CSV file of March 2020 (github.com/nbertagnolli/counsel-chat)",
    ),
    "socio-emotional": (
        socio_emotional.TRAIN_TEXTS,
        "DailyDialog's original files (Li et al. 2017): train, validation and test, each with its "
        "texts, acts and emotions",
    ),
    "counselbench": (
        counselbench.SCORES,
        "CounselBench-Eval's published annotations as CSV (Li et al. 2025); the columns "
        "questionID, responder, survey_id and the six ..._score are enough",
    ),
    "ces-lcc": (
        ces_lcc.ROUND_1,
        "Appendix A.1 of Bolpagni and Gabrielli (2025) as CSV, and beside it Appendix B.1 as "
        f"{ces_lcc.ROUND_2.name}: dimension, item and relevance_agree_pct, relevance_mean and so "
        "on, as docs/delphi.md says",
    ),
}
"""Short name of a paper -> the one public file that it needs, below the folder, and what it is."""

TITLES = {
    "nuance": nuance.TITLE,
    "socio-emotional": socio_emotional.TITLE,
    "counselbench": counselbench.TITLE,
    "ces-lcc": ces_lcc.TITLE,
}
"""Short name of a paper -> its title."""

TAKES = {"socio-emotional": "a planner is trained first, which takes about a minute"}
"""Short name of a paper -> why one has to wait for its numbers."""


def reproduce(paper: str, data: Path | None = None) -> list[Comparison]:
    """Return each published number of ``paper`` beside what this package computes.

    Parameters
    ----------
    paper
        A short name from `PAPERS`.
    data
        The folder with the public data, laid out as `FILES` says; without it only what needs none
        is computed.

    Raises
    ------
    UserError
        Where the paper is not known, or the folder lacks its file.
    """
    if paper not in PAPERS:
        guess = nearest(paper, list(PAPERS))
        raise UserError(
            f"no paper {paper!r}; there are {', '.join(PAPERS)}.",
            fix=f"Did you mean {guess!r}?" if guess else None,
        )
    file, what = FILES[paper]
    if data is not None and not (data / file).is_file():
        raise UserError(
            f"the folder has no {file.as_posix()}.",
            where=str(data),
            fix=f"Put it there: {what}.",
        )
    return PAPERS[paper](data)


__all__ = ["FILES", "PAPERS", "TAKES", "TITLES", "Comparison", "reproduce"]
