"""Overview, coverage and log."""

from collections.abc import Callable

from django.test import Client

from attunement.studies import flow
from attunement.studies.models import Stage, Study
from studies.filling import fill

STEPS = {
    "type": "filter-choose-annotate",
    "raters": 2,
    "raters_per_item": 2,
    "annotators_per_item": 1,
}


def test_a_stage_is_shown_with_what_it_was_frozen_as(
    owner: Client, make_study: Callable[..., Study]
) -> None:
    make_study()
    page = owner.get("/owner/").content.decode()
    assert Stage.objects.get().digest in page
    assert "0 of 4 pages complete" in page


def test_pages_are_in_english_whatever_the_study_speaks(
    owner: Client, make_study: Callable[..., Study]
) -> None:
    make_study(languages=["it"])
    page = owner.get("/owner/", headers={"accept-language": "it"}).content.decode()
    assert '<html lang="en">' in page
    assert "Piccolo studio" in page


def test_the_next_stage_waits_for_the_first_and_can_then_be_opened(
    owner: Client, make_study: Callable[..., Study]
) -> None:
    make_study(protocol=STEPS)
    later = Stage.objects.get(opened_at=None)
    early = owner.post(f"/owner/stage/{later.pk}/open/", follow=True).content.decode()
    assert "Not done:" in early
    fill()
    page = owner.post(f"/owner/stage/{later.pk}/open/", follow=True).content.decode()
    later.refresh_from_db()
    assert later.opened_at is not None
    assert later.digest in page


def test_a_stage_closes_only_after_asking(owner: Client, make_study: Callable[..., Study]) -> None:
    make_study()
    stage = Stage.objects.get()
    asked = owner.get(f"/owner/stage/{stage.pk}/close/")
    assert "Close the stage rate?" in asked.content.decode()
    stage.refresh_from_db()
    assert stage.closed_at is None
    owner.post(f"/owner/stage/{stage.pk}/close/")
    stage.refresh_from_db()
    assert stage.closed_at is not None


def test_the_study_closes_and_opens_again(owner: Client, make_study: Callable[..., Study]) -> None:
    make_study()
    assert "Closed by its owner" in owner.post("/owner/close/", follow=True).content.decode()
    assert flow.is_closed()
    owner.post("/owner/reopen/")
    assert not flow.is_closed()


def test_what_cannot_be_done_is_said(owner: Client, make_study: Callable[..., Study]) -> None:
    make_study()
    stage = Stage.objects.get()
    page = owner.post(f"/owner/stage/{stage.pk}/open/", follow=True).content.decode()
    assert "Not done:" in page
    assert "open already" in page


def test_coverage_is_a_picture_and_a_table(owner: Client, make_study: Callable[..., Study]) -> None:
    make_study()
    fill(people=1)
    page = owner.get("/owner/coverage/").content.decode()
    assert page.count("<title>q") == 2
    assert "q0: 1 of 2 complete, 0 begun" in page
    assert "style=" not in page
    assert "onclick" not in page


def test_htmx_gets_the_part_that_changes(owner: Client, make_study: Callable[..., Study]) -> None:
    make_study()
    part = owner.get("/owner/coverage/", headers={"hx-request": "true"}).content.decode()
    assert "<html" not in part
    assert "Ratings of each item" in part


def test_the_log_is_the_latest_first(owner: Client, make_study: Callable[..., Study]) -> None:
    make_study()
    owner.post("/owner/close/")
    page = owner.get("/owner/log/").content.decode()
    assert page.index("study closed") < page.index("stage opened")


def test_the_last_day_can_be_moved_and_taken_away(
    owner: Client, make_study: Callable[..., Study]
) -> None:
    make_study(closes="2999-01-31")
    assert "2999-01-31" in owner.get("/owner/").content.decode()
    owner.post("/owner/last-day/", {"last_day": "2999-02-28"})
    assert Study.objects.get().last_day.isoformat() == "2999-02-28"  # type: ignore[union-attr]
    owner.post("/owner/last-day/", {"last_day": ""})
    assert Study.objects.get().last_day is None


def test_a_last_day_that_is_over_or_no_date_is_refused(
    owner: Client, make_study: Callable[..., Study]
) -> None:
    make_study()
    for wrong in ("2001-01-01", "soon", "9999999-1-1"):
        page = owner.post("/owner/last-day/", {"last_day": wrong}, follow=True).content.decode()
        assert "Not done:" in page
    assert Study.objects.get().last_day is None
