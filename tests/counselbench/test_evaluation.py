import json

import numpy as np
import polars as pl
import pytest

from attunement import tables
from attunement.counselbench import evaluate
from attunement.stats.result import report_json


@pytest.fixture
def study(make, ratings_of):
    rng = np.random.default_rng(11)
    rows = [
        make(
            f"q{q}",
            source,
            f"r{(q + r) % 24}",
            dimension,
            int(np.clip(round(2.5 + better + rng.normal()), 1, 4)),
            rationale="it is so" if dimension == "overall" else None,
        )
        for q in range(24)
        for source, better in (("a", 0.0), ("b", 1.5))
        for r in range(12)
        for dimension in ("overall", "factual_consistency")
    ]
    raters = pl.DataFrame(
        {
            "rater": [f"r{n}" for n in range(24)],
            "kind": "human",
            "attributes": [
                json.dumps({"minutes": n, "experience": ("2", "7")[n % 2]}) for n in range(24)
            ],
        }
    )
    return ratings_of(rows), tables.conform(raters, "raters")


def test_everything_comes_in_one_call_and_as_json(study):
    ratings, raters = study
    found = evaluate(ratings, raters=raters, replicates=100)
    assert found.notes == []
    assert [b.by for b in found.bands] == ["time", "experience"]
    said = report_json(found.results(), **found.beside())
    text = json.dumps(said, allow_nan=False)
    names = {r["name"] for r in json.loads(text)["results"]}
    assert names == {
        "mean_of_question_means",
        "mean_krippendorff_alpha_ordinal",
        "pooled_krippendorff_alpha_ordinal",
        "mean_difference",
        "not_sure_rate",
        "median_words",
    }
    assert {t["name"] for t in said["tests"]} == {
        "wilcoxon",
        "kruskal_wallis",
        "kruskal_wallis_permutation",
        "chi_squared",
        "chi_squared_permutation",
    }
    assert said["raters"] == "human"
    assert set(said["meaning"]) == {"overall", "factual_consistency"}


def test_the_known_difference_is_found_and_named(study):
    ratings, _ = study
    pair = next(
        p for p in evaluate(ratings, replicates=100).pairs if p.test.group["dimension"] == "overall"
    )
    assert pair.difference.ci_high < 0
    assert pair.test.p_adjusted < 0.001
    assert pair.test.effect_size < -0.9


def test_what_cannot_be_done_is_said(study):
    ratings, raters = study
    bare = ratings.with_columns(rationale=pl.lit(None, pl.String))
    found = evaluate(bare, replicates=100)
    assert len(found.notes) == 2
    none = evaluate(bare, raters=raters.with_columns(attributes=pl.lit("{}")), replicates=100)
    assert "No annotator has the attribute 'minutes': no bands by time." in none.notes
    few = raters.with_columns(
        attributes=pl.Series([json.dumps({"experience": str(n)}) for n in range(24)])
    )
    assert any("No bands by" in n for n in evaluate(bare, raters=few.head(6), replicates=100).notes)
