"""A panel of sixteen in the web app: how its experts and its owner go through the rounds.

Three of the experts and the owner sit at real browsers; the other thirteen use the same addresses
through Django's client, in a process of its own.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stubs import panel_study
from studies import filling, panel_filling
from studies.browser import pages
from studies.browser.pages import faults_of, fits, go_on

AT_BROWSERS = {
    "R001": {"width": 1280, "language": "en"},
    "R002": {"width": 360, "height": 740, "language": "it"},
    "R003": {"width": 1280, "language": "it"},
}
OTHERS = [f"R{number:03}" for number in range(4, 17)]
LOOKED_AT = ("R001", "R002")
"""Whose pages are held against the rules of accessibility: one wide, one narrow."""
ROOT = Path(filling.__file__).parents[2]
COMMENT = "I would split this in two."
REASON = "Two things in one sentence."


def others_do_theirs(folder: Path, *more: str) -> subprocess.Popen[bytes]:
    """Start the other experts on the pages that they have."""
    program = [sys.executable, panel_filling.__file__, str(folder), *OTHERS, *more]
    return subprocess.Popen(program, cwd=ROOT)


def arrive(page: Any, link: str, code: str) -> None:
    """Agree, and say whether Italian is one's mother tongue."""
    pages.agree(page, link)
    page.locator(f"input[name=native][value='{int(panel_filling.is_native(code))}']").check()
    go_on(page)


def units(page: Any) -> Iterator[tuple[str, Any]]:
    """Return the items of a page by their ids, and their sections."""
    for section in page.locator(".panel-item").all():
        yield section.locator("h2 .tag").inner_text().lower(), section


def rate(page: Any, code: str, number: int) -> list[str]:
    """Answer what a page asks of its items, and return their ids."""
    found = []
    for id, section in units(page):
        found.append(id)
        value = panel_filling.relevance(code, id, number)
        section.locator(f"input[name=relevance][value='{value}']").check()
        if number == 1:
            section.locator("input[name=priority][value='3']").check()
        if section.locator("input[name=translation]").count():
            section.locator("input[name=translation][value='5']").check()
    return found


def look(person: Any, code: str, number: int) -> None:
    """Take a picture of a round's page; on the screens that are looked at it has to be in order."""
    if code in LOOKED_AT:
        assert (faults_of(person.page), fits(person.page)) == ([], True)
        person.shot(f"delphi-round-{number}-{code}")


def do_first_round(person: Any, link: str, code: str) -> None:
    """Rate the draft; one expert comments on an item, and another misses a dimension."""
    page = person.page
    arrive(page, link, code)
    for part in ("ur", "lq", "ease"):
        items = rate(page, code, 1)
        assert items == [i for i in panel_study.ITEMS if i.rstrip("0123456789") == part]
        if part == "lq" and code == "R001":
            page.locator("#u1-comment textarea").fill(COMMENT)
        if part == "ur":
            look(person, code, 1)
        go_on(page)
    if code == "R002":
        page.locator("textarea[name=new-dimensions]").fill("Manca la memoria.")
    go_on(page)
    assert page.locator("h1").inner_text() in ("Thank you so far", "Grazie, per ora")


def do_second_round(person: Any, link: str, code: str) -> None:
    """Rate and rank what is left, after a look at what the panel said before."""
    page = person.page
    page.goto(link)
    said = page.locator(".panel-item").first.locator(".last-time").inner_text()
    assert f"{panel_filling.relevance(code, 'ur1', 1)}." in said
    native = panel_filling.is_native(code)
    assert bool(page.locator("input[name=translation]").count()) == native
    for part in ("ur", "lq", "memory"):
        items = rate(page, code, 2)
        if part == "ur":
            assert items == ["ur1", "ur3"]
            page.locator("#u1-redundant input[value=ur1]").check()
            rank(page, [1, 1])
            look(person, code, 2)
            go_on(page)
            assert ": 1." in page.locator("p.error").inner_text()  # the server's own look
        if len(items) > 1:
            rank(page, range(1, len(items) + 1))
        go_on(page)
    go_on(page)
    assert page.locator(".code").count() == 1


def rank(page: Any, places: Any) -> None:
    """Give the items of a page their places in the order."""
    for at, place in enumerate(places):
        page.locator("select[name=rank]").nth(at).select_option(str(place))


def settle(owner: Any, study: Any) -> None:
    """Code a comment, split an item, add one, and open the second round."""
    page = owner.page
    pages.log_in(page, study.address, filling.OWNER, filling.PASSWORD)
    page.get_by_role("link", name="Panel", exact=True).click()
    page.get_by_role("link", name="Items and decisions").click()
    assert faults_of(page) == []
    owner.shot("delphi-owner-round")
    split(owner)
    page.get_by_role("link", name="Round 1: all items").click()
    page.get_by_role("link", name="Proposals of the panel").click()
    add(page)
    page.get_by_role("link", name="Round 1: all items").click()
    page.get_by_role("button", name="Open round-2").click()
    page.get_by_text("The stage round-2 is open").wait_for()


def split(owner: Any) -> None:
    """Code the comment on an item, and split the item for it."""
    page = owner.page
    page.get_by_role("link", name="LQ2").click()
    comment = page.locator("li.card").filter(has_text=COMMENT)
    comment.get_by_label("Codes").fill("double-barreled")
    page.get_by_role("button", name="Save the codes").click()
    page.get_by_label("Split it").check()
    for place, (english, italian) in enumerate(
        [("It sounds natural.", "Suona naturale."), ("It suits the occasion.", "È adatto.")], 1
    ):
        page.locator(f"#wording-{place}-en").fill(english)
        page.locator(f"#wording-{place}-it").fill(italian)
    page.get_by_label("Reason").fill(REASON)
    page.locator("#rests_on").select_option(label=COMMENT)
    page.get_by_role("button", name="Record the decision").click()
    page.get_by_text("Your decision on lq2 is recorded.").wait_for()
    assert faults_of(page) == []
    owner.shot("delphi-owner-item")


def add(page: Any) -> None:
    """Add an item in a dimension that the panel misses."""
    assert page.get_by_text("Manca la memoria.").first.is_visible()
    page.get_by_text("Or a new dimension").click()
    page.locator("#new_dimension").fill("memory")
    page.locator("#label-en").fill("Memory")
    page.locator("#label-it").fill("Memoria")
    page.locator("#wording-1-en").fill("It recalls what I said.")
    page.locator("#wording-1-it").fill("Ricorda ciò che ho detto.")
    page.locator("#reason").fill("The panel misses it.")
    page.get_by_role("button", name="Add the item").click()
    page.get_by_text("The item is added to memory.").wait_for()


def download(owner: Any, study: Any) -> str:
    """Return the instrument that comes out, as the owner downloads it."""
    owner.page.goto(f"{study.address}/owner/panel/")
    owner.shot("delphi-outcome")
    assert faults_of(owner.page) == []
    assert owner.page.get_by_role("heading", name="How far the panel moved").count() == 1
    with owner.page.expect_download() as download:
        owner.page.get_by_role("link", name="Instrument (YAML)").click()
    return Path(download.value.path()).read_text("utf-8")
