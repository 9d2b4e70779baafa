"""The main result: how far each answer is from the reference answer to the same question.

The yardstick is the distance of another therapist's answer from the same reference answer. It is
one answer against one, as a model's is, so that the two can be compared item by item.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attunement import tables
from attunement.analysis._cube import ALL, INCLUSIVE, THERAPIST, Cube
from attunement.stats.bootstrap import (
    bootstrap_means,
    mean_intervals,
    percentile_interval,
    probability_of_least,
    rank_draws,
)
from attunement.stats.comparison import decided, holm, signed_rank
from attunement.stats.descriptive import (
    column_stats,
    settle,
    settle_difference,
    why_no_interval,
)
from attunement.stats.equivalence import tost
from attunement.stats.result import signature

Floats = NDArray[np.float64]
Rows = list[dict[str, Any]]

RANKED_FROM = 5
"""Items from which on ranks are resampled: fewer give too few different samples."""
ENOUGH = 0.5
"""A source is ranked where it has this share of the cells that the fullest source has."""


def mean_over_metrics(cells: Floats) -> Floats:
    """Return the mean over the first axis, NaN left out; NaN where there is nothing."""
    there = np.isfinite(cells)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(there, cells, 0.0).sum(axis=0) / there.sum(axis=0))


class Setting:
    """What every row's interval shares: replicates, seed, level and the data's hash."""

    def __init__(self, cube: Cube, replicates: int, seed: int, level: float) -> None:
        self.replicates, self.seed, self.level = replicates, seed, level
        self._digest = cube.digest

    def intervals(self, values: Floats) -> tuple[Floats, Floats, list[str]]:
        """Return limits of each column's mean, and the signature that says how they were made."""
        low, high, how = mean_intervals(
            values, replicates=self.replicates, seed=self.seed, level=self.level
        )
        return low, high, [self.sign("distance", ci) for ci in how]

    def sign(self, name: str, ci: str) -> str:
        """Return a signature."""
        drawn = ci != "t"
        return signature(
            name,
            ci=ci,
            level=self.level,
            replicates=self.replicates if drawn else None,
            seed=self.seed if drawn else None,
            inputs=self._digest,
        )


def distance_rows(cube: Cube, setting: Setting) -> Rows:
    """Return the mean distance by source, topic and metric, and over all metrics."""
    sources = [s for s in cube.sources if s != cube.reference]
    columns = [cube.sources.index(s) for s in sources]
    whole = mean_over_metrics(cube.standardized)
    layers = [*zip(cube.metrics, cube.distance, cube.scale, strict=True), (ALL, whole, 1.0)]
    rows: Rows = []
    for topic in (ALL, *cube.named_topics):
        chosen = cube.rows(topic)
        part = np.concatenate([layer[chosen][:, columns] for _, layer, _ in layers], axis=1)
        center, _, n = column_stats(part)
        low, high, signed = setting.intervals(part)
        low = np.maximum(low, 0.0)  # no distance is below 0, but Student's interval may be
        at = 0
        for metric, _, scale in layers:
            for source in sources:
                why = _why(cube, metric, source, int(n[at]), float(low[at]), float(scale))
                rows.append(
                    {
                        "source": source,
                        "topic": topic,
                        "metric": metric,
                        "estimate": center[at],
                        "ci_low": low[at],
                        "ci_high": high[at],
                        "standardized": center[at] / scale,
                        "n": int(n[at]),
                        "n_missing": int(chosen.sum() - n[at]),
                        "reason": why,
                        "signature": signed[at],
                    }
                )
                at += 1
    return rows


def _why(cube: Cube, metric: str, source: str, n: int, low: float, scale: float) -> str | None:
    if metric == INCLUSIVE and cube.reference != tables.REFERENCE:
        return f"was computed against {tables.REFERENCE!r}, not {cube.reference!r}"
    if n:
        no_scale = "the reference does not vary over items: no standardized distance"
        return why_no_interval(n, low) or (no_scale if math.isnan(scale) else None)
    if cube.column(cube.reference) is None and metric != INCLUSIVE:
        return "there are no reference answers"
    return "no item with a value of both" if source != THERAPIST else "no item with a yardstick"


def comparison_rows(cube: Cube, setting: Setting) -> Rows:
    """Return paired comparisons: by metric over all topics, and over all metrics by topic.

    Two sources are compared on the items, and for ``all`` on the metrics, that both have. Holm's
    correction runs over the pairs of sources of one metric and topic; comparisons with the
    yardstick are a family of their own.
    """
    pairs = [(a, b, "sources") for a, b in combinations(cube.compared, 2)]
    if THERAPIST in cube.sources:
        pairs += [(a, THERAPIST, "yardstick") for a in cube.compared]
    if not pairs:
        return []
    first = [cube.sources.index(a) for a, _, _ in pairs]
    second = [cube.sources.index(b) for _, b, _ in pairs]
    standardized = cube.standardized
    apart = settle_difference(standardized[:, :, first], standardized[:, :, second])
    whole = settle(mean_over_metrics(apart), mean_over_metrics(np.abs(apart)))
    layers = [
        (metric, ALL, settle_difference(layer[:, first], layer[:, second]))
        for metric, layer in zip(cube.metrics, cube.distance, strict=True)
    ]
    layers += [(ALL, topic, whole[cube.rows(topic)]) for topic in (ALL, *cube.named_topics)]
    rows: Rows = []
    for metric, topic, differences in layers:
        rows += _compared(cube, setting, pairs, metric, topic, differences)
    return rows


def _compared(
    cube: Cube,
    setting: Setting,
    pairs: list[tuple[str, str, str]],
    metric: str,
    topic: str,
    differences: Floats,
) -> Rows:
    center, _, n = column_stats(differences)
    low, high, signed = setting.intervals(differences)
    tests = [signed_rank(column) for column in differences.T]
    adjusted = np.full(len(pairs), np.nan)
    for family in ("sources", "yardstick"):
        of = [i for i, pair in enumerate(pairs) if pair[2] == family]
        adjusted[of] = holm([tests[i].p_value for i in of])
    rows: Rows = []
    for i, (a, b, _) in enumerate(pairs):
        test = tests[i]
        side = decided(low[i], high[i], adjusted[i], test.effect_size, alpha=1 - setting.level)
        rows.append(
            {
                "metric": metric,
                "topic": topic,
                "source_a": a,
                "source_b": b,
                "difference": center[i],
                "ci_low": low[i],
                "ci_high": high[i],
                "statistic": test.statistic,
                "p_value": test.p_value,
                "p_adjusted": adjusted[i],
                "effect_size": test.effect_size,
                "effect_name": test.effect_name,
                "closer": {-1: a, 0: None, 1: b}[side],
                "n": int(n[i]),
                "n_missing": differences.shape[0] - int(n[i]),
                "reason": _why_compared(int(n[i]), low[i], test.reason),
                "signature": signed[i].replace("distance|", "paired|test:wilcoxon-pratt|", 1),
            }
        )
    return rows


def _why_compared(n: int, low: float, no_test: str | None) -> str | None:
    no_interval = why_no_interval(n, low)
    return no_interval if n == 1 else no_test or no_interval


def equivalence_rows(cube: Cube, *, alpha: float = 0.05) -> Rows:
    """Return whether each source's mean lies within the yardstick of the reference's (TOST).

    The yardstick is taken as a fixed margin. Holm's correction runs over the sources of a metric.
    """
    yardstick = cube.column(THERAPIST)
    rows: Rows = []
    for m, metric in enumerate(cube.metrics):
        margin = math.nan
        if yardstick is not None:
            margin = float(column_stats(cube.distance[m][:, [yardstick]])[0][0])
        why = None
        if metric == INCLUSIVE:
            why = "the metric is a distance itself and has no sign"
        elif margin == 0:
            why = "the therapists do not differ at all: no margin"
        family: Rows = []
        for source in cube.compared:
            usable = math.nan if margin == 0 or metric == INCLUSIVE else margin
            found = tost(cube.signed[m][:, cube.sources.index(source)], usable, alpha=alpha)
            family.append(
                {
                    "source": source,
                    "metric": metric,
                    "margin": margin,
                    "estimate": found.estimate,
                    "ci_low": found.ci_low,
                    "ci_high": found.ci_high,
                    "statistic": found.statistic,
                    "p_value": found.p_value,
                    "n": found.n,
                    "n_missing": found.n_missing,
                    "reason": why or ("no yardstick" if math.isnan(margin) else found.reason),
                    "signature": signature("tost", alpha=alpha, inputs=cube.digest),
                }
            )
        for row, p in zip(family, holm([r["p_value"] for r in family]), strict=True):
            row["p_adjusted"] = p
            row["equivalent"] = None if math.isnan(p) else bool(p < alpha)
            row["verdict"] = _verdict(row)
        rows += family
    return rows


def _verdict(row: dict[str, Any]) -> str:
    if row["equivalent"] is None:
        return str(row["reason"])
    if row["equivalent"]:
        return (
            "equivalent on average: the mean difference is smaller than the therapists' distance, "
            "which says nothing about single answers"
        )
    # Where all differences are the same there is no interval, and the mean is each of them
    ends = row["ci_low"], row["ci_high"]
    low, high = (row["estimate"],) * 2 if math.isnan(ends[0]) else ends
    if low >= row["margin"] or high <= -row["margin"]:
        return "different: the mean difference is larger than the therapists' distance"
    return "not shown: the interval reaches beyond the therapists' distance"


def ranking_rows(cube: Cube, setting: Setting) -> Rows:
    """Rank the sources by mean standardized distance on the items and metrics that all have.

    A source with fewer than half of the cells of the fullest one is not ranked, so that it cannot
    take the items of the others with it.
    """
    columns = [cube.sources.index(s) for s in cube.compared]
    cells = cube.standardized[:, :, columns]
    rows: Rows = []
    for topic in (ALL, *cube.named_topics):
        rows += _ranked(cube, setting, topic, cells[:, cube.rows(topic)])
    return rows


def _ranked(cube: Cube, setting: Setting, topic: str, cells: Floats) -> Rows:
    there = np.isfinite(cells)
    filled = np.asarray(there.sum(axis=(0, 1)), dtype=np.int64)
    kept = _full_enough(filled)
    rows: Rows = [{"topic": topic, "source": s} for s in cube.compared]
    for i in np.flatnonzero(~kept):
        rows[i] |= {
            "n": 0,
            "n_missing": cells.shape[1],
            "reason": f"rated on {filled[i]} of {filled.max(initial=0)} items and metrics"
            if filled[i]
            else "no standardized distance",
            "signature": setting.sign("rank", "t"),
        }
    if not kept.any():
        return rows
    common = np.asarray(there[:, :, kept].all(axis=2), dtype=bool)
    means = mean_over_metrics(np.where(common[:, :, None], cells[:, :, kept], np.nan))
    means = settle(means[common.any(axis=0)])
    n = means.shape[0]
    center = settle(column_stats(means)[0])
    low, high, signed = setting.intervals(means)
    ranks = [int((center < c).sum()) + 1 for c in center]
    nothing = "no item and metric that every source has"
    reasons = [why_no_interval(n, limit) if n else nothing for limit in low]
    rank_low = rank_high = best = np.full(int(kept.sum()), np.nan)
    if n >= RANKED_FROM:
        draws = bootstrap_means(means, replicates=setting.replicates, seed=setting.seed)
        lows, highs = percentile_interval(rank_draws(draws), level=setting.level)
        rank_low, rank_high = np.floor(lows), np.ceil(highs)
        best = probability_of_least(draws)
    elif n > 1:
        reasons = [f"{n} items: ranks are resampled from {RANKED_FROM} on"] * len(reasons)
    for at, i in enumerate(np.flatnonzero(kept)):
        rows[i] |= {
            "estimate": center[at],
            "ci_low": low[at],
            "ci_high": high[at],
            "rank": ranks[at] if n else None,
            "rank_low": _whole(rank_low[at]),
            "rank_high": _whole(rank_high[at]),
            "p_best": best[at],
            "n": n,
            "n_missing": cells.shape[1] - n,
            "reason": reasons[at],
            "signature": signed[at].replace("distance|", "rank|", 1),
        }
    return rows


def _full_enough(filled: NDArray[np.int64]) -> NDArray[np.bool_]:
    return np.asarray([0 < f >= ENOUGH * filled.max() for f in filled], dtype=bool)


def _whole(value: float) -> int | None:
    return None if math.isnan(value) else int(value)
