"""The figures of a page on a Delphi round."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np

from attunement.delphi import Decision, Outcome, PanelRound, decisions_table, priorities
from attunement.report import bars, fields
from attunement.report.formats import missing, number
from attunement.report.picture import Figure, picture
from attunement.report.theme import HIGH, LOW, MUTED, SERIES

T = TypeVar("T")

LOOKS: Mapping[str, tuple[str, str]] = {
    "keep": (SERIES[0][0], "o"),
    "modify": (SERIES[2][0], "D"),
    "split": (SERIES[2][0], "s"),
    "drop": (SERIES[1][0], "X"),
    "undecided": (SERIES[7][0], "P"),
}
"""What was decided of an item -> color and marker; both differ."""
_STACKED = (
    ("stay", LOW, 0.55),
    ("stay, reworded or split", SERIES[2][0], 0.5),
    ("go", HIGH, 0.55),
    ("undecided", MUTED, 0.4),
    ("added", SERIES[4][0], 0.5),
)


def actions(outcome: Outcome) -> dict[str, str]:
    """Return what was decided of each item of the round, by id."""
    frame = decisions_table(outcome).head(len(outcome.decisions))
    return {
        d.item.id: action
        for d, action in zip(outcome.decisions, frame["action"].to_list(), strict=True)
    }


def by_dimension(
    outcome: Outcome, row: Callable[[Decision], T | None]
) -> list[tuple[str, list[T]]]:
    """Return what ``row`` makes of each decision, by dimension; None is left out."""
    found = []
    for dimension in outcome.round.dimensions:
        own = [row(d) for d in outcome.decisions if d.item.dimension == dimension]
        kept = [r for r in own if r is not None]
        if kept:
            found.append((dimension if len(outcome.round.dimensions) > 1 else "", kept))
    return found


def decided(outcome: Outcome) -> Figure:
    """How many items of each dimension stay and go."""
    what = actions(outcome)
    rows = []
    said = []
    names = dict.fromkeys(
        [*outcome.round.dimensions, *(a.item.dimension for a in outcome.additions)]
    )
    for dimension in names:
        own = [what[d.item.id] for d in outcome.decisions if d.item.dimension == dimension]
        counts = [
            own.count("keep"),
            own.count("modify") + own.count("split"),
            own.count("drop"),
            own.count("undecided"),
            sum(1 for a in outcome.additions if a.item.dimension == dimension),
        ]
        left = sum(1 for i in outcome.items if i.dimension == dimension)
        rows.append(bars.Stack(dimension, [float(c) for c in counts], f"{left} left"))
        told = [f"{n} {name}" for n, (name, *_) in zip(counts, _STACKED, strict=True) if n]
        said.append(f"{dimension}: {', '.join(told)}, {left} left")
    used = [i for i in range(len(_STACKED)) if any(r.shares[i] for r in rows)]
    shown = [bars.Stack(r.label, [r.shares[i] for i in used], r.said) for r in rows]
    return picture(
        "decided",
        "What was decided, by dimension",
        "Items of the round by what became of them; at the right the items that the refined scale "
        "has of the dimension, in which a split item counts as what it became.",
        f"Stacked bars of items. {'; '.join(said)}.",
        lambda width: bars.stacked(
            [bars.Stacks("", shown)],
            width,
            names=[_STACKED[i][0] for i in used],
            colors=[_STACKED[i][1:] for i in used],
            axis="Items",
            counts=True,
        ),
    )


def ratings(outcome: Outcome) -> Figure | None:
    """How many gave each rating of relevance; nothing where single ratings are not known."""
    panel = outcome.round
    if panel.relevance is None:
        return None
    what = actions(outcome)
    place = {item.id: i for i, item in enumerate(panel.items)}
    values = panel.scale.values[::-1]
    said = []

    def row(d: Decision) -> bars.Stack:
        x = np.asarray(panel.relevance)[:, place[d.item.id]]
        known = x[np.isfinite(x)]
        shares = [float((known == v).mean()) if known.size else 0.0 for v in values]
        said.append(f"{d.item.id} {' '.join(f'{100 * s:.0f}' for s in shares)}")
        return bars.Stack(d.item.id, shares, what[d.item.id])

    groups = [bars.Stacks(heading, rows) for heading, rows in by_dimension(outcome, row)]
    names = [f"{v}" for v in values]
    names[0] += " most relevant"
    names[-1] += " least"
    colors = bars.shades(len(values), panel.scale.agrees_from - 1 - panel.scale.low)[::-1]
    limit = outcome.thresholds.agreement
    return picture(
        "ratings",
        "What the panel answered",
        f"Per cent of those who rated, the highest rating first. The blue part is agreement "
        f"({panel.scale.agrees_from} or more): it has to reach the dashed line at {limit:g} %. At "
        "the right is what was decided, for this or another reason.",
        f"Stacked bars, per cent from rating {values[0]} to {values[-1]}: {'; '.join(said)}.",
        lambda width: bars.stacked(
            groups,
            width,
            names=names,
            colors=colors,
            axis=f"Per cent of ratings (dashed: {limit:g} %)",
            threshold=limit / 100,
        ),
    )


def thresholds(outcome: Outcome) -> Figure:
    """Agreement, mean and interquartile range of each item against their thresholds."""
    what = actions(outcome)
    limits, scale = outcome.thresholds, outcome.round.scale
    said = []

    def row(d: Decision) -> fields.Dot:
        color, marker = LOOKS[what[d.item.id]]
        values = [
            _estimate(d, name, times)
            for name, times in (("agreement", 100), ("mean", 1), ("iqr", 1))
        ]
        said.append(
            f"{d.item.id} {number(values[0][0], 0)} %, {number(values[1][0])}, "
            f"{number(values[2][0])}, {what[d.item.id]}"
        )
        return fields.Dot(d.item.id, values, color, marker)

    groups = [fields.Dots(heading, rows) for heading, rows in by_dimension(outcome, row)]
    panels = (
        fields.Field("Agreement, %", "Agree %", (0, 100), limits.agreement),
        fields.Field("Mean relevance", "Mean", (scale.low, scale.high), limits.mean, decimals=1),
        fields.Field(
            "Interquartile range", "IQR", (0, scale.high - scale.low), limits.iqr, "above", 1
        ),
    )  # fmt: skip
    key = [fields.Key(a, *look) for a, look in LOOKS.items() if a in what.values()]
    return picture(
        "thresholds",
        "Relevance against the thresholds",
        f"An item stays with an agreement of at least {limits.agreement:g} %, a mean of at least "
        f"{limits.mean:g} and an interquartile range below {limits.iqr:g}; the shaded parts fail. "
        "Lines are intervals, where the data give any. An item can also go, or stay, for "
        "redundancy, the minimum of items or the owner's decision.",
        f"Dots against thresholds; by item agreement, mean, interquartile range and decision: "
        f"{'; '.join(said)}.",
        lambda width: fields.fields(groups, width, panels, key),
    )  # fmt: skip


def _estimate(decision: Decision, name: str, times: float) -> tuple[float, float, float]:
    found = decision.summary.results.get(name)
    if found is None:
        return math.nan, math.nan, math.nan
    return times * found.estimate, times * found.ci_low, times * found.ci_high


def priority(outcome: Outcome) -> Figure | None:
    """Borda points by dimension or, in a round with ratings of priority, their mean."""
    if any(not missing(s.value("borda_points")) for s in outcome.round.summaries):
        return _borda(outcome)
    if any(not missing(s.value("priority_mean")) for s in outcome.round.summaries):
        return _priority_mean(outcome)
    return None


def _borda(outcome: Outcome) -> Figure:
    what, place = actions(outcome), priorities(outcome)
    said = []

    def row(d: Decision) -> bars.Bar:
        points = d.summary.results.get("borda_points")
        action = what[d.item.id]
        word = f"no. {place[d.item.id]}" if d.item.id in place and action != "drop" else action
        value, low, high = _estimate(d, "borda_points", 1)
        said.append(f"{d.item.id} {number(value, 0)} {word}")
        return bars.Bar(
            d.item.id, None if points is None else value, low, high,
            HIGH if action == "drop" else LOW, word,
        )  # fmt: skip

    groups = [
        bars.Bars(heading, sorted(rows, key=lambda b: -_known(b.value)))
        for heading, rows in by_dimension(outcome, row)
    ]
    return picture(
        "priorities",
        "Priorities within dimensions",
        "Borda points: of k items in a dimension the first gets k points from each expert and the "
        "last 1. Compare items within a dimension only: a dimension with more items has more "
        "points. The priority counts the items that stay.",
        f"Bars of Borda points: {'; '.join(said)}.",
        lambda width: bars.bars(groups, width, axis="Borda points", decimals=0),
    )


def _known(value: float | None) -> float:
    return -1.0 if value is None or missing(value) else value


def _priority_mean(outcome: Outcome) -> Figure:
    what, scale = actions(outcome), outcome.round.scale
    said = []

    def row(d: Decision) -> fields.Dot:
        color, marker = LOOKS[what[d.item.id]]
        value = _estimate(d, "priority_mean", 1)
        said.append(f"{d.item.id} {number(value[0])}")
        return fields.Dot(d.item.id, [value], color, marker)

    groups = [
        fields.Dots(heading, sorted(rows, key=lambda d: -_known(d.values[0][0])))
        for heading, rows in by_dimension(outcome, row)
    ]
    key = [fields.Key(a, *look) for a, look in LOOKS.items() if a in what.values()]
    title = f"Mean priority, {scale.low} to {scale.high}"
    panel = fields.Field(title, title, (scale.low, scale.high), decimals=1)
    return picture(
        "priorities",
        "Priorities within dimensions",
        "Mean rating of priority, the highest of each dimension first, with interval where the "
        "data give any. No threshold hangs on it.",
        f"Dots of mean priority: {'; '.join(said)}.",
        lambda width: fields.fields(groups, width, [panel], key),
    )


def redundancy(outcome: Outcome) -> Figure | None:
    """Flags of redundancy against their threshold; nothing where nobody flagged anything."""
    what = actions(outcome)
    said = []

    def row(d: Decision) -> bars.Bar | None:
        value, low, high = _estimate(d, "redundancy_flags", 1)
        if missing(value) or not value:
            return None
        action = what[d.item.id]
        over = outcome.redundancy is not None and value > outcome.redundancy.estimate
        word = action if over else ""
        said.append(f"{d.item.id} {value:g}{f', {word}' if word else ''}")
        return bars.Bar(d.item.id, value, low, high, HIGH if over else LOW, word)

    groups = [bars.Bars(heading, rows) for heading, rows in by_dimension(outcome, row)]
    if not groups:
        return None
    limit = None if outcome.redundancy is None else outcome.redundancy.estimate
    drawn = limit if limit is not None and math.isfinite(limit) else None
    none = len(outcome.decisions) - len(said)
    return picture(
        "redundancy",
        "Flags of redundancy",
        "How many experts found that an item says what another says"
        + (
            f"; more than {drawn:g} (dashed) drop it, unless its dimension needs it."
            if drawn is not None
            else ". They drop nothing in this round."
        )
        + (
            f" Without a flag, and left out here: {none} of {len(outcome.decisions)}."
            if none
            else ""
        ),
        f"Bars of flags: {'; '.join(said)}.",
        lambda width: bars.bars(groups, width, axis="Flags", threshold=drawn, decimals=0),
    )


def change(outcome: Outcome, before: PanelRound | None) -> Figure | None:
    """Agreement in the round before and in this one, for the items of both."""
    if before is None:
        return None
    what = actions(outcome)
    was = {s.item.id: 100 * s.value("agreement") for s in before.summaries}
    said = []

    def row(d: Decision) -> fields.Move | None:
        if d.item.id not in was:
            return None
        now = 100 * d.summary.value("agreement")
        text = f"{number(was[d.item.id], 0)} → {number(now, 0)}"
        said.append(f"{d.item.id} {text}")
        return fields.Move(d.item.id, was[d.item.id], now, LOOKS[what[d.item.id]][0], text)

    groups = [fields.Moves(heading, rows) for heading, rows in by_dimension(outcome, row)]
    if not groups:
        return None
    limit = outcome.thresholds.agreement
    return picture(
        "change",
        "Agreement in both rounds",
        f"Agreement with each item's relevance in round {before.number} and in round "
        f"{outcome.round.number}, against the dashed threshold at {limit:g} %. Items that only one "
        "round has are left out. Moving together is not being right: experts saw what the group "
        "had said.",
        f"Per cent agreement before and after: {'; '.join(said)}.",
        lambda width: fields.moves(
            groups,
            width,
            axis="Agreement, %",
            limits=(0, 100),
            names=(f"round {before.number}", f"round {outcome.round.number}"),
            threshold=limit,
        ),
    )
