"""What an analysis returns, and how it is written and read."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs

from attunement import tables
from attunement.errors import UserError
from attunement.stats.result import SCHEMA_VERSION, Result, TestResult, signature

FILE = "analysis.json"

_TEXT, _NUMBER, _WHOLE, _YES = pl.String(), pl.Float64(), pl.Int64(), pl.Boolean()
_ESTIMATE = {"estimate": _NUMBER, "ci_low": _NUMBER, "ci_high": _NUMBER}
_COUNTS = {"n": _WHOLE, "n_missing": _WHOLE, "reason": _TEXT, "signature": _TEXT}
_KEY = {"source": _TEXT, "topic": _TEXT, "metric": _TEXT}
_TEST = {"statistic": _NUMBER, "p_value": _NUMBER, "p_adjusted": _NUMBER}

SCHEMAS: dict[str, dict[str, pl.DataType]] = {
    "profile": {
        **_KEY,
        "estimate": _NUMBER,
        "sd": _NUMBER,
        "ci_low": _NUMBER,
        "ci_high": _NUMBER,
        **_COUNTS,
    },
    "normalized": {**_KEY, "value": _NUMBER},
    "similarity": {
        "source": _TEXT,
        "topic": _TEXT,
        "method": _TEXT,
        **_ESTIMATE,
        "p_value": _NUMBER,
        **_COUNTS,
    },
    "correlation_tests": {
        "kind": _TEXT,
        "method": _TEXT,
        "source_a": _TEXT,
        "source_b": _TEXT,
        "topic_a": _TEXT,
        "topic_b": _TEXT,
        **_TEST,
        "n": _WHOLE,
        "reason": _TEXT,
        "signature": _TEXT,
    },
    "distance": {**_KEY, **_ESTIMATE, "standardized": _NUMBER, **_COUNTS},
    "comparisons": {
        "metric": _TEXT,
        "topic": _TEXT,
        "source_a": _TEXT,
        "source_b": _TEXT,
        "difference": _NUMBER,
        "ci_low": _NUMBER,
        "ci_high": _NUMBER,
        **_TEST,
        "effect_size": _NUMBER,
        "effect_name": _TEXT,
        "closer": _TEXT,
        **_COUNTS,
    },
    "equivalence": {
        "source": _TEXT,
        "metric": _TEXT,
        "margin": _NUMBER,
        **_ESTIMATE,
        **_TEST,
        "equivalent": _YES,
        "verdict": _TEXT,
        **_COUNTS,
    },
    "ranking": {
        "topic": _TEXT,
        "source": _TEXT,
        **_ESTIMATE,
        "rank": _WHOLE,
        "rank_low": _WHOLE,
        "rank_high": _WHOLE,
        "p_best": _NUMBER,
        **_COUNTS,
    },
    "answers": {
        "source": _TEXT,
        "n": _WHOLE,
        "errors": _WHOLE,
        "empty": _WHOLE,
        "refusals": _WHOLE,
        "refusal_rate": _NUMBER,
        "refusal_low": _NUMBER,
        "refusal_high": _NUMBER,
        "disclaimers": _WHOLE,
        "disclaimer_rate": _NUMBER,
        "disclaimer_low": _NUMBER,
        "disclaimer_high": _NUMBER,
        "words_mean": _NUMBER,
        "latency_mean_s": _NUMBER,
        "tokens_out_mean": _NUMBER,
        "cost_total_usd": _NUMBER,
        "attempts_mean": _NUMBER,
    },
    "coverage": {"source": _TEXT, "metric": _TEXT, "status": _TEXT, "count": _WHOLE},
}
"""Columns and types of every frame. An undefined number is null, and ``reason`` says why."""


def build(name: str, rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Return the frame ``name`` of these rows: columns in order, absent ones and NaN as null."""
    table = list(rows)
    schema = SCHEMAS[name]
    columns = {c: [row.get(c) for row in table] for c in schema}
    return pl.DataFrame(columns, schema=schema, strict=False).with_columns(
        cs.float().fill_nan(None)
    )


@dataclass(frozen=True)
class Analysis:
    """Everything an analysis found. Every frame has the columns of `SCHEMAS`; undefined is null.

    Parameters
    ----------
    variant
        ``standard`` or ``paper``.
    reference
        The source that the others are held against.
    sources, metrics, topics
        In order of appearance; sources without the reference and without ``therapist``.
    demonstration
        Raters whose scores are of demonstration quality.
    profile
        Mean of every metric by source (reference and therapists included) and topic, Student's t.
    normalized
        The profile scaled for correlations, metrics that exclude the baseline only.
    similarity
        Correlations and distance between a source's profile and the reference's. Descriptive.
    correlation_tests
        Differences between those correlations, by models and by topics. Descriptive.
    distance
        Mean distance to the reference by item; source ``therapist`` is the yardstick; metric
        ``all`` is the mean standardized distance.
    comparisons
        Paired differences of distances between two sources, or a source and ``therapist``; topic
        ``all`` by metric, every topic for metric ``all``; ``closer`` names the source that is
        shown to be closer.
    equivalence
        Mean signed difference from the reference within the yardstick (TOST).
    ranking
        Mean standardized distance and rank by topic, resampled over items.
    answers
        Refusals, disclaimers, length, time and cost by source.
    coverage
        Ratings by source, metric and status; ``not_rated`` counts answers without any.
    recommendations
        Dictionaries with ``topic``, ``source``, ``kind``, ``text`` and ``evidence``.
    summary
        Two sentences: what was compared, and what came out.
    methods
        A paragraph ready to paste.
    ci_level, seed, replicates
        Of the intervals and the bootstrap.

    """

    variant: str
    reference: str
    sources: list[str]
    metrics: list[str]
    topics: list[str]
    demonstration: list[str]
    profile: pl.DataFrame
    normalized: pl.DataFrame
    similarity: pl.DataFrame
    correlation_tests: pl.DataFrame
    distance: pl.DataFrame
    comparisons: pl.DataFrame
    equivalence: pl.DataFrame
    ranking: pl.DataFrame
    answers: pl.DataFrame
    coverage: pl.DataFrame
    recommendations: list[dict[str, Any]] = field(default_factory=list)
    summary: list[str] = field(default_factory=list)
    methods: str = ""
    ci_level: float = 0.95
    seed: int = 1
    replicates: int = 2000

    def results(self) -> list[Result]:
        """Return every estimate, as ``--json`` prints it."""
        out = []
        for name, frame, method in (
            ("mean", self.profile, "mean over items, Student's t interval"),
            ("distance", self.distance, "mean distance to the reference over items"),
            ("rank_distance", self.ranking, "mean standardized distance, items in common"),
            ("similarity", self.similarity, "profiles of metrics, descriptive"),
        ):
            out += [self._result(name, row, method) for row in frame.iter_rows(named=True)]
        out += [
            self._result("difference", row, "mean paired difference of distances over items")
            for row in self.comparisons.rename({"difference": "estimate"}).iter_rows(named=True)
        ]
        out += [
            self._result("equivalence", row, "mean signed difference from the reference, TOST")
            for row in self.equivalence.iter_rows(named=True)
        ]
        for kind in ("refusal", "disclaimer"):
            out += [self._share(kind, row) for row in self.answers.iter_rows(named=True)]
        return out

    def tests(self) -> list[TestResult]:
        """Return every test, as the ``tests`` key of ``--json`` lists it."""
        return [
            *(
                _test(row["method"], row, "correlation of profiles against zero, descriptive")
                for row in self.similarity.iter_rows(named=True)
                if row["method"] != "euclidean"
            ),
            *(
                _test(row["method"], row, f"correlations compared {row['kind']}, descriptive")
                for row in self.correlation_tests.iter_rows(named=True)
            ),
            *(
                _test("wilcoxon", row, "Wilcoxon signed-rank test of paired distances")
                for row in self.comparisons.iter_rows(named=True)
            ),
            *(
                _test("tost", row, "two one-sided paired t tests")
                for row in self.equivalence.iter_rows(named=True)
            ),
        ]

    def write(self, folder: str | Path) -> Path:
        """Write ``analysis.json`` into a folder and return its path."""
        path = Path(folder) / FILE
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")
        part.write_text(json.dumps(self.as_json(), ensure_ascii=False, allow_nan=False), "utf-8")
        part.replace(path)
        return path

    def write_tables(self, folder: str | Path) -> list[Path]:
        """Write every frame as a CSV file of its name and return their paths."""
        made = []
        for name in SCHEMAS:
            path = Path(folder) / f"{name}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            tables.for_spreadsheet(getattr(self, name)).write_csv(path)
            made.append(path)
        return made

    def as_json(self) -> dict[str, Any]:
        """Return the analysis as ``analysis.json`` holds it."""
        plain = {k: v for k, v in vars(self).items() if k not in SCHEMAS}
        frames = {
            name: {
                "columns": list(schema),
                "rows": [[_plain(v) for v in r] for r in getattr(self, name).rows()],
            }
            for name, schema in SCHEMAS.items()
        }
        return {"schema_version": SCHEMA_VERSION, **plain, "frames": frames}

    @classmethod
    def read(cls, path: str | Path) -> Analysis:
        """Read an ``analysis.json``, or the one in a folder.

        Raises
        ------
        UserError
            Where there is none, or it is not one.

        """
        file = Path(path)
        file = file / FILE if file.is_dir() else file
        if not file.is_file():
            raise UserError(
                "no analysis there.", where=str(path), fix="Run attunement analyze first."
            )
        try:
            found = json.loads(file.read_text("utf-8"))
            frames: dict[str, Any] = {
                name: build(name, (dict(zip(f["columns"], row, strict=True)) for row in f["rows"]))
                for name, f in found.pop("frames").items()
            }
            if (version := found.pop("schema_version")) != SCHEMA_VERSION:
                raise ValueError(f"its version is {version!r}, not {SCHEMA_VERSION}")
            return cls(**found, **frames)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(
                f"not an analysis: {error}.", where=str(file), fix="Run attunement analyze again."
            ) from error

    def _result(self, name: str, row: Mapping[str, Any], method: str) -> Result:
        return Result(
            name=name,
            estimate=_float(row["estimate"]),
            ci_low=_float(row["ci_low"]),
            ci_high=_float(row["ci_high"]),
            # Two one-sided tests at alpha belong to the interval of 1 - 2 alpha.
            ci_level=2 * self.ci_level - 1 if name == "equivalence" else self.ci_level,
            n=row["n"] or 0,
            n_missing=row["n_missing"] or 0,
            method=method,
            group=_group(row),
            signature=row["signature"] or "",
            reason=row["reason"],
        )

    def _share(self, kind: str, row: Mapping[str, Any]) -> Result:
        answered = row["n"] - row["errors"] - row["empty"]
        return Result(
            name=f"{kind}_rate",
            estimate=_float(row[f"{kind}_rate"]),
            ci_low=_float(row[f"{kind}_low"]),
            ci_high=_float(row[f"{kind}_high"]),
            ci_level=self.ci_level,
            n=answered,
            n_missing=row["errors"] + row["empty"],
            method="share of answers, Wilson score interval",
            group={"source": row["source"]},
            signature=signature(f"{kind}_rate", ci="wilson", level=self.ci_level, n=answered),
            reason=None if answered else "no answers with text",
        )


_GROUPS = (
    "source",
    "topic",
    "metric",
    "method",
    "kind",
    "source_a",
    "source_b",
    "topic_a",
    "topic_b",
)


def _group(row: Mapping[str, Any]) -> dict[str, str]:
    return {k: row[k] for k in _GROUPS if row.get(k) is not None}


def _float(value: float | None) -> float:
    return math.nan if value is None else value


def _test(name: str, row: Mapping[str, Any], method: str) -> TestResult:
    # A correlation's statistic is the correlation itself.
    return TestResult(
        name=name,
        statistic=_float(row["statistic"] if "statistic" in row else row["estimate"]),
        p_value=_float(row["p_value"]),
        p_adjusted=_float(row.get("p_adjusted")),
        effect_size=_float(row.get("effect_size")),
        effect_name=row.get("effect_name"),
        n=row["n"] or 0,
        n_missing=row.get("n_missing") or 0,
        method=method,
        group=_group(row),
        signature=row["signature"] or "",
        reason=row["reason"],
    )


def _plain(value: Any) -> Any:
    """Return a cell as JSON can hold it: what overflowed is undefined."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
