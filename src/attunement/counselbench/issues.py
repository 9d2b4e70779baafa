"""What is wrong with answers that experts rated low: counts of seven categories (section 4.5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from attunement import tables
from attunement.counselbench.scores import Scores, first_replicates, located
from attunement.errors import UserError
from attunement.instruments import ChoiceScale, load_instrument
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
        interval; a category that nobody chose too. An answer can have several. Answers that nobody
        sorted, or whose sorters are evenly split, are in ``n_missing``.
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
        answer that several raters sorted has an issue where most of them name it, and has it not
        where most do not; where they are evenly split it counts neither way. Of several replicates
        of a rater the first counts.
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


def issue_rows(ratings: Frame, *, where: str) -> pl.DataFrame:
    """Return the ratings on the instrument ``low-rating-issues`` and nothing else.

    Raises
    ------
    UserError
        Where there are none.
    """
    rated = tables.conform(ratings, "ratings")
    own = rated.filter(_of_instrument())
    if not own.height:
        known = ", ".join(rated["instrument"].unique(maintain_order=True).to_list()) or "none"
        raise UserError(
            f"no rating is on the instrument {INSTRUMENT!r}; there are {known}.",
            where=where,
            fix=f"Sort the answers first: attunement judge ... --instrument {INSTRUMENT}.",
        )
    return own


def _of_instrument() -> pl.Expr:
    return pl.col("instrument").str.split("@").list.first() == INSTRUMENT


def _named(ratings: Frame | None, responses: Frame | None) -> pl.DataFrame | None:
    """Return who sorted which answer, and the list of categories named, empty where none."""
    if ratings is None:
        return None
    rated = tables.conform(ratings, "ratings")
    if not rated.select(_of_instrument().any()).item():
        return None
    rows, _ = first_replicates(located(rated, responses, INSTRUMENT))
    rows = rows.filter(pl.col("status") == "ok")
    by_dimension = pl.col("labels").is_null()
    return (
        rows.with_columns(
            issues=pl.when(by_dimension & (pl.col("value") > 0))
            .then(pl.concat_list("dimension"))
            .when(by_dimension)
            .then(pl.lit([], pl.List(pl.String)))
            .otherwise(pl.col("labels"))
        )
        .group_by("source", "unit_id", "rater", maintain_order=True)
        .agg(pl.col("issues").list.explode(), offered=pl.col("dimension").filter(by_dimension))
    )


def _categories(named: pl.DataFrame) -> list[str]:
    """Return what could be chosen: the instrument's options, or the dimensions that were asked."""
    dimensions = load_instrument(INSTRUMENT).dimensions
    options = [
        option.id
        for dimension in dimensions
        if isinstance(dimension.scale, ChoiceScale)
        for option in dimension.scale.options
    ]
    # "Nothing of it" comes without labels, and is no category of the instrument's dimension.
    asked = {*named["offered"].explode().drop_nulls()} - {d.id for d in dimensions}
    there = {*named["issues"].explode().drop_nulls(), *asked}
    if asked and not there & set(options):
        return sorted(there)
    return [*options, *sorted(there - set(options))]


def _shares(named: pl.DataFrame, table: pl.DataFrame, level: float) -> list[Result]:
    raters = named.group_by("source", "unit_id").agg(raters=pl.len())
    votes = (
        named.explode("issues")
        .drop_nulls("issues")
        .group_by("source", "unit_id", "issues", maintain_order=True)
        .agg(votes=pl.len())
        .join(raters, on=["source", "unit_id"], maintain_order="left")
        .with_columns(lead=2 * pl.col("votes").cast(pl.Int64) - pl.col("raters").cast(pl.Int64))
    )
    categories = _categories(named)
    found = []
    for source, low, done in table.select("source", "low_answers", "sorted").iter_rows():
        for category in categories:
            lead = votes.filter(source=source, issues=category)["lead"]
            split = int((lead == 0).sum())
            share = wilson(
                int((lead > 0).sum()),
                (done or 0) - split,
                level=level,
                n_missing=low - (done or 0) + split,
            )
            found.append(
                replace(
                    share,
                    name="issue_share",
                    group={"source": source, "issue": category},
                    method="share of low-rated answers for which most sorters name it, an even "
                    "split left out, Wilson score interval",
                )
            )
    return found
