"""What a scale's reliability says, in sentences, and the layout of a paper's table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from attunement.psychometrics.reliable import Part, Report
from attunement.psychometrics.scale import OVERALL, Scale
from attunement.stats.result import Result, number

ENOUGH = 0.7
"""The alpha that is commonly asked of a scale that compares groups (Nunnally 1978)."""
LOW_ITEM_TOTAL = 0.3
BETTER = 0.02
"""Alpha gained without an item, from which on the item is to blame."""
REDUNDANT = 0.95
EXTREME = 0.15
"""Share of lowest or highest scores that makes a floor or ceiling effect (Terwee et al. 2007)."""
FEW = 100


def sentences(report: Report, scale: Scale) -> list[str]:
    """Return what is weak and which item does it, what to be careful with, or that nothing is."""
    said = []
    parts = [p for p in report.parts if p.id != OVERALL] or list(report.parts)
    for part in report.parts:
        said += _about(part, scale, whole=part.id == OVERALL and len(report.parts) > 1)
    known = [p for p in parts if math.isfinite(p.reliability.alpha.estimate)]
    good = [p for p in known if p.reliability.alpha.estimate >= ENOUGH]
    if len(known) > 1:
        said.insert(0, f"{len(good)} of {len(known)} subscales reach an alpha of {ENOUGH:g}.")
    if report.n_respondents < FEW:
        said.append(
            f"{report.n_respondents} answered, fewer than {FEW}: read the intervals, not the "
            "estimates."
        )
    return said


def _about(part: Part, scale: Scale, *, whole: bool) -> list[str]:
    named = part.id if part.label == part.id else f"{part.id} ({part.label})"
    name = "The whole scale" if part.id == OVERALL else named
    alpha = part.reliability.alpha
    if not math.isfinite(alpha.estimate):
        return [f"{name} has no alpha: {alpha.reason}."]
    said = [_against(name, item, one.item_total, scale, whole) for item, one in _negative(part)]
    if alpha.estimate < ENOUGH:
        said.append(_weak(name, part, scale))
    elif alpha.ci_low < ENOUGH:
        said.append(
            f"{name} has an alpha of {_with_interval(alpha)}: enough as estimated, but the data do "
            f"not rule out less than {ENOUGH:g}."
        )
    elif alpha.estimate > REDUNDANT and not whole:
        said.append(
            f"{name} has an alpha of {alpha.estimate:.2f}: so high that its items may say the same."
        )
    if not whole:
        said += [
            f"{name}: {share.estimate:.0%} have the {end} score there is, a {effect} effect."
            for share, end, effect in (
                (part.floor, "lowest", "floor"),
                (part.ceiling, "highest", "ceiling"),
            )
            if share.estimate > EXTREME
        ]
    return said


def _negative(part: Part) -> list[tuple[str, Any]]:
    return [
        (item, one)
        for item, one in zip(part.items, part.analysis, strict=True)
        if one.item_total.estimate < 0
    ]


def _against(name: str, item: str, r: Result, scale: Scale, whole: bool) -> str:
    if item in scale.reversed:
        why = "It is reversed and was turned round: was it turned before as well, or misread?"
    elif whole:
        why = "Its subscale may measure something else than the others."
    else:
        why = "Is it reverse-coded? The instrument's 'reversed', or --reverse, turns it round once."
    return f"{name}: {item} correlates negatively with the other items ({r.estimate:.2f}). {why}"


def _weak(name: str, part: Part, scale: Scale) -> str:
    alpha = part.reliability.alpha
    text = f"{name} is weak: alpha {_with_interval(alpha)}."
    culprit = _culprit(part)
    if culprit is None:
        r = part.reliability.inter_item.estimate
        if math.isfinite(r) and len(part.items) > 2:
            text += (
                f" No single item does it: the items correlate {r:.2f} on average, and leaving "
                "one out would not help."
            )
        return text
    item, one = culprit
    turned = ", a reversed item," if item in scale.reversed else ""
    r = one.item_total
    known = f"its item-total correlation is {r.estimate:.2f}" if r.reason is None else r.reason
    text += f" {item}{turned} does it: {known}"
    if one.alpha_without.estimate > alpha.estimate:
        text += f", and without it alpha would be {one.alpha_without.estimate:.2f}"
    return text + "."


def _culprit(part: Part) -> tuple[str, Any] | None:
    """Return the item that a scale would be better without, or whose correlation is low."""
    pairs = list(zip(part.items, part.analysis, strict=True))
    alpha = part.reliability.alpha.estimate
    better = [p for p in pairs if p[1].alpha_without.estimate > alpha + BETTER]
    if better:
        return max(better, key=lambda p: p[1].alpha_without.estimate)
    known = sorted(
        (p for p in pairs if math.isfinite(p[1].item_total.estimate)),
        key=lambda p: float(p[1].item_total.estimate),
    )
    # Where all are low, the lowest is not to blame.
    alone = len(known) > 2 and known[1][1].item_total.estimate >= LOW_ITEM_TOTAL
    return known[0] if alone and known[0][1].item_total.estimate < LOW_ITEM_TOTAL else None


def _with_interval(r: Result) -> str:
    # 0.698 is below what is enough, and "weak: alpha 0.70" would not look it.
    close = r.estimate < ENOUGH and f"{r.estimate:.2f}" == f"{ENOUGH:.2f}"
    estimate = f"{r.estimate:.{4 if close else 2}f}"
    if not math.isfinite(r.ci_low):
        return estimate
    return f"{estimate} ({r.ci_low:.2f} to {r.ci_high:.2f})"


HEADINGS = (
    "dimension",
    "inter-item mean",
    "inter-item range",
    "item-total mean",
    "item-total range",
    "alpha",
)
"""The columns of Table 3 of Bolpagni and Gabrielli (2025)."""


def layout(report: Report) -> list[dict[str, Any]]:
    """Return one row a part as Table 3 of the CES-LCC paper has it; null where undefined.

    The whole scale has its alpha only, as there.
    """
    rows = []
    for part in report.parts:
        whole = part.id == OVERALL and len(report.parts) > 1
        totals = [] if whole else [i.item_total.estimate for i in part.analysis]
        known = [t for t in totals if math.isfinite(t)]
        between = part.reliability
        rows.append(
            {
                "dimension": part.id,
                "inter_item_mean": None if whole else number(between.inter_item.estimate),
                "inter_item_low": None if whole else number(between.least_inter_item),
                "inter_item_high": None if whole else number(between.most_inter_item),
                "item_total_mean": sum(known) / len(known) if known else None,
                "item_total_low": min(known, default=None),
                "item_total_high": max(known, default=None),
                "alpha": number(between.alpha.estimate),
            }
        )
    return rows


def cells(row: dict[str, Any]) -> Sequence[str]:
    """Return a row of `layout` as text, in the order of `HEADINGS`."""
    return (
        str(row["dimension"]),
        _two(row["inter_item_mean"]),
        _range(row["inter_item_low"], row["inter_item_high"]),
        _two(row["item_total_mean"]),
        _range(row["item_total_low"], row["item_total_high"]),
        _two(row["alpha"]),
    )


def _two(value: float | None) -> str:
    return "N/A" if value is None else f"{value:.2f}"


def _range(low: float | None, high: float | None) -> str:
    return "N/A" if low is None or high is None else f"{low:.2f} to {high:.2f}"
