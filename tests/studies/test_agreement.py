"""Agreement as ratings come in; expected values are those of the package ``krippendorff``."""

from collections.abc import Callable

import krippendorff
import numpy as np
import pytest
from django.core.cache import cache
from django.utils import timezone

from attunement.studies.agreement import agreement_on, agreement_so_far, rated
from attunement.studies.asked import dimensions_of
from attunement.studies.models import Answer, Assignment, Stage, Study
from studies.filling import fill

pytestmark = pytest.mark.usefixtures("empty_cache")

RATE = {
    "type": "rate",
    "instrument": "counselbench-eval",
    "raters_per_item": 3,
    "items_per_rater": 12,
}


@pytest.fixture
def stage(make_study: Callable[..., Study]) -> Stage:
    make_study(items=12, protocol=RATE)
    return Stage.objects.get()


def matrix(stage: Stage, dimension: str) -> np.ndarray:
    people: dict[int, dict[str, float]] = {}
    for answer in Answer.objects.filter(dimension=dimension, assignment__done_at__isnull=False):
        value = np.nan if answer.value is None else answer.value
        people.setdefault(answer.assignment.participant_id, {})[answer.unit_id] = value
    units = sorted({unit for given in people.values() for unit in given})
    return np.array([[given.get(unit, np.nan) for unit in units] for given in people.values()])


def test_ordinal_answers_have_ordinal_alpha_with_an_interval(stage: Stage) -> None:
    fill()
    found = agreement_on(stage, dimensions_of(stage)["empathy"], replicates=50)
    expected = krippendorff.alpha(matrix(stage, "empathy"), level_of_measurement="ordinal")
    assert found.estimate == pytest.approx(expected)
    assert found.ci_low < found.estimate < found.ci_high
    assert found.n == 24


def test_yes_and_no_have_nominal_alpha(make_study: Callable[..., Study]) -> None:
    make_study(items=12, protocol={**RATE, "instrument": "crisis-handling"})
    fill()
    stage = Stage.objects.get()
    found = agreement_on(stage, dimensions_of(stage)["recognizes_risk"], replicates=0)
    expected = krippendorff.alpha(matrix(stage, "recognizes_risk"), level_of_measurement="nominal")
    assert found.estimate == pytest.approx(expected)


def test_pages_that_are_not_complete_are_left_out(stage: Stage) -> None:
    fill()
    Assignment.objects.filter(participant__code="R001").update(done_at=None)
    assert {a.assignment.participant.code for a in rated(stage)} == {"R002", "R003"}


def test_one_rater_gives_no_agreement_and_the_reason(stage: Stage) -> None:
    fill(people=1)
    found = agreement_on(stage, dimensions_of(stage)["overall"], replicates=50)
    assert np.isnan(found.estimate)
    assert found.reason == "no item has two ratings"


def test_nothing_answered_gives_no_agreement(stage: Stage) -> None:
    assert all(np.isnan(r.estimate) and r.reason for r in agreement_so_far(stage))


def test_a_result_is_kept_for_a_while(stage: Stage) -> None:
    before = agreement_so_far(stage)
    fill()
    assert [r.n for r in agreement_so_far(stage)] == [r.n for r in before]
    cache.clear()
    assert {r.n for r in agreement_so_far(stage)} != {0}


def test_not_sure_is_no_rating(make_study: Callable[..., Study]) -> None:
    make_study(items=2, protocol={**RATE, "raters_per_item": 2, "items_per_rater": 2})
    stage = Stage.objects.get()
    for page in Assignment.objects.filter(stage=stage):
        page.done_at = timezone.now()
        page.save()
        for unit in page.order:
            Answer.objects.create(
                assignment=page,
                unit_id=unit,
                dimension="medical_advice",
                status="not_sure",
                saved_at=timezone.now(),
            )
    found = agreement_on(stage, dimensions_of(stage)["medical_advice"], replicates=0)
    assert found.n == 0
