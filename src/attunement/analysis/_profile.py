"""Profiles: means of the metrics by source and topic, and how they correlate with the reference's.

The correlations run over the metrics, six points with the seven metrics of the library: they are
descriptive, and no recommendation rests on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attunement.analysis._cube import INCLUSIVE, THERAPIST, Cube
from attunement.stats.comparison import holm
from attunement.stats.correlation import PAPER_SCALE, euclidean, pearson, spearman
from attunement.stats.correlation_difference import (
    fisher_independent,
    meng,
    paper_test,
    steiger_nonoverlapping,
    steiger_overlapping,
)
from attunement.stats.descriptive import column_stats, t_interval, why_no_interval
from attunement.stats.result import TestResult, signature

Floats = NDArray[np.float64]
Rows = list[dict[str, Any]]

STANDARD_RANGE: Mapping[str, tuple[float, float]] = {
    "sentiment_change": (-2.0, 2.0),
    "sentiment_slope": (-3.0, 3.0),
    "simplicity": (0.0, 100.0),
    "recycling": (0.0, 1.0),
    "agreeability": (0.0, 10.0),
    "active_listening": (0.0, 10.0),
}
"""What the standard variant scales to 0..1: each metric's own range. Polarity lies in -1..1, so a
change lies in -2..2 and a slope over positions 0..1 in -3..3; Flesch's scale is 0..100 by design
and may be exceeded. Another metric is scaled by the smallest and largest value in the table."""


BOUNDED: Mapping[str, tuple[float, float]] = {
    INCLUSIVE: (0.0, 1.0),
    **{m: r for m, r in STANDARD_RANGE.items() if m != "simplicity"},
}
"""Metrics whose mean cannot leave a range; Student's interval of few items is cut there."""


def profile_rows(cube: Cube, *, level: float) -> Rows:
    """Return mean, standard deviation and Student's interval by source, topic and metric."""
    signed = signature("mean", ci="t", level=level, inputs=cube.digest)
    rows: Rows = []
    for topic in ("all", *cube.named_topics):
        chosen = cube.rows(topic)
        for m, metric in enumerate(cube.metrics):
            part = cube.value[m, chosen]
            center, spread, n = column_stats(part)
            low, high = t_interval(part, level=level)
            if metric in BOUNDED:
                low, high = (np.clip(limit, *BOUNDED[metric]) for limit in (low, high))
            for s, source in enumerate(cube.sources):
                reason = why_no_interval(int(n[s]), float(low[s]))
                if metric == INCLUSIVE and source == cube.reference:
                    reason = "the metric compares with the reference itself"
                rows.append(
                    {
                        "source": source,
                        "topic": topic,
                        "metric": metric,
                        "estimate": center[s],
                        "sd": spread[s],
                        "ci_low": low[s],
                        "ci_high": high[s],
                        "n": int(n[s]),
                        "n_missing": int(chosen.sum() - n[s]),
                        "reason": reason,
                        "signature": signed,
                    }
                )
    return rows


class Profiles:
    """Normalized profiles, shape (exclusive metrics,), by source and topic."""

    def __init__(self, cube: Cube, variant: str) -> None:
        self.metrics = [m for m in cube.metrics if m != INCLUSIVE]
        self.topics = ["all", *cube.named_topics]
        self.sources = cube.sources
        self._profile: dict[tuple[str, str], Floats] = {}
        index = [cube.metrics.index(m) for m in self.metrics]
        scales = [_scaling(cube, m, variant) for m in self.metrics]
        for topic in self.topics:
            chosen = cube.rows(topic)
            for s, source in enumerate(cube.sources):
                means = column_stats(cube.value[index][:, chosen, s].T)[0] if index else np.empty(0)
                scaled = [scale(v) for scale, v in zip(scales, means, strict=True)]
                self._profile[source, topic] = np.array(scaled, dtype=np.float64)
        # Thousands of pairs of topics: whole profiles are centered and scaled to length 1 once.
        self._unit = {
            key: (p - p.mean()) / np.linalg.norm(p - p.mean())
            for key, p in self._profile.items()
            if p.size > 1 and np.isfinite(p).all() and np.ptp(p) > 0
        }

    def get(self, source: str, topic: str) -> Floats:
        """Return one profile; all NaN where the source is not there."""
        return self._profile.get((source, topic), np.full(len(self.metrics), np.nan))

    def r(self, a: tuple[str, str], b: tuple[str, str]) -> float:
        """Return Pearson's correlation of two profiles."""
        if a in self._unit and b in self._unit:
            return max(-1.0, min(1.0, float(self._unit[a] @ self._unit[b])))
        return pearson(self.get(*a), self.get(*b)).estimate

    def points(self, *keys: tuple[str, str]) -> int:
        """Return how many metrics all of these profiles have."""
        if all(k in self._unit for k in keys):
            return len(self.metrics)
        return int(np.isfinite(np.array([self.get(*k) for k in keys])).all(axis=0).sum())

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of the normalized frame."""
        for (source, topic), values in self._profile.items():
            for metric, value in zip(self.metrics, values, strict=True):
                yield {"source": source, "topic": topic, "metric": metric, "value": value}


def _scaling(cube: Cube, metric: str, variant: str) -> Callable[[float], float]:
    if variant == "paper":
        divisor = PAPER_SCALE.get(metric, 1.0)
        return lambda v: v / divisor
    if metric in STANDARD_RANGE:
        low, high = STANDARD_RANGE[metric]
    else:
        found = cube.value[cube.metrics.index(metric)]
        found = found[np.isfinite(found)]
        low, high = (float(found.min()), float(found.max())) if found.size else (0.0, 1.0)
    width = (high - low) or 1.0
    return lambda v: (v - low) / width


def similarity_rows(profiles: Profiles, reference: str, *, level: float) -> Rows:
    """Return Pearson, Spearman and Euclidean distance to the reference profile."""
    rows: Rows = []
    for source in profiles.sources:
        if source == reference:
            continue
        for topic in profiles.topics:
            x, y = profiles.get(source, topic), profiles.get(reference, topic)
            key = {"source": source, "topic": topic}
            for found in (pearson(x, y, level=level), spearman(x, y, level=level)):
                rows.append(
                    {
                        **key,
                        "method": found.name,
                        "estimate": found.estimate,
                        "ci_low": found.ci_low,
                        "ci_high": found.ci_high,
                        "p_value": found.p_value,
                        "n": found.n,
                        "n_missing": found.n_missing,
                        "reason": found.reason,
                        "signature": found.signature,
                    }
                )
            far = euclidean(x, y)
            rows.append(
                {
                    **key,
                    "method": far.name,
                    "estimate": far.estimate,
                    "n": far.n,
                    "n_missing": far.n_missing,
                    "reason": far.reason
                    or "a distance of two profiles has no interval and no test",
                    "signature": far.signature,
                }
            )
    return rows


def correlation_test_rows(profiles: Profiles, reference: str, variant: str) -> Rows:
    """Return tests between models (over all topics) and between topics (within each model).

    Holm's correction runs over the pairs of models of one method, and over the pairs of topics of
    one source and method.
    """
    models = [s for s in profiles.sources if s not in (reference, THERAPIST)]
    rows: Rows = []
    families: dict[tuple[str, ...], Rows] = {}
    for a, b in combinations(models, 2):
        for test in _between_models(profiles, reference, a, b):
            row = {"source_a": a, "source_b": b, "topic_a": "all", "topic_b": "all"}
            row |= {"kind": "between_models", **_plain(test)}
            families.setdefault(("between_models", test.name), []).append(row)
            rows.append(row)
    for source in models:
        for a, b in combinations(profiles.topics[1:], 2):
            for test in _between_topics(profiles, reference, source, a, b, variant):
                row = {"source_a": source, "source_b": source, "topic_a": a, "topic_b": b}
                row |= {"kind": "between_topics", **_plain(test)}
                families.setdefault(("between_topics", source, test.name), []).append(row)
                rows.append(row)
    for family in families.values():
        for row, p in zip(family, holm([r["p_value"] for r in family]), strict=True):
            row["p_adjusted"] = p
    return rows


def _between_models(profiles: Profiles, reference: str, a: str, b: str) -> list[TestResult]:
    gold, first, second = (reference, "all"), (a, "all"), (b, "all")
    r1, r2, r12 = profiles.r(first, gold), profiles.r(second, gold), profiles.r(first, second)
    n = profiles.points(gold, first, second)
    return [meng(r1, r2, r12, n), steiger_overlapping(r1, r2, r12, n)]


def _between_topics(
    profiles: Profiles, reference: str, source: str, a: str, b: str, variant: str
) -> list[TestResult]:
    j, k, h, m = (source, a), (reference, a), (source, b), (reference, b)
    r_jk, r_hm = profiles.r(j, k), profiles.r(h, m)
    n = profiles.points(j, k, h, m)
    tests = [
        steiger_nonoverlapping(
            r_jk,
            r_hm,
            r_jh=profiles.r(j, h),
            r_jm=profiles.r(j, m),
            r_kh=profiles.r(k, h),
            r_km=profiles.r(k, m),
            n=n,
        ),
        fisher_independent(r_jk, profiles.points(j, k), r_hm, profiles.points(h, m)),
    ]
    if variant == "paper":
        tests.append(paper_test(r_jk, r_hm, n))
    return tests


def _plain(test: TestResult) -> dict[str, Any]:
    return {
        "method": test.name,
        "statistic": test.statistic,
        "p_value": test.p_value,
        "n": test.n,
        "reason": test.reason,
        "signature": test.signature,
    }
