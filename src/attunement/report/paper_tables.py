"""The equivalents of the paper's Tables 2 to 8, from the profiles and their correlations."""

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
    named_rows,
    split,
)
from attunement.report.formats import (
    decimals_of,
    metric_label,
    missing,
    number,
    p_value,
    source_label,
    topic_label,
)
from attunement.report.tables import PAIRS_SHOWN, THERAPIST, TOPICS_SHOWN
from attunement.report.words import character

if TYPE_CHECKING:
    from attunement.analysis import Analysis

METHOD_NAMES = {
    "meng": "Meng, Rosenthal and Rubin 1992",
    "steiger_overlapping": "Steiger 1980, overlapping",
    "steiger_nonoverlapping": "Steiger 1980, no overlap",
    "fisher": "Fisher, independent",
    "paper": "as published",
}
_KINDS_OF_TEST = (
    "Two sources against the same reference are dependent and overlapping; a source on two topics "
    "is dependent without overlap (Steiger) or, seen as two samples, independent (Fisher)."
)


def few_points(analysis: Analysis) -> str:
    """Say that a profile's correlation rests on few points."""
    most = analysis.similarity["n"].max()
    words = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine"}
    points = int(most) if isinstance(most, int) else 0
    return f"Descriptive: {words.get(points, points)} points are few."


def profile(analysis: Analysis) -> Table:
    """Mean of each metric by source, with interval and n (the paper's Table 2)."""
    notes = Notes()
    everything = analysis.profile.filter(pl.col("topic") == "all")
    found = Lookup(everything, "source", "metric")
    there = set(everything["source"].to_list())
    sources = [s for s in (analysis.reference, THERAPIST, *analysis.sources) if s in there]
    rows = []
    for source in sources:
        cells = [Cell(source_label(source), kind="quiet" if source == THERAPIST else "")]
        for metric in analysis.metrics:
            cells.append(estimate_cell(found.get(source, metric), notes, decimals_of(metric)))
        rows.append(tuple(cells))
    return Table(
        "profile",
        "Profile of the sources",
        "Mean of each metric with its interval and the number of answers. Except for emotion "
        "consistency, where 1 is best, no end is better in itself: what counts is to be near the "
        "reference.",
        (Column("Source", False), *(Column(metric_label(m)) for m in analysis.metrics)),
        tuple(rows),
        analysis.profile,
        notes=notes.all(),
        paper="Table 2",
    )


def in_words(analysis: Analysis) -> Table:
    """What sets each source apart, in sentences made from the numbers (the paper's Table 8)."""
    said = [(s, character(analysis, s)) for s in analysis.sources]
    return Table(
        "in_words",
        "The sources in words",
        "Made from the numbers of this report; nothing here is an opinion.",
        (Column("Source", False), Column("What the numbers say", False)),
        tuple((Cell(source_label(s)), Cell(" ".join(w), kind="words")) for s, w in said),
        pl.DataFrame(
            {"source": [s for s, _ in said], "words": [" ".join(w) for _, w in said]},
            schema={"source": pl.String, "words": pl.String},
        ),
        paper="Table 8",
    )


def similarity(analysis: Analysis) -> Table:
    """Correlation of each profile with the reference profile (the paper's Table 3)."""
    notes = Notes()
    frame = analysis.similarity.filter(pl.col("topic") == "all")
    found = Lookup(frame, "source", "method")
    rows = []
    for source in analysis.sources:
        cells = [Cell(source_label(source))]
        for method in ("pearson", "spearman"):
            row = found.get(source, method)
            cells.append(estimate_cell(row, notes, 3, n=False))
            cells.append(_p_cell(row, notes))
        # Its reason only says that a distance of two profiles has no interval: no note for that.
        apart = found.get(source, "euclidean")
        known = apart is not None and not missing(apart["estimate"])
        shown = {**apart, "reason": None} if apart is not None and known else apart
        cells.append(estimate_cell(shown, notes, 3, n=False))
        points = found.get(source, "pearson")
        cells.append(Cell("" if points is None else str(points["n"])))
        rows.append(tuple(cells))
    return Table(
        "similarity",
        "Correlation with the reference profile",
        "One point a metric, after scaling. With so few points an interval for r spans most of "
        "the scale; use the distances above to decide.",
        (
            Column("Source", False),
            Column("Pearson r", below="[interval]"),
            Column("p"),
            Column("Spearman ρ", below="[interval]"),
            Column("p"),
            Column("Euclidean distance"),
            Column("Points"),
        ),
        tuple(rows),
        analysis.similarity,
        notes=notes.all(),
        paper="Table 3",
        descriptive=few_points(analysis),
    )


def _p_cell(row: Row | None, notes: Notes) -> Cell:
    if row is None or missing(row["p_value"]):
        return absent((row or {}).get("reason") or "no p value", notes)
    significant = row["p_value"] < 0.05
    return Cell(p_value(row["p_value"]), kind="best" if significant else "")


def similarity_by_topic(analysis: Analysis, order: list[str]) -> tuple[Table, Table]:
    """Pearson's r, and its p values, by topic and source (the paper's Tables 4 and 5)."""
    frame = analysis.similarity.filter(pl.col("method") == "pearson")
    found = Lookup(frame, "topic", "source")
    heads = (Column("Topic", False), *(Column(source_label(s)) for s in analysis.sources))
    csv = frame.filter(pl.col("topic") != "all")
    r_notes, p_notes = Notes(), Notes()
    r_rows, p_rows = [], []
    for topic in order:
        head = Cell(topic_label(topic))
        found_here = [found.get(topic, s) for s in analysis.sources]
        known = [r["estimate"] for r in found_here if r and not missing(r["estimate"])]
        highest = max(known) if len(known) > 1 else None
        r_cells = [head]
        for row in found_here:
            best = row is not None and highest is not None and row["estimate"] == highest
            cell = estimate_cell(row, r_notes, 3, n=False, kind="best" if best else "")
            r_cells.append(Cell(cell.text, (), cell.mark, cell.reason, cell.kind))
        r_rows.append(tuple(r_cells))
        p_rows.append((head, *(_p_cell(row, p_notes) for row in found_here)))
    shown, folded, label = split(r_rows, TOPICS_SHOWN, "topics")
    correlations = Table(
        "correlation_by_topic",
        "Correlation with the reference profile by topic",
        "Pearson's r. Bold: the highest in the topic. Intervals are in the CSV file.",
        heads,
        shown,
        csv,
        folded=folded,
        folded_label=label,
        notes=r_notes.all(),
        paper="Table 4",
        descriptive=few_points(analysis),
    )
    shown, folded, label = split(p_rows, TOPICS_SHOWN, "topics")
    values = Table(
        "p_by_topic",
        "p values of the correlations by topic",
        "Bold: below 0.05, not corrected for the number of tests. A p value above 0.05 says "
        "that six points do not settle it, not that the source is far from the reference.",
        heads,
        shown,
        csv.select("source", "topic", "p_value", "n", "reason", "signature"),
        folded=folded,
        folded_label=label,
        notes=p_notes.all(),
        paper="Table 5",
        descriptive=few_points(analysis),
    )
    return correlations, values


def between_topics(analysis: Analysis, order: list[str]) -> Table | None:
    """Does a source correlate better on one topic than on another (the paper's Tables 6 and 7)."""
    frame = analysis.correlation_tests.filter(pl.col("kind") == "between_topics")
    if not frame.height:
        return None
    notes = Notes()
    rank = {t: i for i, t in enumerate(order)}
    found: dict[tuple[str, str, str], dict[str, Row]] = {}
    for row in named_rows(frame):
        key = (row["topic_a"], row["topic_b"], row["method"])
        found.setdefault(key, {})[row["source_a"]] = row
    keys = sorted(
        found, key=lambda k: (k[2] == "paper", max(rank.get(k[0], 999), rank.get(k[1], 999)), k)
    )
    rows = []
    for key in keys:
        method = METHOD_NAMES.get(key[2], key[2])
        cells = [Cell(f"{topic_label(key[0])} – {topic_label(key[1])}", (method,))]
        cells += [_z_cell(found[key].get(s), notes) for s in analysis.sources]
        rows.append(tuple(cells))
    shown, folded, label = split(rows, PAIRS_SHOWN, "comparisons")
    return Table(
        "between_topics",
        "Correlations compared between topics",
        "z, and p under it, of the difference between a source's correlations on two topics. "
        f"Bold: |z| above 1.96. {_KINDS_OF_TEST}",
        (
            Column("Topics", False, "method"),
            *(Column(source_label(s)) for s in analysis.sources),
        ),
        shown,
        frame,
        folded=folded,
        folded_label=label,
        notes=notes.all(),
        paper="Tables 6 and 7",
        descriptive=few_points(analysis),
    )


def _z_cell(row: Row | None, notes: Notes) -> Cell:
    if row is None:
        return absent("not in the analysis", notes)
    if missing(row["statistic"]):
        return absent(row["reason"] or "undefined", notes)
    below = () if missing(row["p_value"]) else (f"p {p_value(row['p_value'])}",)
    big = abs(row["statistic"]) > 1.96
    return Cell(number(row["statistic"], 2), below, kind="best" if big else "")


def between_models(analysis: Analysis) -> Table | None:
    """Does one source correlate better with the reference than another."""
    frame = analysis.correlation_tests.filter(pl.col("kind") == "between_models")
    if not frame.height:
        return None
    notes = Notes()
    found = sorted(
        named_rows(frame), key=lambda r: (r["topic_a"] not in (None, "all"), r["method"] == "paper")
    )
    rows = []
    for row in found:
        topic = row["topic_a"] or "all"
        rows.append(
            (
                Cell(
                    f"{source_label(row['source_a'])} – {source_label(row['source_b'])}",
                    (METHOD_NAMES.get(row["method"], row["method"]),),
                ),
                Cell(topic_label(topic)),
                _z_cell({**row, "p_value": None}, notes),
                Cell(p_value(row["p_value"])),
                Cell(p_value(row["p_adjusted"])),
            )
        )
    shown, folded, label = split(rows, PAIRS_SHOWN, "comparisons")
    return Table(
        "between_models",
        "Correlations compared between sources",
        "z of the difference between two sources' correlations with the same reference profile.",
        (
            Column("Pair", False, "method"),
            Column("Topic", False),
            Column("z"),
            Column("p"),
            Column("p, Holm"),
        ),
        shown,
        frame,
        folded=folded,
        folded_label=label,
        notes=notes.all(),
        descriptive=few_points(analysis),
    )
