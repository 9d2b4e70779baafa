"""The figures of the report: what is drawn from the analysis, and how it is said in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import polars as pl

from attunement.report import heat, plots, theme
from attunement.report.cells import Lookup, Row, named_rows
from attunement.report.formats import (
    decimals_of,
    interval,
    metric_label,
    missing,
    number,
    p_value,
    source_label,
    topic_label,
)
from attunement.report.paper_tables import few_points
from attunement.report.picture import Figure, picture
from attunement.report.tables import THERAPIST, TOPICS_SHOWN, YARDSTICK

if TYPE_CHECKING:
    from attunement.analysis import Analysis

HEAT_TOPICS = 5
_YARDSTICK = "therapists among themselves, with interval"


def _mark(analysis: Analysis, source: str, row: Row | None, label: str | None = None) -> plots.Mark:
    if source in analysis.sources:
        color, shape = theme.series(analysis.sources.index(source))
    else:
        color, shape = (theme.MUTED, "d")
    name = label or source_label(source)
    if row is None:
        return plots.Mark(name, None, None, None, color, shape)
    return plots.Mark(name, row["estimate"], row["ci_low"], row["ci_high"], color, shape)


def _held_against(
    title: str,
    marks: Sequence[plots.Mark],
    row: Row | None,
    *,
    zero: bool = True,
    decimals: int = 2,
) -> plots.Panel:
    """Return a panel with the yardstick of ``row``, where it has one."""
    if row is None or missing(row["estimate"]):
        return plots.Panel(title, marks, zero=zero, decimals=decimals)
    ends = (row["ci_low"], row["ci_high"])
    band = None if missing(ends[0]) or missing(ends[1]) else ends
    return plots.Panel(title, marks, row["estimate"], band, zero, decimals)


def _in_words(panel: plots.Panel, against: str) -> str:
    said = [
        f"{m.label} {number(m.estimate, panel.decimals)} "
        f"{interval(m.low, m.high, panel.decimals)}".strip()
        for m in panel.marks
    ]
    if panel.line is not None:
        said.append(f"{against} {number(panel.line, panel.decimals)}")
    return "; ".join(said)


def main_picture(analysis: Analysis) -> Figure:
    """Mean standardized distance of each source, against the therapists' own."""
    rows = Lookup(analysis.ranking.filter(pl.col("topic") == "all"), "source")
    order = sorted(analysis.sources, key=lambda s: (rows.number(s) is None, rows.number(s) or 0.0))
    yardstick = Lookup(analysis.distance, "source", "topic", "metric").get(THERAPIST, "all", "all")
    marks = [_mark(analysis, s, rows.get(s)) for s in order]
    if yardstick is not None:
        marks.append(_mark(analysis, THERAPIST, yardstick, YARDSTICK))
    panel = _held_against("", marks, yardstick)
    key = _YARDSTICK if panel.line is not None else ""
    axis = "Mean standardized distance from the reference (0 = like the reference)"
    short = "Mean standardized distance (0 = like the reference)"
    return picture(
        "overview",
        "Distance from the reference, all metrics together",
        "Each mark is a source's mean standardized distance from the reference answers over all "
        "metrics and questions, with its interval. Farther left is closer."
        + (
            " The dashed line and its band are the distance that therapists have among themselves."
            if panel.line is not None
            else " There is no yardstick: the data has one therapist's answer a question."
        ),
        f"Dot plot of mean standardized distance: {_in_words(panel, 'the yardstick')}.",
        lambda width: plots.overview(panel, width, key, axis if width > 5 else short),
    )


def by_metric(analysis: Analysis) -> Figure:
    """Distance by metric, in its own units, a panel a metric."""
    found = Lookup(analysis.distance.filter(pl.col("topic") == "all"), "source", "metric")
    panels = [
        _held_against(
            metric_label(m),
            [_mark(analysis, s, found.get(s, m)) for s in analysis.sources],
            found.get(THERAPIST, m),
            decimals=decimals_of(m),
        )
        for m in analysis.metrics
    ]
    key = _YARDSTICK if any(p.line is not None for p in panels) else ""
    words = ". ".join(f"{p.title}: {_in_words(p, 'therapists')}" for p in panels)
    return picture(
        "distance_by_metric",
        "Distance from the reference by metric",
        "Mean absolute difference from the reference answer to the same question, in each "
        "metric's own units, with interval. Farther left is closer; a mark to the right of the "
        "band is farther from the reference than therapists are from each other. An interval that "
        "reaches the edge goes on beyond it.",
        f"Dot plots, one a metric. {words}.",
        lambda width: plots.small_multiples(panels, width, key),
    )


def ranks(analysis: Analysis) -> Figure | None:
    """Rank with its bootstrap range; nothing where there is only one source."""
    if len(analysis.sources) < 2:
        return None
    rows = Lookup(analysis.ranking.filter(pl.col("topic") == "all"), "source")
    order = sorted(
        analysis.sources,
        key=lambda s: (rows.number(s, column="rank") is None, rows.number(s, column="rank") or 0),
    )
    marks = []
    for source in order:
        row = rows.get(source)
        as_rank = row and {
            "estimate": row["rank"], "ci_low": row["rank_low"], "ci_high": row["rank_high"]
        }  # fmt: skip
        marks.append(_mark(analysis, source, as_rank))
    panel = plots.Panel("", marks, zero=False, decimals=0)
    return picture(
        "ranks",
        "Rank and how sure it is",
        "Rank by mean standardized distance, 1 is closest, and the range that holds 95 % of the "
        "ranks when the questions are drawn again. Ranges that overlap widely are no ranking.",
        f"Dot plot of ranks: {_in_words(panel, '')}.",
        lambda width: plots.overview(panel, width, "", "Rank (1 = closest to the reference)"),
    )


def by_topic(analysis: Analysis, order: list[str]) -> Figure | None:
    """Mean standardized distance by topic, a panel a topic."""
    shown = order[:TOPICS_SHOWN]
    found = Lookup(analysis.ranking, "topic", "source")
    yardstick = Lookup(
        analysis.distance.filter((pl.col("metric") == "all") & (pl.col("source") == THERAPIST)),
        "topic",
    )
    panels = [
        _held_against(
            topic_label(t),
            [_mark(analysis, s, found.get(t, s)) for s in analysis.sources],
            yardstick.get(t),
        )
        for t in shown
    ]
    if not panels:
        return None
    key = _YARDSTICK if any(p.line is not None for p in panels) else ""
    words = ". ".join(f"{p.title}: {_in_words(p, 'therapists')}" for p in panels)
    return picture(
        "distance_by_topic",
        "Distance from the reference by topic",
        f"Mean standardized distance over all metrics, with interval{_most(order, TOPICS_SHOWN)}. "
        "An interval that reaches the edge goes on beyond it.",
        f"Dot plots, one a topic. {words}.",
        lambda width: plots.small_multiples(panels, width, key),
    )


def _most(order: Sequence[str], shown: int) -> str:
    if len(order) <= shown:
        return ""
    return f"; the {shown} topics with the most questions of {len(order)}, the others in the table"


def profile(analysis: Analysis) -> Figure:
    """Mean of each metric by source, against the reference (the paper's Figure 4)."""
    found = Lookup(analysis.profile.filter(pl.col("topic") == "all"), "source", "metric")
    panels = []
    for metric in analysis.metrics:
        marks = [_mark(analysis, s, found.get(s, metric)) for s in analysis.sources]
        others = found.get(THERAPIST, metric)
        if others is not None:
            marks.append(_mark(analysis, THERAPIST, others))
        panels.append(
            _held_against(
                metric_label(metric),
                marks,
                found.get(analysis.reference, metric),
                zero=False,
                decimals=decimals_of(metric),
            )
        )
    words = ". ".join(f"{p.title}: {_in_words(p, 'reference')}" for p in panels)
    return picture(
        "profile_by_metric",
        "Profile of the sources across the metrics",
        "Mean of each metric with interval. The dashed line and its band are the reference "
        "answers: near the line is like the therapists, left or right of it is not better or "
        "worse. Emotion consistency has no line, since it is itself agreement with the reference.",
        f"Dot plots, one a metric. {words}.",
        lambda width: plots.small_multiples(panels, width, "reference answers, with interval"),
        paper="Figure 4",
    )


def significance(analysis: Analysis, order: list[str]) -> Figure | None:
    """The p values of the correlations by topic (the paper's Figure 5)."""
    found = Lookup(analysis.similarity.filter(pl.col("method") == "pearson"), "topic", "source")
    shown = order[:TOPICS_SHOWN]
    groups = []
    for topic in ["all", *shown]:
        marks = []
        for source in analysis.sources:
            row = found.get(topic, source)
            p = row and {"estimate": row["p_value"], "ci_low": None, "ci_high": None}
            marks.append(_mark(analysis, source, p))
        groups.append(plots.Group(topic_label(topic), marks))
    values = [m.estimate for g in groups for m in g.marks]
    if all(missing(v) for v in values):
        return None
    words = ". ".join(
        f"{g.label}: " + "; ".join(f"{m.label} {p_value(m.estimate)}" for m in g.marks)
        for g in groups
    )
    return picture(
        "significance_by_topic",
        "Significance of the correlations by topic",
        "p value of each source's correlation with the reference profile, on a logarithmic axis"
        f"{_most(order, TOPICS_SHOWN)}. Left of the line is below 0.05, with no correction for "
        "the number of tests; right of it nothing is settled.",
        f"Dot plot of p values. {words}.",
        lambda width: plots.p_axis(groups, width, "p value of Pearson's r"),
        paper="Figure 5",
        descriptive=few_points(analysis),
    )


def z_scores(analysis: Analysis, order: list[str]) -> Figure | None:
    """Z of the differences between topics (the paper's Figure 6)."""
    frame = analysis.correlation_tests.filter(pl.col("kind") == "between_topics")
    shown = set(order[:HEAT_TOPICS])
    cells: dict[tuple[str, str], dict[str, float | None]] = {}
    methods: list[str] = []
    for row in sorted(named_rows(frame), key=lambda r: r["method"] == "paper"):
        if row["topic_a"] not in shown or row["topic_b"] not in shown:
            continue
        # One value a cell: the first method that applies, the paper's own only where none does.
        pair = cells.setdefault((row["topic_a"], row["topic_b"]), {})
        if row["source_a"] not in pair:
            pair[row["source_a"]] = row["statistic"]
            methods.append(row["method"])
    if not cells:
        return None
    rank = {t: i for i, t in enumerate(order)}
    pairs = sorted(cells, key=lambda p: (max(rank[p[0]], rank[p[1]]), rank[p[0]], rank[p[1]]))
    rows = [f"{topic_label(a)} – {topic_label(b)}" for a, b in pairs]
    columns = [source_label(s) for s in analysis.sources]
    values = [[cells[p].get(s) for s in analysis.sources] for p in pairs]
    words = ". ".join(
        f"{name}: " + "; ".join(f"{c} {number(v)}" for c, v in zip(columns, line, strict=True))
        for name, line in zip(rows, values, strict=True)
    )
    return picture(
        "z_scores",
        "z of the differences between topics",
        "z of the difference between a source's correlations on two topics"
        f"{_most(order, HEAT_TOPICS)}. Orange: the first topic is nearer to the reference "
        "profile; blue: the second. Bold: |z| above 1.96.",
        f"Heat map of z. {words}.",
        lambda width: heat.heat_map(rows, columns, values, width),
        paper="Figure 6",
        descriptive=few_points(analysis),
    )


def draw_all(analysis: Analysis, order: list[str]) -> dict[str, Figure]:
    """Draw every figure that the analysis has numbers for, by id."""
    drawn: Iterable[Figure | None] = (
        main_picture(analysis),
        by_metric(analysis),
        ranks(analysis),
        by_topic(analysis, order),
        profile(analysis),
        significance(analysis, order),
        z_scores(analysis, order),
    )
    return {f.id: f for f in drawn if f is not None}
