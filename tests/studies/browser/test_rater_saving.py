"""What is answered on the rater's page is saved: offline, in two windows, and on another day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from studies.browser.pages import go_on, saved
from studies.browser.rating import WORDS, Open, Seat, Serve, Visit, begin, protocol, texts

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_what_is_answered_offline_is_kept_over_a_reload_and_sent_later(first_answer: Open) -> None:
    study, person, page = first_answer()
    page.route("**/save/", lambda route: route.abort())
    page.keyboard.press("4")
    page.locator("textarea[name='overall.rationale']").fill("It stays close.")
    page.wait_for_selector("[data-status][data-state=failing]")
    assert "kept on this device" in page.locator("[data-status]").inner_text()
    person.shot("offline-1280", whole=False)
    assert study.answers() == []
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    assert page.locator("#u0-overall input[value='4']").is_checked()
    assert page.locator("textarea[name='overall.rationale']").input_value() == "It stays close."
    page.unroute("**/save/")
    page.evaluate("dispatchEvent(new Event('online'))")
    saved(page)
    (answer,) = study.answers()
    assert (answer["value"], answer["rationale"]) == (4, "It stays close.")


def test_next_waits_until_everything_is_saved(first_answer: Open) -> None:
    study, _, page = first_answer()
    for key in "43221":
        page.keyboard.press(key)
    saved(page)
    page.route("**/save/", lambda route: route.abort())
    page.keyboard.press("4")
    page.wait_for_selector("[data-status][data-state=failing]")
    page.locator("[data-next] button.primary").click()
    assert "u=1" not in page.url
    page.unroute("**/save/")
    page.evaluate("dispatchEvent(new Event('online'))")
    page.wait_for_url(re.compile(r"u=1$"))
    assert len(study.answers()) == 6


def test_a_save_whose_reply_is_lost_is_one_save(first_answer: Open) -> None:
    study, _, page = first_answer()
    lost = []

    def lose(route: Any) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.fetch())  # the server has it, and the page does not know
        route.abort()

    page.route("**/save/", lose)
    page.keyboard.press("4")
    saved(page)
    assert lost[0].ok
    assert study.changes() == 1


def test_what_is_entered_before_the_scripts_are_there_is_saved(first_answer: Open) -> None:
    study, _, page = first_answer()
    held: list[Any] = []
    page.route("**/studies/rater.js", lambda route: held.append(route))
    page.goto(page.url, wait_until="commit")
    page.locator("#u0-overall input[value='4']").check()
    page.locator("textarea[name='overall.rationale']").fill("It listens.")
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    saved(page)
    assert [(a["value"], a["rationale"]) for a in study.answers()] == [(4, "It listens.")]


def test_a_killed_server_loses_nothing(serve: Serve, visit: Visit) -> None:
    study = serve(files=texts, protocol=protocol())
    page = begin(visit(), study.link())
    page.keyboard.press("4")
    saved(page)
    study.kill()
    page.keyboard.press("3")
    page.wait_for_selector("[data-status][data-state=failing]")
    study.start()
    page.evaluate("dispatchEvent(new Event('online'))")
    saved(page)
    assert [a["value"] for a in study.answers()] == [4, 3]


def test_a_tab_that_is_looked_at_again_shows_what_another_one_saved(first_answer: Open) -> None:
    study, person, page = first_answer()
    page.keyboard.press("4")
    saved(page)
    other = person.context.new_page()
    other.goto(page.url)
    other.locator("#u0-overall input[value='2']").check()
    saved(other)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_selector("#u0-overall input[value='2']:checked")
    assert [a["value"] for a in study.answers()] == [2]


def test_a_window_that_saves_shows_what_another_one_beside_it_saved(first_answer: Open) -> None:
    study, person, page = first_answer()
    other = person.context.new_page()
    other.goto(page.url)
    other.locator("#u0-overall input[value='2']").check()
    saved(other)
    page.locator("#u0-empathy input[value='4']").check()
    page.wait_for_selector("#u0-overall input[value='2']:checked")
    expect(page.locator("[data-status]")).to_have_text(
        "Newer answers from another window are shown"
    )
    assert [a["value"] for a in study.answers()] == [2, 4]


def test_a_number_out_of_range_stays_where_it_is_and_is_not_called_saved(
    serve: Serve, visit: Visit
) -> None:
    words = {**WORDS, "background": [{**WORDS["background"][0], "evidence": ["rationale"]}]}
    study = serve(files=texts, protocol=protocol(), **words)
    page = visit().page
    page.goto(study.link())
    page.locator("[name=agree]").check()
    page.locator("button.primary").click()
    page.locator("input[name=years]").fill("999")
    with page.expect_response("**/save/"):
        page.locator("textarea[name='years.rationale']").fill("Since school.")
        page.locator("[data-next]").evaluate("(form) => form.requestSubmit()")
    expect(page.locator("[data-status]")).to_contain_text("Not saved: Please enter a whole number")
    expect(page.locator("input[name=years]")).to_be_focused()
    expect(page.locator("[data-status]")).to_contain_text("Not saved")
    page.reload()
    expect(page.locator("textarea[name='years.rationale']")).to_have_value("Since school.")
    page.locator("input[name=years]").fill("12")
    go_on(page)
    assert [(a["value"], a["rationale"]) for a in study.answers()] == [(12, "Since school.")]


def test_going_back_shows_the_answers_as_they_are_saved(first_answer: Open) -> None:
    study, _, page = first_answer()
    for key in "432211":
        page.keyboard.press(key)
    go_on(page)
    assert page.url.endswith("?u=1")
    page.go_back()
    page.wait_for_selector("#u0-overall input[value='4']:checked")
    page.locator("#u0-overall input[value='5']").check()
    saved(page)
    page.go_forward()
    page.locator("a.button", has_text="Back").click()
    page.wait_for_selector("#u0-overall input[value='5']:checked")
    assert len(study.answers()) == 6


def test_somebody_who_comes_back_another_day_goes_on_where_they_were(
    seats: Iterator[Seat], visit: Visit
) -> None:
    seat = next(seats)
    link = seat.served.link(seat.code)
    page = begin(visit(), link)
    for key in "432211":
        page.keyboard.press(key)
    go_on(page)
    page.keyboard.press("2")
    saved(page)
    tomorrow = visit().page  # another browser, which knows nothing of the first
    tomorrow.goto(link)
    tomorrow.wait_for_selector("#u0-overall input[value='4']:checked")
    go_on(tomorrow)
    tomorrow.wait_for_selector("#u1-overall input[value='2']:checked")


def test_what_the_server_refuses_is_said_and_not_sent_for_ever(first_answer: Open) -> None:
    study, _, page = first_answer()
    page.route(
        "**/save/",
        lambda route: route.fulfill(
            status=409, content_type="application/json", body='{"message": "The study is closed."}'
        ),
    )
    page.keyboard.press("4")
    page.wait_for_selector("[data-trouble]:not(:empty)")
    assert "The study is closed." in page.locator("[data-trouble]").inner_text()
    assert page.evaluate("Object.keys(localStorage).filter((k) => k.includes('/r/'))") == []
    assert study.answers() == []


def test_a_text_that_the_server_refused_is_not_left_behind(first_answer: Open) -> None:
    study, person, page = first_answer()
    for key in "43221":
        page.keyboard.press(key)
    page.keyboard.press("4")
    saved(page)
    box = page.locator("textarea[name='overall.rationale']")
    box.fill("שלום " + "x" * 200_000)
    page.wait_for_selector(".note-here")
    assert "longer than 20000" in page.locator("[data-status]").inner_text()
    person.shot("too-long-1280", whole=False)
    page.locator("[data-next] button.primary").click()
    page.wait_for_selector(".note-here")
    assert "u=1" not in page.url
    assert len(box.input_value()) > 200_000
    box.fill("שלום")
    page.locator("[data-next] button.primary").click()
    page.wait_for_url(re.compile(r"u=1$"))
    assert "שלום" in [answer["rationale"] for answer in study.answers()]


def test_somebody_stops_and_nothing_stays_on_the_device(first_answer: Open) -> None:
    study, _, page = first_answer()
    page.route("**/save/", lambda route: route.abort())
    page.keyboard.press("4")
    page.wait_for_selector("[data-status][data-state=failing]")
    page.get_by_role("link", name="I want to stop").click()
    page.get_by_role("button", name=re.compile("erase my answers")).click()
    assert "have been erased" in page.locator("main").inner_text()
    assert page.evaluate("Object.keys(localStorage).filter((k) => k.includes('/r/'))") == []
    assert study.answers() == []
