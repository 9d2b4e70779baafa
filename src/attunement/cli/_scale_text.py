"""Tables of scales for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from attunement.cli._common import out
from attunement.cli._plain import plain

if TYPE_CHECKING:
    from attunement.psychometrics import Report
    from attunement.psychometrics.compare import Comparison
    from attunement.psychometrics.confirmed import Confirmed
    from attunement.psychometrics.scores import Short
    from attunement.psychometrics.structure import Structure
    from attunement.stats.result import Result

_LEAST_LOADING = 0.3


def number(value: float, digits: int = 2) -> str:
    """Return a number, a dash where it is undefined."""
    return f"{value:.{digits}f}" if math.isfinite(value) else "-"


def interval(result: Result, digits: int = 2) -> str:
    """Return an estimate with its interval."""
    text = number(result.estimate, digits)
    if not math.isfinite(result.ci_low):
        return text
    return f"{text} ({result.ci_low:.{digits}f} to {result.ci_high:.{digits}f})"


def say(lines: Iterable[str]) -> None:
    """Print sentences as they stand."""
    show = out()
    for line in lines:
        show.print(plain(line))


def table(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table whose first column is words and whose others are numbers."""
    from rich.table import Table

    made = Table(title=title, title_justify="left")
    for i, heading in enumerate(headings):
        made.add_column(plain(heading), justify="right" if i else "left")
    for row in rows:
        made.add_row(*(plain(cell) for cell in row))
    out().print(made)


def show_reliability(report: Report, sentences: Sequence[str]) -> None:
    """Print the layout of the paper's table, the coefficients, the items and what they say."""
    from attunement.psychometrics.words import HEADINGS, cells, layout

    table("Reliability", HEADINGS, [cells(row) for row in layout(report)])
    table(
        f"With intervals, {report.missing}",
        ("", "n", "missing", "alpha", "std. alpha", "omega", "lambda 6", "split half", "SEM"),
        [
            (
                part.id,
                f"{part.reliability.alpha.n:,}",
                f"{part.reliability.alpha.n_missing:,}",
                interval(part.reliability.alpha),
                number(part.reliability.standardized_alpha.estimate),
                number(part.reliability.omega_total.estimate),
                number(part.reliability.lambda_6.estimate),
                number(part.reliability.split_half.estimate),
                number(part.reliability.measurement_error.estimate),
            )
            for part in report.parts
        ],
    )
    subscales = report.parts[:-1] if len(report.parts) > 1 else report.parts
    table(
        "Items",
        ("item", "n", "mean", "s.d.", "item-total", "alpha without", "floor", "ceiling"),
        [
            (
                item,
                f"{one.mean.n:,}",
                number(one.mean.estimate),
                number(one.spread),
                interval(one.item_total),
                number(one.alpha_without.estimate),
                f"{one.floor.estimate:.0%}" if one.floor.n else "-",
                f"{one.ceiling.estimate:.0%}" if one.ceiling.n else "-",
            )
            for part in subscales
            for item, one in zip(part.items, part.analysis, strict=True)
        ],
    )
    say(
        f"{r.name.replace('_', ' ').capitalize()}: {interval(r)}"
        if r.reason is None
        else f"{r.name.replace('_', ' ').capitalize()}: none, as {r.reason}"
        for r in report.hierarchy
    )
    _reasons(report)
    say(sentences)
    say(report.notes)


def _reasons(report: Report) -> None:
    said: dict[str, list[str]] = {}
    for part in report.parts:
        for r in part.reliability.results():
            if r.reason:
                said.setdefault(r.reason, []).append(f"{part.id} {r.name.replace('_', ' ')}")
    say(f"Undefined: {', '.join(names)}: {reason}." for reason, names in said.items())


def show_shorts(shorts: Sequence[Short], sentences: Sequence[str]) -> None:
    """Print what to expect of a short form."""
    table(
        "Short form",
        ("scale", "items", "alpha, full", "expected", "observed", "with the full score"),
        [
            (
                s.part,
                ", ".join(s.items) if len(s.items) < 4 else str(len(s.items)),
                interval(s.full),
                interval(s.expected),
                interval(s.observed),
                number(s.with_full.estimate),
            )
            for s in shorts
        ],
    )
    say(sentences)


def _p(value: float) -> str:
    """Return a p value; none is 0."""
    return "<0.001" if value < 0.0005 else number(value, 3)


def show_comparison(found: Comparison, sentences: Sequence[str]) -> None:
    """Print two chatbots side by side."""
    table(
        f"{found.design} comparison",
        ("scale", found.first, found.second, "difference", "g", "p", "p corrected", "n"),
        [
            (
                part.part,
                number(part.first.estimate),
                number(part.second.estimate),
                interval(part.between.difference),
                interval(part.between.effect),
                _p(part.between.test.p_value),
                _p(part.between.test.p_adjusted),
                f"{part.between.difference.n:,}",
            )
            for part in found.parts
        ],
    )
    say(sentences)
    say(found.notes)


def show_structure(found: Structure, items: Sequence[str]) -> None:
    """Print eigenvalues, factors and the fit of the model."""
    parallel = found.parallel
    rows = zip(parallel.eigenvalues, parallel.noise_mean, parallel.noise_high, strict=True)
    table(
        f"Parallel analysis: {parallel.suggested} suggested",
        ("component", "eigenvalue", "by chance", f"{parallel.quantile:.0%} of chance"),
        [(str(i), *(number(v) for v in row)) for i, row in enumerate(rows, start=1)],
    )
    if found.exploratory is not None:
        loadings = found.exploratory.found.loadings
        m = loadings.shape[1]
        table(
            f"Loadings on {_factors(m)} (above {_LEAST_LOADING:g}; --json has all, with intervals)",
            ("item", *(str(f + 1) for f in range(m)), "unique"),
            [
                (
                    item,
                    *(number(v) if abs(v) >= _LEAST_LOADING else "" for v in loadings[i]),
                    number(float(found.exploratory.found.uniqueness[i])),
                )
                for i, item in enumerate(items)
            ],
        )
    if found.confirmed:
        table(
            f"The model of {_factors(len(found.factors))}",
            ("estimator", "n", "chi-squared", "df", "p", "CFI", "TLI", "RMSEA (90 %)", "SRMR"),
            [_fit(one) for one in found.confirmed],
        )
    say(f"{one.estimator}: no fit, as {one.reason}." for one in found.confirmed if one.reason)
    say(found.notes)


def _factors(n: int) -> str:
    return "one factor" if n == 1 else f"{n} factors"


def _fit(one: Confirmed) -> tuple[str, ...]:
    if one.found is None:
        return (one.estimator, f"{one.n:,}", *["-"] * 7)
    fit = one.found.fit
    return (
        one.estimator,
        f"{one.n:,}",
        number(fit.chi_squared),
        str(fit.degrees),
        _p(fit.p_value),
        number(fit.cfi, 3),
        number(fit.tli, 3),
        f"{number(fit.rmsea, 3)} ({number(fit.rmsea_low, 3)} to {number(fit.rmsea_high, 3)})",
        number(fit.srmr, 3),
    )


def structure_json(found: Structure) -> dict[str, Any]:
    """Return the parts of a structure that are no estimates."""
    from attunement.stats.result import number as finite

    parallel = found.parallel
    return {
        "parallel_analysis": {
            "suggested": parallel.suggested,
            "eigenvalues": [float(v) for v in parallel.eigenvalues],
            "noise_mean": [float(v) for v in parallel.noise_mean],
            "noise_high": [float(v) for v in parallel.noise_high],
            "quantile": parallel.quantile,
            "n": parallel.n,
            "n_missing": parallel.n_missing,
            "signature": parallel.signature,
        },
        "exploratory": None
        if found.exploratory is None
        else {
            "explained": [float(v) for v in found.exploratory.found.explained],
            "uniqueness": [float(v) for v in found.exploratory.found.uniqueness],
            "improper": found.exploratory.found.improper,
        },
        "model": [
            {
                "estimator": one.estimator,
                "n": one.n,
                "degrees": None if one.found is None else one.found.fit.degrees,
                "p_value": None if one.found is None else finite(one.found.fit.p_value),
                "improper": None if one.found is None else one.found.improper,
                "reason": one.reason,
            }
            for one in found.confirmed
        ],
        "notes": list(found.notes),
    }
