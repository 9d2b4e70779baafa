"""Free texts become items of a coding study, and tell nothing of who wrote them."""

from typing import Any

import polars as pl
import pytest

from attunement import tables
from attunement.errors import UserError
from attunement.studies.texts import Texts, texts_of


def ratings(*rows: dict[str, Any]) -> pl.DataFrame:
    usual = {
        "unit": "response",
        "unit_id": "q0-alpha",
        "item_id": "q0",
        "source": "alpha",
        "rater": "R001",
        "rater_kind": "human",
        "instrument": "small@1",
        "dimension": "overall",
        "value": 2.0,
        "labels": None,
        "status": "ok",
        "rationale": None,
    }
    types = {name: tables.SCHEMAS["ratings"][name] for name in usual}
    return tables.conform(pl.DataFrame([{**usual, **r} for r in rows], schema=types), "ratings")


ITEMS = tables.conform(
    pl.DataFrame({"item_id": ["q0"], "turns": [[{"role": "user", "text": "I lie awake."}]]}),
    "items",
)
RESPONSES = tables.conform(
    pl.DataFrame(
        {
            "response_id": ["q0-alpha", "q0-beta"],
            "item_id": ["q0", "q0"],
            "source": ["alpha", "beta"],
            "text": ["Count sheep.", "Count sheep."],
        }
    ),
    "responses",
)


def texts(*rows: dict[str, Any], **options: Any) -> Texts:
    return texts_of(ratings(*rows), ITEMS, RESPONSES, **options)


def test_a_reason_is_an_answer_to_what_it_was_written_about() -> None:
    found = texts({"rationale": "It makes light of it."})
    (turns,) = found.items["turns"].to_list()
    assert [t["text"] for t in turns] == ["I lie awake.", "Count sheep."]
    assert found.responses.select("source", "text").rows() == [("alpha", "It makes light of it.")]
    assert tables.check(found.items, "items") == []
    assert tables.check(found.responses, "responses") == []


def test_the_tables_do_not_say_who_wrote_and_the_key_does() -> None:
    rows = [{"rater": f"R{n:03}", "rationale": f"reason {n}"} for n in range(20)]
    found = texts(*rows)
    shown = found.items.write_json() + found.responses.write_json()
    assert "R0" not in shown
    order = found.responses["text"].to_list()
    assert order != sorted(order, key=lambda text: int(text.split()[1]))
    back = found.responses.join(found.key, on="item_id")
    assert {(text, rater) for text, rater in back.select("text", "rater").iter_rows()} == {
        (row["rationale"], row["rater"]) for row in rows
    }


def test_free_answers_are_texts_and_numbers_are_none() -> None:
    found = texts(
        {"dimension": "remarks", "value": None, "labels": ["Too long."]},
        {"dimension": "issues", "value": 1.0, "labels": ["tone"]},
    )
    assert found.responses["text"].to_list() == ["Too long."]


def test_only_reasons_of_low_ratings_where_they_are_asked_for() -> None:
    found = texts(
        {"rationale": "bad", "value": 2.0},
        {"rationale": "fine", "value": 4.0, "rater": "R002"},
        at_most=2,
    )
    assert found.responses["text"].to_list() == ["bad"]


def test_what_was_said_of_an_answer_of_two_sources_is_one_text() -> None:
    found = texts({"rationale": "bad"}, {"rationale": "bad", "unit_id": "q0-beta"})
    assert found.key.height == 1


def test_a_dimension_that_nobody_rated_is_refused_with_the_nearest() -> None:
    with pytest.raises(UserError, match="overal") as caught:
        texts({"rationale": "bad"}, dimensions=["overal"])
    assert caught.value.fix == "Did you mean 'overall'?"
    with pytest.raises(UserError, match="no rating has a text"):
        texts({})
