"""What people and metrics say of the same systems, side by side, and how far it goes together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from attunement.stats.correlation import Correlation
from attunement.stats.over_systems import corrected, correlations
from attunement.stats.result import Result, TestResult, number

ByScore = Mapping[str, Mapping[str, Result]]
"""Name of a score -> system -> result."""


@dataclass(frozen=True)
class SystemScores:
    """Scores of two kinds of the same systems.

    Parameters
    ----------
    sources
        The systems, in the order in which people's scores have them.
    people, metrics
        Their scores.
    unrated
        Systems that only the metrics know.
    points
        The systems that are points of the correlations.
    correlations
        Of every score of people's with every metric.

    """

    sources: list[str]
    people: ByScore
    metrics: ByScore
    unrated: list[str]
    points: list[str]
    correlations: list[Correlation]

    @property
    def tests(self) -> list[TestResult]:
        """The correlations' tests against zero, corrected together."""
        return corrected(self.correlations)

    def table(self) -> pl.DataFrame:
        """Return a row for each system: of each score the estimate, and its interval's ends."""
        columns: dict[str, list[Any]] = {"source": self.sources}
        for name, scores in {**self.people, **self.metrics}.items():
            found = [scores.get(source) for source in self.sources]
            for end, field in _ENDS.items():
                columns[name + end] = [r and number(getattr(r, field)) for r in found]
        schema = {name: pl.String if name == "source" else pl.Float64 for name in columns}
        return pl.DataFrame(columns, schema=schema)

    def correlation_table(self) -> pl.DataFrame:
        """Return a row for each correlation, with its test."""
        rows = []
        for found, test in zip(self.correlations, self.tests, strict=True):
            said = found.as_json()
            said |= {"p_value": number(test.p_value), "p_adjusted": number(test.p_adjusted)}
            rows.append({**found.group, **said})
        return pl.DataFrame(
            [{name: row[name] for name in _CORRELATION} for row in rows], schema=_CORRELATION
        )


_ENDS = {"": "estimate", "_low": "ci_low", "_high": "ci_high"}
NUMBERS: dict[str, pl.DataType] = {
    "name": pl.String(),
    "estimate": pl.Float64(),
    "ci_low": pl.Float64(),
    "ci_high": pl.Float64(),
    "ci_level": pl.Float64(),
    "n": pl.Int64(),
    "n_missing": pl.Int64(),
}
SAID: dict[str, pl.DataType] = {
    "method": pl.String(),
    "signature": pl.String(),
    "reason": pl.String(),
}
"""Columns of a table of results, before and after those that only some have."""

_CORRELATION = pl.Schema(
    {
        "human": pl.String(),
        "metric": pl.String(),
        **NUMBERS,
        "p_value": pl.Float64(),
        "p_adjusted": pl.Float64(),
        **SAID,
    }
)


def join(
    people: Sequence[Result],
    metrics: Sequence[Result],
    *,
    without: Sequence[str] = (),
    level: float = 0.95,
) -> SystemScores:
    """Put people's scores and metrics of the same systems together, and correlate them.

    Parameters
    ----------
    people
        Results whose group has a ``source``; their name is the score's.
    metrics
        Results whose group has a ``source`` and a ``metric``; may be none.
    without
        Sources that are in the table and are no points of the correlations, such as people's own
        answers.
    level
        Coverage of the correlations' intervals.

    Raises
    ------
    ValueError
        Where no source has scores of both kinds, or a metric is called as one of people's scores,
        or so that its columns in the table of both would be called as another's.

    """
    mine = _by_score(people, [r.name for r in people])
    theirs = _by_score(metrics, [r.group["metric"] for r in metrics])
    both = set(mine) & set(theirs)
    if both:
        raise ValueError(f"{min(both)!r} is a score of people's and of a metric")
    columns = Counter(["source", *(name + end for name in (*mine, *theirs) for end in _ENDS)])
    twice = next((column for column, times in columns.items() if times > 1), None)
    if twice is not None:
        raise ValueError(f"two columns would be called {twice!r}: give the metric another name")
    sources = list(dict.fromkeys(r.group["source"] for r in people))
    others = list(dict.fromkeys(r.group["source"] for r in metrics))
    if metrics and not set(sources) & set(others):
        known, found = (", ".join(map(repr, names[:3])) or "none" for names in (sources, others))
        raise ValueError(f"no source has both; people rated {known}, the metrics have {found}")
    points = [s for s in sources if s in others and s not in without]
    return SystemScores(
        sources=sources,
        people=mine,
        metrics=theirs,
        unrated=[s for s in others if s not in sources],
        points=points,
        correlations=correlations(_values(mine), _values(theirs), points, level=level),
    )


def _by_score(results: Sequence[Result], names: Sequence[str]) -> dict[str, dict[str, Result]]:
    found: dict[str, dict[str, Result]] = {}
    for name, result in zip(names, results, strict=True):
        found.setdefault(name, {})[result.group["source"]] = result
    return found


def _values(scores: ByScore) -> dict[str, dict[str, float]]:
    return {
        name: {s: r.estimate for s, r in of.items() if not math.isnan(r.estimate)}
        for name, of in scores.items()
    }
