"""What is judged: answers, items, whole conversations."""

import json

import polars as pl

from attunement import tables
from attunement.inspect_bridge import ModelSpec, Settings
from attunement.instruments import load_instrument
from attunement.raters.judges import judge
from attunement.raters.judges.tasks import make_tasks

TURNS = [("user", "Hi"), ("assistant", "Hello"), ("user", "I am sad")]


def transcript(session: str = "s1") -> tuple[pl.DataFrame, pl.DataFrame]:
    """One conversation with two assistant turns, as the loader of transcripts gives it."""
    items = [
        {
            "item_id": f"{session}/{n}",
            "turns": [{"role": r, "text": t} for r, t in TURNS[:n]],
            "meta": json.dumps({"session": session, "turn": n}),
        }
        for n in (1, 3)
    ]
    answers = [
        {"item_id": f"{session}/1", "source": "bot", "text": "Hello"},
        {"item_id": f"{session}/3", "source": "bot", "text": "I see."},
    ]
    return pl.DataFrame(items), pl.DataFrame(answers)


def tasks(items: pl.DataFrame, answers: pl.DataFrame, unit: str) -> list[tuple]:
    items, answers = tables.require(items, "items"), tables.require(answers, "responses")
    return [
        (t.unit_id, t.source, len(t.material.turns), t.material.answer, t.skip)
        for t in make_tasks(answers, items, unit)
    ]


def test_a_response_is_judged_with_the_turns_before_it() -> None:
    assert tasks(*transcript(), "response") == [
        ("s1/1/bot/0", "bot", 1, "Hello", None),
        ("s1/3/bot/0", "bot", 3, "I see.", None),
    ]


def test_a_session_is_judged_once_with_all_its_turns() -> None:
    items, answers = transcript()
    more_items, more_answers = transcript("s2")
    both = (pl.concat([items, more_items]), pl.concat([answers, more_answers]))
    for unit in ("session", "conversation"):
        assert tasks(*both, unit) == [
            ("s1", "bot", 4, None, None),
            ("s2", "bot", 4, None, None),
        ]


def test_several_answers_to_the_last_turn_are_conversations_of_their_own() -> None:
    items, answers = transcript()
    other = pl.DataFrame([{"item_id": "s1/3", "source": "other", "text": ""}])
    found = tasks(items, pl.concat([answers, other]), "session")
    assert found == [
        ("s1/3/bot/0", "bot", 4, None, None),
        ("s1/3/other/0", "other", 4, None, "the answer is empty"),
    ]


def test_a_question_with_one_answer_is_a_conversation(items, responses) -> None:
    assert tasks(items(1), responses("a"), "session") == [("q0", "a", 2, None, None)]


def test_an_item_is_judged_by_its_turns_alone(items, responses) -> None:
    two = pl.concat([responses("a"), responses("b", source="b")])
    assert tasks(items(2), two, "item") == [("q0", None, 1, None, None)]


def test_the_questionnaire_on_sessions_can_be_judged(stub) -> None:
    instrument = load_instrument("ces-lcc")

    def answer(request: dict) -> str:
        assert "[BEGIN TURN 4 (assistant)" in stub.said(request)
        assert "ANSWER TO RATE" not in stub.said(request)
        return json.dumps({d.id: {"rationale": "r", "score": 4} for d in instrument.dimensions})

    with stub.StubLLM(answer) as server:
        spec = ModelSpec("m", "openai-api/stub/m", base_url=server.base_url, settings=Settings())
        ratings = judge(*transcript(), "ces-lcc", spec)
    assert tables.check(ratings, "ratings") == []
    assert ratings.select("unit", "unit_id").unique().rows() == [("session", "s1")]
    assert ratings["value"].to_list() == [4.0] * len(instrument.dimensions)
