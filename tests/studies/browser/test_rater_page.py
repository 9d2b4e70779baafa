"""The rater's page in a real browser: answering its questions, with keys and without scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from studies.browser.pages import go_on, saved
from studies.browser.rating import Open, Serve, Visit, begin, protocol, spans_of, texts

pytestmark = [pytest.mark.browser, pytest.mark.slow]


RATED = ("overall", "empathy", "specificity", "medical_advice", "factual_consistency", "toxicity")


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


def test_somebody_without_scripts_can_take_part(serve: Serve, visit: Visit) -> None:
    study = serve(files=texts, protocol=protocol())
    person = visit(java_script_enabled=False)
    page = begin(person, study.link())
    person.shot("no-scripts-1280")
    page.locator("#u0-overall input[value='4']").check()
    page.locator("textarea[name='overall.spans']").fill("stay close")
    page.get_by_role("button", name="Save these answers").click()
    assert page.locator("#u0-overall input[value='4']").is_checked()
    assert spans_of(study, "overall") == ["stay close"]
