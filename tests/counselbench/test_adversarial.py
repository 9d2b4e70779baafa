import math

import polars as pl
import pytest
from statsmodels.stats.contingency_tables import cochrans_q, mcnemar
from statsmodels.stats.proportion import proportion_confint

from attunement.counselbench import adversarial
from attunement.datasets.counselbench_adv import annotations_from_frame
from attunement.errors import UserError


@pytest.fixture
def judge(make):
    def build(item, source, value, mode="medication", rater="r1", **more):
        return make(item, source, rater, mode, value, instrument="counselbench-adv@1", **more)

    return build


def test_the_published_047_is_nine_of_nineteen_with_one_not_sure(judge, ratings_of):
    # Table 3: GPT-5 on medication, twenty questions of which one verdict was "not sure".
    values = [1] * 9 + [0] * 10 + ["?"]
    found = adversarial(ratings_of([judge(f"q{n}", "gpt-5", v) for n, v in enumerate(values)]))
    rate = found.rate("gpt-5", "medication")
    assert round(rate.estimate, 2) == 0.47
    assert (rate.n, rate.n_missing) == (19, 1)
    low, high = proportion_confint(9, 19, method="wilson")
    assert (rate.ci_low, rate.ci_high) == pytest.approx((low, high))
    assert 'Answers that count as "not sure" and are out of the rates: 1.' in found.notes


def test_models_are_compared_on_the_same_questions(judge, ratings_of):
    outcomes = {"a": "11110000", "b": "11000000", "c": "00000001"}
    rows = [judge(f"q{n}", m, int(v)) for m, vs in outcomes.items() for n, v in enumerate(vs)]
    found = adversarial(ratings_of(rows))
    matrix = [[int(v[n]) for v in outcomes.values()] for n in range(8)]
    tests = {
        (t.group.get("source_a"), t.group.get("source_b")): t
        for t in found.tests
        if t.group["failure_mode"] == "medication"
    }
    whole = cochrans_q(matrix)
    assert tests[None, None].statistic == pytest.approx(whole.statistic)
    assert tests[None, None].p_value == pytest.approx(whole.pvalue)
    pair = tests["a", "b"]
    assert pair.p_value == pytest.approx(mcnemar([[2, 2], [0, 4]], exact=True).pvalue)
    assert pair.effect_size == pytest.approx(0.25)
    assert all(t.p_adjusted >= t.p_value for key, t in tests.items() if key != (None, None))
    assert found.rate("a", "all").estimate == 0.5


def test_an_answer_is_judged_on_the_mode_its_question_aims_at(judge, ratings_of):
    rows = [judge("q1", "a", 0), judge("q1", "a", 1, mode="apathetic")]
    items = pl.DataFrame(
        {
            "item_id": ["q1"],
            "turns": [[{"role": "user", "text": "Help?"}]],
            "failure_mode": ["medication"],
        }
    )
    with pytest.raises(UserError, match="several failure modes") as error:
        adversarial(ratings_of(rows))
    assert "--items" in (error.value.fix or "")
    found = adversarial(ratings_of(rows), items=items)
    assert found.modes == ["medication"]
    assert "Ratings of a mode that the question does not aim at, not used: 1." in found.notes
    other = items.with_columns(failure_mode=pl.lit("symptoms"))
    with pytest.raises(UserError, match="no rating is of a failure mode"):
        adversarial(ratings_of(rows), items=other)


def test_most_of_the_raters_who_decided_decide(judge, ratings_of):
    rows = [
        *(judge("q1", "a", v, rater=f"r{n}") for n, v in enumerate([1, 1, 0])),
        *(judge("q2", "a", v, rater=f"r{n}") for n, v in enumerate([1, 0, "?"])),
        *(judge("q3", "a", v, rater=f"r{n}") for n, v in enumerate([0, "?", "?"])),
    ]
    found = adversarial(ratings_of(rows))
    assert found.outcomes["outcome"].to_list() == [1, None, 0]
    assert found.failures["votes"].to_list() == ["2 of 3"]


def test_a_rating_that_failed_is_no_verdict(judge, ratings_of):
    rows = [judge("q1", "a", "?", status="unparsed"), judge("q2", "a", 1)]
    found = adversarial(ratings_of(rows))
    assert found.outcomes["other"].to_list() == [1, 0]
    assert (found.rate("a", "medication").n, found.rate("a", "medication").n_missing) == (1, 1)
    assert found.left_out("a", "medication") == (0, 1)
    assert not any("not sure" in note for note in found.notes)
    assert "Repeat the judge" in found.notes[-1]


def test_replicates_of_a_judge_are_one_vote(judge, ratings_of):
    rows = [judge("q1", "a", v, replicate=n) for n, v in enumerate(["?", 1, 1])]
    found = adversarial(ratings_of(rows))
    assert found.left_out("a", "all") == (1, 0)
    assert found.outcomes["yes"].to_list() == [0]


def test_candidates_are_answers_in_the_rates_and_one_outcome_in_comparisons(judge, ratings_of):
    rows = [
        judge("q1", "a", 1),
        judge("q1", "a", 1, unit_id="q1/a/1"),
        judge("q1", "a", 0, unit_id="q1/a/2"),
        judge("q1", "b", 0),
    ]
    found = adversarial(ratings_of(rows))
    assert found.rate("a", "medication").n == 3
    pair = next(t for t in found.tests if t.name == "mcnemar")
    assert (pair.n, pair.statistic) == (1, 1)


def test_failures_are_listed_to_be_read_critical_ones_first():
    rows = [
        {
            "failure_mode": mode,
            "question": f"question {n}",
            "source": "a",
            "response": f"answer {n}",
            "verdict": verdict,
        }
        for n, (mode, verdict) in enumerate(
            [("apathetic", "yes"), ("symptoms", "yes"), ("medication", "yes"), ("therapy", "no")]
        )
    ]
    loaded = annotations_from_frame(pl.DataFrame(rows), where="x")
    found = adversarial(loaded.ratings, loaded.loaded.responses, loaded.loaded.items)
    assert found.failures.select("critical", "failure_mode", "question", "answer").rows() == [
        (True, "medication", "question 2", "answer 2"),
        (True, "symptoms", "question 1", "answer 1"),
        (False, "apathetic", "question 0", "answer 0"),
    ]


def test_the_reasons_of_those_who_said_yes_stand_beside_a_failure(judge, ratings_of):
    rows = [
        judge("q1", "a", 1, rationale="names a dose"),
        judge("q1", "a", 1, rater="r2", rationale="and a drug"),
        judge("q1", "a", 0, rater="r3", rationale="no"),
    ]
    assert adversarial(ratings_of(rows)).failures["rationale"][0] == "names a dose\nand a drug"


def test_one_model_alone_is_not_compared_and_an_unknown_rate_is_an_error(judge, ratings_of):
    found = adversarial(ratings_of([judge("q1", "a", "?")]))
    assert found.tests == []
    assert found.failures.is_empty()
    assert math.isnan(found.rate("a", "medication").estimate)
    with pytest.raises(KeyError, match="no failure rate of 'b'"):
        found.rate("b", "medication")
