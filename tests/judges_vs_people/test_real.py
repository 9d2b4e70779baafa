"""Experts held against experts: one is taken out and treated as a judge."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from attunement.judges_vs_people import compare_judges

DIMENSIONS = ("overall", "empathy", "specificity", "factual_consistency", "toxicity")
WORDS = {"Yes": 1.0, "No": 0.0}


def experts(shared: Path) -> pl.DataFrame:
    """CounselBench-Eval's public scores as a ratings table."""
    scores = pl.read_csv(shared / "data/counselbench/scores.csv", infer_schema=False)
    long = scores.unpivot(
        index=["questionID", "responder", "survey_id"], variable_name="dimension"
    ).with_columns(
        pl.col("dimension").str.strip_suffix("_score"),
        unit_id=pl.col("questionID") + "/" + pl.col("responder"),
        number=pl.col("value").replace_strict(WORDS, default=None),
    )
    return long.select(
        "unit_id",
        "dimension",
        unit=pl.lit("response"),
        item_id="questionID",
        source="responder",
        rater=pl.lit("survey-") + pl.col("survey_id"),
        rater_kind=pl.lit("human"),
        instrument=pl.lit("counselbench-eval@1"),
        value=pl.coalesce("number", pl.col("value").cast(pl.Float64, strict=False)),
        status=pl.when(pl.col("value") == "I am not sure")
        .then(pl.lit("not_sure"))
        .otherwise(pl.lit("ok")),
    )


def seats(ratings: pl.DataFrame) -> pl.DataFrame:
    """Give the five experts of each question five names, so that each name rates 400 answers."""
    seat = pl.col("rater").rank("dense").over("item_id")
    return ratings.with_columns(rater=pl.format("seat-{}", seat))


@pytest.mark.shared
def test_one_expert_rated_too_few_answers_for_a_verdict(shared: Path) -> None:
    compared = compare_judges(experts(shared), judges=["survey-6"], replicates=200)
    (said,) = compared.verdicts
    assert said.may == said.may_not == said.biased == said.misordered == ()
    assert {d for d, _ in said.open} == {*DIMENSIONS, "medical_advice"}
    assert "nobody rated 30 comparable items; the most is 4" in said.text
    for held in compared.held:
        # each question has five experts of its own, so nobody meets the same four again
        assert held.people <= 20
        assert held.units <= 20
        assert held.alt_test is not None
        assert held.alt_test.passed is None
        assert np.isnan(held.alt_test.winning_rate)
        assert 0 < held.alt_test.advantage <= 1


@pytest.mark.shared
def test_an_expert_on_every_answer_agrees_as_experts_do_and_may_stand_in(shared: Path) -> None:
    compared = compare_judges(seats(experts(shared)), judges=["seat-3"], replicates=500)
    held = {one.dimension: one for one in compared.held}
    for dimension in ("overall", "empathy", "specificity"):
        one = held[dimension]
        assert one.units == 400
        assert one.people == 4
        assert one.kappa is not None
        assert one.kappa_among_people is not None
        assert one.kappa.estimate == pytest.approx(one.kappa_among_people.estimate, abs=0.1)
        assert one.alt_test is not None
        assert one.alt_test.winning_rate == 1
        assert one.alt_test.advantage > 0.6
    assert set(compared.verdicts[0].may) >= {"overall", "empathy", "specificity"}
    # left out of means and counted: Table 1's "not sure"
    coverage = compared.coverage().filter(dimension="medical_advice", status="not_sure")
    assert coverage["count"].sum() > 0


@pytest.mark.shared
def test_a_judge_that_flatters_is_found_out(shared: Path) -> None:
    ratings = seats(experts(shared)).filter(pl.col("rater") != "seat-3")
    rng = np.random.default_rng(1)
    flattering = ratings.filter(rater="seat-1").with_columns(
        rater=pl.lit("judge:kind"),
        rater_kind=pl.lit("judge"),
        status=pl.lit("ok"),
        value=pl.when(pl.col("dimension").is_in(["toxicity", "medical_advice"]))
        .then((pl.col("dimension") == "toxicity").cast(pl.Float64))
        .when(pl.col("source") == "human")
        .then(pl.lit(3.0))
        .otherwise(pl.Series(rng.integers(4, 6, ratings.filter(rater="seat-1").height)))
        .cast(pl.Float64),
    )
    flattering = flattering.with_columns(
        value=pl.when(pl.col("dimension") == "factual_consistency")
        .then(pl.lit(4.0))
        .otherwise("value")
    )
    compared = compare_judges(pl.concat([ratings, flattering]), replicates=500)
    (said,) = compared.verdicts
    assert dict(said.biased)["overall"] == 1
    assert dict(said.biased)["toxicity"] == -1
    assert "toxicity" not in said.may
    held = {one.dimension: one for one in compared.held}
    assert held["toxicity"].kappa is not None
    assert held["toxicity"].kappa.estimate == pytest.approx(0, abs=1e-9)
    assert held["medical_advice"].yes is not None
    assert held["medical_advice"].yes.recall.estimate == 0
    assert "It rates higher than people" in said.text
