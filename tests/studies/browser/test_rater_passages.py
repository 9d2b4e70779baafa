"""Passages of an answer are marked in a real browser: with the mouse, with keys, on a phone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from studies.browser.pages import fits, saved, select
from studies.browser.rating import Open, Serve, Visit, begin, protocol, spans_of, texts

pytestmark = [pytest.mark.browser, pytest.mark.slow]


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
    study = serve(files=texts, protocol=protocol())
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
    assert fits(page)


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

    study = serve(files=files, languages=["en"], protocol=protocol("acts.yaml"))
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
