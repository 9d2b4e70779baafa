"""Rate a file of responses in batches: memory stays what one batch needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from attunement import tables
from attunement.errors import UserError
from attunement.models.sentiment import SentimentModel
from attunement.raters.metrics.base import Variant
from attunement.raters.metrics.items import Items, check_items
from attunement.raters.metrics.registry import SETS, choose
from attunement.raters.metrics.scoring import (
    CONTEXT,
    Scorer,
    check_variant,
    duplicate_ids,
    given_needs,
    gold_answers,
    usable,
)
from attunement.raters.metrics.summary import Summary
from attunement.tables import REFERENCE, SCHEMAS
from attunement.tables.schema import SUFFIXES

if TYPE_CHECKING:
    from attunement.models.emotion import EmotionModel
    from attunement.models.language_model import LanguageModel
    from attunement.models.token_embeddings import TokenModel

BATCH = 1024
"""Rows at once: enough to spread the cost of a batch, few enough for long answers."""
FEW = 32
"""Rows at once where a neural network reads them, so that one sees it go on."""


IDS = ("response_id", "item_id", "source", "candidate")


@dataclass(frozen=True)
class Plan:
    """What `score_file` is about to do.

    Parameters
    ----------
    rows
        Number of responses.
    metrics
        Names of the metrics that will be computed.
    left_out
        Metric -> why it cannot be computed from what is given.

    """

    rows: int
    metrics: tuple[str, ...]
    left_out: dict[str, str]


def score_file(
    responses: str | Path,
    ratings: str | Path,
    items: str | Path | None = None,
    *,
    metrics: Sequence[str] | None = None,
    variant: Variant = "standard",
    sentiment: SentimentModel | None = None,
    emotion: EmotionModel | None = None,
    embeddings: TokenModel | None = None,
    language_model: LanguageModel | None = None,
    on_plan: Callable[[Plan], None] | None = None,
    on_rows: Callable[[int], None] | None = None,
) -> Summary:
    """Rate every response of a file with every metric and write the ratings.

    A Parquet file is read and written in batches; CSV and JSONL are read whole. The columns are
    those of `score`. The ratings appear under their name only when all are written.

    Parameters
    ----------
    responses, ratings, items
        Files by suffix: Parquet, CSV, TSV or JSONL.
    metrics, variant, sentiment, emotion, embeddings, language_model
        As in `score`.
    on_plan
        Called once, before anything is rated.
    on_rows
        Called after each batch with its number of rows.

    Returns
    -------
    Counts by status and means by source and metric.

    Raises
    ------
    UserError
        Where a file cannot be read, and wherever `score` raises.

    """
    where = str(responses)
    known = check_variant(variant)
    refuse_suffix(ratings)
    if Path(responses).resolve() == Path(ratings).resolve():
        raise UserError(
            "the ratings would overwrite the responses.", where=where, fix="Give another --out."
        )
    found = None if items is None else Items.of(tables.read_frame(items), where=str(items))
    source = _Source(Path(responses))
    scan = _Scan(source, found)
    chosen, left_out = choose(metrics, given_needs(source.columns, found, scan.references))
    if on_plan is not None:
        on_plan(Plan(scan.rows, tuple(m.name for m in chosen), left_out))
    summary = Summary()
    scorer = Scorer(
        chosen,
        known,
        found,
        scan.references,
        sentiment,
        emotion,
        embeddings,
        language_model,
        summary.systems,
    )
    with tables.TableWriter(ratings, "ratings") as writer:
        rows = FEW if any(m.name in SETS["neural"] for m in chosen) else None
        for batch in source.batches(size=rows):
            rated = scorer.rate(usable(batch, where=where))
            writer.write(rated)
            summary.add(rated)
            if on_rows is not None:
                on_rows(batch.height)
        for gold in scan.gold.iter_slices(BATCH):
            rated = scorer.rate(usable(gold, where=where))
            writer.write(rated)
            summary.add(rated)
    return summary


def refuse_suffix(path: str | Path) -> None:
    """Refuse a file whose suffix is that of no table.

    Raises
    ------
    UserError
        Where it is none.

    """
    if Path(path).suffix.lower() not in SUFFIXES:
        raise UserError(
            f"cannot write {Path(path).suffix!r}.",
            where=str(path),
            fix=f"Use one of {', '.join(SUFFIXES)}.",
        )


class _Source:
    """A file of responses that can be read more than once, in batches."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._whole: pl.DataFrame | None = None
        if path.suffix.lower() == ".parquet" and path.is_file() and path.stat().st_size:
            self.columns = _parquet_columns(path)
        else:
            self._whole = tables.read_frame(path)
            self.columns = self._whole.columns
        # Says which required column is missing, before anything is read.
        usable(pl.DataFrame(schema=dict.fromkeys(self.columns, pl.String)), where=str(path))

    def batches(
        self, columns: Sequence[str] | None = None, *, size: int | None = None
    ) -> Iterator[pl.DataFrame]:
        """Yield the columns that the file has of those asked for, `BATCH` or ``size`` at a time."""
        rows = size or BATCH
        wanted = columns or [*SCHEMAS["responses"], *CONTEXT]
        kept = [c for c in self.columns if c in wanted]
        if self._whole is not None:
            table = self._whole.select(kept)
            yield from (table.slice(at, rows) for at in range(0, table.height, rows))
            return
        import pyarrow.parquet as pq

        # Buffered: a file may have all its rows in one row group, which would be read whole.
        with pq.ParquetFile(self.path, buffer_size=1 << 16, pre_buffer=False) as parquet:
            for batch in parquet.iter_batches(rows, columns=kept, use_threads=False):
                yield cast(pl.DataFrame, pl.from_arrow(batch))


def _parquet_columns(path: Path) -> list[str]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return cast(list[str], pq.read_schema(path).names)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"cannot be read as Parquet: {error}.", where=str(path)) from error


class _Scan:
    """A first look at a file, without its texts: is it complete, are the ids unique."""

    def __init__(self, source: _Source, items: Items | None) -> None:
        where = str(source.path)
        self.rows = 0
        self.references: dict[str, str] = {}
        # Texts are read only where references may be among the responses
        given = "reference" in source.columns or (items is not None and "reference" in items.given)
        hashes: list[NDArray[np.uint64]] = []
        first: pl.Series | None = None
        met = False
        answered: set[tuple[str, str]] = set()
        answers: set[str] = set()  # items with an answer of source 'reference'
        for raw in source.batches(IDS if given else (*IDS, "text")):
            batch = raw.with_columns(text=pl.lit("")) if given else raw
            table = usable(batch, first_row=self.rows, where=where)
            self.rows += table.height
            hashes.append(table["response_id"].hash().to_numpy())
            if not given:
                self.references.update(gold_answers(table))
            answers.update(table.filter(pl.col("source") == REFERENCE)["item_id"])
            if items is not None and "reference" in items.given:
                answered.update(table.select("item_id", "source").unique().iter_rows())
            first = table["item_id"] if first is None else first
            met = met or items is None or any(i in items.by_id for i in table["item_id"].unique())
        if first is None:
            raise UserError("the table has no rows.", where=where)
        if items is not None and not met:
            check_items(first, items, where=where)
        _check_unique(hashes, source)
        known = {i for i, text in items.references.items() if text} if items else set()
        if given and answers - known:
            for raw in source.batches((*IDS, "text")):
                self.references.update(gold_answers(usable(raw, where=where)))
        # Sorted, because a set of text has another order in every process.
        self.gold = tables.missing_references(items.references if items else {}, sorted(answered))


def _check_unique(hashes: list[NDArray[np.uint64]], source: _Source) -> None:
    """Raise where a response id occurs twice; only the ids that may do are held in memory."""
    values, counts = np.unique(np.concatenate(hashes), return_counts=True)
    if not (counts > 1).any():
        return
    suspects = pl.Series(values[counts > 1], dtype=pl.UInt64).implode()
    ids = pl.concat(
        usable(batch.with_columns(text=pl.lit("")))["response_id"] for batch in source.batches(IDS)
    )
    ids = ids.filter(ids.hash().is_in(suspects))
    twice = ids.filter(ids.is_duplicated()).unique().sort()
    if len(twice):
        raise duplicate_ids(twice.to_list(), where=str(source.path))
