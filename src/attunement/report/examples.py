"""Answers to read: nearest to the reference, farthest, and most different on one metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from attunement import tables
from attunement.report.formats import (
    decimals_of,
    metric_label,
    number,
    shortened,
    source_label,
    topic_label,
)

if TYPE_CHECKING:
    from attunement.analysis import Analysis

TEXT_LIMIT = 2500
"""Characters of a text that the page shows; the whole text is in the responses table."""
SOURCES_SHOWN = 12


@dataclass(frozen=True)
class Text:
    """A text to read, and a note where the page does not show all of it."""

    text: str
    note: str = ""


@dataclass(frozen=True)
class Example:
    """One answer beside its question and its reference.

    Parameters
    ----------
    why
        Why it is shown.
    source, topic, item_id
        Whose answer to what.
    question, reference, answer
        The texts.
    values
        Metric, value of the answer, value of the reference, standardized difference.
    distance
        Mean standardized distance over the metrics that it has.

    """

    why: str
    source: str
    topic: str
    item_id: str
    question: Text
    reference: Text
    answer: Text
    values: tuple[tuple[str, str, str, str], ...]
    distance: str


@dataclass(frozen=True)
class Shelf:
    """Examples under one heading."""

    title: str
    lead: str
    examples: tuple[Example, ...]


def per_answer(analysis: Analysis, ratings: pl.DataFrame) -> pl.DataFrame:
    """Return each answer's difference from the reference answer to the same question, by metric.

    Only ratings of the analysis's variant and of the latest round count, as in the analysis.
    Columns ``unit_id, item_id, source, metric, value, reference, standardized``: the absolute
    difference divided by the reference's standard deviation over questions, as `Analysis.distance`
    has it; for emotion consistency one minus the value.
    """
    keys = ["unit_id", "item_id", "source", "dimension"]
    mean = (
        _of_variant(ratings, analysis.variant)
        .filter(
            (pl.col("unit") == "response")
            & (pl.col("status") == "ok")
            & pl.col("value").is_finite()
            & pl.col("dimension").is_in(analysis.metrics)
        )
        .group_by(*keys, "rater", maintain_order=True)
        .agg(value=pl.col("value").mean())
        .group_by(*keys, maintain_order=True)
        .agg(value=pl.col("value").mean())
        .rename({"dimension": "metric"})
    )
    gold = mean.filter(pl.col("source") == analysis.reference)
    per_item = gold.group_by("item_id", "metric", maintain_order=True).agg(
        reference=pl.col("value").mean()
    )
    spread = per_item.group_by("metric").agg(sd=pl.col("reference").std())
    own = pl.col("metric") == "emotion_consistency"
    return (
        mean.filter(pl.col("source").is_in(analysis.sources))
        .join(per_item, on=["item_id", "metric"], how="left", maintain_order="left")
        .join(spread, on="metric", how="left", maintain_order="left")
        .with_columns(
            standardized=pl.when(own)
            .then(1 - pl.col("value"))
            .when(pl.col("sd") > 0)
            .then((pl.col("value") - pl.col("reference")).abs() / pl.col("sd"))
        )
        .drop("sd")
    )


def _of_variant(ratings: pl.DataFrame, variant: str) -> pl.DataFrame:
    """Return the latest ratings of a variant; without paper ratings a metric has only one."""
    paper = (pl.col("rater") == "metric:paper") | pl.col("instrument").str.contains("-paper@")
    wanted = paper == paper.any().over("dimension") if variant == "paper" else ~paper
    latest = pl.col("round") == pl.col("round").max().over("unit_id", "rater", "dimension")
    return ratings.filter(wanted).filter(latest)


def choose(
    analysis: Analysis, items: pl.DataFrame, responses: pl.DataFrame, ratings: pl.DataFrame
) -> tuple[Shelf, ...]:
    """Return the shelves of examples; empty where no answer can be compared."""
    known = responses.select("item_id", "source", unit_id="response_id")
    located = ratings.drop("item_id", "source").join(
        known, on="unit_id", how="inner", maintain_order="left"
    )
    differences = per_answer(analysis, located)
    if not differences.height:
        return ()
    shown = _Texts(analysis, items, responses, differences)
    whole = (
        differences.drop_nulls("standardized")
        .group_by("unit_id", "item_id", "source", maintain_order=True)
        .agg(distance=pl.col("standardized").mean(), metrics=pl.len())
        # An answer with few metrics must not win by what it lacks.
        .filter(pl.col("metrics") * 2 >= pl.col("metrics").max())
        .sort("distance", "unit_id")
    )
    best, worst = [], []
    for source in analysis.sources[:SOURCES_SHOWN]:
        own = whole.filter(pl.col("source") == source)
        if not own.height:
            continue
        name = source_label(source)
        best.append(shown.example(f"Nearest answer of {name}", own["unit_id"][0]))
        if own.height > 1:
            worst.append(shown.example(f"Farthest answer of {name}", own["unit_id"][-1]))
    odd, seen = [], set[str]()
    single = differences.drop_nulls("standardized").sort(
        "standardized", "unit_id", descending=[True, False]
    )
    for metric in analysis.metrics:
        for unit in single.filter(pl.col("metric") == metric)["unit_id"].head(20):
            if unit not in seen:
                seen.add(unit)
                odd.append(shown.example(f"Largest difference on {metric_label(metric)}", unit))
                break
    one = "mean standardized distance, one a source"
    shelves = (
        Shelf("Nearest to the reference", f"The answer with the smallest {one}.", tuple(best)),
        Shelf("Farthest from the reference", f"The answer with the largest {one}.", tuple(worst)),
        Shelf(
            "Most different on one metric",
            "Over all sources, the answer that differs most from the reference on one metric.",
            tuple(odd),
        ),
    )
    return tuple(s for s in shelves if s.examples)


class _Texts:
    """Finds the texts and numbers of an answer."""

    def __init__(
        self,
        analysis: Analysis,
        items: pl.DataFrame,
        responses: pl.DataFrame,
        differences: pl.DataFrame,
    ) -> None:
        self._metrics: Sequence[str] = analysis.metrics
        self._items = {r["item_id"]: r for r in items.iter_rows(named=True)}
        self._answers = {
            r["response_id"]: r["text"] or ""
            for r in responses.select("response_id", "text").iter_rows(named=True)
        }
        gold = responses.filter(pl.col("source") == analysis.reference)
        self._gold = dict(zip(gold["item_id"], gold["text"], strict=True))
        self._differences = differences

    def example(self, why: str, unit: str) -> Example:
        """Return the example of one response."""
        rows = list(self._differences.filter(pl.col("unit_id") == unit).iter_rows(named=True))
        item = self._items.get(rows[0]["item_id"], {})
        known = [r["standardized"] for r in rows if r["standardized"] is not None]
        by_metric = {r["metric"]: r for r in rows}
        values = []
        for metric in self._metrics:
            row = by_metric.get(metric, {})
            places = decimals_of(metric)
            values.append(
                (
                    metric_label(metric),
                    number(row.get("value"), places),
                    number(row.get("reference"), places),
                    number(row.get("standardized"), 1),
                )
            )
        reference = self._gold.get(rows[0]["item_id"]) or item.get("reference") or ""
        asked = tables.conversation(item.get("turns") or [{"role": "", "text": ""}])
        return Example(
            why,
            source_label(rows[0]["source"]),
            topic_label(item.get("topic") or "no topic"),
            rows[0]["item_id"],
            Text(*shortened(asked, TEXT_LIMIT)),
            Text(*shortened(reference, TEXT_LIMIT)),
            Text(*shortened(self._answers.get(unit, ""), TEXT_LIMIT)),
            tuple(values),
            number(sum(known) / len(known) if known else None),
        )
