"""What is done and looked for on a page of a study, whoever sits before it."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe

WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
"""What makes up WCAG 2.2 AA, as axe names it."""


def agree(page: Any, link: str) -> None:
    """Follow a personal link, and take part."""
    page.goto(link)
    page.locator("input[name=agree]").check()
    page.locator("main button.primary").click()


def begin(page: Any, link: str, work: str) -> None:
    """Take part, and wait until ``work``, a selector, is there and the scripts have run.

    Keys pressed earlier go nowhere.
    """
    agree(page, link)
    page.wait_for_selector(work)
    page.wait_for_load_state()


def saved(page: Any) -> None:
    """Wait until a page says that all is saved."""
    page.wait_for_selector("[data-status][data-state=fine]:not(:empty)")


def go_on(page: Any) -> None:
    """Press Next or Finish, and wait for the page after it."""
    with page.expect_navigation():
        page.locator("[data-next] button.primary").click()


def log_in(page: Any, address: str, name: str, password: str) -> None:
    """Log in as the owner of the study at an address."""
    page.goto(f"{address}/owner/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("heading", name="Overview").wait_for()


def select(unit: Any, words: str) -> None:
    """Select words of an answer as dragging over them would."""
    unit.locator("[data-text]").evaluate(
        """(element, words) => {
            const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
            const nodes = [];
            while (walker.nextNode()) nodes.push(walker.currentNode);
            let at = nodes.map((node) => node.data).join("").indexOf(words);
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


def unit_of(page: Any) -> Any:
    """Return the one answer that a page shows, once its script runs."""
    page.wait_for_selector(".unit.marking")
    return page.locator(".unit.marking")


def text_of(unit: Any) -> str:
    """Return the text of an answer."""
    return str(unit.locator("[data-text]").evaluate("(element) => element.textContent"))


def fits(page: Any) -> bool:
    """Return whether a page can be read without scrolling sideways."""
    width = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    return bool(page.evaluate(width))


def faults_of(page: Any, *tags: str) -> list[str]:
    """Return what axe finds wrong with a page, by all of its rules or by those with some tags."""
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if tags:
        options["runOnly"] = {"type": "tag", "values": list(tags)}
    page.wait_for_load_state()
    found = Axe().run(page, options=options).response["violations"]
    return [f"{fault['id']}: {node['html']}" for fault in found for node in fault["nodes"]]
