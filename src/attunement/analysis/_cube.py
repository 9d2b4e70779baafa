"""From tables to arrays: one value for each metric, item and source, and what is missing.

Replicates of a rater are averaged first, then the raters of a response. Distances are taken for
each response and then averaged over an item's candidates: the distance of one answer is what the
therapists' yardstick is made of too, and the distance of a mean of candidates would be smaller.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from attunement import tables
from attunement.analysis._counted import comparable, located, of_variant, people_first
from attunement.analysis._coverage import coverage
from attunement.errors import UserError
from attunement.stats.descriptive import column_stats, settle
from attunement.stats.result import input_hash

if TYPE_CHECKING:
    from attunement.tables.conform import Frame

Floats = NDArray[np.float64]

THERAPIST = "therapist"
"""The source of the other therapists' answers."""

ALL = "all"
"""What results call all topics together, and all metrics."""

INCLUSIVE = "emotion_consistency"
"""The metric that has the baseline in it: its distance is 1 - value, the value being 1 at best."""

METRIC_ORDER = (
    INCLUSIVE,
    "sentiment_change",
    "sentiment_slope",
    "simplicity",
    "recycling",
    "agreeability",
    "active_listening",
)


@dataclass(frozen=True)
class Cube:
    """The ratings as arrays.

    Parameters
    ----------
    items, topics
        Item ids, and the topic of each (None where it has none).
    sources
        Columns of the arrays: the reference and ``therapist`` where they are there, then the
        compared sources in order of appearance.
    compared
        The compared sources.
    metrics
        First axis of the arrays.
    value, distance, signed
        Shape (metrics, items, sources); NaN where missing. Mean value; mean distance of a response
        to the reference; mean signed difference from it.
    scale
        Shape (metrics,): the reference's standard deviation over items, 1 for the inclusive metric.
    coverage
        Rows of the coverage frame.
    demonstration
        Raters of demonstration quality.
    digest
        Hash of what was analyzed.
    instruments
        Signatures that the ratings carry, one for each metric or judge.
    repeats
        One row a response, metric, rater and replicate with its value, for the planner.
    apart
        Metrics that were rated and are none of the above, since an answer's value and the
        reference's are no distance: BLEU, length and the like.
    judged_too
        Metrics that people rated and judges too: the judges' ratings are not in the arrays.

    """

    items: list[str]
    topics: list[str | None]
    sources: list[str]
    compared: list[str]
    metrics: list[str]
    value: Floats
    distance: Floats
    signed: Floats
    scale: Floats
    reference: str
    coverage: list[dict[str, Any]]
    demonstration: list[str]
    digest: str
    instruments: list[str]
    repeats: pl.DataFrame
    apart: list[str]
    judged_too: list[str]

    @property
    def standardized(self) -> Floats:
        """Distances in standard deviations of the reference, shape (metrics, items, sources)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            scaled = self.distance / self.scale[:, None, None]
        return np.where(np.isfinite(scaled), scaled, np.nan)

    @property
    def named_topics(self) -> list[str]:
        """Topics in order of appearance."""
        return list(dict.fromkeys(t for t in self.topics if t is not None))

    def rows(self, topic: str) -> NDArray[np.bool_]:
        """Return which items belong to a topic; ``all`` is every item."""
        if topic == ALL:
            return np.ones(len(self.items), dtype=bool)
        return np.array([t == topic for t in self.topics], dtype=bool)

    def column(self, source: str) -> int | None:
        """Return the column of a source, or None."""
        return self.sources.index(source) if source in self.sources else None


def build_cube(
    items: Frame | None,
    responses: Frame | None,
    ratings: Frame,
    raters: Frame | None,
    *,
    variant: str,
    reference: str,
) -> Cube:
    """Return the arrays.

    Raises
    ------
    UserError
        Where a table is not valid, sources or items of ratings are unknown, no rating fits the
        variant, or nothing is there to compare with the reference.

    """
    asked = None if items is None else tables.conform(items, "items")
    answers = None if responses is None else tables.conform(responses, "responses")
    rated, apart = comparable(located(tables.conform(ratings, "ratings"), answers))
    rated, judged_too = people_first(rated)
    chosen = of_variant(rated, variant)
    metrics = _metrics(chosen)
    sources, compared = _sources(answers, chosen, reference)
    names, topics = _items(asked, answers, chosen)
    kept = chosen.filter(pl.col("dimension").is_in(metrics))
    response = _per_response(kept)
    gold = (
        response.filter(pl.col("source") == reference)
        .group_by("item_id", "dimension", maintain_order=True)
        .agg(gold=pl.col("value").mean())
    )
    size = pl.max_horizontal(pl.col("value").abs(), pl.col("gold").abs())
    held = response.join(gold, on=["item_id", "dimension"], how="left").with_columns(
        signed=_settled(pl.col("value") - pl.col("gold"), size)
    )
    # Emotion consistency was computed against the items' reference answers and no others.
    inclusive = pl.col("dimension") == INCLUSIVE
    own = pl.lit(None, pl.Float64)
    if reference == tables.REFERENCE:
        own = _settled(1 - pl.col("value"), pl.lit(1.0))
    held = held.with_columns(
        distance=pl.when(inclusive).then(own).otherwise(pl.col("signed").abs()),
        signed=pl.when(inclusive).then(None).otherwise(pl.col("signed")),
    )
    cells = held.group_by("item_id", "source", "dimension", maintain_order=True).agg(
        pl.col("value", "distance", "signed").mean(), apart=pl.col("signed").abs().mean()
    )
    cells = cells.with_columns(
        *(_settled(pl.col(name), pl.col(name)).alias(name) for name in ("value", "distance")),
        signed=_settled(pl.col("signed"), pl.col("apart")),
    )
    arrays = _arrays(cells, metrics, names, sources)
    return Cube(
        items=names,
        topics=topics,
        sources=sources,
        compared=compared,
        metrics=metrics,
        value=arrays["value"],
        distance=arrays["distance"],
        signed=arrays["signed"],
        scale=_scale(arrays["value"], metrics, sources, reference),
        reference=reference,
        coverage=coverage(rated, chosen, answers, metrics, sources, reference, INCLUSIVE),
        demonstration=_demonstration(kept, raters),
        digest=input_hash(arrays["value"], arrays["distance"], "|".join(sources), variant),
        instruments=kept["signature"].drop_nulls().unique(maintain_order=True).to_list(),
        repeats=kept.filter(pl.col("value").is_not_null()).select(
            "unit_id", "source", "dimension", "rater", "replicate", "value"
        ),
        apart=apart,
        judged_too=judged_too,
    )


def _metrics(chosen: pl.DataFrame) -> list[str]:
    """Return dimensions with numbers, the seven metrics first."""
    numeric = chosen.group_by("dimension", maintain_order=True).agg(
        pl.col("value").is_not_null().any(), pl.col("labels").list.len().gt(0).any().alias("listed")
    )
    # A dimension rated with labels only is no number; one without any value stays and is counted.
    found = numeric.filter(pl.col("value") | ~pl.col("listed").fill_null(False))["dimension"]
    names = cast(list[str], found.to_list())
    _refuse_all(names, "dimension", "ratings")
    return [m for m in METRIC_ORDER if m in names] + [m for m in names if m not in METRIC_ORDER]


def _refuse_all(names: Iterable[str | None], column: str, table: str) -> None:
    if ALL in names:
        raise UserError(
            f"a {column} is called {ALL!r}, which is what the results call all of them together.",
            where=f"{table} table, column {column!r}",
            fix="Give it another name.",
        )


def _sources(
    answers: pl.DataFrame | None, chosen: pl.DataFrame, reference: str
) -> tuple[list[str], list[str]]:
    named = [] if answers is None else answers["source"].unique(maintain_order=True).to_list()
    rated = chosen["source"].unique(maintain_order=True).to_list()
    every = list(dict.fromkeys([*named, *rated]))
    compared = [s for s in every if s not in (reference, THERAPIST)]
    if not compared:
        raise UserError(
            f"nothing is there to compare: the only sources are {', '.join(every)}.",
            where="ratings table",
            fix="Rate the answers of at least one system.",
        )
    if reference != tables.REFERENCE and reference not in every:
        raise UserError(
            f"no source is called {reference!r}; there are {', '.join(every)}.",
            where="reference",
        )
    return [*(s for s in (reference, THERAPIST) if s in every), *compared], compared


def _items(
    asked: pl.DataFrame | None, answers: pl.DataFrame | None, chosen: pl.DataFrame
) -> tuple[list[str], list[str | None]]:
    found: dict[str, str | None] = {}
    if asked is not None:
        for item, topic in asked.select("item_id", "topic").iter_rows():
            found.setdefault(item, (topic or "").strip() or None)
        _refuse_all(found.values(), "topic", "items")
    for frame in (answers, chosen):
        if frame is not None:
            for item in frame["item_id"].unique(maintain_order=True).to_list():
                found.setdefault(item, None)
    return list(found), list(found.values())


def _per_response(kept: pl.DataFrame) -> pl.DataFrame:
    keys = ["unit_id", "item_id", "source", "dimension"]
    return (
        kept.filter(pl.col("value").is_not_null() & (pl.col("status") == "ok"))
        .group_by(*keys, "rater", maintain_order=True)
        .agg(pl.col("value").mean())
        .group_by(*keys, maintain_order=True)
        .agg(pl.col("value").mean())
    )


def _arrays(
    cells: pl.DataFrame, metrics: list[str], items: list[str], sources: list[str]
) -> dict[str, Floats]:
    at = [
        cells[column].replace_strict({n: i for i, n in enumerate(names)}, return_dtype=pl.Int64)
        for column, names in (("dimension", metrics), ("item_id", items), ("source", sources))
    ]
    index = tuple(a.to_numpy() for a in at)
    arrays = {}
    for name in ("value", "distance", "signed"):
        array = np.full((len(metrics), len(items), len(sources)), np.nan)
        array[index] = cells[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        arrays[name] = array
    return arrays


def _settled(values: pl.Expr, size: pl.Expr) -> pl.Expr:
    """Return values without the noise of binary fractions; see `settle`."""
    both = pl.struct(x=values, size=size)
    return both.map_batches(
        lambda s: pl.Series(settle(s.struct.field("x"), s.struct.field("size")), nan_to_null=True),
        return_dtype=pl.Float64,
    )


def _scale(value: Floats, metrics: list[str], sources: list[str], reference: str) -> Floats:
    if reference in sources:
        _, spread, _ = column_stats(value[:, :, sources.index(reference)].T)
    else:
        spread = np.full(len(metrics), np.nan)
    inclusive = np.array([m == INCLUSIVE for m in metrics])
    return np.where(inclusive, 1.0, np.where(spread > 0, spread, np.nan))


def _demonstration(kept: pl.DataFrame, raters: Frame | None) -> list[str]:
    flagged: set[str] = set()
    if raters is not None:
        known = tables.conform(raters, "raters").filter(pl.col("attributes").is_not_null())
        marked = known.filter(pl.col("attributes").str.contains(r'"demonstration"\s*:\s*true'))
        flagged = set(marked["rater"].to_list())
    used = kept["rater"].unique(maintain_order=True).to_list()
    return [r for r in used if r in flagged or r.startswith("judge:local")]
