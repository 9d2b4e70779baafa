"""Counts and means of ratings that come in batches."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Unpack

import polars as pl

from attunement.raters.metrics.systems import Systems
from attunement.tables import STATUSES

if TYPE_CHECKING:
    from attunement.stats.agreement.resampling import Bootstrap
    from attunement.stats.result import Result


@dataclass
class _Moments:
    """Mean and spread of values that are seen batch by batch (Chan, Golub and LeVeque 1979)."""

    n: int = 0
    mean: float = 0.0
    squares: float = 0.0  # sum of squared distances from the mean
    missing: int = 0

    def add(self, n: int, mean: float, squares: float) -> None:
        both = self.n + n
        apart = mean - self.mean
        self.squares += squares + apart * apart * self.n * n / both
        self.mean += apart * n / both
        self.n = both


@dataclass
class Summary:
    """How many ratings have which status, and the mean of each metric by source."""

    statuses: dict[str, Counter[str]] = field(default_factory=dict)
    """Metric -> status -> number of ratings."""
    reasons: dict[str, Counter[str]] = field(default_factory=dict)
    """Metric -> why there is no value -> number of ratings; ids and messages left out."""
    signatures: dict[str, str] = field(default_factory=dict)
    """Metric -> signature."""
    systems: Systems = field(default_factory=Systems)
    """What the numbers of whole systems are made of."""
    _moments: dict[tuple[str, str], _Moments] = field(default_factory=dict)

    def add(self, ratings: pl.DataFrame) -> None:
        """Count a batch of ratings."""
        groups = ratings.group_by("dimension", "source", maintain_order=True).agg(
            n=pl.col("value").count(),
            mean=pl.col("value").mean(),
            squares=((pl.col("value") - pl.col("value").mean()) ** 2).sum(),
            missing=pl.col("value").null_count(),
            signature=pl.col("signature").first(),
        )
        for row in groups.iter_rows(named=True):
            self.signatures.setdefault(row["dimension"], row["signature"])
            kept = self._moments.setdefault((row["source"], row["dimension"]), _Moments())
            kept.missing += row["missing"]
            if row["n"]:
                kept.add(row["n"], row["mean"], row["squares"])
        status = ratings.group_by("dimension", "status", maintain_order=True).len()
        for metric, name, n in status.iter_rows():
            self.statuses.setdefault(metric, Counter())[name] += n
        # What is particular to one answer, an id or an error message, would make a reason each.
        plain = (
            pl.col("rationale")
            .str.replace("^no answer: .*", "no answer")
            .str.replace_all("'[^']*'", "'...'")
        )
        why = ratings.filter(pl.col("status") != "ok").select("dimension", why=plain)
        for metric, reason, n in why.group_by("dimension", "why", maintain_order=True).len().rows():
            self.reasons.setdefault(metric, Counter())[reason or "no reason"] += n

    @property
    def metrics(self) -> list[str]:
        """The metrics, in the order of the ratings."""
        return list(self.statuses)

    @property
    def failed(self) -> int:
        """Ratings with status ``error``."""
        return sum(counts["error"] for counts in self.statuses.values())

    def status_counts(self, metric: str) -> dict[str, int]:
        """Return status -> number of ratings of a metric, in the order of `STATUSES`."""
        counts = self.statuses[metric]
        return {s: counts[s] for s in STATUSES if counts[s]}

    def means(self, *, level: float = 0.95) -> list[Result]:
        """Return the mean of each metric for each source, with Student's interval.

        ``n_missing`` counts the ratings that have no value.
        """
        from attunement.stats.descriptive import why_no_interval
        from attunement.stats.result import Result

        results = []
        for (source, metric), m in self._moments.items():
            low, high = _interval(m, level)
            results.append(
                Result(
                    name="mean",
                    estimate=m.mean if m.n else math.nan,
                    ci_low=low,
                    ci_high=high,
                    ci_level=level,
                    n=m.n,
                    n_missing=m.missing,
                    method="mean over responses, Student's t interval",
                    group={"source": source, "metric": metric},
                    signature=self.signatures[metric],
                    reason=why_no_interval(m.n, low),
                )
            )
        return results

    def by_system(self, **bootstrap: Unpack[Bootstrap]) -> list[Result]:
        """Return one number for each source and metric: of all its answers, or else their mean.

        Parameters
        ----------
        bootstrap
            ``replicates``, ``ci_level``, ``seed``; see `Bootstrap`. Means have Student's interval.

        """
        whole = {tuple(r.group.values()): r for r in self.systems.results(**bootstrap)}
        means = self.means(level=bootstrap.get("ci_level", 0.95))
        return [whole.get(tuple(mean.group.values()), mean) for mean in means]

    def mean(self, metric: str) -> float:
        """Return the mean of a metric over all sources, NaN where it has no value."""
        of_metric = [m for (_, name), m in self._moments.items() if name == metric]
        n = sum(m.n for m in of_metric)
        return sum(m.mean * m.n for m in of_metric) / n if n else math.nan


def _interval(m: _Moments, level: float) -> tuple[float, float]:
    from scipy.special import stdtrit

    from attunement.stats.descriptive import ROUNDING

    if m.n < 2 or math.sqrt(m.squares / m.n) <= ROUNDING * abs(m.mean):
        return math.nan, math.nan
    error = math.sqrt(m.squares / (m.n - 1) / m.n)
    half = float(stdtrit(m.n - 1, (1 + level) / 2)) * error
    return m.mean - half, m.mean + half
