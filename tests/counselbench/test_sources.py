import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from attunement import tables
from attunement.counselbench import not_sure_rates, pairwise, question_means, scores, source_means
from attunement.errors import UserError


@pytest.fixture
def small(make, ratings_of):
    """Question q1 has three raters and q2 one, so that the order of averaging shows."""
    return ratings_of(
        [
            make("q1", "a", "r1", "overall", 1),
            make("q1", "a", "r2", "overall", 2),
            make("q1", "a", "r3", "overall", 3),
            make("q2", "a", "r1", "overall", 5),
            make("q1", "b", "r1", "overall", 4),
            make("q1", "a", "r1", "medical_advice", 1),
            make("q1", "a", "r2", "medical_advice", "?"),
            make("q2", "a", "r1", "medical_advice", 0),
            make("q1", "b", "r1", "medical_advice", "?"),
        ]
    )


def found(results, **group):
    return next(r for r in results if dict(r.group) == group)


def test_questions_are_averaged_first_and_then_sources(small):
    given = scores(small)
    assert question_means(given, "overall").tolist()[0] == [2, 4]
    mean = found(source_means(given), source="a", dimension="overall")
    assert mean.estimate == 3.5  # not 2.75, the mean of the four ratings
    assert (mean.n, mean.n_missing) == (2, 0)


def test_not_sure_is_out_of_means_and_counted_beside_them(small):
    given = scores(small)
    means, unsure = source_means(given), not_sure_rates(given)
    assert found(means, source="a", dimension="medical_advice").estimate == 0.5
    rate = found(unsure, source="a", dimension="medical_advice")
    assert (rate.estimate, rate.n) == (pytest.approx(1 / 3), 3)
    nothing = found(means, source="b", dimension="medical_advice")
    assert math.isnan(nothing.estimate)
    assert (nothing.n, nothing.n_missing, nothing.reason) == (0, 2, "no values")


def test_a_question_without_an_answer_of_a_source_is_missing_not_zero(small):
    mean = found(source_means(scores(small)), source="b", dimension="overall")
    assert (mean.estimate, mean.n, mean.n_missing) == (4, 1, 1)


def test_the_first_replicate_of_the_latest_round_counts(make, ratings_of):
    given = scores(
        ratings_of(
            [
                make("q1", "a", "r1", "overall", 1, round=1),
                make("q1", "a", "r1", "overall", 4, round=2),
                make("q1", "a", "r1", "overall", 5, round=2, replicate=1),
            ]
        )
    )
    assert given.frame["value"].to_list() == [4]
    said = "Of several replicates the first of each rater counts; 1 ratings are left out."
    assert given.notes == [said]


@pytest.mark.parametrize(("first", "second"), [("?", 1), (1, "?")])
def test_a_first_replicate_that_is_not_sure_is_counted_as_such(make, ratings_of, first, second):
    rows = [
        make(f"q{n}", "a", "judge:x", "medical_advice", v, replicate=r)
        for n in range(2)
        for r, v in enumerate([first, second])
    ]
    (rate,) = not_sure_rates(scores(ratings_of(rows)))
    assert (rate.estimate, rate.n) == ((1, 2) if first == "?" else (0, 2))


def test_people_count_where_there_are_any_unless_others_are_asked_for(make, ratings_of):
    both = ratings_of(
        [
            make("q1", "a", "r1", "overall", 1),
            make("q1", "a", "judge:x", "overall", 5, rater_kind="judge"),
        ]
    )
    assert scores(both).frame["value"].to_list() == [1]
    assert scores(both, kind="judge").frame["value"].to_list() == [5]
    assert scores(both, kind="all").frame.height == 2
    assert scores(both.filter(pl.col("rater_kind") == "judge")).kind == "all"
    with pytest.raises(UserError, match="unknown kind"):
        scores(both, kind="expert")
    with pytest.raises(UserError, match="no ratings by metric"):
        scores(both, kind="metric")


def test_ratings_without_a_source_find_it_in_the_responses(make, ratings_of):
    bare = ratings_of([make("q1", "a", "r1", "overall", 3)]).with_columns(
        item_id=pl.lit(None, pl.String), source=pl.lit(None, pl.String)
    )
    answers = tables.conform(
        pl.DataFrame(
            {"response_id": ["q1/a/0"], "item_id": ["q1"], "source": ["a"], "text": ["t"]}
        ),
        "responses",
    )
    assert scores(bare, answers).sources == ["a"]
    with pytest.raises(UserError, match="1 ratings have no item or source"):
        scores(bare)


def test_other_instruments_are_not_taken_for_this_one(make, ratings_of):
    with pytest.raises(UserError, match="there are nuance@1"):
        scores(ratings_of([make("q1", "a", "r1", "overall", 1, instrument="nuance@1")]))


def test_pairs_are_compared_question_by_question_and_corrected_within_a_dimension(make, ratings_of):
    rng = np.random.default_rng(4)
    rows = []
    for q in range(30):
        for source, better in (("a", 0), ("b", 1), ("c", 1)):
            value = int(np.clip(rng.integers(1, 5) + better, 1, 5))
            rows.append(make(f"q{q}", source, "r1", "overall", value))
    given = scores(ratings_of(rows))
    pairs = pairwise(given, replicates=200)
    means = question_means(given, "overall")
    assert [(p.test.group["source_a"], p.test.group["source_b"]) for p in pairs] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    assert pairs[0].difference.estimate == pytest.approx((means[:, 0] - means[:, 1]).mean())
    plain = sorted((p.test.p_value, p.test.p_adjusted) for p in pairs)
    assert plain[0][1] == pytest.approx(min(1, 3 * plain[0][0]))
    assert all(p.test.effect_name for p in pairs)


@pytest.mark.shared
def test_not_sure_in_the_public_scores_is_counted(shared):
    from attunement.datasets.counselbench import load_annotations

    given = scores(load_annotations(shared / "data" / "counselbench" / "scores.csv").ratings)
    unsure = not_sure_rates(given)
    # Counted in the file: of 500 ratings a source and dimension.
    counts = {(r.group["source"], r.group["dimension"]): round(r.estimate * r.n) for r in unsure}
    assert sum(n for (_, d), n in counts.items() if d == "medical_advice") == 51
    assert sum(n for (_, d), n in counts.items() if d == "factual_consistency") == 70
    assert all(r.ci_low < r.estimate < r.ci_high for r in unsure)


def test_few_questions_have_an_interval_on_the_scale_that_says_so(make, ratings_of):
    rows = [
        make(f"q{q}", source, "r1", "overall", value)
        for source, values in (("a", (1, 5, 2)), ("b", (5, 1, 5)))
        for q, value in enumerate(values)
    ]
    given = scores(ratings_of(rows))
    mean = source_means(given)[0]
    low, high = stats.t.interval(0.95, 2, np.mean([1, 5, 2]), stats.sem([1, 5, 2]))
    assert low < 1  # Student's interval alone
    assert high > 5
    assert (mean.ci_low, mean.ci_high) == (1, 5)
    assert mean.method.endswith("Student's t interval, cut to the scale, 1 to 5")
    difference = pairwise(given)[0].difference
    assert (difference.ci_low, difference.ci_high) == (-4, 4)


@pytest.mark.parametrize(("questions", "tested"), [(1, False), (5, False), (6, True)])
def test_a_test_that_could_never_reject_is_not_given(make, ratings_of, questions, tested):
    rows = [
        make(f"q{q}", source, "r1", "overall", value)
        for q in range(questions)
        for source, value in (("a", 5), ("b", 1))
    ]
    test = pairwise(scores(ratings_of(rows)))[0].test
    if tested:  # 2 / 2^6, as all signs agree
        assert (test.p_value, test.effect_size) == (0.03125, 1)
    else:
        assert math.isnan(test.p_value)
        assert math.isnan(test.effect_size)
        assert test.reason == (
            f"{questions} questions: from fewer than 6 no p value can be below 0.05"
        )
