"""A panel of sixteen goes through two rounds in the web app, and its scale is then used.

Three of the experts and the owner sit at real browsers; the other thirteen use the same addresses
through Django's client, in a process of its own.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from attunement.delphi import decide, items_from, read_decisions, read_round
from attunement.instruments import load_instrument, parse_instrument
from stubs import panel_study
from studies import filling, panel_filling

axe = pytest.importorskip("axe_playwright_python.sync_playwright")

pytestmark = [pytest.mark.browser, pytest.mark.slow]

AT_BROWSERS = {
    "R001": {"width": 1280, "language": "en"},
    "R002": {"width": 360, "height": 740, "language": "it"},
    "R003": {"width": 1280, "language": "it"},
}
OTHERS = [f"R{number:03}" for number in range(4, 17)]
ROOT = Path(filling.__file__).parents[2]
TEXT = "I would split this in two."
LEFT = ("ur1", "ur3", "lq1", "lq2a", "lq2b", "lq3", "memory1")
"""The items of the second round, all of which stay: no experts' flags are enough to drop ur3, as
its dimension would have fewer than two items."""


@pytest.fixture(scope="module")
def outcome_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the panel's test leaves the instrument for the test after it."""
    return tmp_path_factory.mktemp("outcome") / "outcome.yaml"


def others_do_theirs(folder: Path, *more: str) -> subprocess.Popen[bytes]:
    program = [sys.executable, panel_filling.__file__, str(folder), *OTHERS, *more]
    return subprocess.Popen(program, cwd=ROOT)


def faults_of(page: Any) -> list[str]:
    return [
        f"{v['id']}: {v['nodes'][0]['html']}" for v in axe.Axe().run(page).response["violations"]
    ]


def fits(page: Any) -> bool:
    width = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    return bool(page.evaluate(width))


def go_on(page: Any) -> None:
    with page.expect_navigation():
        page.locator("[data-next] button.primary").click()


def arrive(person: Any, link: str, code: str) -> Any:
    """Agree, and say whether Italian is one's mother tongue."""
    page = person.page
    page.goto(link)
    page.locator("input[name=agree]").check()
    page.locator("main button.primary").click()
    page.locator(f"input[name=native][value='{int(panel_filling.is_native(code))}']").check()
    go_on(page)
    return page


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


def test_a_panel_of_sixteen_goes_through_two_rounds(
    serve: Callable[..., Any], visit: Callable[..., Any], outcome_file: Path
) -> None:
    keys = panel_study.with_protocol(panel=16)
    del keys["items"]  # `serve` takes their number under this name
    study = serve(files=panel_study.write_draft, **keys)
    others = others_do_theirs(study.folder, "--owner")
    experts = {code: visit(**device) for code, device in AT_BROWSERS.items()}

    # The first round
    for code, person in experts.items():
        page = arrive(person, study.link(code), code)
        for part in ("ur", "lq", "ease"):
            items = rate(page, code, 1)
            assert items == [i for i in panel_study.ITEMS if i.rstrip("0123456789") == part]
            if part == "lq" and code == "R001":
                page.locator("#u1-comment textarea").fill(TEXT)
            if part == "ur" and code != "R003":
                assert (faults_of(page), fits(page)) == ([], True)
                person.shot(f"delphi-round-1-{code}")
            go_on(page)
        if code == "R002":
            page.locator("textarea[name=new-dimensions]").fill("Manca la memoria.")
        go_on(page)
        assert page.locator("h1").inner_text() in ("Thank you so far", "Grazie, per ora")
    assert others.wait(120) == 0

    # The owner decides, and opens the second round
    owner = visit()
    settle(owner, study)
    others = others_do_theirs(study.folder)

    # The second round
    for code, person in experts.items():
        page = person.page
        page.goto(study.link(code))
        said = page.locator(".panel-item").first.locator(".last-time").inner_text()
        assert f"{panel_filling.relevance(code, 'ur1', 1)}." in said
        native = panel_filling.is_native(code)
        assert bool(page.locator("input[name=translation]").count()) == native
        for part in ("ur", "lq", "memory"):
            items = rate(page, code, 2)
            selects = page.locator("select[name=rank]")
            if part == "ur":
                assert items == ["ur1", "ur3"]
                page.locator("#u1-redundant input[value=ur1]").check()
                selects.nth(0).select_option("1")
                selects.nth(1).select_option("1")
                if code != "R003":
                    assert (faults_of(page), fits(page)) == ([], True)
                    person.shot(f"delphi-round-2-{code}")
                go_on(page)
                assert ": 1." in page.locator("p.error").inner_text()  # the server's own look
            for place, id in enumerate(items):
                if len(items) > 1:
                    selects.nth(place).select_option(str(place + 1))
                assert id
            go_on(page)
        go_on(page)
        assert page.locator(".code").count() == 1
    assert others.wait(120) == 0

    # What comes out
    owner.page.goto(f"{study.address}/owner/panel/")
    owner.shot("delphi-outcome")
    assert faults_of(owner.page) == []
    assert owner.page.get_by_role("heading", name="How far the panel moved").count() == 1
    with owner.page.expect_download() as download:
        owner.page.get_by_role("link", name="Instrument (YAML)").click()
    text = Path(download.value.path()).read_text("utf-8")
    made = parse_instrument(text, where="outcome")
    assert [d.id for d in made.dimensions] == [
        "ur1",
        "ur3",
        "lq1",
        "lq2a",
        "lq2b",
        "lq3",
        "memory1",
    ]
    outcome_file.write_text(text, encoding="utf-8")
    check_export(study.folder, text)


def settle(owner: Any, study: Any) -> None:
    """Code a comment, split an item, add one, and open the second round."""
    page = owner.page
    page.goto(f"{study.address}/owner/")
    page.get_by_label("Name").fill(filling.OWNER)
    page.get_by_label("Password").fill(filling.PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="Panel", exact=True).click()
    page.get_by_role("link", name="Items and decisions").click()
    assert faults_of(page) == []
    owner.shot("delphi-owner-round")
    page.get_by_role("link", name="LQ2").click()
    comment = page.locator("li.card").filter(has_text=TEXT)
    comment.get_by_label("Codes").fill("double-barreled")
    page.get_by_role("button", name="Save the codes").click()
    page.get_by_label("Split it").check()
    for place, (english, italian) in enumerate(
        [("It sounds natural.", "Suona naturale."), ("It suits the occasion.", "È adatto.")], 1
    ):
        page.locator(f"#wording-{place}-en").fill(english)
        page.locator(f"#wording-{place}-it").fill(italian)
    page.get_by_label("Reason").fill("Two things in one sentence.")
    page.locator("#rests_on").select_option(label=TEXT)
    page.get_by_role("button", name="Record the decision").click()
    page.get_by_text("Your decision on lq2 is recorded.").wait_for()
    assert faults_of(page) == []
    owner.shot("delphi-owner-item")
    page.get_by_role("link", name="Round 1: all items").click()
    page.get_by_role("link", name="Proposals of the panel").click()
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
    page.get_by_role("link", name="Round 1: all items").click()
    page.get_by_role("button", name="Open round-2").click()
    page.get_by_text("The stage round-2 is open").wait_for()


def check_export(folder: Path, text: str) -> None:
    """Export, and let the analysis decide again from the files: the same scale has to come out."""
    program = Path(sys.executable).with_name("attunement")
    out = folder / "out"
    subprocess.run([program, "study", "export", folder, "--out", out], check=True, timeout=120)
    first, second = (pl.read_csv(out / f"delphi_round{n}.csv") for n in (1, 2))
    assert (first["expert"].n_unique(), second["expert"].n_unique()) == (16, 16)
    assert (first["item"].n_unique(), second["item"].n_unique()) == (7, 7)
    assert second["translation"].drop_nulls().len() == 7 * 12  # twelve of sixteen are natives
    seen = {(r["expert"], r["item"]): r["relevance"] for r in second.iter_rows(named=True)}
    assert seen == {
        (code, item): panel_filling.relevance(code, item, 2)
        for code in ("R001", "R002", "R003", *OTHERS)
        for item in LEFT
    }
    for number, left in ((1, load_instrument(out / "instrument-2.yaml")), (2, None)):
        items, _ = items_from(out / f"instrument-{number}.yaml")
        decided = decide(
            read_round(pl.read_csv(out / f"delphi_round{number}.csv"), number=number, items=items),
            minimum=2,
            owner=read_decisions(out / f"delphi_decisions{number}.yaml"),
        )
        wanted = left or parse_instrument(text, where="outcome")
        assert [i.id for i in decided.items] == [d.id for d in wanted.dimensions]
    log = (out / "delphi_log1.md").read_text("utf-8")
    assert "Two things in one sentence." in log
    assert TEXT in log
    assert (out / "delphi_outcome.yaml").read_text("utf-8") == text


def test_the_scale_of_the_panel_runs_as_a_questionnaire(
    serve: Callable[..., Any], visit: Callable[..., Any], outcome_file: Path
) -> None:
    if not outcome_file.exists():
        pytest.skip("the panel's own test makes the instrument")

    def write(folder: Path) -> None:
        (folder / "scale.yaml").write_text(outcome_file.read_text("utf-8"), encoding="utf-8")

    protocol = {"type": "rate", "instrument": "scale.yaml", "raters_per_item": 1}
    study = serve(items=1, sources=("alpha",), files=write, protocol=protocol)
    person = visit()
    page = person.page
    page.goto(study.link())
    page.locator("input[name=agree]").check()
    page.locator("main button.primary").click()
    ids = [d.id for d in load_instrument(outcome_file).dimensions]
    assert page.get_by_role("heading", name="Memory").is_visible()
    for place, id in enumerate(ids):
        page.locator(f"input[name='{id}'][value='{1 + place % 5}']").check()
    person.shot("delphi-scale-in-use")
    go_on(page)
    assert page.locator(".code").count() == 1
    values = {a["dimension"]: a["value"] for a in study.answers()}
    assert values == {id: 1 + place % 5 for place, id in enumerate(ids)}
