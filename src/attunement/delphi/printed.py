"""A round as a paper prints it: one row an item, with mean, agreement and the like."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from attunement.delphi._model import Item, ItemSummary, PanelRound, Scale
from attunement.delphi.cells import is_missing, numbers, texts
from attunement.delphi.items import items_of_table
from attunement.errors import UserError
from attunement.stats.proportion import wilson
from attunement.stats.result import Result, signature

PREFIXES = {"relevance": "", "priority": "priority_", "translation": "translation_"}
"""What was rated -> what stands before the names of its results."""
COLUMNS = {
    "agree_pct": "agreement",
    "mean": "mean",
    "sd": "sd",
    "median": "median",
    "min": "min",
    "max": "max",
    "iqr": "iqr",
}
"""The end of a column -> the name of the result."""
_UNKNOWN_N = "the table does not say how many rated"
_NONE = "a printed value: no interval can be made of it"


def is_printed(frame: pl.DataFrame) -> bool:
    """Say whether a table is summarized already."""
    return "relevance_mean" in frame.columns


def read_printed(
    frame: pl.DataFrame,
    where: str,
    *,
    number: int,
    scale: Scale,
    items: Sequence[Item] | None = None,
    panel: int | None = None,
    level: float = 0.95,
) -> PanelRound:
    """Read a table of one row an item.

    Parameters
    ----------
    frame
        With ``relevance_agree_pct``, ``relevance_mean``, ``relevance_iqr`` and what else the paper
        prints: the same of ``priority`` and ``translation``, ``..._n``, ``redundancy_flags``,
        ``borda_points``.
    where
        The table's name, for errors.
    number
        Of the round.
    scale
        Of the ratings.
    items
        Items with their wording, in the table's order; by default those of the table.
    panel
        How many rated each item, where the table has no ``relevance_n``. Of translations it says
        nothing: those are rated by native speakers only.
    level
        Coverage of the intervals.

    Raises
    ------
    UserError
        Where a value is no number or cannot be what its column says.

    """
    known = list(items) if items is not None else items_of_table(frame, where)
    if len(known) != frame.height:
        raise UserError(
            f"the table has {frame.height} rows and {len(known)} items were named.",
            where=where,
            fix="Name the same items in the same order, or none.",
        )
    columns = _columns(frame, where, scale)
    summaries = []
    for row, item in enumerate(known):
        results: dict[str, Result] = {}
        for what, prefix in PREFIXES.items():
            own = {
                end: columns[f"{what}_{end}"][row] for end in COLUMNS if f"{what}_{end}" in columns
            }
            n = columns[f"{what}_n"][row] if f"{what}_n" in columns else math.nan
            if math.isnan(n) and panel is not None and what != "translation":
                n = float(panel)
            found = _statistics(own, None if math.isnan(n) else int(n), scale, level)
            results |= {f"{prefix}{name}": result for name, result in found.items()}
        for name in ("redundancy_flags", "borda_points"):
            if name in columns:
                results[name] = _bare(name, columns[name][row], None)
        comment = texts(frame, "comment")[row]
        group = {"item": item.id, "dimension": item.dimension}
        summaries.append(
            ItemSummary(
                item=item,
                results={k: replace(r, name=k, group=group) for k, r in results.items()},
                comments=() if is_missing(comment) else (comment,),
            )
        )
    return PanelRound(
        number=number,
        summaries=tuple(summaries),
        scale=scale,
        notes=("The table is summarized: what single experts said is not known.",),
    )


def _columns(frame: pl.DataFrame, where: str, scale: Scale) -> dict[str, list[float]]:
    ends = [*COLUMNS, "n"]
    wanted = [f"{what}_{end}" for what in PREFIXES for end in ends]
    wanted += ["redundancy_flags", "borda_points"]
    found = {c: numbers(frame, c, where) for c in wanted if c in frame.columns}
    for needed in ("relevance_agree_pct", "relevance_iqr"):
        if needed not in found:
            raise UserError(
                f"the table has no column {needed!r}.",
                where=where,
                fix="A summarized table needs relevance_agree_pct, relevance_mean, relevance_iqr.",
            )
    for column, values in found.items():
        low, high = _limits(column, scale)
        for row, value in enumerate(values, start=1):
            if value < low or value > high:
                raise UserError(
                    f"{value:g} is not between {low:g} and {high:g}.",
                    where=f"{where}, row {row}, column {column!r}",
                )
    return found


def _limits(column: str, scale: Scale) -> tuple[float, float]:
    end = column.split("_", 1)[1]
    if end == "agree_pct":
        return 0, 100
    if end in ("mean", "median", "min", "max"):
        return scale.low, scale.high
    return 0, math.inf if end in ("n", "flags", "points") else scale.high - scale.low


def _statistics(
    values: dict[str, float], n: int | None, scale: Scale, level: float
) -> dict[str, Result]:
    found: dict[str, Result] = {}
    for end, value in values.items():
        if end == "agree_pct":
            found["agreement"] = _share(value / 100, n, level)
        elif end == "mean":
            found["mean"] = _mean(value, values.get("sd", math.nan), n, scale, level)
        else:
            found[COLUMNS[end]] = _bare(COLUMNS[end], value, n)
    return found


def _share(share: float, n: int | None, level: float) -> Result:
    bare = _bare("agreement", share, n)
    if n is None or math.isnan(share):
        return bare
    count = share * n
    if abs(count - round(count)) > 0.005 * n / 100 + 1e-9:
        return replace(bare, reason=f"{100 * share:.2f} % is no share of {n} raters: no interval")
    found = wilson(round(count), n, level=level)
    return Result(
        name="agreement",
        estimate=share,
        ci_low=found.ci_low,
        ci_high=found.ci_high,
        ci_level=level,
        n=n,
        method="share as printed, Wilson score interval",
        signature=found.signature,
    )


def _mean(mean: float, sd: float, n: int | None, scale: Scale, level: float) -> Result:
    from scipy.special import stdtrit

    bare = _bare("mean", mean, n)
    if n is None or n < 2 or math.isnan(sd) or math.isnan(mean):
        return bare
    half = float(stdtrit(n - 1, (1 + level) / 2)) * sd / math.sqrt(n)
    return Result(
        name="mean",
        estimate=mean,
        ci_low=max(mean - half, float(scale.low)),
        ci_high=min(mean + half, float(scale.high)),
        ci_level=level,
        n=n,
        method="mean as printed, Student's t interval of the printed sd, cut to the scale",
        signature=signature("mean", printed=True, sd=sd, n=n, level=level),
    )


def _bare(name: str, value: float, n: int | None) -> Result:
    missing = "the table has no value"
    return Result(
        name=name,
        estimate=value,
        n=n or 0,
        method="as printed",
        signature=signature(name, printed=True),
        reason=missing if math.isnan(value) else _UNKNOWN_N if n is None else _NONE,
    )
