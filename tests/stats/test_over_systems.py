"""Correlations over systems, on Table I of Vanel et al. (2024); values from R (over_systems.R).

The table is as printed in arXiv:2412.04492, its 23 systems without the data set's own answers.
"""

import csv
import math
from pathlib import Path

import pytest

from attunement.stats.correlation import Correlation
from attunement.stats.over_systems import corrected, correlations, least_correlation, warning

with (Path(__file__).parent / "socio_emotional_table1.csv").open(encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))
SYSTEMS = [row["system"] for row in ROWS]


def column(name: str) -> dict[str, float]:
    return {row["system"]: float(row[name] or "nan") for row in ROWS}


PEOPLE = {name: column(name) for name in ("filter", "top3", "socemo")}
METRICS = {
    name: column(name)
    for name in ("sacrebleu", "rouge", "bertscore", "chrf", "bertscore_context", "ppl")
}


def by_name(found: list[Correlation]) -> dict[tuple[str, str, str], Correlation]:
    return {(c.name, c.group["human"], c.group["metric"]): c for c in found}


FOUND = by_name(correlations(PEOPLE, METRICS, SYSTEMS))


@pytest.mark.parametrize(
    ("name", "human", "metric", "estimate", "low", "high"),
    [
        ("pearson", "top3", "sacrebleu", 0.1168623161, -0.3102866475, 0.5047502195),
        ("spearman", "top3", "sacrebleu", 0.3379156161, -0.09854015486, 0.6653407698),
        ("kendall", "top3", "sacrebleu", 0.3073691022, 0.02039133542, 0.5475536032),
        ("pearson", "top3", "chrf", 0.6743379474, 0.3630506163, 0.8502121263),
        ("spearman", "top3", "chrf", 0.5494014712, 0.146295305, 0.7960351685),
        ("kendall", "top3", "chrf", 0.4151025495, 0.1435193631, 0.6285428001),
        ("pearson", "top3", "ppl", -0.2935908581, -0.6295996465, 0.1349418133),
        ("spearman", "top3", "ppl", 0.04056769275, -0.3781091915, 0.4454676505),
        ("pearson", "filter", "bertscore_context", -0.3324331305, -0.6548952355, 0.09243544305),
        ("kendall", "top3", "bertscore_context", -0.3255650924, -0.5615558402, -0.04059390777),
    ],
)
def test_values_are_rs(
    name: str, human: str, metric: str, estimate: float, low: float, high: float
) -> None:
    found = FOUND[name, human, metric]
    assert (found.estimate, found.ci_low, found.ci_high) == pytest.approx((estimate, low, high))
    assert (found.n, found.n_missing) == (23, 0)


def test_a_system_without_a_score_is_left_out_of_that_pair() -> None:
    found = FOUND["pearson", "socemo", "chrf"]
    assert (found.n, found.n_missing) == (21, 2)
    assert found.estimate == pytest.approx(0.5839963403)
    part = correlations({"a": {"x": 1.0}}, {"b": {"y": 2.0}}, ["x", "y"])
    assert [c.reason for c in part] == ["no points"] * 3


def test_tests_are_corrected_among_those_of_one_name() -> None:
    found = list(FOUND.values())
    made = corrected(found)
    assert len(made) == len(found) == 3 * 3 * 6
    kendall = [t for t in made if t.name == "kendall"]
    smallest = min(kendall, key=lambda t: t.p_value)
    # Holm: the smallest of 18 p values times 18
    assert smallest.p_adjusted == pytest.approx(min(1.0, 18 * smallest.p_value))
    rs = next(t for t in kendall if t.group == {"human": "top3", "metric": "chrf"})
    assert rs.p_value == pytest.approx(0.008106050473)


def test_few_systems_are_said_with_what_could_be_seen_at_all() -> None:
    # The critical value of r from the tables of any textbook: .878 for 5 points, .632 for 10
    assert least_correlation(5) == pytest.approx(0.878, abs=5e-4)
    assert math.isnan(least_correlation(2))
    assert warning(10) is None
    assert warning(5) == (
        "5 systems are few for a correlation: only one beyond 0.88 can be told from none."
    )
    assert warning(2) == "2 systems are few for a correlation: none can be tested."
