"""Which ratings an analysis counts: of responses, people before judges, one variant, last round."""

from __future__ import annotations

import polars as pl

from attunement.errors import UserError


def located(ratings: pl.DataFrame, answers: pl.DataFrame | None) -> pl.DataFrame:
    """Fill in a rating's item and source from the responses."""
    rated = ratings.filter(pl.col("unit") == "response")
    if not rated.height:
        raise UserError(
            "there is no rating of a response.",
            where="ratings table",
            fix="The column 'unit' must say 'response' for ratings of answers.",
        )
    if answers is not None:
        known = answers.select(
            pl.col("response_id").alias("unit_id"),
            pl.col("item_id").alias("_item"),
            pl.col("source").alias("_source"),
        ).unique("unit_id", keep="first", maintain_order=True)
        rated = (
            rated.join(known, on="unit_id", how="left", maintain_order="left")
            .with_columns(
                item_id=pl.col("item_id").fill_null(pl.col("_item")),
                source=pl.col("source").fill_null(pl.col("_source")),
            )
            .drop("_item", "_source")
        )
    lost = rated.filter(pl.col("item_id").is_null() | pl.col("source").is_null())
    if lost.height:
        raise UserError(
            f"{lost.height} ratings have no item or source, first of unit {lost['unit_id'][0]!r}.",
            where="ratings table",
            fix="Give the responses that they rate (--responses), with the same response ids.",
        )
    return rated


def comparable(rated: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Leave out metrics that compare systems (BLEU, length, ...), and return their names."""
    from attunement.raters.metrics import RESPONSE_METRICS

    of_systems = (pl.col("instrument") == RESPONSE_METRICS).fill_null(False)
    apart = rated.filter(of_systems)["dimension"].unique(maintain_order=True).to_list()
    kept = rated.filter(~of_systems)
    if not kept.height:
        raise UserError(
            f"the ratings are of metrics that compare systems: {', '.join(apart)}.",
            where="ratings table",
            fix="Compare systems with attunement score --systems FILE; for distances from the "
            "reference score other metrics, such as --metrics nuance.",
        )
    return kept, apart


def people_first(rated: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Leave out judges' ratings of what people rated too, and return the names of those metrics.

    A mean over people and a language model is the opinion of neither.
    """
    kinds = rated.group_by("dimension", maintain_order=True).agg(pl.col("rater_kind").unique())
    both = [d for d, found in kinds.iter_rows() if {"human", "judge"} <= set(found)]
    theirs = pl.col("dimension").is_in(both) & (pl.col("rater_kind") == "judge")
    return rated.filter(~theirs.fill_null(False)), both


def of_variant(rated: pl.DataFrame, variant: str) -> pl.DataFrame:
    """Return the ratings of a variant, latest round only.

    ``paper`` takes a dimension's paper ratings where there are some and the others elsewhere: a
    metric without a paper variant is the same in both.
    """
    if variant not in ("standard", "paper"):
        raise UserError(f"unknown variant {variant!r}.", fix="Use standard or paper.")
    instrument = pl.col("instrument").str.split("@").list.first()
    paper = (pl.col("rater") == "metric:paper") | instrument.str.ends_with("-paper")
    marked = rated.with_columns(_paper=paper)
    if variant == "paper":
        chosen = marked.filter(pl.col("_paper") == pl.col("_paper").any().over("dimension"))
    else:
        chosen = marked.filter(~pl.col("_paper"))
    if not chosen.height:
        raise UserError(
            "every rating is of the paper variant.",
            where="ratings table",
            fix="Analyze with variant 'paper', or score with variant 'standard'.",
        )
    # A newer version of an instrument takes the place of an older one, another one does not
    latest = pl.col("round").max().over("unit_id", "rater", instrument, "dimension")
    return chosen.filter(pl.col("round") == latest).drop("_paper")
