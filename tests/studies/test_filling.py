"""The simulated answers that other tests start from."""

from collections.abc import Callable

from attunement.studies.models import Answer, Assignment, Participant, Study
from studies.filling import fill

FOUR = {
    "type": "rate",
    "instrument": "crisis-handling",
    "raters_per_item": 2,
    "items_per_rater": 4,
}


def test_whoever_does_all_is_finished(make_study: Callable[..., Study]) -> None:
    make_study()
    fill()
    assert not Participant.objects.filter(finished_at=None).exists()
    assert not Assignment.objects.filter(done_at=None).exists()


def test_half_of_the_pages_leaves_nobody_finished(make_study: Callable[..., Study]) -> None:
    make_study(items=4, protocol=FOUR)
    fill(share=0.5)
    assert not Participant.objects.exclude(finished_at=None).exists()
    assert Assignment.objects.exclude(done_at=None).count() == 4


def test_raters_mostly_see_the_same(make_study: Callable[..., Study]) -> None:
    make_study(items=4, protocol=FOUR)
    fill()
    pairs: dict[tuple[str, str], list[float | None]] = {}
    for answer in Answer.objects.all():
        pairs.setdefault((answer.unit_id, answer.dimension), []).append(answer.value)
    alike = sum(len(set(values)) == 1 for values in pairs.values())
    assert len(pairs) / 2 < alike < len(pairs)
