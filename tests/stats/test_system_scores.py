"""Scores of two kinds of the same systems, side by side."""

import math

import pytest

from attunement.stats.result import Result
from attunement.stats.system_scores import join


def score(name: str, source: str, estimate: float, **group: str) -> Result:
    return Result(name, estimate, 9, "by hand", group={"source": source, **group})


PEOPLE = [score("top3", s, v) for s, v in (("a", 0.3), ("b", 0.1), ("human", 0.6))]
METRICS = [
    score("mean", s, v, metric="length") for s, v in (("a", 30.0), ("b", math.nan), ("z", 1.0))
]


def test_a_row_is_a_system_and_a_gap_is_empty() -> None:
    found = join(PEOPLE, METRICS, without=["human"])
    assert found.table().to_dict(as_series=False) == {
        "source": ["a", "b", "human"],
        "top3": [0.3, 0.1, 0.6],
        "top3_low": [None] * 3,
        "top3_high": [None] * 3,
        "length": [30, None, None],
        "length_low": [None] * 3,
        "length_high": [None] * 3,
    }
    assert (found.points, found.unrated) == (["a", "b"], ["z"])
    assert [(c.n, c.n_missing) for c in found.correlations] == [(1, 1)] * 3
    assert found.correlation_table()["estimate"].null_count() == 3


def test_without_metrics_there_is_nothing_to_correlate() -> None:
    found = join(PEOPLE, [])
    assert found.table().columns == ["source", "top3", "top3_low", "top3_high"]
    assert found.correlations == found.tests == []
    assert found.correlation_table().height == 0


def test_what_cannot_be_joined_is_refused() -> None:
    with pytest.raises(ValueError, match="no source has both"):
        join(PEOPLE, [score("mean", "x", 1.0, metric="length")])
    with pytest.raises(ValueError, match="'top3' is a score of people's and of a metric"):
        join(PEOPLE, [score("mean", "a", 1.0, metric="top3")])
    for name in ("source", "top3_low"):
        with pytest.raises(ValueError, match=f"two columns would be called '{name}'"):
            join(PEOPLE, [score("mean", "a", 1.0, metric=name)])
