"""Ratings on CounselBench's dimensions, a row an answer, rater and dimension."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from attunement import tables
from attunement.datasets.counselbench import DIMENSIONS
from attunement.errors import UserError
from attunement.instruments import load_instrument
from attunement.instruments.on_scale import refuse_off_scale

if TYPE_CHECKING:
    from attunement.tables.conform import Frame

INSTRUMENT = "counselbench-eval"
CATEGORICAL = "medical_advice"
"""The dimension whose values are yes and no."""
_KEYS = ("unit_id", "item_id", "source", "rater", "dimension")


@dataclass(frozen=True)
class Scores:
    """Ratings to be analyzed.

    Parameters
    ----------
    frame
        ``question``, ``source``, ``answer``, ``rater``, ``dimension``, ``value`` (null where there
        is none) and ``status``; a row a rater, answer and dimension.
    sources, dimensions, questions
        In order of appearance; dimensions in the instrument's order.
    kind
        Whose ratings: ``human``, ``judge``, ``metric`` or ``all``.
    notes
        What was left out, a sentence each.
    """

    frame: pl.DataFrame
    sources: list[str]
    dimensions: list[str]
    questions: list[str]
    kind: str
    notes: list[str] = field(default_factory=list)

    def of(self, dimension: str) -> pl.DataFrame:
        """Return the rows of one dimension."""
        return self.frame.filter(pl.col("dimension") == dimension)


def located(ratings: Frame, responses: Frame | None, instrument: str) -> pl.DataFrame:
    """Return the ratings of answers on an instrument, each with its item and source.

    Only the latest round of a rater counts.

    Raises
    ------
    UserError
        Where there are none, some belong to an answer that is not known, or a value is not on its
        scale.
    """
    rated = tables.conform(ratings, "ratings")
    name = pl.col("instrument").str.split("@").list.first()
    chosen = rated.filter((name == instrument) & (pl.col("unit") == "response"))
    if not chosen.height:
        known = ", ".join(rated["instrument"].unique(maintain_order=True).to_list()) or "none"
        raise UserError(
            f"no rating of an answer on the instrument {instrument!r}; there are {known}.",
            where="ratings table",
        )
    refuse_off_scale(chosen, load_instrument(instrument))
    if responses is not None:
        known_answers = (
            tables.conform(responses, "responses")
            .select(unit_id="response_id", _item="item_id", _source="source")
            .unique("unit_id", keep="first", maintain_order=True)
        )
        chosen = chosen.join(known_answers, on="unit_id", how="left", maintain_order="left")
        chosen = chosen.with_columns(
            item_id=pl.col("item_id").fill_null(pl.col("_item")),
            source=pl.col("source").fill_null(pl.col("_source")),
        ).drop("_item", "_source")
    lost = chosen.filter(pl.col("item_id").is_null() | pl.col("source").is_null())
    if lost.height:
        raise UserError(
            f"{lost.height} ratings have no item or source, first of unit {lost['unit_id'][0]!r}.",
            where="ratings table",
            fix="Give the answers that they rate (--responses), with the same response ids.",
        )
    latest = pl.col("round") == pl.col("round").max().over("unit_id", "rater", "dimension")
    return chosen.filter(latest)


def first_replicates(rated: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Return each rater's first replicate, whatever it says, and a note on those left out.

    What was skipped then and answered in a later one stays unanswered.
    A mean of replicates would leave the scale, and would hide a "not sure" among them; a judge that
    repeats itself is one rater, not several.
    """
    first = rated.filter(tables.of_first_replicate())
    aside = rated.height - first.height
    notes = (
        [f"Of several replicates the first of each rater counts; {aside} ratings are left out."]
        if aside
        else []
    )
    return first, notes


def scores(ratings: Frame, responses: Frame | None = None, *, kind: str | None = None) -> Scores:
    """Return the ratings on CounselBench-Eval.

    Of several replicates of a rater the first counts, "not sure" included, as it does in
    ``attunement agreement``.

    Parameters
    ----------
    ratings
        A ratings table.
    responses
        Needed where ratings do not name their item and source.
    kind
        Of raters: human, judge, metric or all. By default people where there are any, else all.

    Raises
    ------
    UserError
        Where nothing is left to analyze.
    """
    chosen = located(ratings, responses, INSTRUMENT)
    kinds = chosen["rater_kind"].unique(maintain_order=True).to_list()
    kind = kind or ("human" if "human" in kinds else "all")
    if kind not in (*tables.RATER_KINDS, "all"):
        raise UserError(
            f"unknown kind of rater {kind!r}.", fix=f"Use {', '.join(tables.RATER_KINDS)} or all."
        )
    if kind != "all":
        chosen = chosen.filter(pl.col("rater_kind") == kind)
        if not chosen.height:
            raise UserError(f"no ratings by {kind} raters; there are {', '.join(kinds)}.")
    chosen, notes = first_replicates(chosen.filter(pl.col("dimension").is_in(DIMENSIONS)))
    frame = (
        chosen.unique(_KEYS, keep="first", maintain_order=True)
        .rename({"item_id": "question", "unit_id": "answer"})
        .select("question", "source", "answer", "rater", "dimension", "value", "status")
    )
    there = set(frame["dimension"])
    return Scores(
        frame=frame,
        sources=frame["source"].unique(maintain_order=True).to_list(),
        dimensions=[d for d in DIMENSIONS if d in there],
        questions=frame["question"].unique(maintain_order=True).to_list(),
        kind=kind,
        notes=notes,
    )


def question_means(given: Scores, dimension: str) -> NDArray[np.float64]:
    """Return the mean rating of each source's answers to each question.

    "Not sure" and other ratings without a value are left out; medical advice gives the share of
    yes.

    Returns
    -------
    numpy.ndarray
        Shape (questions, sources), NaN where there is no value.
    """
    means = (
        given.of(dimension)
        .group_by("question", "source")
        .agg(pl.col("value").mean())
        .drop_nulls("value")
    )
    rows = {q: i for i, q in enumerate(given.questions)}
    columns = {s: j for j, s in enumerate(given.sources)}
    out = np.full((len(rows), len(columns)), np.nan)
    for question, source, value in means.iter_rows():
        out[rows[question], columns[source]] = value
    return out


def counts(given: Scores) -> pl.DataFrame:
    """Return how many ratings have a value, are "not sure", or have none for another reason.

    Returns
    -------
    polars.DataFrame
        ``source``, ``dimension``, ``ratings``, ``ok``, ``not_sure``, ``other``.
    """
    status = pl.col("status")
    return given.frame.group_by("source", "dimension", maintain_order=True).agg(
        ratings=pl.len(),
        ok=(status == "ok").sum(),
        not_sure=(status == "not_sure").sum(),
        other=(~status.is_in(["ok", "not_sure"])).sum(),
    )
