"""How far sources are from the reference: by hand, with gaps, and where nothing can be said."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from attunement.analysis import analyze
from attunement.errors import UserError
from stubs.rows import one


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
    assert (distance["b"]["ci_low"], distance["b"]["ci_high"]) == (None, None)  # 2, 2 and 2
    assert distance["b"]["reason"] == "all values are the same: no interval"
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


def test_the_interval_of_a_difference_covers_it(simulate):
    # Source b is farther by construction: E|N(0, s)| grows by sqrt(2 / pi) for each unit of s.
    inside = 0
    for seed in range(40):
        _, _, ratings = simulate({"a": 0.5, "b": 1.0}, n=40, topics=1, therapist=None, seed=seed)
        only = ratings.filter(pl.col("dimension") == "simplicity")
        row = one(analyze(None, None, only, replicates=400).comparisons, metric="simplicity")
        inside += row["ci_low"] <= -0.5 * 10 * np.sqrt(2 / np.pi) <= row["ci_high"]
    assert inside >= 34


def test_a_reference_that_is_constant_but_for_rounding_does_not_vary_either(rating):
    """The mean of twelve times 22/3 is not 22/3 in binary, and its spread not 0."""
    rows = [
        rating(f"q{i}", "reference", "agreeability", v, replicate=k)
        for i in range(12)
        for k, v in enumerate((7.0, 7.0, 8.0))
    ]
    rows += [rating(f"q{i}", "reference", "simplicity", 60.0 + i) for i in range(12)]
    rows += [rating(f"q{i}", "a", "agreeability", 7.0 + i % 3) for i in range(12)]
    rows += [rating(f"q{i}", "a", "simplicity", 65.0 - i % 4) for i in range(12)]
    found = analyze(None, None, pl.DataFrame(rows))
    judged = one(found.distance, source="a", metric="agreeability")
    assert (judged["standardized"], judged["n"]) == (None, 12)
    assert "does not vary" in judged["reason"]
    assert one(found.profile, source="reference", metric="agreeability")["sd"] == 0
    metric = one(found.distance, source="a", metric="simplicity")
    whole = one(found.distance, source="a", metric="all")
    assert whole["estimate"] == pytest.approx(metric["standardized"])


def test_distances_that_are_equal_on_paper_are_equal(rating):
    """a is 0.1 above and b 0.1 below on every item: 0.3 - 0.2 is not 0.2 - 0.1 in binary."""
    rows = []
    for i in range(10):
        gold = (0.2, 0.4, 0.8)[i % 3]
        for source, value in (("reference", gold), ("a", gold + 0.1), ("b", gold - 0.1)):
            rows.append(rating(f"q{i}", source, "recycling", value))
    found = analyze(None, None, pl.DataFrame(rows))
    for metric in ("recycling", "all"):
        pair = one(found.comparisons, metric=metric, source_a="a", source_b="b")
        assert (pair["difference"], pair["p_value"], pair["closer"]) == (0, 1, None)
        assert pair["reason"] == "every difference is zero"
    ranks = [one(found.ranking, topic="all", source=s) for s in "ab"]
    assert [(r["rank"], r["p_best"]) for r in ranks] == [(1, 0.5), (1, 0.5)]


@pytest.mark.parametrize("column", ["topic", "dimension"])
def test_a_name_that_stands_for_all_together_is_refused(simulate, rating, column):
    items, responses, ratings = simulate({"a": 0.5}, n=8)
    if column == "topic":
        items = items.with_columns(topic=pl.lit("all"))
    else:
        more = pl.DataFrame([rating(f"q{i}", "a", "all", 1.0) for i in range(8)])
        ratings = pl.concat([ratings, more], how="diagonal_relaxed")
    with pytest.raises(UserError, match=f"a {column} is called 'all'"):
        analyze(items, responses, ratings)


def test_an_answer_is_not_rated_where_no_rating_is_of_it(simulate, rating):
    """Ratings of answers that are not in the table make up for none, nor do those not used."""
    items, responses, ratings = simulate({"a": 0.5}, n=12)
    of = (pl.col("source") == "a") & (pl.col("dimension") == "agreeability")
    first = pl.col("item_id").is_in(["q0", "q1"])
    ratings = ratings.filter(~(of & first))
    other = [rating(f"q{i}", "a", "agreeability", 1.0, unit_id=f"elsewhere{i}") for i in (0, 1)]
    found = analyze(
        items, responses, pl.concat([ratings, pl.DataFrame(other)], how="diagonal_relaxed")
    )
    assert one(found.coverage, source="a", metric="agreeability", status="not_rated")["count"] == 2
    paper = ratings.filter(of, item_id="q2").with_columns(instrument=pl.lit("judges-paper@1"))
    used = pl.concat([ratings.filter(~(of & (pl.col("item_id") == "q2"))), paper])
    counts = analyze(items, responses, used).coverage.filter(source="a", metric="agreeability")
    assert dict(counts.select("status", "count").iter_rows()) == {
        "ok": 9,
        "not_rated": 2,
        "other_variant_or_round": 1,
    }


def test_a_later_round_on_another_instrument_takes_nothing_away(rating):
    rows = [rating(f"q{i}", "reference", "warmth", 5.0 + i) for i in range(4)]
    kinds = (("x@1", 6.0, 1), ("x@2", 7.0, 2), ("y@1", 9.0, 1))
    rows += [
        rating(f"q{i}", "a", "warmth", value, instrument=name, round=n, rater=f"p{name[0]}")
        for i in range(4)
        for name, value, n in kinds
    ]
    rows += [
        rating(f"q{i}", "b", "warmth", value, instrument=name, round=n, rater="p")
        for i in range(4)
        for name, value, n in kinds
    ]
    profile = analyze(None, None, pl.DataFrame(rows)).profile
    # x@2 took the place of x@1, and y@1 stands beside it
    assert [one(profile, source=s, metric="warmth")["estimate"] for s in "ab"] == [8.0, 8.0]
