"""The rater's page in a real browser, used as a person would."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from attunement import tables

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
expect = pytest.importorskip("playwright.sync_api").expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Serve = Callable[..., Any]
Visit = Callable[..., Any]

TEXT = "Café talk 👋🏽 helps.\r\nI hear how tired you are 😴, and I would stay close tonight."
QUESTION = "I lie awake every night, and nobody knows."
RATED = ("overall", "empathy", "specificity", "medical_advice", "factual_consistency", "toxicity")
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
WORDS = {
    "title": {"en": "How do these answers sound?", "it": "Come suonano queste risposte?"},
    "consent": {
        "text": {
            "en": "You will read questions and answers.\n\nTaking part is voluntary.",
            "it": "Leggerà domande e risposte.\n\nPartecipare è volontario.",
        }
    },
    "warning": {"en": "Some texts speak of sleepless nights.", "it": "Si parla di notti insonni."},
    "country": "IT",
    "background": [
        {
            "id": "years",
            "label": {"en": "Years", "it": "Anni"},
            "wording": {"en": "For how many years?", "it": "Da quanti anni?"},
            "scale": {"type": "integer", "min": 0, "max": 60, "better": "neither"},
        },
        {
            "id": "role",
            "label": {"en": "Role", "it": "Ruolo"},
            "wording": {"en": "What do you do?", "it": "Che cosa fa?"},
            "scale": {
                "type": "choice",
                "options": [
                    {"id": "care", "label": {"en": "I care", "it": "Curo"}},
                    {"id": "teach", "label": {"en": "I teach", "it": "Insegno"}},
                ],
            },
        },
    ],
    "training": [
        {
            "id": "one",
            "turns": [{"role": "user", "text": "I failed my exam."}],
            "answer": "Study harder.",
            "expected": {"empathy": 1},
            "feedback": {"en": "It gives an order.", "it": "Dà un ordine."},
        }
    ],
}


def texts(folder: Path) -> None:
    """Write one item with two answers, one of which has characters that count twice."""
    items = pl.DataFrame(
        {"item_id": ["q"], "topic": ["sleep"], "turns": [[{"role": "user", "text": QUESTION}]]}
    )
    answers = pl.DataFrame(
        {
            "response_id": ["q-a", "q-b"],
            "item_id": ["q", "q"],
            "source": ["alpha", "beta"],
            "text": [TEXT, TEXT],
        }
    )
    tables.write_table(tables.conform(items, "items"), folder / "items.parquet", "items")
    table = tables.conform(answers, "responses")
    tables.write_table(table, folder / "responses.parquet", "responses")


def rating(instrument: str = "counselbench-eval", **more: Any) -> dict[str, Any]:
    """Return the protocol of one rater who sees everything."""
    return {"type": "rate", "instrument": instrument, **{"raters_per_item": 1, **more}}


def begin(person: Any, link: str) -> Any:
    """Open a personal link, agree, and return the page."""
    page = person.page
    page.goto(link)
    page.locator("input[name=agree]").check()
    page.locator("main button.primary").click()
    page.wait_for_selector(".work, form[action$='begin/']")
    page.wait_for_load_state()  # the scripts have run: keys pressed earlier go nowhere
    return page


@dataclass
class Seat:
    """A participant of a study that tests share."""

    served: Any
    code: str

    def answers(self) -> list[dict[str, Any]]:
        return [answer for answer in self.served.answers() if answer["code"] == self.code]

    def changes(self) -> int:
        """Return how many saves there were."""
        found = self.served.rows(
            "SELECT count(*) AS n FROM studies_change c "
            "JOIN studies_assignment a ON a.id = c.assignment_id "
            "JOIN studies_participant p ON p.id = a.participant_id WHERE p.code = ?",
            self.code,
        )
        return int(found[0]["n"])


@pytest.fixture(scope="module")
def seats(serve_for_all: Serve) -> Iterator[Seat]:
    """The participants of a study with the texts above, one after the other."""
    study = serve_for_all(files=texts, protocol=rating(raters_per_item=30))
    return (Seat(study, code) for code in study.links)


Open = Callable[[], tuple[Seat, Any, Any]]


@pytest.fixture
def first_answer(seats: Iterator[Seat], visit: Visit) -> Open:
    """Return a function that opens the first answer as a participant of one's own."""

    def open_() -> tuple[Seat, Any, Any]:
        seat, person = next(seats), visit()
        page = begin(person, seat.served.link(seat.code))
        page.wait_for_selector(".marking")
        return seat, person, page

    return open_


def saved(page: Any) -> None:
    """Wait until the page says that all is saved."""
    page.wait_for_selector("[data-status][data-state=fine]:not(:empty)")


def go_on(page: Any) -> None:
    """Press Next and wait for the page after it."""
    with page.expect_navigation():
        page.locator("[data-next] button.primary").click()


def select(page: Any, words: str, nth: int = 0) -> None:
    """Select words of an answer as dragging over them would."""
    page.locator("[data-text]").nth(nth).evaluate(
        """(element, words) => {
            const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
            const nodes = [];
            while (walker.nextNode()) nodes.push(walker.currentNode);
            let at = nodes.map((n) => n.data).join("").indexOf(words);
            let end = at + words.length;
            const range = document.createRange();
            for (const node of nodes) {
                if (at >= 0 && at < node.length) range.setStart(node, at);
                if (end > 0 && end <= node.length) range.setEnd(node, end);
                at -= node.length;
                end -= node.length;
            }
            getSelection().removeAllRanges();
            getSelection().addRange(range);
        }""",
        words,
    )


def spans_of(study: Any, dimension: str) -> list[str]:
    """Return the passages that are saved for a question, after checking their places."""
    found = [a for a in study.answers() if a["dimension"] == dimension]
    spans = json.loads(found[0]["spans"]) if found else []
    assert all(TEXT[s["start"] : s["end"]] == s["text"] for s in spans)
    return [s["text"] for s in spans]


# --- answering


def test_number_keys_answer_the_first_open_question_and_go_on(first_answer: Open) -> None:
    study, _, page = first_answer()
    for key in "432214":  # the fourth question is yes or no: its second choice is no
        page.keyboard.press(key)
    saved(page)
    expect(page.locator("fieldset.answered")).to_have_count(6)
    values = {a["dimension"]: a["value"] for a in study.answers()}
    assert values == dict(zip(RATED, [4, 3, 2, 0, 1, 4], strict=True))


def test_keys_write_where_somebody_writes(first_answer: Open) -> None:
    study, _, page = first_answer()
    page.locator("textarea[name='overall.rationale']").fill("")
    page.keyboard.type("4 of 5, i think")
    page.locator("textarea[name='overall.rationale']").blur()
    saved(page)
    (answer,) = study.answers()
    assert (answer["value"], answer["rationale"]) == (None, "4 of 5, i think")
    assert not page.locator("[data-instructions]").is_visible()


def test_keys_can_be_switched_off(first_answer: Open) -> None:
    study, _, page = first_answer()
    page.keyboard.press("i")
    page.locator("[data-keys-off]").check()
    page.keyboard.press("Escape")
    page.keyboard.press("4")
    page.keyboard.press("i")
    assert not page.locator("[data-instructions]").is_visible()
    page.reload()
    page.keyboard.press("4")
    assert study.answers() == []


def test_instructions_are_one_key_away_and_hold_the_definitions(first_answer: Open) -> None:
    _, _, page = first_answer()
    page.keyboard.press("?")
    said = page.locator("[data-instructions]").inner_text()
    assert "Empathy measures whether the response demonstrates emotional attunement" in said
    page.keyboard.press("Escape")
    assert not page.locator("[data-instructions]").is_visible()
    page.locator("[data-open-instructions]").click()
    assert page.locator("[data-instructions]").is_visible()


def test_not_sure_is_an_answer_and_an_answer_can_be_cleared(first_answer: Open) -> None:
    study, _, page = first_answer()
    question = page.locator("#u0-medical_advice")
    question.get_by_label("I am not sure").check()
    saved(page)
    assert [(a["status"], a["value"]) for a in study.answers()] == [("not_sure", None)]
    question.get_by_role("button", name="Clear").click()
    expect(page.locator("#u0-medical_advice.answered")).to_have_count(0)
    saved(page)
    assert study.answers() == []


def test_a_question_without_an_answer_is_marked_and_gets_the_focus(first_answer: Open) -> None:
    _, person, page = first_answer()
    page.keyboard.press("4")
    go_on(page)
    assert page.locator("fieldset.lacking").count() == 5
    assert page.evaluate("document.activeElement.closest('fieldset').id") == "u0-empathy"
    person.shot("rate-lacking-1280")
    page.keyboard.press("3")
    expect(page.locator("fieldset.lacking")).to_have_count(4)


# --- passages


def test_a_passage_is_marked_by_selecting_it_in_code_points(first_answer: Open) -> None:
    study, person, page = first_answer()
    select(page, " I hear how tired you are 😴, ".strip() + " ")
    page.locator(".mark-bar").get_by_role("button", name="Overall quality").click()
    saved(page)
    assert spans_of(study, "overall") == ["I hear how tired you are 😴,"]
    select(page, "tired")
    page.locator(".mark-bar").get_by_role("button", name="Toxicity").click()
    page.wait_for_selector("#u0-toxicity .chip")
    saved(page)
    assert spans_of(study, "toxicity") == ["tired"]
    person.shot("marks-1280", whole=False)
    page.reload()
    assert page.locator("#u0-overall .chip q").inner_text() == "I hear how tired you are 😴,"
    assert page.locator("#u0-toxicity .chip q").inner_text() == "tired"


def test_a_passage_is_marked_from_the_keyboard_alone(first_answer: Open) -> None:
    study, person, page = first_answer()
    page.keyboard.press("m")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")
    person.shot("marks-keyboard-1280", whole=False)
    page.keyboard.press("ArrowRight")  # from the first question to the second
    page.keyboard.press("Enter")
    page.wait_for_selector("#u0-medical_advice .chip")
    saved(page)
    assert spans_of(study, "medical_advice") == ["talk 👋🏽 helps"]


def test_a_question_s_own_button_marks_for_that_question(first_answer: Open) -> None:
    study, _, page = first_answer()
    page.locator("#u0-toxicity .mark-here").click()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector("#u0-toxicity .chip")
    saved(page)
    assert spans_of(study, "toxicity") == ["Café talk"]


def test_a_mark_is_removed_and_undone(first_answer: Open) -> None:
    study, _, page = first_answer()
    select(page, "stay close")
    page.locator(".mark-bar button").first.click()
    page.wait_for_selector("#u0-overall .chip")
    page.locator("#u0-overall .chip .remove").click()
    page.wait_for_selector("#u0-overall .chip", state="detached")
    page.keyboard.press("Control+z")
    page.wait_for_selector("#u0-overall .chip")
    saved(page)
    assert spans_of(study, "overall") == ["stay close"]
    page.locator("[data-undo]").click()
    page.wait_for_selector("#u0-overall .chip", state="detached")
    saved(page)
    assert spans_of(study, "overall") == []


def test_a_phone_marks_with_a_bar_at_its_foot(serve: Serve, visit: Visit) -> None:
    study = serve(files=texts, protocol=rating())
    person = visit(width=360, height=740, has_touch=True, is_mobile=True)
    page = begin(person, study.link())
    page.wait_for_selector(".marking")
    select(page, "stay close")
    button = page.locator(".mark-bar button").first
    button.wait_for()
    person.shot("marks-360", whole=False)
    button.tap()
    page.wait_for_selector("#u0-overall .chip")
    saved(page)
    assert spans_of(study, "overall") == ["stay close"]
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 360


LABELED = """
id: acts
version: 1
title: {en: Acts}
description: {en: Acts}
unit: response
languages: [en]
dimensions:
  - id: acts
    label: {en: Dialogue acts}
    wording: {en: Which acts are there}
    scale:
      type: spans
      options:
        - {id: inform, label: {en: Inform}}
        - {id: question, label: {en: Question}}
source: {citation: test}
license: test
"""


def test_passages_with_labels_are_the_answer_and_none_of_these_takes_them_back(
    serve: Serve, visit: Visit
) -> None:
    def files(folder: Path) -> None:
        texts(folder)
        (folder / "acts.yaml").write_text(LABELED)

    study = serve(files=files, languages=["en"], protocol=rating("acts.yaml"))
    person = visit()
    page = begin(person, study.link())
    for words, label in (("helps", "Inform"), ("tired", "Question"), ("tired you", "Inform")):
        select(page, words)
        page.locator(".mark-bar").get_by_role("button", name=label).click()
    expect(page.locator(".chip")).to_have_count(3)
    saved(page)
    (answer,) = study.answers()
    person.shot("labels-1280")
    marked = sorted((s["text"], s["label"]) for s in json.loads(answer["spans"]))
    assert marked == [("helps", "inform"), ("tired", "question"), ("tired you", "inform")]
    page.get_by_label("None of these").check()
    expect(page.locator(".chip")).to_have_count(0)
    saved(page)
    (answer,) = study.answers()
    assert (answer["status"], answer["value"]) == ("ok", 0.0)


# --- nothing is lost


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
    study = serve(files=texts, protocol=rating())
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
    study = serve(files=texts, protocol=rating(), **words)
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


def test_somebody_without_scripts_can_take_part(serve: Serve, visit: Visit) -> None:
    study = serve(files=texts, protocol=rating())
    person = visit(java_script_enabled=False)
    page = begin(person, study.link())
    person.shot("no-scripts-1280")
    page.locator("#u0-overall input[value='4']").check()
    page.locator("textarea[name='overall.spans']").fill("stay close")
    page.get_by_role("button", name="Save these answers").click()
    assert page.locator("#u0-overall input[value='4']").is_checked()
    assert spans_of(study, "overall") == ["stay close"]


# --- from the invitation to the end, and accessible on the way


def check_access(page: Any) -> None:
    """Hold a page against WCAG 2.2 AA, as far as axe can tell."""
    options = {"runOnly": {"type": "tag", "values": WCAG}, "resultTypes": ["violations"]}
    page.wait_for_load_state()
    found = axe.Axe().run(page, options=options).response["violations"]
    assert [(v["id"], [n["html"] for n in v["nodes"]]) for v in found] == []
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, "the page scrolls sideways"


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("width", [1280, 360])
def test_every_page_from_the_invitation_to_the_end_is_accessible(
    serve: Serve, visit: Visit, language: str, width: int
) -> None:
    study = serve(files=texts, protocol=rating(), **WORDS)
    person = visit(width=width, language=language, bypass_csp=True)  # axe is put into the page
    page, name = person.page, f"{width}-{language}"

    def look(what: str) -> None:
        check_access(page)
        person.shot(f"rate-{what}-{name}")

    page.goto(study.link())
    assert page.locator("html").get_attribute("lang") == language
    look("consent")
    page.locator("input[name=agree]").check()
    page.locator("main button.primary").click()
    page.wait_for_selector("[name=years]")
    go_on(page)
    look("questions-lacking")
    page.locator("[name=years]").fill("12")
    page.locator("[name=role]").first.check()
    go_on(page)
    look("warning")
    page.locator("main button.primary").click()
    page.wait_for_selector(".work")
    for key in "111211":
        page.keyboard.press(key)
    go_on(page)
    look("feedback")
    page.locator("main a.primary").click()
    page.wait_for_selector(".marking")
    look("answer")
    select(page, "stay close")
    page.wait_for_selector(".mark-bar:visible")
    look("bar")
    page.locator(".mark-bar button").first.click()
    page.keyboard.press("i")
    look("instructions")
    page.keyboard.press("Escape")
    for _ in range(2):
        page.locator("body").press("Home")
        page.evaluate("document.activeElement.blur()")
        for key in "432211":
            page.keyboard.press(key)
        go_on(page)
    assert study.rows("SELECT completion FROM studies_participant")[0]["completion"] in (
        page.locator(".code").inner_text()
    )
    look("done")
    assert len([a for a in study.answers() if a["kind"] == "main"]) == 12


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_item_s_answers_on_one_page_are_accessible(
    serve: Serve, visit: Visit, scheme: str
) -> None:
    study = serve(files=texts, protocol=rating(display="all"))
    person = visit(bypass_csp=True, color_scheme=scheme)
    page = begin(person, study.link())
    page.wait_for_selector(".marking")
    select(page, "stay close", nth=1)
    page.locator(".mark-bar button").first.click()
    page.wait_for_selector("#u1-overall .chip")
    check_access(page)
    person.shot(f"rate-all-1280-{scheme}")


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
