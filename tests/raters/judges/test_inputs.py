"""Questions beside the answers."""

import polars as pl
import pytest

from attunement import tables
from attunement.errors import UserError
from attunement.raters.judges.inputs import items_from_answers


def test_each_item_once_with_its_question_and_topic() -> None:
    answers = pl.DataFrame(
        {
            "item_id": ["q1", "q1", "q2"],
            "source": ["a", "b", "a"],
            "text": ["x", "y", "z"],
            "question": ["Why?", "Why?", "How?"],
            "topic": ["t", "t", None],
        }
    )
    items = items_from_answers(answers)
    assert tables.check(items, "items") == []
    assert items["item_id"].to_list() == ["q1", "q2"]
    assert items["topic"].to_list() == ["t", None]
    assert items["turns"][1].to_list() == [{"role": "user", "text": "How?"}]


def test_no_question_is_an_error() -> None:
    with pytest.raises(UserError, match="no column 'question'"):
        items_from_answers(pl.DataFrame({"item_id": ["q1"], "text": ["x"]}))


def test_two_questions_for_one_item_are_an_error() -> None:
    answers = pl.DataFrame({"item_id": ["q1", "q1"], "question": ["Why?", "How?"]})
    with pytest.raises(UserError, match="'q1' stands there with two different questions"):
        items_from_answers(answers, where="a.csv")


def test_the_failure_mode_of_a_question_comes_along() -> None:
    answers = pl.DataFrame(
        {"item_id": ["q1"], "text": ["x"], "question": ["Why?"], "failure_mode": ["therapy"]}
    )
    assert items_from_answers(answers)["failure_mode"].to_list() == ["therapy"]
