"""The rater's page in a real browser, used as a person would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def begin(visit: Any, link: str) -> None:
    """Open a personal link and agree."""
    visit.page.goto(link)
    visit.page.locator("input[name=agree]").check()
    visit.page.locator("main button.primary").click()


def test_a_person_agrees_and_sees_the_first_answer(
    serve: Callable[..., Any], visit: Callable[..., Any]
) -> None:
    study, person = serve(), visit()
    begin(person, study.link())
    assert person.page.locator("fieldset.dimension").first.is_visible()
