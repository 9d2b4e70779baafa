"""Where items come from, one file a source; every row that is left out is counted by reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from attunement.datasets import (
    counselbench,
    counselbench_adv,
    counselchat,
    files,
    hub,
    sample,
    tabular,
    transcripts,
)
from attunement.datasets.base import FORMATS, Loaded, Options, Track
from attunement.datasets.counselchat import raw_answers
from attunement.errors import UserError, nearest
from attunement.tables import to_polars

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FORMATS", "SOURCES", "Loaded", "Options", "Source", "load", "raw_answers"]


@dataclass(frozen=True)
class Source:
    """One kind of source: how it is loaded, and what it is in a line."""

    load: Callable[[str | Path | None, Options], Loaded]
    about: str
    path: str = "a file"


SOURCES: dict[str, Source] = {
    "sample": Source(sample.load, "the bundled questions and answers, for illustration", "none"),
    "counselchat": Source(counselchat.load, "CounselChat, either CSV layout"),
    "counselbench": Source(
        counselbench.load, "questions and answers of CounselBench-Eval's annotations"
    ),
    "counselbench-adv": Source(
        counselbench_adv.load,
        "adversarial questions, wide or long; without a file the project's own, not by clinicians",
        "a file, or none",
    ),
    "table": Source(tabular.load, "any CSV, TSV, JSONL or Parquet file, by --map"),
    "transcripts": Source(transcripts.load, "chats in the shape of OpenAI or ShareGPT"),
    "file": Source(files.load, "a file that is one of the above, told by its columns"),
    "hub": Source(hub.load, "a data set on the Hugging Face hub", "OWNER/NAME[@REVISION][#PART]"),
}
"""Name to loader. A new source is a new file in this folder and an entry here."""


def load(
    source: str | Path | pl.DataFrame | pd.DataFrame,
    path: str | Path | None = None,
    *,
    mapping: Mapping[str, str] | None = None,
    topics: Iterable[str] | None = None,
    limit: int | None = None,
    seed: int = 1,
    answered_by: str | None = None,
    track: Track | None = None,
) -> Loaded:
    """Load items and responses from a named source, a file, the hub or a frame.

    Parameters
    ----------
    source
        A name of `SOURCES`, ``hub:OWNER/NAME``, a file, or a polars or pandas frame.
    path
        The file, for the sources that need one.
    mapping
        For tables: our column to the file's column, such as ``{"question": "Frage"}``.
    topics
        Keep these topics only.
    limit
        Keep at most this many items, drawn by ``seed``.
    seed
        Breaks ties between equally upvoted answers and draws the items.
    answered_by
        The name of the system that answered, where the file does not say.
    track
        Shows progress: called with what is done and how many steps, gives ``advance(n)``.

    Returns
    -------
    Loaded
        Items, responses, and an account of every row.

    Raises
    ------
    UserError
        Where the source is unknown or cannot be read.

    """
    options = Options(mapping=dict(mapping or {}), seed=seed, source=answered_by)
    options = options if track is None else replace(options, track=track)
    if isinstance(source, str | Path):
        loaded = _load(source, path, options)
    else:
        loaded = tabular.from_frame(to_polars(source), options, name="frame", where="frame")
    return loaded.select(topics=topics, limit=limit, seed=seed)


def _load(source: str | Path, path: str | Path | None, options: Options) -> Loaded:
    name = str(source)
    if name in SOURCES:
        return _mapped(name, options).load(path, options)
    if path is not None:
        guess = nearest(name, list(SOURCES))
        raise UserError(
            f"unknown source {name!r}; there are {', '.join(SOURCES)}.",
            fix=f"Did you mean {guess!r}?" if guess else None,
        )
    if name.startswith(hub.PREFIX):
        return hub.load(name, options)
    if Path(name).exists():
        return files.load(name, options)
    guess = nearest(name, list(SOURCES))
    raise UserError(
        f"{name!r} is neither a file nor a source; there are {', '.join(SOURCES)}.",
        fix=f"Did you mean {guess!r}?" if guess else "Check the path.",
    )


def _mapped(name: str, options: Options) -> Source:
    if options.mapping and name not in ("table", "file", "hub"):
        raise UserError(
            f"{name} has columns of its own; only tables take a mapping.",
            where="--map",
            fix="Use the source 'table'.",
        )
    return SOURCES[name]
