"""The figures of a page on a scale."""

from __future__ import annotations

import numpy as np

from attunement.psychometrics import OVERALL, Answers, Part, Report
from attunement.psychometrics.words import ENOUGH, EXTREME, LOW_ITEM_TOTAL
from attunement.report import bars, matrices, plots
from attunement.report.formats import interval, listed, missing, number, percent
from attunement.report.picture import Figure, picture
from attunement.report.theme import HIGH, LOW, SERIES
from attunement.stats.parallel_analysis import ParallelAnalysis

MOST_STEPS = 10
"""An item with more answers than this has no bar of its answers."""


def subscales(report: Report) -> tuple[Part, ...]:
    """Return the subscales, or the whole where it is all there is."""
    parts = tuple(p for p in report.parts if p.id != OVERALL)
    return parts or report.parts


def heading(part: Part, report: Report) -> str:
    """Return what stands over a subscale's rows; nothing where the scale is one."""
    if len(subscales(report)) == 1:
        return ""
    return part.id if part.label == part.id else f"{part.id} – {part.label}"


def named(part: Part) -> str:
    """Return the name of a part for people."""
    return "Whole scale" if part.id == OVERALL else part.label


def alphas(report: Report) -> Figure:
    """Alpha of each subscale and of the whole, against what is commonly asked."""
    marks = []
    for part in report.parts:
        alpha = part.reliability.alpha
        whole = part.id == OVERALL
        color, shape = SERIES[7] if whole else SERIES[0]
        label = named(part)
        marks.append(plots.Mark(label, alpha.estimate, alpha.ci_low, alpha.ci_high, color, shape))
    panel = plots.Panel("", marks, line=ENOUGH, zero=False)
    words = "; ".join(
        f"{m.label} {number(m.estimate)} {interval(m.low, m.high)}".strip() for m in marks
    )
    return picture(
        "alpha",
        "Cronbach's alpha",
        f"Each with its interval. The dashed line is {ENOUGH:g}, commonly asked "
        "of scales that compare groups. An interval that reaches below it leaves the question "
        "open.",
        f"Dot plot of alpha against {ENOUGH:g}: {words}.",
        lambda width: plots.overview(panel, width, "", f"Cronbach's alpha (dashed: {ENOUGH:g})"),
    )


def item_totals(report: Report) -> Figure:
    """Each item's correlation with the rest of its scale; weak and negative ones are marked."""
    groups = []
    said = []
    for part in subscales(report):
        rows = []
        for item, one in zip(part.items, part.analysis, strict=True):
            r = one.item_total
            word = verdict(r.estimate)
            rows.append(
                bars.Bar(item, r.estimate, r.ci_low, r.ci_high, HIGH if word else LOW, word)
            )
            said.append(f"{item} {number(r.estimate)}{f' {word}' if word else ''}")
        groups.append(bars.Bars(heading(part, report), rows))
    return picture(
        "item_total",
        "Item-total correlations",
        "Corrected: each item with the sum of the other items of its scale, with interval. Below "
        f"the dashed line at {LOW_ITEM_TOTAL:g} an item is weak; below 0 it runs against its "
        "scale, as an item does that is reverse-coded and was not turned round.",
        f"Bars of item-total correlations: {'; '.join(said)}.",
        lambda width: bars.bars(
            groups,
            width,
            axis="Correlation with the other items",
            threshold=LOW_ITEM_TOTAL,
        ),
    )


def verdict(r: float) -> str:
    """Return the word for an item-total correlation that is not good."""
    if missing(r):
        return "undefined"
    return "negative" if r < 0 else "weak" if r < LOW_ITEM_TOTAL else ""


def inter_item(report: Report, answers: Answers, correlation: matrices.Floats) -> Figure:
    """The correlations between all items, those of a subscale side by side."""
    order, sizes = arranged(report, answers)
    places = [answers.items.index(i) for i in order]
    values = correlation[np.ix_(places, places)]
    words = []
    for part in subscales(report):
        found = part.reliability
        words.append(
            f"{named(part)}: mean {number(found.inter_item.estimate)}, from "
            f"{number(found.least_inter_item)} to {number(found.most_inter_item)}"
        )
    return picture(
        "inter_item",
        "Correlations between items",
        "Reversed items are turned round. Blue is positive, orange negative, and a fuller color "
        "is farther from 0."
        + (
            " Frames mark subscales: inside them the color should be even, blue, and fuller than "
            "outside."
            if len(sizes) > 1
            else " In a scale of one thing the color is even and blue."
        ),
        f"Heat map of {len(order)} items, within subscales: {'; '.join(words)}. Every pair is in "
        "the file tables/pairs.csv.",
        lambda width: matrices.correlation_map(order, sizes, values, width),
    )


def arranged(report: Report, answers: Answers) -> tuple[list[str], list[int]]:
    """Return the items by subscale, those of none last, and how many each has."""
    order: list[str] = []
    sizes: list[int] = []
    for part in subscales(report):
        new = [i for i in part.items if i not in order]
        order += new
        sizes.append(len(new))
    rest = [i for i in answers.items if i not in order] if report.parts[-1].id == OVERALL else []
    if rest:
        order += rest
        sizes.append(len(rest))
    return order, sizes


def scree(parallel: ParallelAnalysis) -> Figure:
    """Eigenvalues beside those of shuffled answers."""
    values, mean, high = (
        [float(v) for v in found]
        for found in (parallel.eigenvalues, parallel.noise_mean, parallel.noise_high)
    )
    pairs = "; ".join(
        f"{i + 1}: {number(v)} against {number(h)}"
        for i, (v, h) in enumerate(zip(values, high, strict=True))
        if i <= parallel.suggested
    )
    n = parallel.suggested
    factors = "1 factor" if n == 1 else f"{n} factors"
    return picture(
        "scree",
        "Scree with parallel analysis",
        f"Eigenvalues of the correlations. The dashed line is the {percent(parallel.quantile)} "
        "quantile of what answers give that were shuffled among respondents, the band goes down to "
        f"their mean. Filled marks are above it: {factors}. As many factors as subscales speak for "
        "the scale's plan; they do not say that the items go where they should.",
        f"Line of eigenvalues. Above chance: {factors}. By factor, against chance: {pairs}.",
        lambda width: matrices.scree(values, mean, high, n, width),
    )


def extremes(report: Report) -> Figure:
    """Share of respondents at the lowest and at the highest score of each subscale."""
    groups = []
    said = []
    for name, title in (("floor", "Floor: the lowest score"), ("ceiling", "Ceiling: the highest")):
        rows = []
        for part in subscales(report):
            r = part.floor if name == "floor" else part.ceiling
            over = r.estimate > EXTREME
            word = name if over else ""
            rows.append(
                bars.Bar(
                    named(part), 100 * r.estimate, 100 * r.ci_low, 100 * r.ci_high,
                    HIGH if over else LOW, word,
                )
            )  # fmt: skip
            said.append(f"{named(part)} {name} {percent(r.estimate, 1)}")
        groups.append(bars.Bars(title, rows))
    return picture(
        "floor_and_ceiling",
        "Respondents at the ends of the score",
        "Per cent of complete respondents with the lowest, or the highest, score that a subscale "
        f"has, with interval. Above the dashed line at {percent(EXTREME)} the scale cannot tell "
        "these people apart.",
        f"Bars: {'; '.join(said)}.",
        lambda width: bars.bars(
            groups,
            width,
            axis="Per cent of respondents",
            threshold=100 * EXTREME,
            decimals=0,
        ),
    )


def distributions(report: Report, answers: Answers) -> Figure | None:
    """The answers to each item; nothing where items have many possible answers."""
    steps = _steps(answers)
    if steps is None:
        return None
    groups = []
    said = []
    for part in subscales(report):
        rows = []
        for item in part.items:
            x = answers.values[:, answers.items.index(item)]
            known = x[~np.isnan(x)]
            shares = [float((known == s).mean()) if known.size else 0.0 for s in steps]
            rows.append(bars.Stack(item, shares, f"n {known.size:,}"))
            said.append(f"{item} {listed((f'{100 * s:.0f}' for s in shares), ' ').strip()}")
        groups.append(bars.Stacks(heading(part, report), rows))
    names = [f"{s:g}" for s in steps]
    names[0] += " lowest"
    names[-1] += " highest"
    return picture(
        "answers",
        "Answers to each item",
        "Per cent of those who answered; reversed items are turned round, so that more blue is "
        "more of what the scale measures.",
        f"Stacked bars, per cent from {steps[0]:g} to {steps[-1]:g}: {'; '.join(said)}.",
        lambda width: bars.stacked(
            groups,
            width,
            names=names,
            colors=bars.shades(len(steps)),
            axis="Per cent of answers",
        ),
    )


def _steps(answers: Answers) -> list[float] | None:
    known = answers.values[~np.isnan(answers.values)]
    low, high = float(answers.ends[:, 0].min()), float(answers.ends[:, 1].max())
    if (known != np.rint(known)).any() or (low, high) != (round(low), round(high)):
        return None
    if (answers.ends != answers.ends[0]).any() or not 1 <= high - low < MOST_STEPS:
        return None
    return [float(s) for s in range(int(low), int(high) + 1)]
