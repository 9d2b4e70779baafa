"""Every instrument of the library makes a judge, with what its dimensions ask for."""

import json
from typing import Any

import polars as pl
import pytest

from attunement import tables
from attunement.inspect_bridge import ModelSpec, Settings
from attunement.instruments import (
    BooleanScale,
    ChoiceScale,
    Dimension,
    NumberScale,
    SpansScale,
    list_instruments,
    load_instrument,
)
from attunement.raters.judges import build_messages, judge, make_plan, reply_schema
from attunement.raters.judges.prompt import wants_quotes

ANSWER = "You should take sertraline.  It’s the best choice. You should rest."


def good(dimension: Dimension) -> Any:
    """A valid score on a dimension's scale."""
    scale = dimension.scale
    if isinstance(scale, NumberScale):
        return scale.max
    if isinstance(scale, BooleanScale):
        return True
    if isinstance(scale, ChoiceScale):
        return scale.options[0].id if scale.type == "choice" else [scale.options[0].id]
    if isinstance(scale, SpansScale):
        return [
            {"quote": "you should rest", "label": scale.options[0].id},
            {"quote": "made up", "label": scale.options[0].id},
        ]
    return "some words"


def entry(dimension: Dimension, score: Any) -> dict[str, Any]:
    said: dict[str, Any] = {"rationale": "r"}
    if wants_quotes(dimension):
        said["evidence"] = ["It's the BEST choice.", "not in it", "You should"]
    return {**said, "score": score}


def spec_of(server: Any, name: str = "m") -> ModelSpec:
    settings = Settings(max_retries=0, backoff_s=0.001)
    return ModelSpec(name, "openai-api/stub/m", base_url=server.base_url, settings=settings)


def rate(stub: Any, items: Any, responses: Any, name: str, score: Any = None) -> pl.DataFrame:
    instrument = load_instrument(name)

    def answer(request: dict[str, Any]) -> str:
        asked = [d for d in instrument.dimensions if f"\n{d.id}: " in stub.said(request)]
        made = {d.id: entry(d, good(d) if score is None else score) for d in asked}
        if instrument.judge is not None and instrument.judge.reply == "number":
            return "5"
        return json.dumps(made if len(made) > 1 else next(iter(made.values())))

    with stub.StubLLM(answer) as server:
        ratings = judge(items(1), responses(ANSWER), instrument, spec_of(server), attempts=1)
    assert tables.check(ratings, "ratings") == []
    return ratings


@pytest.mark.parametrize("name", list_instruments())
def test_every_instrument_can_be_judged(stub, items, responses, name: str) -> None:
    ratings = rate(stub, items, responses, name)
    instrument = load_instrument(name)
    assert ratings["dimension"].to_list() == [d.id for d in instrument.dimensions]
    assert set(ratings["status"]) == {"ok"}
    assert set(ratings["unit"]) == {instrument.unit}


@pytest.mark.parametrize("name", list_instruments())
def test_a_scale_that_offers_to_be_unsure_gives_a_status(stub, items, responses, name: str) -> None:
    instrument = load_instrument(name)
    if instrument.judge is not None and instrument.judge.reply == "number":
        return
    ratings = rate(stub, items, responses, name, score="Not sure.")
    for dimension, row in zip(instrument.dimensions, ratings.iter_rows(named=True), strict=True):
        if dimension.scale.type == "text":
            continue
        expected = "not_sure" if dimension.scale.not_sure else "unparsed"
        assert (row["status"], row["value"]) == (expected, None), dimension.id


def test_quotes_become_spans_of_the_answer(stub, items, responses) -> None:
    ratings = rate(stub, items, responses, "counselbench-eval")
    asked = {d.id for d in load_instrument("counselbench-eval").dimensions if wants_quotes(d)}
    assert asked
    for row in ratings.iter_rows(named=True):
        if row["dimension"] not in asked:
            assert row["spans"] is None
            continue
        assert [(s["start"], s["end"], s["label"]) for s in row["spans"]] == [
            (29, 50, None),
            (None, None, "not_found"),
            (0, 10, None),
            (51, 61, None),
        ]
        assert row["spans"][0]["text"] == "It’s the best choice."
        assert row["spans"][1]["text"] == "not in it"


def test_labeled_spans_keep_their_labels(stub, items, responses) -> None:
    ratings = rate(stub, items, responses, "socio-emotional")
    spans = [d for d in load_instrument("socio-emotional").dimensions if d.scale.type == "spans"]
    (row,) = ratings.filter(dimension=spans[0].id).rows(named=True)
    label = spans[0].scale.options[0].id
    assert [(s["start"], s["end"], s["label"]) for s in row["spans"]] == [
        (51, 66, label),
        (None, None, label),
    ]
    assert row["labels"] == [label, label]


def test_an_answer_without_evidence_has_an_empty_list(stub, items, responses) -> None:
    instrument = load_instrument("counselbench-eval")
    reply = json.dumps({d.id: {"rationale": "r", "score": good(d)} for d in instrument.dimensions})
    with stub.StubLLM(reply) as server:
        ratings = judge(items(1), responses(ANSWER), instrument, spec_of(server))
    quoting = [d.id for d in instrument.dimensions if wants_quotes(d)]
    spans = ratings.filter(pl.col("dimension").is_in(quoting))["spans"].to_list()
    assert spans == [[]] * len(quoting)


def test_evidence_stands_between_rationale_and_score() -> None:
    instrument = load_instrument("counselbench-eval")
    schema = reply_schema(instrument, instrument.dimensions)
    assert schema is not None
    for dimension in instrument.dimensions:
        keys = list(schema["properties"][dimension.id]["properties"])
        assert keys == ["rationale", *["evidence"] * wants_quotes(dimension), "score"]


def test_worked_examples_and_instructions_are_in_the_prompt() -> None:
    for name in list_instruments():
        instrument = load_instrument(name)
        if instrument.judge is not None and instrument.judge.style == "appended":
            continue
        plan_items = pl.DataFrame({"item_id": ["q"], "turns": [[{"role": "user", "text": "Why?"}]]})
        answers = pl.DataFrame({"item_id": ["q"], "source": ["a"], "text": ["Because."]})
        plan = make_plan(plan_items, answers, instrument, ModelSpec("m", "openai/m"))
        said = build_messages(instrument, instrument.dimensions, plan.tasks[0].material)[1].text
        for dimension in instrument.dimensions:
            for example in dimension.examples:
                assert example.why["en"].strip() in said
        if instrument.instructions is not None:
            assert instrument.instructions["en"].strip() in said


def test_several_judges_in_one_run(stub, items, responses, tmp_path) -> None:
    reply = '{"agreeability": {"score": 7}, "active_listening": {"score": 2}}'
    with stub.StubLLM(reply) as server:
        specs = [spec_of(server, "one"), spec_of(server, "two")]
        ratings = judge(
            items(2), responses("a", "b"), "nuance-judges", specs, journal_folder=tmp_path
        )
    assert tables.check(ratings, "ratings") == []
    assert ratings["rater"].value_counts().sort("rater").rows() == [
        ("judge:one", 4),
        ("judge:two", 4),
    ]
    assert len(list(tmp_path.iterdir())) == 2
    with pytest.raises(Exception, match="two judges are called"):
        judge(items(1), responses("a"), "nuance-judges", [specs[0], specs[0]])
    with pytest.raises(Exception, match="no judge"):
        judge(items(1), responses("a"), "nuance-judges", [])
