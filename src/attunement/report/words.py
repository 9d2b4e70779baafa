"""What the numbers say about one source, in sentences (the paper's Table 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from attunement.report.cells import Lookup, lowest, named_rows
from attunement.report.formats import (
    interval,
    listed,
    metric_label,
    missing,
    number,
    p_equals,
    percent,
    source_label,
)
from attunement.report.tables import THERAPIST

if TYPE_CHECKING:
    from attunement.analysis import Analysis


def character(analysis: Analysis, source: str) -> list[str]:
    """Return sentences about one source, each following from numbers in the analysis."""
    said = [
        _overall(analysis, source),
        *_extremes(analysis, source),
        _told_apart(analysis, source),
        _equivalent(analysis, source),
        _correlation(analysis, source),
        _manner(analysis, source),
    ]
    return [s for s in said if s]


def _overall(analysis: Analysis, source: str) -> str:
    rows = list(named_rows(analysis.ranking, topic="all", source=source))
    if not rows or missing(rows[0]["estimate"]):
        return _not_ranked(analysis, source)
    row = rows[0]
    span = interval(row["ci_low"], row["ci_high"])
    text = f"Mean standardized distance {number(row['estimate'])}{' ' + span if span else ''}"
    if missing(row["rank"]):
        return text + "."
    low, high = row["rank_low"], row["rank_high"]
    sure = "" if missing(low) or missing(high) else f" (95\u00a0% range [{low}, {high}])"
    ranked = sum(not missing(r["rank"]) for r in named_rows(analysis.ranking, topic="all"))
    return f"{text}, rank {int(row['rank'])} of {ranked}{sure}."


def _not_ranked(analysis: Analysis, source: str) -> str:
    """Say how far it is from the reference where that is known of too few items to rank it."""
    for row in named_rows(analysis.distance, topic="all", metric="all", source=source):
        if not missing(row["estimate"]):
            span = interval(row["ci_low"], row["ci_high"])
            return (
                f"Mean standardized distance {number(row['estimate'])}{' ' + span if span else ''} "
                f"of {row['n']} items: not ranked."
            )
    return "Its distance from the reference could not be computed."


def _extremes(analysis: Analysis, source: str) -> list[str]:
    if len(analysis.sources) < 2:
        return []
    found = Lookup(analysis.distance.filter(pl.col("topic") == "all"), "source", "metric")
    near, far = [], []
    for metric in analysis.metrics:
        values = {s: found.number(s, metric) for s in analysis.sources}
        if source in lowest(values):
            near.append(metric_label(metric).lower())
        if source in lowest({s: None if v is None else -v for s, v in values.items()}):
            far.append(metric_label(metric).lower())
    said = []
    if near:
        said.append(f"Smallest mean distance of all on {listed(near)}.")
    if far:
        said.append(f"Largest on {listed(far)}.")
    return said


def _told_apart(analysis: Analysis, source: str) -> str:
    closer, farther, open_ = [], [], []
    for row in named_rows(analysis.comparisons, topic="all", metric="all"):
        if source not in (row["source_a"], row["source_b"]) or missing(row["p_adjusted"]):
            continue
        rival = row["source_b"] if row["source_a"] == source else row["source_a"]
        other = "another therapist" if rival == THERAPIST else source_label(rival)
        if row["closer"] is None:
            open_.append(other)
        elif row["closer"] == source:
            closer.append(other)
        else:
            farther.append(other)
    parts = []
    if closer:
        parts.append(f"closer to the reference than {listed(closer)}")
    if farther:
        parts.append(f"farther than {listed(farther)}")
    if open_:
        parts.append(f"not told apart from {listed(open_, 'or')}")
    return f"Over all metrics {'; '.join(parts)} (Holm)." if parts else ""


def _equivalent(analysis: Analysis, source: str) -> str:
    rows = [
        r
        for r in named_rows(analysis.equivalence, source=source)
        if r["equivalent"] is not None and r["metric"] != "all"
    ]
    if not rows:
        return ""
    away = [metric_label(r["metric"]).lower() for r in rows if r["verdict"].startswith("different")]
    tail = f" A larger difference is shown on {listed(away)}." if away else ""
    shown = [metric_label(r["metric"]).lower() for r in rows if r["equivalent"]]
    said = "Equivalence on average, within the therapists' own spread, is shown"
    if not shown:
        return f"{said} on none of {len(rows)} metrics.{tail}"
    return f"{said} on {len(shown)} of {len(rows)} metrics ({listed(shown)}).{tail}"


def _correlation(analysis: Analysis, source: str) -> str:
    rows = list(named_rows(analysis.similarity, source=source, topic="all", method="pearson"))
    if not rows or missing(rows[0]["estimate"]):
        return ""
    row = rows[0]
    p = "" if missing(row["p_value"]) else f", {p_equals(row['p_value'])}"
    r = f"r\u00a0=\u00a0{number(row['estimate'])}"
    return (
        f"Its profile correlates with the reference's at {r}{p} (descriptive, {row['n']} points)."
    )


def _manner(analysis: Analysis, source: str) -> str:
    rows = list(named_rows(analysis.answers, source=source))
    if not rows:
        return ""
    row = rows[0]
    said = []
    if not missing(row["words_mean"]):
        said.append(f"answers with {number(row['words_mean'], 0)} words on average")
    if not missing(row["refusal_rate"]):
        said.append(f"refuses {percent(row['refusal_rate'])}")
    if not missing(row["disclaimer_rate"]):
        said.append(f"adds a disclaimer to {percent(row['disclaimer_rate'])}")
    return f"It {listed(said)}." if said else ""
