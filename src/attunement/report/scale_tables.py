"""The tables of a page on a scale."""

from __future__ import annotations

import math

import polars as pl

from attunement.psychometrics import OVERALL, Answers, Report, layout
from attunement.psychometrics.words import ENOUGH
from attunement.report.cells import Cell, Column, Notes, Table, estimate_cell, split
from attunement.report.formats import DASH, count, number, percent
from attunement.report.matrices import Floats
from attunement.report.scale_figures import arranged, named, subscales, verdict
from attunement.stats.parallel_analysis import ParallelAnalysis
from attunement.stats.result import Result

_PAIRS = 6


def _cell(result: Result, notes: Notes, decimals: int = 2, kind: str = "", n: bool = False) -> Cell:
    return estimate_cell(_row(result), notes, decimals, n=n, kind=kind)


def _row(r: Result) -> dict[str, object]:
    return {
        "estimate": r.estimate, "ci_low": r.ci_low, "ci_high": r.ci_high, "n": r.n,
        "reason": r.reason,
    }  # fmt: skip


def paper_layout(report: Report) -> Table:
    """Inter-item, item-total and alpha of each subscale, as in the CES-LCC paper's Table 3."""
    rows = layout(report)
    labels = {p.id: p.label for p in report.parts}
    shown = []
    for row in rows:
        whole = row["dimension"] == OVERALL
        name = "Whole scale" if whole else labels[row["dimension"]]
        below = () if whole or name == row["dimension"] else (str(row["dimension"]),)
        shown.append(
            (
                Cell(name, below),
                Cell(number(row["inter_item_mean"])),
                Cell(_range(row["inter_item_low"], row["inter_item_high"])),
                Cell(number(row["item_total_mean"])),
                Cell(_range(row["item_total_low"], row["item_total_high"])),
                Cell(number(row["alpha"]), kind=_kind(row["alpha"])),
            )
        )
    return Table(
        "table_3",
        "Reliability of the subscales",
        "The columns of the paper's Table 3: mean and range of the correlations between items, of "
        "each item with the others, and Cronbach's alpha; of the whole scale its alpha alone. A "
        "high alpha of the whole says little of the subscales: it has more items.",
        (
            Column("Dimension", False),
            Column("Inter-item", below="mean"),
            Column("Inter-item", below="range"),
            Column("Item-total", below="mean"),
            Column("Item-total", below="range"),
            Column("Alpha"),
        ),
        tuple(shown),
        pl.DataFrame(rows, infer_schema_length=None),
        paper="Table 3",
    )


def _kind(alpha: float | None) -> str:
    return "" if alpha is None else "good" if alpha >= ENOUGH else "bad"


def _range(low: float | None, high: float | None) -> str:
    return DASH if low is None or high is None else f"{number(low)} to {number(high)}"


def coefficients(report: Report) -> Table:
    """Every coefficient of each part, with its interval."""
    notes = Notes()
    rows = []
    for part in report.parts:
        found = part.reliability
        rows.append(
            (
                Cell(named(part)),
                Cell(count(len(part.items))),
                Cell(count(found.alpha.n), (f"{found.alpha.n_missing:,} incomplete",)),
                _cell(found.alpha, notes),
                _cell(found.standardized_alpha, notes),
                _cell(found.omega_total, notes),
                _cell(found.lambda_6, notes),
                _cell(found.split_half, notes),
                _cell(found.measurement_error, notes),
            )
        )
    results = [r for p in report.parts for r in p.results() if "item" not in r.group]
    return Table(
        "coefficients",
        "Coefficients with intervals",
        "Alpha is the reliability where all items load alike; omega does not ask for that. The "
        "standard error of measurement is in points of the mean score: how far a person's score "
        f"may be off. Missing answers: {report.missing}, n is the respondents the interval counts "
        "on.",
        (
            Column("Scale", False),
            Column("Items"),
            Column("n"),
            Column("Alpha"),
            Column("Standardized alpha"),
            Column("Omega total"),
            Column("Lambda 6"),
            Column("Split half"),
            Column("Standard error"),
        ),
        tuple(rows),
        _flat([*results, *report.hierarchy]),
        notes=notes.all(),
    )


def hierarchy(report: Report) -> Table | None:
    """How much of the whole scale one common factor explains."""
    if not report.hierarchy:
        return None
    notes = Notes()
    names = {
        "omega_hierarchical": "Omega hierarchical: one common factor",
        "omega_group_total": "Omega total: common and group factors",
    }
    return Table(
        "hierarchy",
        "The whole scale",
        "How much of the variance of the total score one thing explains that all items share, and "
        "how much everything that groups of items share. Where the first is much lower, read the "
        "subscales and not the total.",
        (Column("Coefficient", False), Column("Estimate")),
        tuple((Cell(names.get(r.name, r.name)), _cell(r, notes)) for r in report.hierarchy),
        _flat(report.hierarchy),
        notes=notes.all(),
    )


def items(report: Report) -> Table:
    """What each item does in its subscale."""
    notes = Notes()
    rows = []
    alone = len(subscales(report)) == 1
    for part in subscales(report):
        alpha = part.reliability.alpha.estimate
        for item, one in zip(part.items, part.analysis, strict=True):
            word = verdict(one.item_total.estimate)
            better = one.alpha_without.estimate > alpha
            rows.append(
                (
                    Cell(item, () if alone else (part.label,)),
                    Cell(count(one.mean.n), (f"{one.mean.n_missing:,} missing",)),
                    _mean(one.mean, one.spread),
                    _cell(one.item_total, notes, kind="bad" if word else ""),
                    _cell(one.alpha_without, notes, kind="bad" if better else ""),
                    Cell(percent(one.floor.estimate)),
                    Cell(percent(one.ceiling.estimate)),
                )
            )
    results = [r for p in report.parts for r in p.results() if "item" in r.group]
    return Table(
        "items",
        "What each item does",
        "Item-total correlation with the other items of the subscale; alpha without the item, "
        "marked where it is higher than with it; share of lowest and of highest answers.",
        (
            Column("Item", False),
            Column("n"),
            Column("Mean", below="s.d."),
            Column("Item-total"),
            Column("Alpha without"),
            Column("Floor"),
            Column("Ceiling"),
        ),
        tuple(rows),
        _flat(results),
        notes=notes.all(),
    )


def _mean(mean: Result, spread: float) -> Cell:
    return Cell(number(mean.estimate), (f"s.d. {number(spread)}",))


def pairs(report: Report, answers: Answers, correlation: Floats) -> Table | None:
    """The pairs of items that correlate most and least within their subscales, if any do."""
    order, _ = arranged(report, answers)
    of = {i: p.label for p in subscales(report) for i in p.items}
    frame = pl.DataFrame(
        [
            {
                "item_a": b,
                "item_b": a,
                "same_subscale": of.get(a, a) == of.get(b, b),
                "correlation": float(correlation[answers.items.index(a), answers.items.index(b)]),
            }
            for i, a in enumerate(order)
            for b in order[:i]
        ],
        schema={
            "item_a": pl.String, "item_b": pl.String, "same_subscale": pl.Boolean,
            "correlation": pl.Float64,
        },
    )  # fmt: skip
    own = frame.filter("same_subscale", pl.col("correlation").is_finite()).sort("correlation")
    if not own.height:
        return None
    many = own.height > 2 * _PAIRS
    shown = pl.concat([own.head(_PAIRS), own.tail(_PAIRS)]) if many else own
    rows = tuple(
        (
            Cell(f"{a} and {b}", () if of[a] == a or len(subscales(report)) == 1 else (of[a],)),
            Cell(number(r), kind="bad" if r < 0 else ""),
        )
        for a, b, _, r in shown.iter_rows()
    )
    which = "All pairs" if shown.height == own.height else f"The {_PAIRS} lowest and highest pairs"
    within = "" if len(subscales(report)) == 1 else " within subscales"
    return Table(
        "pairs",
        "Pairs of items that stand out",
        f"{which}{within}. Two items that correlate very highly may say the same; a low pair does "
        "not belong together. Every pair of the scale is in the CSV file.",
        (Column("Items", False), Column("Correlation")),
        rows,
        frame,
    )


def eigenvalues(parallel: ParallelAnalysis) -> Table:
    """The eigenvalues and what chance gives."""
    frame = pl.DataFrame(
        {
            "factor": list(range(1, len(parallel.eigenvalues) + 1)),
            "eigenvalue": parallel.eigenvalues,
            "chance_mean": parallel.noise_mean,
            "chance_high": parallel.noise_high,
            "above_chance": [i < parallel.suggested for i in range(len(parallel.eigenvalues))],
        }
    )
    every = [
        (
            Cell(str(i)),
            Cell(number(value), kind="best" if above else ""),
            Cell(number(mean)),
            Cell(number(high)),
        )
        for i, value, mean, high, above in frame.iter_rows()
    ]
    shown, folded, label = split(every, parallel.suggested + 2, "factors")
    return Table(
        "eigenvalues",
        "Eigenvalues",
        "Of the correlations between items, and of shuffled answers. Bold ones are above chance.",
        (
            Column("Factor", False),
            Column("Eigenvalue"),
            Column("Chance", below="mean"),
            Column("Chance", below=f"{percent(parallel.quantile)} quantile"),
        ),
        shown,
        frame,
        folded=folded,
        folded_label=label,
    )


def _flat(results: list[Result] | tuple[Result, ...]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "scale": r.group.get("scale", ""),
                "item": r.group.get("item", ""),
                "statistic": r.name,
                "estimate": r.estimate,
                "ci_low": r.ci_low,
                "ci_high": r.ci_high,
                "ci_level": r.ci_level,
                "n": r.n,
                "n_missing": r.n_missing,
                "reason": r.reason,
                "method": r.method,
                "signature": r.signature,
            }
            for r in results
        ],
        infer_schema_length=None,
    )


def undefined(report: Report) -> list[str]:
    """Return why coefficients of the parts are undefined, once a reason."""
    why: dict[str, list[str]] = {}
    for part in report.parts:
        for r in part.reliability.results():
            if r.reason and math.isnan(r.estimate):
                why.setdefault(r.reason, []).append(f"{part.label} {r.name.replace('_', ' ')}")
    return [f"Undefined: {', '.join(names)}: {reason}." for reason, names in why.items()]
