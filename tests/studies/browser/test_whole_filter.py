"""Filter, choose and annotate, from invitation to export, as an owner and two people do."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from stubs.study_files import words, write_texts
from studies.browser.notes import differences, exported, opinion, passage
from studies.browser.pages import saved, select, text_of, unit_of
from studies.browser.people import DESK, PHONE, Person, attunement, ended, read, texts_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Any]

CONTEXTS = {
    "item-8801": "I lie awake every night.",
    "item-8802": "Nobody asks how I am. Non lo chiede nessuno.",
}
TURNS = {
    "item-8801": {
        "larkspur-9b": "That sounds tiring 😴. How long has it been, però?",
        "juniper-70b": "That sounds  tiring 😴. How long has it been, però?\n",
        "sorrel-2b": "Same.",
        "bracken-1b": "Try tea. It is what I do myself.",
    },
    "item-8802": {
        "larkspur-9b": "I ask you now: how are you?",
        "juniper-70b": "Nobody asks me either.",
        "sorrel-2b": "I see 🫂. Would you like to tell me more?",
        "bracken-1b": "Call somebody then.",
    },
}
KEPT = ["item-8801-larkspur-9b", "item-8801-bracken-1b", "item-8802-sorrel-2b"]
EQUAL = {"item-8801-larkspur-9b": ["item-8801-juniper-70b"]}
TURN_IDS = {
    text: f"{item}-{source}" for item, turns in TURNS.items() for source, text in turns.items()
}
ANNOTATED = {
    "usefulness": (1, 3),
    "fluency": (1, 3),
    "style_consistency": (0, 1),
    "emotional_tone": (1, 3),
    "dialogue_strategy": (1, 3),
    "role_consistency": (0, 1),
}
ACTS = {"question": words("Question", "Domandare"), "inform": words("Inform", "Informare")}


CHOSEN = {
    "R001": {"item-8801": KEPT[:1], "item-8802": KEPT[2:]},
    "R002": {"item-8801": KEPT[:2], "item-8802": []},
}


def credited(person: Person, response: str, dimension: str, note: Any) -> None:
    """Note an answer down for each response that has the same text."""
    for id in (response, *EQUAL.get(response, [])):
        person.note("main", id, dimension, note)


def decide(person: Person, row: Any) -> None:
    """Keep or eliminate an answer."""
    id = TURN_IDS[text_of(row)]
    row.locator(f"[name=keep][value='{int(id in KEPT)}']").check()
    credited(person, id, "keep", (float(id in KEPT), "ok", None, (), None))


def choose(person: Person) -> None:
    """Decide on what is undecided, choose, and go on."""
    page = person.page
    page.wait_for_selector("fieldset .digit, .tally:not(:empty)")
    rows = page.locator(".candidate").all()
    for row in rows:
        if not row.locator("[name=keep]:checked").count():
            decide(person, row)
    item = TURN_IDS[text_of(rows[0])].rsplit("-", 2)[0]
    wanted = CHOSEN[person.code][item]
    for row in rows:
        if TURN_IDS[text_of(row)] in wanted:
            place = row.get_attribute("data-place")
            page.locator(f".choosing [data-answer='{place}'] input").check()
    if not wanted:
        page.locator(".choosing [value='none:']").check()
    ids = sorted(id for w in wanted for id in (w, *EQUAL.get(w, [])))
    person.note("main", item, "choice", (float(len(wanted)), "ok", "|".join(ids), (), None))
    person.saved()
    person.shot(f"filter-{item}")
    person.go_on()


def annotate(person: Person, act: str | None = None) -> None:
    """Annotate the answer on the page; mark one act anew, or find those proposed right."""
    page, unit = person.page, unit_of(person.page)
    text = text_of(unit)
    id = TURN_IDS[text]
    acts = unit.locator("fieldset[data-dimension=dialogue_acts]")
    if act is not None:
        while acts.locator(".chip").count():
            acts.locator(".chip .remove").first.click()
        select(unit, text.split()[-1])
        acts.locator(".mark-here").click()
        page.locator(".mark-bar").get_by_role("button", name=ACTS[act][person.language]).click()
        expect(acts.locator(".chip")).to_have_count(1)
        marks = [passage(text, text.split()[-1], act)]
    else:
        marks = [
            passage(text, chip.locator("q").inner_text(), chip.locator("select").input_value())
            for chip in acts.locator(".chip").all()
        ]
        acts.locator("[data-right]").click()
    labels = "|".join(sorted(str(label) for _, _, label in marks))
    note = (float(len(marks)), "ok", labels, tuple(sorted(marks)), None)
    credited(person, id, "dialogue_acts", note)
    unit.locator("[name=emotions][value=sadness]").check()
    credited(person, id, "emotions", (1.0, "ok", "sadness", (), None))
    for dimension, (low, top) in ANNOTATED.items():
        value = opinion(person.code, text, dimension, top, low)
        unit.locator(f"[name={dimension}][value='{value}']").check()
        credited(person, id, dimension, (float(value), "ok", None, (), None))
    person.saved()


def test_filter_choose_annotate(open_study: Open, visit: Callable[..., Any]) -> None:
    protocol = {
        "type": "filter-choose-annotate",
        "instrument": "socio-emotional",
        "raters": 2,
        "raters_per_item": 2,
        "annotators_per_item": 2,
        "choose": 2,
    }
    owner, people = open_study(
        ("it", DESK),
        ("en", PHONE),
        write=lambda f: write_texts(f, CONTEXTS, TURNS),
        protocol=protocol,
    )
    alba, beth = people

    alba.arrive()
    alba.agree()
    alba.press("main button.primary")  # the warning
    # Two tabs, each of which decides on one, and a reload
    decide(alba, alba.page.locator(".candidate").nth(0))
    alba.saved()
    tab = alba.at.context.new_page()
    tab.goto(alba.page.url)
    decide(alba, tab.locator(".candidate").nth(1))
    saved(tab)
    tab.close()
    alba.page.reload()
    expect(alba.page.locator(".candidate [name=keep]:checked")).to_have_count(2)
    choose(alba)
    # Back, and forth again
    alba.page.go_back()
    assert alba.page.locator(".candidate [name=keep]:checked").count() >= 3
    alba.go_on()
    choose(alba)

    beth.arrive()
    beth.agree()
    beth.press("main button.primary")
    # The network is lost, and comes back
    beth.at.context.set_offline(True)
    decide(beth, beth.page.locator(".candidate").nth(0))
    beth.page.wait_for_selector("[data-status][data-state=failing]")
    beth.at.context.set_offline(False)
    beth.saved()
    beth.leave()
    owner.stop()
    owner.serve()
    # The next day, on another device
    beth.arrive()
    expect(beth.page.locator(".candidate [name=keep]:checked")).to_have_count(1)
    choose(beth)
    choose(beth)
    beth.shot("filter-waiting")

    attunement("study", "open-stage", owner.folder, "annotate")
    for person, act in ((alba, "question"), (beth, None)):
        person.page.goto(person.link)
        while not person.page.locator(".code").count():
            annotate(person, act)
            person.shot("annotate")
            person.go_on()
        person.finish()

    sources = [source for turns in TURNS.values() for source in turns]
    out = ended(owner, people, visit, *sources, *CONTEXTS)
    texts = texts_of(out)
    assert set(texts) == set(TURN_IDS.values())
    assert differences(people, "main", exported(read(out, "ratings"), texts)) == []
    said = json.loads(attunement("socemo", out, "--json", "--replicates", "0"))
    kept = {r["group"]["source"]: r["estimate"] for r in said["results"] if r["name"] == "filter"}
    # The first of two contexts for the first two sources, who said the same; and so on
    assert kept == {"larkspur-9b": 0.5, "juniper-70b": 0.5, "sorrel-2b": 0.5, "bracken-1b": 0.5}
