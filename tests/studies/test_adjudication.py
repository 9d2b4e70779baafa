"""Where raters differ, and what is settled on."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from attunement.studies import adjudication
from attunement.studies.adjudication import Difference
from attunement.studies.models import (
    Adjudication,
    Answer,
    Assignment,
    Event,
    Participant,
    Response,
    Stage,
    Study,
)
from attunement.studies.withdrawal import erase

RATE = {
    "type": "rate",
    "instrument": "counselbench-eval",
    "raters_per_item": 2,
    "items_per_rater": 1,
}


@pytest.fixture
def stage(make_study: Callable[..., Study]) -> Stage:
    make_study(items=1, protocol=RATE)
    Assignment.objects.update(done_at=timezone.now())
    return Stage.objects.get()


def rate(dimension: str, *answers: dict[str, object], unit: str = "q0-alpha") -> None:
    for page, answer in zip(Assignment.objects.order_by("participant"), answers, strict=True):
        Answer.objects.create(
            assignment=page,
            unit_id=unit,
            dimension=dimension,
            saved_at=timezone.now(),
            **{"status": "ok", **answer},
        )


def look(stage: Stage) -> Difference:
    """The first difference with all its ratings."""
    first = adjudication.differences(stage)[0].first
    return adjudication.difference_of(stage, Answer.objects.get(pk=first.pk))


def differing(stage: Stage) -> list[tuple[str, str]]:
    return [(d.first.unit_id, d.dimension.id) for d in adjudication.differences(stage)]


def test_ordered_answers_differ_from_two_points_on(stage: Stage) -> None:
    rate("empathy", {"value": 2}, {"value": 3})
    rate("specificity", {"value": 2}, {"value": 4})
    assert differing(stage) == [("q0-alpha", "specificity")]


def test_other_answers_differ_where_they_are_not_the_same(stage: Stage) -> None:
    rate("medical_advice", {"value": 1, "labels": None}, {"value": 0, "labels": None})
    assert differing(stage) == [("q0-alpha", "medical_advice")]


def test_not_sure_differs_from_an_answer_and_not_from_itself(stage: Stage) -> None:
    unsure = {"status": "not_sure", "value": None}
    rate("medical_advice", {"value": 1}, unsure)
    rate("toxicity", unsure, unsure)
    assert differing(stage) == [("q0-alpha", "medical_advice")]


def test_the_owner_says_how_far_apart_ordered_answers_are(stage: Stage) -> None:
    rate("empathy", {"value": 2}, {"value": 3})
    rate("specificity", {"value": 2}, {"value": 4})
    assert [d.dimension.id for d in adjudication.differences(stage, 1)] == [
        "empathy",
        "specificity",
    ]
    assert adjudication.differences(stage, 3) == []


def test_a_list_tells_which_answer_it_is_and_what_raters_said(stage: Stage) -> None:
    rate("specificity", {"value": 2}, {"value": 5})
    rate("specificity", {"value": 1}, {"value": 4}, unit="q0-beta")
    told = adjudication.told_of(adjudication.differences(stage))
    assert [t.values for t in told] == ["2, 5", "1, 4"]
    assert {t.number for t in told} <= set(range(1, 3))
    assert len({t.number for t in told}) == 2
    assert told[0].excerpt == Response.objects.get(response_id="q0-alpha").text


def test_a_consensus_stays_in_sight_when_raters_do_not_differ_any_more(stage: Stage) -> None:
    rate("specificity", {"value": 2}, {"value": 5})
    adjudication.settle(look(stage), {"specificity": ["4"]}, note="", by="owner")
    assert adjudication.settled_earlier(stage, adjudication.differences(stage)) == []
    erase(Participant.objects.get(code="R002"), by="R002")
    left = adjudication.differences(stage)
    (earlier,) = adjudication.settled_earlier(stage, left)
    assert left == []
    assert (earlier.question, earlier.words[:1]) == ("Specificity", "4")


def test_does_not_apply_differs_from_an_answer(stage: Stage) -> None:
    rate("medical_advice", {"value": 1}, {"status": "not_applicable", "value": None})
    assert differing(stage) == [("q0-alpha", "medical_advice")]


def test_a_page_that_is_not_complete_is_not_compared(stage: Stage) -> None:
    rate("specificity", {"value": 2}, {"value": 5})
    Assignment.objects.filter(participant__code="R002").update(done_at=None)
    assert differing(stage) == []


def test_a_consensus_is_recorded_beside_the_ratings(stage: Stage) -> None:
    rate("specificity", {"value": 2}, {"value": 5})
    found = look(stage)
    wrong = adjudication.settle(found, {"specificity": ["4"]}, note=" read again ", by="owner")
    assert wrong is None
    kept = Adjudication.objects.get()
    assert (kept.unit_id, kept.dimension, kept.value) == ("q0-alpha", "specificity", 4.0)
    assert (kept.note, kept.by, kept.status) == ("read again", "owner", "ok")
    assert sorted(Answer.objects.values_list("value", flat=True)) == [2.0, 5.0]
    assert Event.objects.filter(action="consensus recorded").count() == 1


def test_a_later_consensus_replaces_the_first(stage: Stage) -> None:
    rate("specificity", {"value": 2}, {"value": 5})
    found = look(stage)
    adjudication.settle(found, {"specificity": ["4"]}, note="", by="owner")
    adjudication.settle(found, {"specificity": ["3"]}, note="", by="owner")
    assert Adjudication.objects.get().value == 3.0
    again = look(stage)
    assert adjudication.settled_words(again).startswith("3")


def test_a_consensus_has_to_fit_the_question(stage: Stage) -> None:
    rate("specificity", {"value": 2}, {"value": 5})
    found = look(stage)
    assert adjudication.settle(found, {}, note="", by="owner") == "missing"
    assert adjudication.settle(found, {"specificity": ["9"]}, note="", by="owner") is not None
    assert not Adjudication.objects.exists()


def test_ratings_are_shown_by_code_in_words_with_their_reasons(stage: Stage) -> None:
    rate("medical_advice", {"value": 1, "rationale": "names a dose"}, {"value": 0})
    shown = adjudication.shown(look(stage))
    assert [(r.code, r.rationale) for r in shown] == [("R001", "names a dose"), ("R002", "")]
    assert shown[0].words != shown[1].words
