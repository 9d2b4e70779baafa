"""Profiles of sources: what is rated, in which variant, and how alike the profiles are."""

import math

import polars as pl
import pytest

from attunement.analysis import analyze
from attunement.errors import UserError
from attunement.stats.correlation import pearson
from stubs.rows import one


def test_without_reference_answers_profiles_remain(simulate):
    _, _, ratings = simulate({"a": 0.5, "b": 0.9}, n=12)
    found = analyze(None, None, ratings.filter(pl.col("source") != "reference"))
    assert one(found.profile, source="a", topic="all", metric="simplicity")["n"] == 12
    row = one(found.distance, source="a", topic="all", metric="simplicity")
    assert row["reason"] == "there are no reference answers"
    assert "no reference answers" in found.summary[0]


def test_paper_ratings_are_taken_where_there_are_some_and_only_in_the_paper_variant(rating):
    rows = []
    for item in ("q1", "q2", "q3"):
        for source, value in (("reference", 80.0), ("a", 40.0)):
            rows.append(rating(item, source, "simplicity", value))
            rows.append(rating(item, source, "simplicity", value / 2, rater="metric:paper"))
            rows.append(rating(item, source, "recycling", 0.1))
    table = pl.DataFrame(rows)
    standard, paper = (analyze(None, None, table, variant=v) for v in ("standard", "paper"))
    for found, value in ((standard, 40), (paper, 20)):
        row = one(found.profile, source="a", topic="all", metric="simplicity")
        assert row["estimate"] == value
        assert one(found.profile, source="a", topic="all", metric="recycling")["n"] == 3
        left = found.coverage.filter(pl.col("status") == "other_variant_or_round")
        assert left["count"].sum() == 6
    only = table.filter(pl.col("rater") == "metric:paper")
    with pytest.raises(UserError, match="every rating is of the paper variant"):
        analyze(None, None, only)


def test_the_papers_variant_normalizes_and_compares_topics_as_the_paper_did(simulate):
    tables = simulate({"a": 0.5}, n=40, topics=2)
    found = analyze(*tables, variant="paper")
    raw = one(found.profile, source="a", topic="all", metric="simplicity")["estimate"]
    scaled = one(found.normalized, source="a", topic="all", metric="simplicity")["value"]
    assert scaled == pytest.approx(raw / 100)
    test = one(found.correlation_tests, method="paper")
    r = [
        one(found.similarity, source="a", topic=t, method="pearson")["estimate"]
        for t in ("topic 0", "topic 1")
    ]
    expected = (r[0] - r[1]) / math.sqrt(2 * (1 - r[0] * r[1]) / 7)
    assert test["statistic"] == pytest.approx(expected)
    assert analyze(*tables).correlation_tests.filter(pl.col("method") == "paper").height == 0


def test_similarity_is_pearsons_correlation_of_the_normalized_profiles(clear):
    wide = clear.normalized.filter(pl.col("topic") == "all").pivot(
        "source", index="metric", values="value"
    )
    row = one(clear.similarity, source="far", topic="all", method="pearson")
    expected = pearson(wide["far"], wide["reference"])
    assert row["estimate"] == pytest.approx(expected.estimate)
    assert row["n"] == 6
    assert "emotion_consistency" not in wide["metric"]
    assert "descriptive" in clear.methods


def test_profiles_with_a_missing_metric_are_correlated_on_what_both_have(simulate):
    _, _, ratings = simulate({"a": 0.5, "b": 0.5}, n=12, topics=1)
    gap = (pl.col("source") == "a") & (pl.col("dimension") == "recycling")
    found = analyze(None, None, ratings.filter(~gap))
    assert one(found.similarity, source="a", topic="all", method="pearson")["n"] == 5
    assert one(found.similarity, source="b", topic="all", method="pearson")["n"] == 6
    assert one(found.correlation_tests, method="meng")["n"] == 5
