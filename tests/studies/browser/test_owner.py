"""The owner's pages in a real browser, from login to a consensus."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studies import filling
from studies.browser import pages
from studies.browser.pages import faults_of, fits

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PAGES = {
    "overview": "",
    "coverage": "coverage/",
    "raters": "raters/",
    "agreement": "agreement/",
    "differing": "differing/",
    "people": "people/",
    "person": "people/1/?link=1",
    "replace": "people/1/replace/",
    "table": "people/table/",
    "log": "log/",
}
STUDY: dict[str, Any] = {
    "background": [
        {
            "id": "age",
            "label": {"en": "Age", "it": "Età"},
            "wording": {"en": "How old are you?", "it": "Quanti anni ha?"},
            "scale": {"type": "integer", "min": 18, "max": 99, "better": "neither"},
        }
    ],
    "protocol": {
        "type": "rate",
        "instrument": "counselbench-eval",
        "raters_per_item": 3,
        "items_per_rater": 6,
        "repeats": 1,
    },
}


@pytest.fixture
def study(serve: Callable[..., Any]) -> Any:
    """A study in which all but the last pages are answered, one rater carelessly."""
    served = serve(items=12, **STUDY)
    program = [sys.executable, filling.__file__, str(served.folder), "0.8", "R002"]
    root = Path(filling.__file__).parents[2]
    subprocess.run(program, check=True, timeout=170, cwd=root)
    return served


def log_in(person: Any, study: Any) -> None:
    pages.log_in(person.page, study.address, filling.OWNER, filling.PASSWORD)


def test_every_page_is_accessible_and_fits(study: Any, visit: Callable[..., Any]) -> None:
    faults = {}
    for width in (1280, 360):
        person = visit(width=width)
        person.page.goto(f"{study.address}/owner/login/")
        faults[f"login {width}"] = faults_of(person.page)
        log_in(person, study)
        for name, path in PAGES.items():
            person.page.goto(f"{study.address}/owner/{path}")
            person.shot(f"owner-{name}-{width}")
            faults[f"{name} {width}"] = faults_of(person.page)
            assert fits(person.page), name
    assert {where: found for where, found in faults.items() if found} == {}


def test_the_owner_settles_a_difference(study: Any, visit: Callable[..., Any]) -> None:
    person = visit()
    log_in(person, study)
    person.page.get_by_role("link", name="Adjudication").click()
    person.page.get_by_role("link", name="Settle number 1", exact=True).click()
    person.page.get_by_role("heading", name="Ratings").wait_for()
    person.shot("owner-adjudicate")
    assert faults_of(person.page) == []
    person.page.locator("fieldset input[type=radio]").first.check()
    person.page.get_by_label("Note: why").fill("Read it together.")
    person.page.get_by_role("button", name="Record the consensus").click()
    person.page.get_by_text("The consensus is recorded").wait_for()
    assert [r["note"] for r in study.rows("SELECT note FROM studies_adjudication")] == [
        "Read it together."
    ]


def test_coverage_looks_again_by_itself(study: Any, visit: Callable[..., Any]) -> None:
    person = visit()
    log_in(person, study)
    person.page.goto(f"{study.address}/owner/coverage/")
    person.page.evaluate("document.querySelector('#coverage p').textContent = 'old'")
    with person.page.expect_response(lambda r: r.url.endswith("/owner/coverage/")) as found:
        person.page.evaluate("htmx.ajax('GET', '/owner/coverage/', '#coverage')")
    assert found.value.status == 200
    person.page.locator("#coverage").get_by_text("As of").wait_for()


def test_a_link_is_copied_and_revoking_it_shuts_the_rater_out(
    study: Any, visit: Callable[..., Any]
) -> None:
    person = visit(permissions=["clipboard-read", "clipboard-write"])
    log_in(person, study)
    person.page.goto(f"{study.address}/owner/people/1/")
    person.page.get_by_role("link", name="Show the link").click()
    person.page.get_by_role("button", name="Copy").click()
    person.page.get_by_text("Copied.").wait_for()
    link = person.page.evaluate("navigator.clipboard.readText()")
    assert link == study.link("R001")
    rater = visit()
    assert rater.page.goto(link).status == 200
    person.page.get_by_role("link", name="Revoke the link").click()
    person.page.get_by_role("button", name="Revoke the link").click()
    person.page.get_by_text("is revoked").wait_for()
    assert rater.page.goto(link).status == 404


def test_the_admin_works_under_the_same_policy(study: Any, visit: Callable[..., Any]) -> None:
    person = visit()
    log_in(person, study)
    person.page.get_by_role("link", name="All tables").click()
    person.page.get_by_role("link", name="Answers").first.click()
    person.page.locator("#result_list").wait_for()
    person.shot("owner-admin-answers")
    person.page.locator("#result_list tbody th a").first.click()
    person.page.get_by_text("View answer").first.wait_for()
