"""Coverage: what is wanted, begun and complete, and that people who left do not count as coming."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from attunement.studies import coverage
from attunement.studies.models import Assignment, Stage, Study
from attunement.studies.replacement import replace_participant
from attunement.studies.withdrawal import erase, stop
from studies.filling import fill

RATE = {
    "type": "rate",
    "instrument": "crisis-handling",
    "raters_per_item": 2,
    "items_per_rater": 3,
    "repeats": 1,
}


@pytest.fixture
def stage(make_study: Callable[..., Study]) -> Stage:
    make_study(items=3, protocol=RATE)
    return Stage.objects.get()


def test_each_item_wants_the_ratings_that_were_handed_out(stage: Stage) -> None:
    found = coverage.by_item(stage)
    assert [(c.name, c.wanted, c.begun, c.complete) for c in found] == [
        ("q0", 2, 0, 0),
        ("q1", 2, 0, 0),
        ("q2", 2, 0, 0),
    ]


def test_a_page_is_begun_when_opened_and_complete_when_done(stage: Stage) -> None:
    one, other = Assignment.objects.filter(kind="main", item__item_id="q1")
    one.opened_at = other.opened_at = other.done_at = timezone.now()
    one.save()
    other.save()
    total = coverage.overall(stage, coverage.by_item(stage))
    assert (total.wanted, total.begun, total.complete, total.to_come) == (6, 1, 1, 4)


def test_the_least_complete_come_first(stage: Stage) -> None:
    Assignment.objects.filter(item__item_id="q0").update(done_at=timezone.now())
    assert [c.name for c in coverage.by_item(stage)] == ["q1", "q2", "q0"]


def numbers(stage: Stage) -> tuple[int, int, int, int]:
    total = coverage.overall(stage, coverage.by_item(stage))
    return total.wanted, total.complete, total.short, total.to_come


def test_complete_pages_of_a_revoked_rater_count_and_the_rest_is_short(stage: Stage) -> None:
    person = fill(people=1, share=0.5)[0]
    person.revoked_at = timezone.now()
    person.save()
    assert numbers(stage) == (6, 2, 1, 3)


def test_the_design_is_short_of_erased_pages_until_somebody_takes_them_over(stage: Stage) -> None:
    person = fill(people=1)[0]
    erase(person, by="test")
    assert numbers(stage) == (6, 0, 3, 3)
    replace_participant(person, by="test")
    assert numbers(stage) == (6, 0, 0, 6)


def test_what_somebody_completed_counts_when_they_stop_and_the_rest_is_short(
    stage: Stage,
) -> None:
    person = fill(people=1, share=0.5)[0]
    stop(person, by="test")
    assert numbers(stage) == (6, 2, 1, 3)


def test_progress_counts_every_page_of_a_participant(stage: Stage) -> None:
    fill(people=1)
    assert [(p.done, p.pages) for p in coverage.by_participant()] == [(4, 4), (0, 4)]


def test_nothing_wanted_is_a_share_of_nothing() -> None:
    assert coverage.Covered("q").share == 0.0
