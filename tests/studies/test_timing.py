"""Visible time, as median and quartiles."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from attunement.studies import timing
from attunement.studies.models import Assignment, Study

RATE = {
    "type": "rate",
    "instrument": "crisis-handling",
    "raters_per_item": 1,
    "items_per_rater": 5,
}


@pytest.fixture
def pages(make_study: Callable[..., Study]) -> list[Assignment]:
    make_study(items=5, protocol=RATE)
    for page, seconds in zip(Assignment.objects.order_by("pk"), [3, 1, 4, 1, 5], strict=True):
        page.seconds, page.done_at = seconds, timezone.now()
        page.save()
    return timing.done_pages()


def test_quartiles_are_those_of_r(pages: list[Assignment]) -> None:
    # R: quantile(c(3, 1, 4, 1, 5), c(.25, .5, .75))  (type 7)
    spread = timing.by_rater(pages)[0]
    assert (spread.name, spread.n) == ("R001", 5)
    assert (spread.low, spread.middle, spread.high, spread.total) == (1.0, 3.0, 4.0, 14.0)


def test_the_slowest_item_comes_first(pages: list[Assignment]) -> None:
    found = timing.by_item(pages)
    assert [s.middle for s in found] == [5.0, 4.0, 3.0, 1.0, 1.0]


def test_pages_that_are_not_complete_do_not_count(pages: list[Assignment]) -> None:
    Assignment.objects.filter(seconds=5).update(done_at=None)
    assert len(timing.done_pages()) == 4


def test_no_page_gives_no_median_and_says_so() -> None:
    assert timing.in_all([]).reason is not None


def test_pages_of_different_stages_and_kinds_are_parts_of_their_own(
    make_study: Callable[..., Study],
) -> None:
    make_study(items=3, protocol={**RATE, "items_per_rater": 3, "repeats": 1})
    Assignment.objects.update(seconds=60, done_at=timezone.now())
    Assignment.objects.filter(kind="repeat").update(seconds=5)
    parts = timing.by_part(timing.done_pages())
    found = {part: timing.in_all(pages) for part, pages in parts.items()}
    assert {part: (r.n, r.estimate) for part, r in found.items()} == {
        "rate": (3, 60.0),
        "rate, repeat": (1, 5.0),
    }
