"""What is wrong with answers that experts rated low: counts of seven categories (section 4.5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from attunement import tables
from attunement.counselbench.scores import Scores, located
from attunement.stats.proportion import wilson
from attunement.stats.result import Result

if TYPE_CHECKING:
    from attunement.tables.conform import Frame

INSTRUMENT = "low-rating-issues"
LOW = 2
"""An overall rating up to this is low."""


@dataclass(frozen=True)
class Issues:
    """Issues of low-rated answers.

    Parameters
    ----------
    low
        ``source``, ``ratings``, ``low_ratings``, ``answers``, ``low_answers``, ``sorted`` (how many
        of the low-rated answers have been sorted into categories).
    shares
        For each source and category the share of sorted answers that have it, with Wilson's
        interval. An answer can have several.
    """

    low: pl.DataFrame
    shares: list[Result]


def low_rating_issues(
    given: Scores,
    ratings: Frame | None = None,
    responses: Frame | None = None,
    *,
    low: float = LOW,
    level: float = 0.95,
) -> Issues:
    """Count the issues of answers that a rater or more gave an overall rating of ``low`` or less.

    Parameters
    ----------
    given
        Ratings on CounselBench-Eval.
    ratings
        A ratings table that may hold ratings on the instrument ``low-rating-issues``: labels, or a
        dimension a category with 1 for yes. Without any, only the low ratings are counted. An
        answer that several raters sorted has an issue where most of them name it.
    responses
        Needed where ratings do not name their item and source.
    low, level
        The limit, and the interval's coverage.
    """
    overall = given.of("overall").drop_nulls("value")
    answers = overall.group_by("source", "answer", maintain_order=True).agg(
        ratings=pl.len(), low_ratings=(pl.col("value") <= low).sum()
    )
    low_answers = answers.filter(pl.col("low_ratings") > 0)
    table = answers.group_by("source", maintain_order=True).agg(
        pl.col("ratings").sum(),
        pl.col("low_ratings").sum(),
        answers=pl.len(),
        low_answers=(pl.col("low_ratings") > 0).sum(),
    )
    named = _named(ratings, responses)
    found: list[Result] = []
    if named is not None:
        named = named.filter(pl.col("unit_id").is_in(low_answers["answer"].to_list()))
        done = named.group_by("source").agg(sorted=pl.col("unit_id").n_unique())
        table = table.join(done, on="source", how="left", maintain_order="left")
        found = _shares(named, table, level)
    else:
        table = table.with_columns(sorted=pl.lit(None, pl.Int64))
    return Issues(table.with_columns(pl.col("sorted").fill_null(0).cast(pl.Int64)), found)


def _named(ratings: Frame | None, responses: Frame | None) -> pl.DataFrame | None:
    """Return who sorted which answer, and the list of categories named, empty where none."""
    if ratings is None:
        return None
    rated = tables.conform(ratings, "ratings")
    if not rated["instrument"].str.starts_with(INSTRUMENT).any():
        return None
    rows = located(rated, responses, INSTRUMENT).filter(pl.col("status") == "ok")
    by_dimension = pl.col("labels").is_null()
    return (
        rows.with_columns(
            issues=pl.when(by_dimension & (pl.col("value") > 0))
            .then(pl.concat_list("dimension"))
            .when(by_dimension)
            .then(pl.lit([], pl.List(pl.String)))
            .otherwise(pl.col("labels"))
        )
        .group_by("source", "unit_id", "rater", "replicate", maintain_order=True)
        .agg(pl.col("issues").list.explode())
    )


def _shares(named: pl.DataFrame, table: pl.DataFrame, level: float) -> list[Result]:
    raters = named.group_by("source", "unit_id").agg(raters=pl.len())
    votes = (
        named.explode("issues")
        .drop_nulls("issues")
        .group_by("source", "unit_id", "issues", maintain_order=True)
        .agg(votes=pl.len())
        .join(raters, on=["source", "unit_id"], maintain_order="left")
        .filter(pl.col("votes") * 2 > pl.col("raters"))
    )
    categories = sorted(named["issues"].explode().drop_nulls().unique().to_list())
    found = []
    for source, low, done in table.select("source", "low_answers", "sorted").iter_rows():
        own = votes.filter(pl.col("source") == source)
        for category in categories:
            share = wilson(
                own.filter(pl.col("issues") == category).height,
                done or 0,
                level=level,
                n_missing=low - (done or 0),
            )
            found.append(
                replace(
                    share,
                    name="issue_share",
                    group={"source": source, "issue": category},
                    method="share of low-rated answers, Wilson score interval",
                )
            )
    return found
