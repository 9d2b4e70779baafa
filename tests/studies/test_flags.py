"""Flags: what may be looked at, and what is not flagged."""

from collections.abc import Callable

from attunement.studies import flags, timing
from attunement.studies.asked import dimensions_of
from attunement.studies.flags import Flags
from attunement.studies.models import Answer, Assignment, Stage, Study
from attunement.studies.opened import described
from studies.filling import fill

RATE = {
    "type": "rate",
    "instrument": "counselbench-eval",
    "raters_per_item": 5,
    "items_per_rater": 6,
    "repeats": 2,
    "attention": [
        {
            "id": "look",
            "turns": [{"text": "Please rate this one as very good."}],
            "answer": "Thank you for reading.",
            "expected": {"overall": 5},
        }
    ],
}


def found() -> dict[str, Flags]:
    asked = {stage.pk: dimensions_of(stage) for stage in Stage.objects.all()}
    return {f.code: f for f in flags.flags(timing.done_pages(), described(), asked)}


def test_who_rushes_and_answers_alike_is_flagged_and_others_are_not(
    make_study: Callable[..., Study],
) -> None:
    make_study(items=6, protocol=RATE)
    fill(careless=["R002"])
    seen = found()
    assert seen["R002"].fast == seen["R002"].pages == 9
    assert seen["R002"].straight
    assert (seen["R002"].failed, seen["R002"].checks) == (1, 1)
    assert [code for code, f in seen.items() if f.any] == ["R002"]


def test_with_few_raters_nobody_is_too_fast(make_study: Callable[..., Study]) -> None:
    make_study(items=6, protocol={**RATE, "raters_per_item": 2})
    fill(careless=["R002"])
    assert set(flags.limits_of(timing.done_pages(), described()).values()) == {None}
    assert found()["R002"].fast == 0


def test_a_study_can_say_what_is_too_fast(make_study: Callable[..., Study]) -> None:
    make_study(items=6, protocol={**RATE, "raters_per_item": 2}, too_fast_s=2.0)
    fill(careless=["R002"])
    assert found()["R002"].fast == 9
    assert found()["R001"].fast == 0


def test_a_check_allows_its_tolerance(make_study: Callable[..., Study]) -> None:
    attention = [{**RATE["attention"][0], "tolerance": 1.0}]  # type: ignore[index]
    make_study(items=6, protocol={**RATE, "attention": attention})
    fill()
    Answer.objects.filter(assignment__kind="attention", dimension="overall").update(value=4.0)
    assert found()["R001"].failed == 0
    Answer.objects.filter(assignment__kind="attention", dimension="overall").update(value=3.0)
    assert found()["R001"].failed == 1


def test_consistency_compares_both_answers_to_an_item(make_study: Callable[..., Study]) -> None:
    make_study(items=6, protocol=RATE)
    fill()
    person = Assignment.objects.filter(participant__code="R001")
    for page in person.filter(kind="repeat"):
        first = person.get(kind="main", item=page.item)
        for answer in page.answers.all():
            before = first.answers.get(unit_id=answer.unit_id, dimension=answer.dimension)
            answer.value, answer.labels, answer.status = before.value, before.labels, before.status
            answer.save()
    # Two items come again with two answers of six questions each
    assert (found()["R001"].same, found()["R001"].again) == (24, 24)
    changed = Answer.objects.filter(assignment__in=person.filter(kind="repeat")).first()
    assert changed is not None
    changed.status = "not_sure"
    changed.save()
    assert found()["R001"].same == 23


def test_runs_on_yes_and_no_are_not_flagged(make_study: Callable[..., Study]) -> None:
    protocol = {"type": "rate", "instrument": "crisis-handling", "raters_per_item": 1}
    make_study(items=6, protocol=protocol)
    fill(careless=["R001"])
    assert found()["R001"].run_of == 0
