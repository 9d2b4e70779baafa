from typing import Any

import polars as pl
import pytest

from attunement import tables
from attunement.report import examples


def test_differences_are_those_of_the_analysis(small: Any) -> None:
    found = (
        examples.per_answer(small.analysis, small.ratings)
        .group_by("source", "metric")
        .agg(pl.col("standardized").mean())
    )
    known = small.analysis.distance.filter(topic="all").select("source", "metric", "standardized")
    both = found.join(known, on=["source", "metric"], suffix="_known")
    assert both.height == 21
    assert both["standardized"].to_list() == pytest.approx(both["standardized_known"].to_list())


def test_there_is_a_nearest_and_a_farthest_answer_of_every_source(small: Any) -> None:
    near, far, odd = examples.choose(small.analysis, small.items, small.responses, small.ratings)
    assert [e.source for e in near.examples] == ["attuned", "verbose", "cold"]
    assert [e.source for e in far.examples] == ["attuned", "verbose", "cold"]
    assert all(
        float(n.distance) < float(f.distance)
        for n, f in zip(near.examples, far.examples, strict=True)
    )
    assert len(odd.examples) == 7


def test_an_example_stands_beside_its_question_and_reference(small: Any) -> None:
    example = examples.choose(small.analysis, small.items, small.responses, small.ratings)[
        0
    ].examples[0]
    item = small.items.filter(item_id=example.item_id).row(0, named=True)
    assert example.question.text == tables.question(item["turns"])
    gold = small.responses.filter(item_id=example.item_id, source="reference")["text"][0]
    assert example.reference.text == gold
    assert [v[0] for v in example.values][:2] == ["Emotion consistency", "Sentiment change"]


def test_ratings_of_the_other_variant_do_not_mix_in(small: Any) -> None:
    paper = small.ratings.filter(rater="metric:standard").with_columns(
        rater=pl.lit("metric:paper"), value=pl.col("value") * 100
    )
    both = examples.per_answer(small.analysis, pl.concat([small.ratings, paper]))
    assert both.equals(examples.per_answer(small.analysis, small.ratings))


def test_without_comparable_answers_there_are_no_examples(small: Any) -> None:
    none = small.ratings.filter(pl.col("source") == "reference")
    assert examples.choose(small.analysis, small.items, small.responses, none) == ()
