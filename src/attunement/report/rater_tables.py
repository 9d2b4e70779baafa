"""The tables on raters: how far they agree, and what that means for a study's size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import polars as pl

from attunement.counselbench import size_table
from attunement.report.cells import Cell, Column, Notes, Table, estimate_cell, named_rows
from attunement.report.formats import count, metric_label, number
from attunement.stats.agreement import alpha, from_long, study_size
from attunement.stats.result import Result

Level = Literal["nominal", "ordinal"]

KINDS = {"human": "people", "judge": "judges"}
REPLICATES = 1000


def agreements(ratings: pl.DataFrame) -> list[tuple[Result, int]]:
    """Return Krippendorff's alpha of each kind of rater and dimension, with the number of raters.

    Nominal where a dimension has two values, else ordinal; intervals by bootstrap over units. Of
    several rounds a rater's last counts, of several replicates the first. Kinds and dimensions that
    fewer than two raters rated are left out, and so are those with labels in place of numbers.

    Parameters
    ----------
    ratings
        A ratings table.

    """
    return list(_agreements(ratings))


def _agreements(ratings: pl.DataFrame) -> Iterator[tuple[Result, int]]:
    one = ["unit", "unit_id", "rater_kind", "rater", "instrument", "dimension"]
    rated = (
        ratings.filter(pl.col("rater_kind").is_in(list(KINDS)))
        .sort("round", "replicate", descending=[True, False], maintain_order=True)
        .unique(one, keep="first")
        .filter(pl.col("value").is_not_null(), pl.col("labels").is_null())
        .sort("unit_id", "rater")
    )
    keys = ["rater_kind", "instrument", "dimension"]
    for (kind, instrument, dimension), rows in sorted(rated.group_by(keys)):
        raters = rows["rater"].n_unique()
        if raters < 2:
            continue
        matrix, *_ = from_long(
            rows["unit_id"].to_list(), rows["rater"].to_list(), rows["value"].to_numpy()
        )
        level: Level = "nominal" if rows["value"].n_unique() == 2 else "ordinal"
        found = alpha(matrix, level, replicates=REPLICATES)
        group = {"rater_kind": kind, "instrument": instrument, "dimension": dimension}
        yield replace(found, group=group), raters


def agreement(ratings: pl.DataFrame) -> Table | None:
    """Agreement of people, and of judges, by dimension, each with what it asks of a study."""
    found = agreements(ratings)
    if not found:
        return None
    notes = Notes()
    rows = []
    for one, raters in found:
        values = {
            "estimate": one.estimate,
            "ci_low": one.ci_low,
            "ci_high": one.ci_high,
            "n": one.n,
            "reason": one.reason,
        }
        rows.append(
            (
                Cell(metric_label(one.group["dimension"]), (one.group["instrument"],)),
                Cell(f"{count(raters)} {KINDS[one.group['rater_kind']]}"),
                estimate_cell(values, notes),
                Cell(study_size(one), kind="words"),
            )
        )
    frame = pl.DataFrame([_flat(one, raters) for one, raters in found])
    return Table(
        "agreement",
        "Agreement by dimension",
        "Krippendorff's alpha (nominal for two values, else ordinal), with its 95 % interval by "
        "bootstrap over what was rated, and n rated by two or more. 1 is full agreement, 0 is what "
        "chance gives. Read as the reliability of one rating it says how many raters an answer a "
        "study needs; that holds where raters err independently.",
        (
            Column("Dimension", False),
            Column("Raters", False),
            Column("Alpha"),
            Column("What it asks of a study", False),
        ),
        tuple(rows),
        frame,
        notes=notes.all(),
    )


def _flat(one: Result, raters: int) -> dict[str, object]:
    return {
        **one.group,
        "raters": raters,
        "alpha": one.estimate,
        "ci_low": one.ci_low,
        "ci_high": one.ci_high,
        "n": one.n,
        "n_missing": one.n_missing,
        "method": one.method,
        "reason": one.reason,
        "signature": one.signature,
    }


def size(ratings: pl.DataFrame) -> Table | None:
    """What an agreement of 0.2 to 0.5, as experts reach, means for a study's size."""
    if not agreements_are_there(ratings):
        return None
    frame = size_table()
    rows = tuple(
        (
            Cell(number(row["agreement"], 1)),
            Cell(number(row["of_3"])),
            Cell(number(row["of_5"])),
            Cell(count(row["raters"])),
            Cell(f"{row['answers']:.1f} times"),
        )
        for row in named_rows(frame)
    )
    return Table(
        "agreement_size",
        "What an agreement of 0.2 to 0.5 means for a study's size",
        "This is how far experts who rate counseling answers agree. One rater's view of one answer "
        "then says little: take the mean of several, or compare systems over many answers.",
        (
            Column("Agreement of single ratings"),
            Column("Reliability of the mean of 3"),
            Column("of 5"),
            Column("Raters an answer for 0.8"),
            Column("Answers, with one rater", below="against ratings without error"),
        ),
        rows,
        frame,
    )


def agreements_are_there(ratings: pl.DataFrame) -> bool:
    """Say whether two raters of one kind rated on one dimension."""
    raters = (
        ratings.filter(pl.col("value").is_not_null(), pl.col("rater_kind").is_in(list(KINDS)))
        .filter(pl.col("labels").is_null())
        .group_by("rater_kind", "instrument", "dimension")
        .agg(raters=pl.col("rater").n_unique())
    )
    return bool((raters["raters"] >= 2).any())
