"""Rating from the invitation to the end, held against WCAG 2.2 AA as far as axe can tell."""

from __future__ import annotations

import pytest

from studies.browser.pages import WCAG, faults_of, fits, go_on, select
from studies.browser.rating import WORDS, Serve, Visit, begin, protocol, texts

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("width", [1280, 360])
def test_every_page_from_the_invitation_to_the_end_is_accessible(
    serve: Serve, visit: Visit, language: str, width: int
) -> None:
    study = serve(files=texts, protocol=protocol(), **WORDS)
    person = visit(width=width, language=language, bypass_csp=True)  # axe is put into the page
    page, name = person.page, f"{width}-{language}"

    def look(what: str) -> None:
        assert (faults_of(page, *WCAG), fits(page)) == ([], True)
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
    study = serve(files=texts, protocol=protocol(display="all"))
    person = visit(bypass_csp=True, color_scheme=scheme)
    page = begin(person, study.link())
    page.wait_for_selector(".marking")
    select(page.locator(".unit").nth(1), "stay close")
    page.locator(".mark-bar button").first.click()
    page.wait_for_selector("#u1-overall .chip")
    assert (faults_of(page, *WCAG), fits(page)) == ([], True)
    person.shot(f"rate-all-1280-{scheme}")
