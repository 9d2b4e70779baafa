"""The planner: how many items and raters an interval of a wanted width takes."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from attunement import tables
from attunement.analysis._cube import ALL, Cube, build_cube
from attunement.analysis._distance import mean_over_metrics
from attunement.errors import UserError
from attunement.stats.descriptive import column_stats
from attunement.stats.planning import half_width_of_mean, items_for_mean

if TYPE_CHECKING:
    from attunement.tables.conform import Frame

PLAN_SCHEMA: dict[str, pl.DataType] = {
    "metric": pl.String(),
    "quantity": pl.String(),
    "counted": pl.String(),
    "sd": pl.Float64(),
    "n_now": pl.Int64(),
    "width_now": pl.Float64(),
    "width_wanted": pl.Float64(),
    "n_needed": pl.Int64(),
    "reason": pl.String(),
}


def plan(
    items: Frame | None,
    responses: Frame | None,
    ratings: Frame,
    *,
    width: float,
    variant: str = "standard",
    reference: str = tables.REFERENCE,
    ci_level: float = 0.95,
) -> pl.DataFrame:
    """Say how many items and raters an interval of a wanted width takes, from a pilot's spread.

    Parameters
    ----------
    items, responses, ratings, variant, reference
        As for `analyze`; the pilot.
    width
        Of the whole interval, upper minus lower limit, in standard deviations of the reference;
        larger than 0.
    ci_level
        Coverage.

    Returns
    -------
    polars.DataFrame
        One row for each ``metric`` and ``quantity``: ``distance`` (mean distance of one source) and
        ``difference`` (paired difference of two sources) count items and take the largest standard
        deviation among the sources or pairs, to be on the safe side; ``rating`` (mean rating of one
        answer) counts raters, or a judge's repeats where there is one rater. ``sd`` and the widths
        are in standard deviations of the reference. ``n_needed`` is null with a ``reason`` where
        the pilot does not say.

    Raises
    ------
    UserError
        Where the width is not larger than 0, or `analyze` would raise.

    """
    if not width > 0 or not math.isfinite(width):
        raise UserError(f"an interval cannot be {width:g} wide.", fix="Give a width above 0.")
    cube = build_cube(items, responses, ratings, None, variant=variant, reference=reference)
    columns = [cube.sources.index(s) for s in cube.compared]
    cells = cube.standardized[:, :, columns]
    pairs = list(combinations(range(len(columns)), 2))
    rows: list[dict[str, Any]] = []
    for m, metric in enumerate([*cube.metrics, ALL]):
        layer = mean_over_metrics(cells) if metric == ALL else cells[m]
        rows.append(_row(metric, "distance", layer, width, ci_level))
        if pairs:
            first, second = [a for a, _ in pairs], [b for _, b in pairs]
            paired = (
                mean_over_metrics(cells[:, :, first] - cells[:, :, second])
                if metric == ALL
                else layer[:, first] - layer[:, second]
            )
            rows.append(_row(metric, "difference", paired, width, ci_level))
    rows += _rater_rows(cube, width, ci_level)
    return pl.DataFrame({c: [r.get(c) for r in rows] for c in PLAN_SCHEMA}, schema=PLAN_SCHEMA)


def _row(
    metric: str, quantity: str, values: np.ndarray[Any, Any], width: float, level: float
) -> dict[str, Any]:
    _, spread, n = column_stats(values)
    row: dict[str, Any] = {"metric": metric, "quantity": quantity, "counted": "items"}
    row["width_wanted"] = width
    if not np.isfinite(spread).any():
        return row | {"reason": "fewer than two items with a standardized distance"}
    at = int(np.nanargmax(spread))
    sd, now = float(spread[at]), int(n[at])
    return row | {
        "sd": sd,
        "n_now": now,
        "width_now": 2 * half_width_of_mean(sd, now, level=level),
        "n_needed": items_for_mean(sd, width / 2, level=level).n,
    }


def _rater_rows(cube: Cube, width: float, level: float) -> list[dict[str, Any]]:
    """Return raters for the mean rating of one answer, from the spread within answers."""
    from scipy.special import ndtri

    rows = []
    z = float(ndtri((1 + level) / 2))
    for m, metric in enumerate(cube.metrics):
        part = cube.repeats.filter(pl.col("dimension") == metric)
        by_rater = part.group_by("unit_id", "rater").agg(pl.col("value").mean())
        raters = by_rater["rater"].n_unique()
        repeats = by_rater if raters > 1 else part
        within = (
            repeats.group_by("unit_id")
            .agg(var=pl.col("value").var(), n=pl.len())
            .filter(pl.col("n") > 1)
        )
        if not within.height or math.isnan(cube.scale[m]):
            continue
        # Pooled variance within answers: the error of one rating in a one-way random model.
        freedom = within["n"] - 1
        error = math.sqrt(float((within["var"] * freedom).sum()) / float(freedom.sum()))
        sd = error / float(cube.scale[m])
        now = float(within["n"].median())  # type: ignore[arg-type]
        rows.append(
            {
                "metric": metric,
                "quantity": "rating",
                "counted": "raters" if raters > 1 else "repeats",
                "sd": sd,
                "n_now": int(now),
                "width_now": 2 * z * sd / math.sqrt(now),
                "width_wanted": width,
                "n_needed": max(1, math.ceil((2 * z * sd / width) ** 2 - 1e-9)),
            }
        )
    return rows
