import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from attunement.analysis import SCHEMAS, Analysis, analyze
from attunement.errors import UserError
from attunement.stats.correlation import pearson


def one(frame: pl.DataFrame, **where: str) -> dict:
    (row,) = frame.filter([pl.col(k) == v for k, v in where.items()]).to_dicts()
    return row


@pytest.fixture(scope="module")
def clear(simulate):
    """One source that is truly closer than another, and than the therapists."""
    return analyze(*simulate({"near": 0.3, "far": 1.2}))


@pytest.fixture(scope="module")
def small(rating):
    """Three items by hand: distances of 1, 2 and 3 for a, and 2, 2 and 2 for b."""
    rows = []
    for item, gold, a, b, other in [
        ("q1", 5, 6, 7, 4),
        ("q2", 6, 4, 8, 9),
        ("q3", 7, 10, 5, None),
    ]:
        values = {"reference": gold, "a": a, "b": b, "therapist": other}
        rows += [rating(item, s, "agreeability", v) for s, v in values.items()]
    return pl.DataFrame(rows)


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


def test_numbers_by_hand(small):
    found = analyze(None, None, small)
    distance = {r["source"]: r for r in found.distance.filter(pl.col("metric") != "all").to_dicts()}
    assert [distance[s]["estimate"] for s in ("a", "b", "therapist")] == [2, 2, 2]
    assert (distance["therapist"]["n"], distance["therapist"]["n_missing"]) == (2, 1)
    # The reference's values 5, 6, 7 have the standard deviation 1.
    assert distance["a"]["standardized"] == 2
    interval = stats.t.interval(0.95, 2, loc=2, scale=stats.sem([1, 2, 3]))
    assert interval[0] < 0  # which no distance is, so the lower limit is cut there
    assert (distance["a"]["ci_low"], distance["a"]["ci_high"]) == pytest.approx((0, interval[1]))
    assert (distance["b"]["ci_low"], distance["b"]["ci_high"]) == (2, 2)
    assert one(found.equivalence, source="a")["estimate"] == pytest.approx((1 - 2 + 3) / 3)
    pair = one(found.comparisons, metric="all", source_a="a", source_b="b")
    assert pair["difference"] == pytest.approx(0, abs=1e-12)
    assert pair["closer"] is None
    ranking = one(found.ranking, topic="all", source="a")
    assert ranking["rank_low"] is None
    assert "resampled from 5" in ranking["reason"]


def test_the_yardstick_is_compared_on_the_items_that_have_one(small):
    found = analyze(None, None, small)
    row = one(found.comparisons, metric="agreeability", source_a="a", source_b="therapist")
    # On q1 and q2 a is at 1 and 2, the other therapist at 1 and 3.
    assert (row["n"], row["n_missing"]) == (2, 1)
    assert row["difference"] == pytest.approx(((1 - 1) + (2 - 3)) / 2)


def test_candidates_are_averaged_as_distances_and_replicates_as_values(rating):
    rows = []
    for item, gold in (("q1", 5.0), ("q2", 7.0)):
        rows.append(rating(item, "reference", "agreeability", gold))
        for candidate, shift in enumerate((-2, 2)):
            unit = {"unit_id": f"{item}/a/{candidate}"}
            for replicate, noise in enumerate((-1, 1)):
                value = gold + shift + noise
                rows.append(rating(item, "a", "agreeability", value, replicate=replicate, **unit))
    found = analyze(None, None, pl.DataFrame(rows))
    # Values of a response are gold -2 and gold +2: both at 2, though their mean is the gold value.
    assert one(found.distance, source="a", metric="agreeability")["estimate"] == 2
    assert one(found.profile, source="a", metric="agreeability")["estimate"] == 6


def test_emotion_consistency_is_a_distance_already(rating):
    rows = [rating(f"q{i}", "a", "emotion_consistency", v) for i, v in enumerate((0.2, 0.6))]
    found = analyze(None, None, pl.DataFrame(rows))
    row = one(found.distance, source="a", metric="emotion_consistency")
    assert row["estimate"] == pytest.approx(0.6)
    assert row["standardized"] == pytest.approx(0.6)
    assert found.normalized.height == 0
    assert "no sign" in one(found.equivalence, source="a")["verdict"]


def test_what_is_missing_is_counted_and_never_zero(simulate, rating):
    items, responses, ratings = simulate({"a": 0.5, "b": 0.9}, n=20)
    short = (pl.col("source") == "b") & (pl.col("dimension") == "simplicity")
    few = pl.col("item_id").is_in(["q0", "q1", "q2"])
    ratings = ratings.with_columns(
        value=pl.when(short & few).then(None).otherwise("value"),
        status=pl.when(short & few).then(pl.lit("not_applicable")).otherwise("status"),
    ).filter(~(short & (pl.col("item_id") == "q9")))
    found = analyze(items, responses, ratings)
    here = found.coverage.filter((pl.col("source") == "b") & (pl.col("metric") == "simplicity"))
    counts = dict(here.select("status", "count").iter_rows())
    assert counts == {"ok": 16, "not_applicable": 3, "not_rated": 1}
    row = one(found.distance, source="b", topic="all", metric="simplicity")
    assert (row["n"], row["n_missing"]) == (16, 4)
    pair = one(found.comparisons, metric="simplicity", topic="all", source_a="a", source_b="b")
    assert (pair["n"], pair["n_missing"]) == (16, 4)
    assert one(found.distance, source="b", topic="all", metric="all")["n"] == 20


def test_a_metric_without_any_value_stays_and_says_so(simulate, rating):
    items, responses, ratings = simulate({"a": 0.5}, n=8)
    lost = [rating(f"q{i}", "a", "warmth", None, status="error") for i in range(8)]
    found = analyze(
        items, responses, pl.concat([ratings, pl.DataFrame(lost)], how="diagonal_relaxed")
    )
    assert found.metrics[-1] == "warmth"
    row = one(found.distance, source="a", topic="all", metric="warmth")
    assert row["estimate"] is None
    assert row["reason"] == "no item with a value of both"
    assert one(found.coverage, source="a", metric="warmth", status="error")["count"] == 8


def test_a_source_rated_on_too_little_is_not_ranked_and_spoils_no_other(simulate):
    items, responses, ratings = simulate({"a": 0.4, "b": 0.9, "broken": 0.4}, n=30)
    broken = (pl.col("source") == "broken") & (pl.col("item_id") != "q0")
    found = analyze(items, responses, ratings.filter(~broken))
    row = one(found.ranking, topic="all", source="broken")
    assert (row["rank"], row["n"]) == (None, 0)
    assert "rated on 7 of 210" in row["reason"]
    assert one(found.ranking, topic="all", source="a")["n"] == 30


def test_a_constant_reference_has_no_standardized_distance(rating):
    rows = [rating(f"q{i}", "reference", "agreeability", 7.0) for i in range(6)]
    rows += [rating(f"q{i}", "a", "agreeability", 7.0 + i) for i in range(6)]
    found = analyze(None, None, pl.DataFrame(rows))
    row = one(found.distance, source="a", metric="agreeability")
    assert row["estimate"] == 2.5
    assert row["standardized"] is None
    assert "does not vary" in row["reason"]
    assert one(found.ranking, topic="all", source="a")["rank"] is None
    assert "nothing can be concluded" in found.summary[1]


def test_one_item_gives_estimates_without_intervals(simulate):
    found = analyze(*simulate({"a": 0.5, "b": 0.9}, n=1))
    row = one(found.distance, source="a", topic="all", metric="simplicity")
    assert row["estimate"] is not None
    assert row["ci_low"] is None
    assert row["reason"] == "one value: no interval"
    assert found.recommendations[0]["kind"] == "undecided"


def test_without_reference_answers_profiles_remain(simulate):
    _, _, ratings = simulate({"a": 0.5, "b": 0.9}, n=12)
    found = analyze(None, None, ratings.filter(pl.col("source") != "reference"))
    assert one(found.profile, source="a", topic="all", metric="simplicity")["n"] == 12
    row = one(found.distance, source="a", topic="all", metric="simplicity")
    assert row["reason"] == "there are no reference answers"
    assert "no reference answers" in found.summary[0]


def test_another_source_can_be_the_reference(simulate):
    _, _, ratings = simulate({"a": 0.3, "b": 0.9})
    found = analyze(None, None, ratings, reference="a")
    assert set(found.sources) == {"reference", "b"}
    row = one(found.distance, source="b", topic="all", metric="emotion_consistency")
    assert "computed against 'reference'" in row["reason"]
    assert "the answers of a" in found.summary[0]


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


def test_an_analysis_is_written_and_read_back_whole(clear, tmp_path):
    path = clear.write(tmp_path)
    back = Analysis.read(tmp_path)
    assert path.name == "analysis.json"
    assert back.as_json() == clear.as_json()
    for name in SCHEMAS:
        assert getattr(back, name).equals(getattr(clear, name)), name
    assert {p.name for p in clear.write_tables(tmp_path)} == {f"{n}.csv" for n in SCHEMAS}


def test_a_file_that_is_no_analysis_is_refused(tmp_path):
    with pytest.raises(UserError, match="no analysis there"):
        Analysis.read(tmp_path)
    (tmp_path / "analysis.json").write_text('{"frames": 3}')
    with pytest.raises(UserError, match="not an analysis"):
        Analysis.read(tmp_path)


def test_results_and_tests_are_flat_and_repeatable(clear):
    results, tests = clear.results(), clear.tests()
    assert {r.name for r in results} == {
        "mean",
        "distance",
        "rank_distance",
        "similarity",
        "difference",
        "equivalence",
        "refusal_rate",
        "disclaimer_rate",
    }
    assert all(r.signature for r in results)
    assert all(t.signature for t in tests)
    undefined = [r for r in results if math.isnan(r.estimate)]
    assert undefined
    assert all(r.reason for r in undefined)
    assert all(t.reason for t in tests if math.isnan(t.p_value))
    assert {t.name for t in tests} >= {"pearson", "meng", "wilcoxon", "tost"}


def test_every_frame_has_its_columns_and_no_nan(clear):
    for name, schema in SCHEMAS.items():
        frame = getattr(clear, name)
        assert frame.schema == schema, name
        for column in frame.select(pl.col(pl.Float64)):
            assert not column.is_nan().any(), (name, column.name)


def test_there_are_two_sentences_and_every_topic_has_its_recommendation(clear):
    assert len(clear.summary) == 2
    assert all(s.endswith(".") for s in clear.summary)
    assert [r["topic"] for r in clear.recommendations] == ["all", *clear.topics]
    assert "2 sources (near and far) were compared" in clear.summary[0]


def test_the_interval_of_a_difference_covers_it(simulate):
    # Source b is farther by construction: E|N(0, s)| grows by sqrt(2 / pi) for each unit of s.
    inside = 0
    for seed in range(40):
        _, _, ratings = simulate({"a": 0.5, "b": 1.0}, n=40, topics=1, therapist=None, seed=seed)
        only = ratings.filter(pl.col("dimension") == "simplicity")
        row = one(analyze(None, None, only, replicates=400).comparisons, metric="simplicity")
        inside += row["ci_low"] <= -0.5 * 10 * np.sqrt(2 / np.pi) <= row["ci_high"]
    assert inside >= 34
