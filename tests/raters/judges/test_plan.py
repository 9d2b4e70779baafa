"""What a run will do: calls, their order, the subset, the estimate, the warnings."""

from collections import Counter

import polars as pl
import pytest

from attunement.errors import UserError
from attunement.inspect_bridge import ModelSpec, Settings
from attunement.instruments import load_instrument
from attunement.raters.judges import make_plan, subset_items

STANDARD = load_instrument("nuance-judges")
PAPER = load_instrument("nuance-judges-paper")
SPEC = ModelSpec("m", "openai/m")


def test_one_call_an_answer_or_one_a_dimension(items, responses) -> None:
    tables = (items(3), responses("a", "b", "c"))
    assert len(make_plan(*tables, STANDARD, SPEC).jobs()) == 3
    assert len(make_plan(*tables, STANDARD, SPEC, per="dimension", repeats=2).jobs()) == 12
    assert len(make_plan(*tables, PAPER, SPEC).jobs()) == 6
    with pytest.raises(UserError, match="one dimension at a time"):
        make_plan(*tables, PAPER, SPEC, per="answer")


def test_the_order_of_calls_is_shuffled_by_the_seed(items, responses) -> None:
    def order(seed: int) -> list[int]:
        plan = make_plan(items(30), responses(*"a" * 30), STANDARD, SPEC, seed=seed)
        return [job.task for job in plan.jobs()]

    assert order(1) == order(1)
    assert order(1) != order(2)
    assert order(1) != sorted(order(1)) == list(range(30))


def test_keys_are_unique_and_the_source_is_in_no_prompt(items, responses) -> None:
    answers = pl.concat([responses("Yes.", source="gpt-x"), responses("Yes.", source="llama-y")])
    plan = make_plan(items(1), answers, STANDARD, SPEC, repeats=2, per="dimension")
    calls = [call for attempt in (0, 1) for _, call in plan.calls(plan.jobs(), attempt)]
    assert len({call.key for call in calls}) == len(calls) == 16
    said = " ".join(m.text for call in calls for m in call.messages)
    assert "gpt-x" not in said
    assert "llama-y" not in said


def test_replicates_and_attempts_have_seeds_of_their_own(items, responses) -> None:
    spec = ModelSpec("m", "openai/m", settings=Settings(seed=7, temperature=0.5))
    plan = make_plan(items(1), responses("a"), STANDARD, spec, repeats=3)
    seeds = [c.seed for attempt in (0, 1) for _, c in plan.calls(sorted(plan.jobs()), attempt)]
    assert seeds == [7, 8, 9, 1007, 1008, 1009]
    unseeded = make_plan(items(1), responses("a"), STANDARD, SPEC)
    assert unseeded.call(unseeded.jobs()[0]).seed is None


def test_the_temperature_is_0_where_none_is_set(items, responses) -> None:
    assert make_plan(items(1), responses("a"), STANDARD, SPEC).spec.settings.temperature == 0
    warm = ModelSpec("m", "openai/m", settings=Settings(temperature=0.7))
    assert make_plan(items(1), responses("a"), STANDARD, warm).spec.settings.temperature == 0.7


def test_an_empty_answer_is_not_judged(items, responses) -> None:
    answers = responses("a", "", " \n", None).with_columns(
        error=pl.Series([None, None, None, "HTTP 500"])
    )
    plan = make_plan(items(4), answers, STANDARD, SPEC)
    assert [task.skip for task in plan.tasks] == [
        None,
        "the answer is empty",
        "the answer is empty",
        "there is no answer: HTTP 500",
    ]
    assert len(plan.jobs()) == 1


def test_a_subset_takes_every_topic_with_its_share(items) -> None:
    whole = pl.concat(
        [items(60, topics=3), items(20).with_columns(item_id="x" + pl.col("item_id"))]
    )
    # topics: t0 40, t1 20, t2 20
    drawn = subset_items(whole, 8, seed=3)
    assert Counter(drawn["topic"]) == {"t0": 4, "t1": 2, "t2": 2}
    again = subset_items(whole.reverse(), 8, seed=3)
    assert sorted(again["item_id"]) == sorted(drawn["item_id"])
    assert sorted(subset_items(whole, 8, seed=4)["item_id"]) != sorted(drawn["item_id"])
    assert subset_items(whole, 500, seed=3).equals(whole)


def test_a_subset_keeps_all_answers_to_its_items(items, responses) -> None:
    answers = pl.concat([responses(*"abcdef", source=s) for s in ("x", "y")])
    plan = make_plan(items(6, topics=2), answers, STANDARD, SPEC, subset=2)
    assert Counter(task.source for task in plan.tasks) == {"x": 2, "y": 2}


def test_a_subset_is_drawn_from_items_that_have_answers(items, responses) -> None:
    plan = make_plan(items(100, topics=5), responses("a", "b"), STANDARD, SPEC, subset=2)
    assert [task.item_id for task in plan.tasks] == ["q0", "q1"]


def test_items_without_a_topic_can_be_drawn() -> None:
    table = pl.DataFrame({"item_id": ["a", "b", "c"], "topic": [None, None, "t"]})
    assert subset_items(table, 2, seed=1).height == 2


def test_the_estimate_counts_calls_tokens_and_cost(items, responses) -> None:
    priced = ModelSpec("m", "openai/m", price_in=1.0, price_out=10.0)
    estimate = make_plan(items(2), responses("a", "b"), STANDARD, priced).estimate()
    assert estimate.calls == 2
    assert 500 < estimate.tokens_in < 1000
    assert estimate.tokens_out == 2 * 2 * (120 // 4 + 12)
    assert estimate.cost_usd == pytest.approx((estimate.tokens_in + 10 * estimate.tokens_out) / 1e6)
    assert make_plan(items(2), responses("a", "b"), STANDARD, SPEC).estimate().cost_usd is None
    local = make_plan(items(2), responses("a", "b"), STANDARD, ModelSpec("local", "local"))
    assert local.estimate().cost_usd == 0


def test_a_judge_of_its_own_answers_is_a_warning(items, responses) -> None:
    answers = responses("a", "b").with_columns(model=pl.Series(["openai/m", "openai/n"]))
    (said,) = make_plan(items(2), answers, STANDARD, SPEC).warnings
    assert "rates 1 of its own answers (source a)" in said
    answers = responses("a", "b").with_columns(model=pl.lit("local/gemma-3-270m"))
    assert len(make_plan(items(2), answers, STANDARD, ModelSpec("local", "local")).warnings) == 1
    assert make_plan(items(2), answers, STANDARD, SPEC).warnings == ()


def test_repeats_at_temperature_0_are_a_warning(items, responses) -> None:
    (said,) = make_plan(items(1), responses("a"), STANDARD, SPEC, repeats=2).warnings
    assert "temperature" in said


def test_an_item_that_is_not_there_is_an_error(items, responses) -> None:
    with pytest.raises(UserError, match=r"2 items .* not among the items: q1, q2"):
        make_plan(items(1), responses("a", "b", "c"), STANDARD, SPEC)


@pytest.mark.parametrize("options", [{"repeats": 0}, {"attempts": 0}, {"subset": 0}])
def test_numbers_below_one_are_errors(items, responses, options: dict[str, int]) -> None:
    with pytest.raises(UserError):
        make_plan(items(1), responses("a"), STANDARD, SPEC, **options)


def test_a_conversation_cannot_be_appended(items, responses) -> None:
    session = PAPER.model_copy(update={"unit": "session"})
    with pytest.raises(UserError, match="rates a session"):
        make_plan(items(1), responses("a"), session, SPEC)


ADV = load_instrument("counselbench-adv")


def aimed_at(items: pl.DataFrame, *modes: str | None) -> pl.DataFrame:
    return items.with_columns(failure_mode=pl.Series(modes, dtype=pl.String))


def test_an_answer_is_asked_about_the_mode_that_its_question_aims_at(items, responses) -> None:
    tables = (aimed_at(items(3), "apathetic", None, "therapy"), responses("a", "b", "c"))
    plan = make_plan(*tables, ADV, SPEC)
    asked = {plan.tasks[job.task].item_id: set[str]() for job in plan.jobs()}
    for job in plan.jobs():
        asked[plan.tasks[job.task].item_id] |= {d.id for d in plan.groups[job.group]}
    assert asked == {
        "q0": {"apathetic"},
        "q1": {d.id for d in ADV.dimensions},
        "q2": {"therapy"},
    }
    assert plan.aimed == 2
    assert plan.estimate().calls == 1 + 6 + 1
    assert make_plan(*tables, ADV, SPEC, all_modes=True).estimate().calls == 18


def test_an_aimed_answer_has_one_dimension_where_one_call_asks_for_all(items, responses) -> None:
    tables = (aimed_at(items(2), "apathetic", None), responses("a", "b"))
    plan = make_plan(*tables, ADV, SPEC, per="answer")
    sizes = {job.task: len(plan.groups[job.group]) for job in plan.jobs()}
    assert sizes == {0: 1, 1: 6}
    assert {call.key.split("|")[1] for _, call in plan.calls(plan.jobs())} == {"apathetic", "all"}


def test_an_aimed_plan_repeats_no_call_of_a_plan_for_all_modes(items, responses) -> None:
    tables = (aimed_at(items(2), "apathetic", "therapy"), responses("a", "b"))
    aimed = make_plan(*tables, ADV, SPEC)
    every = make_plan(*tables, ADV, SPEC, all_modes=True)
    calls = [call for _, call in every.calls(every.jobs())]
    assert all(call in calls for _, call in aimed.calls(aimed.jobs()))
    assert aimed.signature != every.signature


@pytest.mark.parametrize("modes", [(None, None), ("apathetic", "therapy")])
def test_where_no_dimension_is_a_mode_the_signature_stays(items, responses, modes) -> None:
    plain = make_plan(items(2), responses("a", "b"), STANDARD, SPEC)
    plan = make_plan(aimed_at(items(2), *modes), responses("a", "b"), STANDARD, SPEC)
    assert plan.signature == plain.signature
    assert plan.jobs() == plain.jobs()
    assert plan.aimed == 0
