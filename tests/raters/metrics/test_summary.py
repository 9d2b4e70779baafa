"""Means that come in batches are those of the whole; expected values from SciPy."""

import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from attunement import tables
from attunement.raters.metrics import Summary


def ratings(values: list[float | None], source: str = "a", why: str | None = None) -> pl.DataFrame:
    frame = pl.DataFrame(
        {
            "unit": "response",
            "unit_id": [str(i) for i in range(len(values))],
            "source": source,
            "rater": "metric:standard",
            "rater_kind": "metric",
            "instrument": "nuance@1",
            "dimension": "recycling",
            "value": pl.Series(values, dtype=pl.Float64),
            "status": ["ok" if v is not None else "error" for v in values],
            "rationale": [None if v is not None else why for v in values],
            "signature": "recycling|variant:standard",
        }
    )
    return tables.conform(frame, "ratings")


def test_mean_and_interval_are_students() -> None:
    values = np.random.default_rng(1).normal(3, 2, 50)
    summary = Summary()
    for batch in np.split(values, [7, 8, 30]):
        summary.add(ratings(batch.tolist()))
    (found,) = summary.means()
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert found.estimate == pytest.approx(values.mean())
    assert (found.ci_low, found.ci_high) == pytest.approx((expected.low, expected.high))
    assert (found.n, found.n_missing) == (50, 0)
    assert found.group == {"source": "a", "metric": "recycling"}


def test_missing_is_counted_and_never_zero() -> None:
    summary = Summary()
    summary.add(ratings([None, 2.0, None, 4.0]))
    summary.add(ratings([None], source="b"))
    a, b = summary.means()
    assert (a.estimate, a.n, a.n_missing) == (3, 2, 2)
    assert math.isnan(b.estimate)
    assert (b.n, b.n_missing, b.reason) == (0, 1, "no values")
    assert summary.mean("recycling") == 3
    assert summary.failed == 3


def test_one_value_has_no_interval() -> None:
    summary = Summary()
    summary.add(ratings([1.0]))
    (found,) = summary.means()
    assert math.isnan(found.ci_low)
    assert found.reason == "one value: no interval"


def test_values_that_are_all_the_same_have_no_interval() -> None:
    summary = Summary()
    for batch in ([0.3, 0.3], [0.1 + 0.2, 0.3]):
        summary.add(ratings(batch))
    (found,) = summary.means()
    assert found.estimate == pytest.approx(0.3)
    assert math.isnan(found.ci_low)
    assert found.reason == "all values are the same: no interval"


def test_reasons_are_counted_without_what_is_particular() -> None:
    summary = Summary()
    summary.add(ratings([None], why="item 'q1' is not in the items table"))
    summary.add(ratings([None], why="item 'q2' is not in the items table"))
    summary.add(ratings([None], why="no answer: 500 at 12:03"))
    assert dict(summary.reasons["recycling"]) == {
        "item '...' is not in the items table": 2,
        "no answer": 1,
    }
