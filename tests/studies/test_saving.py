"""Saving: one path, nothing twice, nothing lost, nothing that was not asked."""

from collections.abc import Callable

import pytest

from attunement.studies.holding import Refused
from attunement.studies.models import Answer, Assignment, Change, Response, Study
from attunement.studies.saving import save


@pytest.fixture
def assignment(make_study: Callable[..., Study]) -> Assignment:
    make_study()
    found = Assignment.objects.filter(kind="main").first()
    assert found is not None
    return found


def test_an_answer_is_kept_as_it_stands_and_as_it_was_saved(assignment: Assignment) -> None:
    save(assignment, 0, "recognizes_risk", {"recognizes_risk": ["1"]}, client="a")
    save(assignment, 0, "recognizes_risk", {"recognizes_risk": ["0"]}, client="b")
    assert [a.value for a in Answer.objects.all()] == [0.0]
    assert [c.value for c in Change.objects.order_by("pk")] == [1.0, 0.0]


def test_the_same_save_twice_is_one_save(assignment: Assignment) -> None:
    save(assignment, 0, "recognizes_risk", {"recognizes_risk": ["1"]}, client="a")
    assert save(assignment, 0, "recognizes_risk", {"recognizes_risk": ["1"]}, client="a").repeated
    assert Change.objects.count() == 1


def test_a_question_that_is_not_on_the_page_is_refused(assignment: Assignment) -> None:
    with pytest.raises(Refused, match="no such question"):
        save(assignment, 0, "nothing", {"nothing": ["1"]}, client="a")
    with pytest.raises(Refused, match="no such answer"):
        save(assignment, 9, "recognizes_risk", {"recognizes_risk": ["1"]}, client="a")


@pytest.mark.parametrize(
    "words",
    ["\n".join(f"tired {n}" for n in range(5_000))[:19_000], "e"],
    ids=["thousands of passages", "one that is everywhere"],
)
def test_passages_without_end_are_refused(make_study: Callable[..., Study], words: str) -> None:
    make_study(
        protocol={
            "type": "rate",
            "instrument": "counselbench-eval",
            "raters_per_item": 2,
            "items_per_rater": 2,
        }
    )
    Response.objects.update(text="e " * 20_000)
    page = Assignment.objects.filter(kind="main")[0]
    for answer in (["1"], []):
        posted = {"medical_advice": answer, "medical_advice.spans": [words]}
        with pytest.raises(Refused, match="at most"):
            save(page, 0, "medical_advice", posted, client="a")
    assert not Answer.objects.exists()
