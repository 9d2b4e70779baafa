"""Comparisons as text: for the terminal, for ``--json`` and for docs/reproductions.md."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from attunement.reproduce.comparison import Comparison
from attunement.stats.result import Result, number, signature


def by_table(rows: Sequence[Comparison]) -> dict[str, list[Comparison]]:
    """Return the rows of each table, in order of appearance."""
    tables: dict[str, list[Comparison]] = {}
    for row in rows:
        tables.setdefault(row.where, []).append(row)
    return tables


def cell(value: float, *, signed: bool = False, short: bool = False) -> str:
    """Return a number with the decimals that papers print, or a dash.

    ``short`` is for numbers with an interval beside them: three decimals.
    """
    if math.isnan(value):
        return "-"
    decimals = 3 if short else 4 if abs(value) >= 10 else 6
    value = round(value, decimals) or 0.0  # no minus sign before a difference that rounds to 0
    return f"{value:+.{decimals}f}" if signed and value else f"{value:.{decimals}f}"


def verdict(rows: Sequence[Comparison]) -> str:
    """Return one sentence: how many agree, and the largest difference."""
    known = [r for r in rows if r.agrees is not None]
    if not known:
        return "Nothing could be compared."
    agree = sum(bool(r.agrees) for r in known)
    worst = max(abs(r.difference) for r in known)
    within = max(r.tolerance for r in known)
    return f"{agree} of {len(known)} agree to {within:g}; largest difference {worst:.2g}."


def notes(rows: Sequence[Comparison]) -> list[str]:
    """Return each note once, with the columns it is about where it is not about all."""
    said: dict[str, list[str]] = {}
    for row in rows:
        if row.note:
            said.setdefault(row.note, []).append(row.column)
    columns = {r.column for r in rows}
    return [
        note if set(about) == columns else f"{', '.join(dict.fromkeys(about))}: {note}"
        for note, about in said.items()
    ]


def as_rows(rows: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Return the ``comparisons`` key of ``--json``."""
    return [
        {
            "where": r.where,
            "row": r.row,
            "column": r.column,
            "published": number(r.published),
            "computed": number(r.computed),
            "ci_low": number(r.ci_low),
            "ci_high": number(r.ci_high),
            "difference": number(r.difference),
            "tolerance": r.tolerance,
            "agrees": r.agrees,
            "n": r.n,
            "note": r.note,
        }
        for r in rows
    ]


def as_results(paper: str, rows: Sequence[Comparison]) -> list[Result]:
    """Return each computed value as a result, with its interval where one was made."""
    return [
        Result(
            name=r.column,
            estimate=r.computed,
            ci_low=r.ci_low,
            ci_high=r.ci_high,
            n=r.n,
            method=f"as {paper}, {r.where}",
            group={"paper": paper, "where": r.where, "row": r.row},
            signature=signature("reproduce", paper=paper, where=r.where),
            reason=_reason(r),
        )
        for r in rows
    ]


def _reason(row: Comparison) -> str | None:
    if math.isnan(row.computed):
        return row.note
    return "the paper prints no interval" if math.isnan(row.ci_low) else None


def has_intervals(rows: Sequence[Comparison]) -> bool:
    """Say whether any of the computed values has an interval."""
    return any(not math.isnan(r.ci_low) for r in rows)


def interval(row: Comparison) -> str:
    """Return the interval of a computed value as text, or a dash."""
    return "-" if math.isnan(row.ci_low) else f"{row.ci_low:.3f} to {row.ci_high:.3f}"


def as_markdown(paper: str, title: str, rows: Sequence[Comparison]) -> str:
    """Return one paper's section of docs/reproductions.md."""
    lines = [f"## {paper}", "", f"*{title}*", ""]
    for where, group in by_table(rows).items():
        lines += [f"### {where}", "", verdict(group), ""]
        lines += [f"- {note}" for note in notes(group)] + ([""] if notes(group) else [])
        extra = has_intervals(group)
        lines += [f"| row | column | published | computed |{' 95 % |' * extra} difference | n |"]
        lines += [f"| --- | --- | ---: | ---: |{' ---: |' * extra} ---: | ---: |"]
        lines += [
            f"| {r.row} | {r.column} | {cell(r.published, short=extra)} "
            f"| {cell(r.computed, short=extra)} |{f' {interval(r)} |' * extra} "
            f"{cell(r.difference, signed=True, short=extra)} | {r.n} |"
            for r in group
        ]
        lines.append("")
    return "\n".join(lines)
