"""Filter, choose and annotate in a real browser, with the mouse, with keys, and on a phone."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stubs import study_open
from stubs.study_files import write_texts
from studies.browser import pages
from studies.browser.pages import faults_of, fits, saved

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TEXTS = (
    "That sounds really tiring. How long has this been going on?",
    "That sounds really  tiring. How long has this been going on?",
    "Same.",
    "Try chamomile tea before bed; it helped me when I was working nights.",
    "What is it that keeps you awake? Is it your thoughts, or is it noise? 😴 Tell me more.",
    "I'll call you tomorrow.",
)
PROTOCOL = {
    "type": "filter-choose-annotate",
    "raters": 1,
    "raters_per_item": 1,
    "annotators_per_item": 1,
    "choose": 2,
}
Serve = Callable[..., Any]
Visit = Callable[..., Any]


def answers(count: int) -> Callable[[Path], None]:
    """Return a function that writes one item with so many answers, two of them equal."""

    def write(folder: Path) -> None:
        told = {
            f"model{n}": TEXTS[n] if n < len(TEXTS) else f"{TEXTS[n % len(TEXTS)]} Or number {n}?"
            for n in range(count)
        }
        write_texts(folder, {"q0": "I lie awake every night."}, {"q0": told})

    return write


def begin(person: Any, study: Any, code: str = "R001") -> Any:
    pages.begin(person.page, study.link(code), ".candidates")
    return person.page


def press(page: Any, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def said(study: Any, dimension: str) -> list[dict[str, Any]]:
    return [a for a in study.answers() if a["dimension"] == dimension]


def open_annotation(study: Any) -> None:
    subprocess.run([sys.executable, study_open.__file__, str(study.folder), "annotate"], check=True)


def filter_all(page: Any) -> None:
    """Keep all five answers and choose the first of those shown that has two sentences or more."""
    page.locator(".candidate").first.focus()
    press(page, "1 j 1 j 1 j 1 j 1")
    long = page.locator(".candidate", has_text="chamomile tea").first
    place = long.get_attribute("data-place")
    page.locator(f".choosing [data-answer='{place}'] input").check()


def annotate(person: Any, study: Any) -> Any:
    """Filter, and return the page on which the answer that was chosen is annotated."""
    page = begin(person, study)
    filter_all(page)
    saved(page)
    page.locator("form.go button.primary").click()
    page.wait_for_selector("text=Thank you so far")
    open_annotation(study)
    page.goto(study.link())
    return page


def test_a_rater_filters_and_chooses_by_keys_and_finds_it_again(serve: Serve, visit: Visit) -> None:
    study, person = serve(files=answers(6), protocol=PROTOCOL), visit()
    page = begin(person, study)
    assert page.locator(".candidate").count() == 5
    page.locator(".candidate").first.focus()
    press(page, "1 c j 0 j 1 c j 1 k k k j j j j 0")
    assert page.locator(".tally").inner_text() == "Decided 5 of 5 · kept 3 · chosen 2 of 2"
    # Two are chosen, and a third cannot be
    press(page, "k c")
    assert page.locator(".tally").inner_text().endswith("chosen 2 of 2")
    saved(page)
    person.shot("filter-by-keys")
    page.reload()
    page.wait_for_selector(".candidate.chosen")
    assert page.locator(".tally").inner_text() == "Decided 5 of 5 · kept 3 · chosen 2 of 2"
    assert [a["value"] for a in said(study, "choice")] == [2.0]
    page.locator("form.go button.primary").click()
    page.wait_for_selector("text=Thank you so far")


def test_eliminating_a_chosen_answer_takes_it_out_of_the_choice(serve: Serve, visit: Visit) -> None:
    study, person = serve(files=answers(6), protocol=PROTOCOL), visit()
    page = begin(person, study)
    page.locator(".candidate").first.focus()
    press(page, "1 c j 1 c k 0")
    assert page.locator(".tally").inner_text() == "Decided 2 of 5 · kept 1 · chosen 1 of 2"
    saved(page)
    (choice,) = said(study, "choice")
    assert len(json.loads(choice["labels"])) == 1


def test_what_is_undecided_is_marked_and_reached(serve: Serve, visit: Visit) -> None:
    study, person = serve(files=answers(6), protocol=PROTOCOL), visit()
    page = begin(person, study)
    page.locator(".candidate").nth(0).locator("[name=keep][value='1']").check()
    page.locator("form.go button.primary").click()
    page.wait_for_selector("text=Still to be decided")
    assert page.locator(".candidate .missing").count() == 4
    assert page.locator(".choosing .missing").count() == 1
    page.locator(".candidate").nth(1).locator("[name=keep][value='0']").check()
    assert page.locator(".candidate .missing:not(.solved)").count() == 3


@pytest.mark.parametrize("width", [1280, 360])
def test_twenty_four_answers_fit_on_a_page_for_everybody(
    serve: Serve, visit: Visit, width: int
) -> None:
    study, person = serve(files=answers(24), protocol=PROTOCOL), visit(width=width)
    page = begin(person, study)
    page.locator(".candidate").first.focus()
    press(page, "1 c j 0 j 1")
    page.locator(".candidate .more summary").nth(3).click()
    saved(page)
    person.shot(f"filter-24-{width}")
    assert faults_of(page) == []
    assert fits(page)


def test_marks_made_beforehand_are_an_answer_only_when_confirmed(
    serve: Serve, visit: Visit
) -> None:
    study, person = serve(files=answers(6), protocol=PROTOCOL), visit()
    page = annotate(person, study)
    page.wait_for_selector(".proposal")
    assert page.locator(".chip").count() >= 1
    person.shot("annotate-proposed")
    assert faults_of(page) == []
    # Going on asks for a word on the marks, and saves none in the meantime
    page.locator("form.go button.primary").click()
    assert page.locator("[data-unconfirmed]").is_visible()
    assert said(study, "dialogue_acts") == []
    page.locator("[data-right]").click()
    saved(page)
    page.wait_for_selector(".proposal", state="detached")
    history = study.rows(
        "SELECT status, spans FROM studies_change WHERE dimension = 'dialogue_acts' ORDER BY id"
    )
    assert [row["status"] for row in history] == ["proposed", "ok"]
    assert json.loads(history[0]["spans"]) == json.loads(history[1]["spans"])


def test_a_corrected_mark_needs_no_confirmation(serve: Serve, visit: Visit) -> None:
    study, person = serve(files=answers(6), protocol=PROTOCOL), visit(width=360)
    page = annotate(person, study)
    page.wait_for_selector(".proposal")
    person.shot("annotate-proposed-360")
    before = page.locator(".chip").count()
    page.locator(".chip .remove").first.click()
    page.wait_for_selector(".proposal", state="detached")
    saved(page)
    (answer,) = said(study, "dialogue_acts") or [{"spans": "[]"}]
    assert len(json.loads(answer["spans"])) == before - 1


def test_the_label_of_a_mark_is_changed_on_the_spot(serve: Serve, visit: Visit) -> None:
    study, person = serve(files=answers(6), protocol=PROTOCOL), visit()
    page = annotate(person, study)
    page.locator(".chip select").first.select_option("inform")
    saved(page)
    page.wait_for_selector(".proposal", state="detached")
    assert page.locator("[data-text] mark").first.get_attribute("data-tag") == "Inform"
    assert faults_of(page) == []
    person.shot("annotate-changed")
    (answer,) = said(study, "dialogue_acts")
    assert [span["label"] for span in json.loads(answer["spans"])] == ["inform"]
