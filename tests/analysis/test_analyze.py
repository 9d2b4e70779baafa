"""Which source is closest, what is concluded from it, and what an analysis needs."""

import polars as pl
import pytest
from scipy import stats

from attunement.analysis import analyze
from attunement.errors import UserError
from stubs.rows import one


def test_the_source_that_is_closer_is_found(clear):
    assert clear.sources == ["near", "far"]
    assert one(clear.ranking, topic="all", source="near")["rank"] == 1
    assert one(clear.ranking, topic="all", source="near")["p_best"] == 1
    row = one(clear.comparisons, metric="all", topic="all", source_b="far")
    assert row["closer"] == "near"
    assert row["difference"] < row["ci_high"] < 0
    assert row["p_adjusted"] < 0.001
    assert clear.recommendations[0]["kind"] == "use"
    assert clear.recommendations[0]["source"] == "near"


def test_a_source_beyond_the_yardstick_is_not_good_enough(simulate):
    found = analyze(*simulate({"bad": 1.6, "worse": 2.5}, therapist=0.6))
    said = found.recommendations[0]
    assert (said["kind"], said["source"]) == ("none_good_enough", None)
    assert "no source is good enough" in said["text"]
    assert any("another therapist" in e for e in said["evidence"])
    row = one(found.comparisons, metric="all", topic="all", source_a="bad", source_b="therapist")
    assert row["closer"] == "therapist"


def test_sources_that_are_alike_are_left_undecided_and_never_called_close(simulate):
    found = analyze(*simulate({"a": 0.8, "b": 0.8, "c": 2.0}, seed=4))
    said = found.recommendations[0]
    assert said["kind"] == "undecided"
    assert "does not mean that they are equally close" in said["text"]
    assert "c" not in said["text"].split("from ")[1].split(",")[0]
    assert "not told apart" in found.summary[1]


def test_a_source_that_answers_as_the_reference_does_is_equivalent_and_a_biased_one_is_not(
    simulate,
):
    found = analyze(
        *simulate({"same": 0.8, "biased": 0.8}, n=150, bias={"biased": 1.5}, therapist=0.8)
    )
    frame = found.equivalence.filter(pl.col("metric") != "emotion_consistency")
    assert all(frame.filter(pl.col("source") == "same")["equivalent"])
    biased = frame.filter(pl.col("source") == "biased")
    assert not any(biased["equivalent"])
    assert all("different" in v for v in biased["verdict"])
    margin = one(found.distance, source="therapist", topic="all", metric="simplicity")["estimate"]
    assert one(frame, source="same", metric="simplicity")["margin"] == pytest.approx(margin)


def test_with_permuted_labels_p_values_are_uniform(simulate):
    p = []
    for seed in range(60):
        _, _, ratings = simulate({"a": 0.8, "b": 0.8}, n=30, topics=1, therapist=None, seed=seed)
        found = analyze(None, None, ratings, replicates=100)
        p.append(one(found.comparisons, metric="all", topic="all")["p_value"])
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_another_source_can_be_the_reference(simulate):
    _, _, ratings = simulate({"a": 0.3, "b": 0.9})
    found = analyze(None, None, ratings, reference="a")
    assert set(found.sources) == {"reference", "b"}
    row = one(found.distance, source="b", topic="all", metric="emotion_consistency")
    assert "computed against 'reference'" in row["reason"]
    assert "the answers of a" in found.summary[0]


def test_scores_of_demonstration_quality_are_named(simulate):
    _, _, ratings = simulate({"a": 0.5, "b": 0.9}, n=10)
    judged = pl.col("rater") == "judge:m"
    local = ratings.with_columns(
        rater=pl.when(judged).then(pl.lit("judge:local")).otherwise("rater")
    )
    found = analyze(None, None, local)
    assert found.demonstration == ["judge:local"]
    assert "demonstration quality" in found.summary[0]
    assert "demonstration quality" in found.recommendations[0]["evidence"][-1]
    raters = pl.DataFrame(
        {"rater": ["judge:m"], "kind": ["judge"], "attributes": ['{"demonstration": true}']}
    )
    assert analyze(None, None, ratings, raters=raters).demonstration == ["judge:m"]


def test_the_same_seed_gives_the_same_analysis_and_the_order_of_rows_does_not_matter(simulate):
    items, responses, ratings = simulate({"a": 0.5, "b": 0.9}, n=30)
    first, again = (analyze(items, responses, ratings, seed=3) for _ in range(2))
    assert first.as_json() == again.as_json()
    shuffled = analyze(items, responses, ratings.sample(fraction=1, shuffle=True, seed=1), seed=3)
    assert first.ranking.drop("signature").equals(shuffled.ranking.drop("signature"))
    other = analyze(items, responses, ratings, seed=4)
    assert not first.distance["ci_low"].equals(other.distance["ci_low"])


def test_pairs_are_corrected_together_and_the_yardstick_apart(simulate):
    found = analyze(*simulate({"a": 0.5, "b": 0.7, "c": 0.9}))
    here = found.comparisons.filter((pl.col("metric") == "all") & (pl.col("topic") == "all"))
    family = here.filter(pl.col("source_b") != "therapist")
    least = family.sort("p_value").row(0, named=True)
    assert least["p_adjusted"] == pytest.approx(min(1, 3 * least["p_value"]))
    apart = here.filter(pl.col("source_b") == "therapist").sort("p_value").row(0, named=True)
    assert apart["p_adjusted"] == pytest.approx(min(1, 3 * apart["p_value"]))
    assert here.height == 6


def test_sources_and_items_come_from_responses_where_ratings_lack_them(simulate):
    items, responses, ratings = simulate({"a": 0.5}, n=6)
    bare = ratings.drop("source", "item_id")
    found = analyze(items, responses, bare)
    assert found.sources == ["a"]
    with pytest.raises(UserError, match="no item or source"):
        analyze(items, None, bare)


def test_mistakes_say_what_to_do(simulate):
    items, responses, ratings = simulate({"a": 0.5}, n=4)
    with pytest.raises(UserError, match="unknown variant"):
        analyze(items, responses, ratings, variant="papers")
    with pytest.raises(UserError, match="no source is called 'gold'"):
        analyze(items, responses, ratings, reference="gold")
    with pytest.raises(UserError, match="nothing is there to compare"):
        analyze(None, None, ratings.filter(pl.col("source") == "reference"))
    with pytest.raises(UserError, match="no rating of a response"):
        analyze(None, None, ratings.with_columns(unit=pl.lit("session")))
    with pytest.raises(UserError, match="too few"):
        analyze(items, responses, ratings, replicates=10)
    with pytest.raises(UserError, match="level"):
        analyze(items, responses, ratings, ci_level=95)


def test_there_are_two_sentences_and_every_topic_has_its_recommendation(clear):
    assert len(clear.summary) == 2
    assert all(s.endswith(".") for s in clear.summary)
    assert [r["topic"] for r in clear.recommendations] == ["all", *clear.topics]
    assert "2 sources (near and far) were compared" in clear.summary[0]


def test_metrics_that_compare_systems_are_no_distances(simulate):
    items, responses, ratings = simulate({"a": 0.5, "b": 1.0})
    alone = analyze(items, responses, ratings)
    lengths = ratings.filter(pl.col("dimension") == "simplicity").with_columns(
        dimension=pl.lit("length"), instrument=pl.lit("response-metrics@1")
    )
    both = analyze(items, responses, pl.concat([ratings, lengths]))
    assert both.ranking.equals(alone.ranking)
    assert "are no distance: length." in both.methods
    with pytest.raises(UserError, match="compare systems: length"):
        analyze(items, responses, lengths)


def test_judges_do_not_rate_together_with_people(simulate) -> None:
    items, responses, ratings = simulate({"near": 0.2, "far": 1.0}, n=30)
    of_people = pl.col("dimension") == "agreeability"
    people = ratings.filter(of_people).with_columns(
        pl.col("value") - 1, rater=pl.lit("R001"), rater_kind=pl.lit("human")
    )
    alone = pl.concat([ratings.filter(~of_people), people])
    both = pl.concat([ratings, people])
    found = analyze(items, responses, both, replicates=100)
    assert found.distance.equals(analyze(items, responses, alone, replicates=100).distance)
    assert found.summary[-1].startswith("Judges' ratings of agreeability are left out")
    assert len(analyze(items, responses, alone, replicates=100).summary) == 2
