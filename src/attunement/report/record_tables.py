"""The tables that say what the numbers rest on: answers, cost, what was missing, signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from attunement.report.cells import Cell, Column, Row, Table, named_rows, split
from attunement.report.formats import (
    DASH,
    count,
    dollars,
    metric_label,
    missing,
    number,
    percent,
    source_label,
    status_label,
)

if TYPE_CHECKING:
    from attunement.analysis import Analysis


def coverage(analysis: Analysis) -> Table:
    """How many answers each metric could rate, and what became of the others."""
    rows = []
    statuses = analysis.coverage["status"].unique().to_list()
    others = [s for s in statuses if s != "ok"]
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for row in named_rows(analysis.coverage):
        counts.setdefault((row["source"], row["metric"]), {})[row["status"]] = row["count"]
    sources = list(dict.fromkeys(s for s, _ in counts))
    metrics = [m for m in analysis.metrics if any(k[1] == m for k in counts)]
    for source in sources:
        cells = [Cell(source_label(source))]
        for metric in metrics:
            found = counts.get((source, metric), {})
            below = tuple(f"{found[s]:,} {status_label(s)}" for s in sorted(others) if found.get(s))
            cells.append(
                Cell(
                    count(found.get("ok", 0)) if found else DASH,
                    below,
                    kind="" if found else "quiet",
                )
            )
        rows.append(tuple(cells))
    return Table(
        "coverage",
        "What was rated and what was missing",
        "Answers with a value, and under it those without one, by status. Missing values are left "
        "out and counted; they are never read as zero.",
        (Column("Source", False), *(Column(metric_label(m)) for m in metrics)),
        tuple(rows),
        analysis.coverage,
    )


def missing_reasons(ratings: pl.DataFrame) -> Table | None:
    """Why values are missing, by metric, status and the reason that the rater gave."""
    lost = (
        ratings.filter(pl.col("status") != "ok")
        .with_columns(reason=pl.col("rationale").fill_null("").str.slice(0, 160))
        .group_by("dimension", "status", "reason")
        .agg(count=pl.len(), sources=pl.col("source").drop_nulls().unique().sort())
        .sort("count", "dimension", "status", "reason", descending=[True, False, False, False])
    )
    if not lost.height:
        return None
    rows = [
        (
            Cell(metric_label(row["dimension"])),
            Cell(status_label(row["status"])),
            Cell(row["reason"] or DASH, kind="words"),
            Cell(", ".join(source_label(s) for s in row["sources"]), kind="words"),
            Cell(count(row["count"])),
        )
        for row in named_rows(lost)
    ]
    shown, folded, label = split(rows, 10, "reasons")
    return Table(
        "missing",
        "Why values are missing",
        "By metric, status and the reason that was given.",
        (
            Column("Metric", False),
            Column("Status", False),
            Column("Reason", False),
            Column("Sources", False),
            Column("Ratings"),
        ),
        shown,
        lost.with_columns(pl.col("sources").list.join(", ")),
        folded=folded,
        folded_label=label,
    )


def answers(analysis: Analysis) -> Table:
    """Refusals, disclaimers, errors and length of each source's answers."""
    rows = []
    for row in named_rows(analysis.answers):
        rows.append(
            (
                Cell(source_label(row["source"])),
                Cell(count(row["n"])),
                _share(row, "refusal"),
                _share(row, "disclaimer"),
                Cell(count(row["errors"])),
                Cell(count(row["empty"])),
                Cell(number(row["words_mean"], 0)),
            )
        )
    return Table(
        "answers",
        "Refusals, disclaimers and failures",
        "A refusal declines to answer; a disclaimer says “I am only an AI” or sends the person to "
        "a professional as a formula. Both are found by phrases, so read some before relying on "
        "the counts. Intervals are for the share.",
        (
            Column("Source", False),
            Column("Answers"),
            Column("Refusals", below="share [interval]"),
            Column("Disclaimers", below="share [interval]"),
            Column("Errors"),
            Column("Empty"),
            Column("Words", below="mean"),
        ),
        tuple(rows),
        analysis.answers,
    )


def _share(row: Row, what: str) -> Cell:
    rate = row[f"{what}_rate"]
    if missing(rate):
        return Cell(count(row[f"{what}s"]))
    low, high = row[f"{what}_low"], row[f"{what}_high"]
    ends = "" if missing(low) or missing(high) else f" [{percent(low)}, {percent(high)}]"
    return Cell(count(row[f"{what}s"]), (f"{percent(rate)}{ends}",))


def costs(analysis: Analysis) -> Table:
    """What the answers cost and how long they took, where it was recorded."""
    rows = []
    for row in named_rows(analysis.answers):
        total = row["cost_total_usd"]
        each = None if missing(total) or not row["n"] else total / row["n"]
        rows.append(
            (
                Cell(source_label(row["source"])),
                Cell(_with_unit(row["latency_mean_s"], "s")),
                Cell(number(row["tokens_out_mean"], 0)),
                Cell(number(row["attempts_mean"], 2)),
                Cell(dollars(total)),
                Cell(dollars(None if each is None else each * 1000)),
            )
        )
    return Table(
        "cost",
        "Cost and time",
        "As recorded while the answers were made; a dash means that it was not recorded.",
        (
            Column("Source", False),
            Column("Time an answer", below="mean"),
            Column("Tokens an answer", below="mean"),
            Column("Attempts", below="mean"),
            Column("Cost of this run"),
            Column("Cost of 1,000 answers"),
        ),
        tuple(rows),
        analysis.answers,
    )


def _with_unit(value: float | None, unit: str) -> str:
    return DASH if missing(value) else f"{number(value, 2)} {unit}"


def signatures(analysis: Analysis) -> Table:
    """Signatures of the statistics, one of each kind."""
    frames = {
        "profile": analysis.profile,
        "distance": analysis.distance,
        "ranking": analysis.ranking,
        "comparisons": analysis.comparisons,
        "equivalence": analysis.equivalence,
        "similarity": analysis.similarity,
        "correlation tests": analysis.correlation_tests,
    }
    parts = [
        f.select(statistic=pl.lit(k), signature=pl.col("signature").cast(pl.String))
        .drop_nulls()
        .filter(pl.col("signature") != "")
        .unique(maintain_order=True)
        for k, f in frames.items()
    ]
    every = pl.concat(parts)
    first = every.group_by("statistic", maintain_order=True).agg(
        pl.col("signature").first(), count=pl.len()
    )
    return Table(
        "signatures",
        "Signatures",
        "Name, version, parameters, seed and a hash of the input: what someone else needs to get "
        "the same numbers. One of each kind; all of them are in the CSV file.",
        (Column("Statistic", False), Column("Signature", False), Column("Different ones")),
        tuple(
            (
                Cell(row["statistic"].capitalize()),
                Cell(row["signature"], kind="words"),
                Cell(count(row["count"])),
            )
            for row in first.iter_rows(named=True)
        ),
        every,
    )
