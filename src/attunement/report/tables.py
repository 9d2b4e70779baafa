"""The tables of the main results: distance, comparisons, equivalence, ranking and topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from attunement.report.cells import (
    Cell,
    Column,
    Lookup,
    Notes,
    Row,
    Table,
    absent,
    estimate_cell,
    lowest,
    named_rows,
    split,
)
from attunement.report.formats import (
    count,
    decimals_of,
    interval,
    metric_label,
    missing,
    number,
    p_value,
    percent,
    source_label,
    topic_label,
)

if TYPE_CHECKING:
    from attunement.analysis import Analysis

THERAPIST = "therapist"
"""The source of the other therapists' answers: the yardstick."""
YARDSTICK = "Therapists among themselves"
TOPICS_SHOWN = 8
"""Topics that a table or figure shows before the rest is folded away."""
PAIRS_SHOWN = 15


def ranking(analysis: Analysis) -> Table:
    """Every source's mean standardized distance, its rank and how sure that rank is."""
    notes = Notes()
    rows = []
    ranked = sorted(
        named_rows(analysis.ranking, topic="all"),
        key=lambda r: (missing(r["estimate"]), r["estimate"] or 0.0, r["source"]),
    )
    for row in ranked:
        spread = _range(row["rank_low"], row["rank_high"])
        rows.append(
            (
                Cell(source_label(row["source"])),
                estimate_cell(row, notes, n=False),
                Cell(count(row["rank"]), (spread,) if spread else ()),
                Cell(percent(row["p_best"])),
                Cell(count(row["n"])),
            )
        )
    yardstick = Lookup(analysis.distance, "source", "topic", "metric").get(THERAPIST, "all", "all")
    if yardstick is not None:
        rows.append(
            (
                Cell(YARDSTICK, kind="quiet"),
                estimate_cell(yardstick, notes, n=False),
                Cell("yardstick", kind="quiet"),
                Cell("", kind="quiet"),
                Cell(count(yardstick["n"])),
            )
        )
    return Table(
        "ranking",
        "How far each source is from the reference",
        "Mean standardized distance over all metrics: 0 would be the reference itself, 1 is one "
        "standard deviation of the reference answers. Rank range and chance of being closest come "
        "from resampling the questions.",
        (
            Column("Source", False),
            Column("Mean distance", below="[interval]"),
            Column("Rank", below="95 % range"),
            Column("Chance of being closest"),
            Column("Questions"),
        ),
        tuple(rows),
        analysis.ranking,
        notes=notes.all(),
    )


def _range(low: float | None, high: float | None) -> str:
    if missing(low) or missing(high):
        return ""
    return f"[{count(low)}, {count(high)}]"


def distances(analysis: Analysis) -> Table:
    """Distance from the reference by metric, in each metric's own units, with the yardstick."""
    notes = Notes()
    found = Lookup(analysis.distance.filter(pl.col("topic") == "all"), "source", "metric")
    sources = with_yardstick(analysis)
    best = {m: lowest({s: found.number(s, m) for s in analysis.sources}) for m in analysis.metrics}
    rows = []
    for source in sources:
        cells = [_compared(source)]
        for metric in analysis.metrics:
            row = found.get(source, metric)
            kind = "best" if source in best[metric] else ""
            extra = _in_sd(row)
            cells.append(estimate_cell(row, notes, decimals_of(metric), kind=kind, extra=extra))
        rows.append(tuple(cells))
    return Table(
        "distance",
        "Distance by metric, in numbers",
        "Mean absolute difference from the reference answer to the same question, in the metric's "
        "own units, and in standard deviations (sd) of the reference. Bold: the smallest of the "
        "compared sources; whether it differs from the next is in the pairwise comparisons.",
        (Column("Source", False), *(Column(metric_label(m)) for m in analysis.metrics)),
        tuple(rows),
        analysis.distance,
        notes=notes.all(),
    )


def _compared(source: str) -> Cell:
    return Cell(YARDSTICK, kind="quiet") if source == THERAPIST else Cell(source_label(source))


def _in_sd(row: Row | None) -> tuple[str, ...]:
    if row is None or missing(row["standardized"]):
        return ()
    return (f"{number(row['standardized'], 2)} sd",)


def with_yardstick(analysis: Analysis) -> list[str]:
    """Return the compared sources, and the therapists after them where there are some."""
    there = analysis.distance.filter(pl.col("source") == THERAPIST).height > 0
    return [*analysis.sources, *([THERAPIST] if there else [])]


def comparisons(analysis: Analysis) -> Table:
    """Pairs of sources by metric: difference of distances, Holm-corrected."""
    notes = Notes()
    effects = analysis.comparisons["effect_name"].drop_nulls().unique().to_list()
    order = {m: i for i, m in enumerate(["all", *analysis.metrics])}
    found = sorted(
        named_rows(analysis.comparisons, topic="all"),
        key=lambda r: (order.get(r["metric"], len(order)), r["source_b"] != THERAPIST),
    )
    overall = [_pair(r, notes) for r in found if r["metric"] == "all"]
    single = [_pair(r, notes) for r in found if r["metric"] != "all"]
    if not overall:
        overall, single = single, []
    first = min(len(overall), PAIRS_SHOWN)
    shown, folded, label = split([*overall, *single], first, "rows, by pair and metric")
    return Table(
        "comparisons",
        "Which sources can be told apart",
        "Difference of the two distances, question by question (below 0: the first is closer to "
        "the reference), with Holm's correction over the pairs of a metric. “Not told apart” "
        "means just that; it does not mean that the two are equally close.",
        (
            Column("Pair", False),
            Column("Metric", False),
            Column("Difference", below="[interval]"),
            Column("p"),
            Column("p, Holm"),
            Column("Effect", below=", ".join(effects).replace("_", " ")),
            Column("n"),
            Column("Reading", False),
        ),
        shown,
        analysis.comparisons,
        folded=folded,
        folded_label=label,
        notes=notes.all(),
    )


def _pair(row: Row, notes: Notes) -> tuple[Cell, ...]:
    first, second = _rival(row["source_a"]), _rival(row["source_b"])
    decimals = decimals_of(row["metric"])
    if missing(row["p_adjusted"]):
        reading = Cell("no test", kind="quiet")
    elif row["closer"] is not None:
        reading = Cell(f"{_closer(row['closer'])} closer", kind="good")
    else:
        reading = Cell("not told apart", kind="quiet")
    return (
        Cell(f"{first} – {second}"),
        Cell(metric_label(row["metric"])),
        estimate_cell(row, notes, decimals, column="difference", n=False, sign=True),
        Cell(p_value(row["p_value"])),
        Cell(p_value(row["p_adjusted"])),
        Cell(number(row["effect_size"], 2)),
        Cell(count(row["n"])),
        reading,
    )


def _rival(source: str) -> str:
    return "other therapists" if source == THERAPIST else source_label(source)


def _closer(source: str) -> str:
    return "other therapists are" if source == THERAPIST else f"{source_label(source)} is"


def equivalence(analysis: Analysis) -> Table:
    """Whether each source's mean lies within the therapists' own spread, by metric (TOST)."""
    notes = Notes()
    found = Lookup(analysis.equivalence, "source", "metric")
    metrics = [m for m in ["all", *analysis.metrics] if _has(analysis.equivalence, m)]
    rows = []
    for source in analysis.sources:
        cells = [Cell(source_label(source))]
        for metric in metrics:
            cells.append(_equivalence_cell(found.get(source, metric), metric, notes))
        rows.append(tuple(cells))
    return Table(
        "equivalence",
        "Who is equivalent to the therapists",
        "Two one-sided tests: is the mean difference from the reference, with its 90 % interval, "
        "wholly inside the distance that therapists have among themselves (±margin)? That is about "
        "the average, not about single answers. “Not shown” leaves open which it is: a difference, "
        "or too few questions.",
        (Column("Source", False), *(Column(metric_label(m)) for m in metrics)),
        tuple(rows),
        analysis.equivalence,
        notes=notes.all(),
    )


def _has(frame: pl.DataFrame, metric: str) -> bool:
    return frame.filter(pl.col("metric") == metric).height > 0


def _equivalence_cell(row: Row | None, metric: str, notes: Notes) -> Cell:
    if row is None:
        return absent("not in the analysis", notes)
    if row["equivalent"] is None:
        return absent(row["reason"] or row["verdict"] or "no yardstick", notes)
    decimals = decimals_of(metric)
    below: tuple[str, ...] = (
        number(row["estimate"], decimals, sign=True),
        interval(row["ci_low"], row["ci_high"], decimals),
        f"margin ±{number(row['margin'], decimals)}",
        f"p {p_value(row['p_adjusted'] if not missing(row['p_adjusted']) else row['p_value'])}",
    )
    below = tuple(b for b in below if b)
    if row["equivalent"]:
        return Cell("equivalent", below, kind="good")
    if row["verdict"].startswith("different"):
        return Cell("different", below, kind="bad")
    return Cell("not shown", below, kind="quiet")


def topics(analysis: Analysis, order: list[str]) -> Table:
    """Mean standardized distance by topic and source; the largest topics first."""
    notes = Notes()
    found = Lookup(analysis.ranking, "topic", "source")
    rows = []
    for topic in order:
        best = lowest({s: found.number(topic, s) for s in analysis.sources})
        cells = [Cell(topic_label(topic))]
        for source in analysis.sources:
            kind = "best" if source in best else ""
            row = found.get(topic, source)
            # Where there is a distance, the reason is only why its rank was not resampled.
            if row is not None and not missing(row["estimate"]):
                row = {**row, "reason": None}
            cells.append(estimate_cell(row, notes, kind=kind))
        rows.append(tuple(cells))
    shown, folded, label = split(rows, TOPICS_SHOWN, "topics")
    return Table(
        "topics",
        "Distance by topic, in numbers",
        "Mean standardized distance over all metrics, with interval and number of questions. "
        "Bold: the smallest in the topic, which may still not be told apart from the next.",
        (Column("Topic", False), *(Column(source_label(s)) for s in analysis.sources)),
        shown,
        analysis.ranking.filter(pl.col("topic") != "all"),
        folded=folded,
        folded_label=label,
        notes=notes.all(),
    )
