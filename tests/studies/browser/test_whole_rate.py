"""Rate, from invitation to export, as an owner and two people do."""

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
from studies.browser.rating import BEFORE

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Any]

ASKED = {
    "item-4711": "I lie awake every night, and nobody knows.",
    "item-4712": "Since May I wake at three. È così ogni notte 😞",
}
TOLD = {
    "item-4711": {
        "larkspur-9b": "Café talk 👋🏽 helps.\r\nI hear how tired you are 😴, and I stay close.",
        "juniper-70b": "Perche\u0301 non dormi? <b>Go to bed earlier</b> & stop worrying.",
    },
    "item-4712": {
        "larkspur-9b": "Three o'clock is lonely 🌙. Who could you tell, già domani?",
        "juniper-70b": "Take 25 mg at night 💊 – that always works.",
    },
}
MARKED = {
    TOLD["item-4711"]["larkspur-9b"]: "how tired you are 😴",
    TOLD["item-4711"]["juniper-70b"]: "non dormi? <b>Go",
    TOLD["item-4712"]["larkspur-9b"]: "già domani",
    TOLD["item-4712"]["juniper-70b"]: "💊 – that always",
}
POINTS = {
    "overall": 5,
    "empathy": 5,
    "specificity": 5,
    "medical_advice": 1,
    "factual_consistency": 4,
    "toxicity": 5,
}
NOT_SURE = ("medical_advice", "factual_consistency")
RATE: dict[str, Any] = {
    "protocol": {
        "type": "rate",
        "instrument": "counselbench-eval",
        "raters_per_item": 2,
        "items_per_rater": 2,
    },
    **BEFORE,
    "closing": [
        {
            "id": "remarks",
            "label": words("Remarks", "Osservazioni"),
            "wording": words("What would you like to add?", "Che cosa vuole aggiungere?"),
            "scale": {"type": "text"},
        }
    ],
}


def rate(person: Person, *dimensions: str, page: Any = None, kind: str = "main") -> None:
    """Rate the answer on the page, by default whatever is open, and note it down."""
    page = page or person.page
    unit = unit_of(page)
    text = text_of(unit)
    notes = person.notes.get(kind, {})
    for dimension in dimensions or [d for d in POINTS if (text, d) not in notes]:
        top = POINTS[dimension]
        low = min(top, 1) if top > 1 else 0
        value = opinion(person.code, text, dimension, top + (dimension in NOT_SURE), low)
        answer(person, page, dimension, None if value > top else value, kind)


def answer(person: Person, page: Any, dimension: str, value: int | None, kind: str) -> None:
    """Answer one question about the answer on the page; None is "I am not sure"."""
    unit, text = unit_of(page), text_of(unit_of(page))
    question = unit.locator(f"fieldset[data-dimension={dimension}]")
    chosen = "status:not_sure" if value is None else str(value)
    question.locator(f"input[value='{chosen}']").check()
    reason, marks = None, ()
    if dimension == "overall" and kind == "main":
        reason = f"{person.code} says: perché sì 🌱\nand it stays."
        question.locator("textarea[name='overall.rationale']").fill(reason)
        if not question.locator(".chip").count():
            select(unit, MARKED[text])
            question.locator(".mark-here").click()
        expect(question.locator(".chip")).to_have_count(1)
        marks = (passage(text, MARKED[text]),)
    status = "ok" if value is not None else "not_sure"
    note = (None if value is None else float(value), status, None, marks, reason)
    person.note(kind, text, dimension, note)


def introduce(person: Person, years: int) -> None:
    """Answer the questions before the work, reloading the page half way, and practice."""
    page = person.page
    page.locator("[name=years]").fill(str(years))
    page.locator("[name=years]").blur()
    person.saved()
    page.reload()
    assert page.locator("[name=years]").input_value() == str(years)
    page.locator("[name=role][value=teach]").check()
    person.saved()
    person.shot("rate-questions")
    person.note("asked", person.code, "years", (float(years), "ok", None, (), None))
    person.note("asked", person.code, "role", (None, "ok", "teach", (), None))
    person.go_on()
    person.press("main button.primary")  # the warning
    rate(person, kind="known")
    person.saved()
    person.go_on()
    assert (
        page.locator("main").inner_text().count(BEFORE["training"][0]["feedback"][person.language])
    )
    person.press("main a.primary")


def remark(person: Person, said: str) -> None:
    """Answer the question after the work, and finish."""
    person.page.locator("[name=remarks]").fill(said)
    person.note("asked", person.code, "remarks", (None, "ok", said, (), None))
    person.go_on()
    person.finish()


def test_rate(open_study: Open, visit: Callable[..., Any]) -> None:
    owner, people = open_study(
        ("en", DESK), ("it", PHONE), write=lambda f: write_texts(f, ASKED, TOLD), **RATE
    )
    ada, bruna = people

    ada.arrive()
    ada.shot("rate-consent")
    ada.agree()
    introduce(ada, 12)
    # A reload in the middle
    rate(ada, "overall", "empathy")
    ada.saved()
    ada.page.reload()
    first = unit_of(ada.page)
    expect(first.locator("fieldset.answered")).to_have_count(2)
    assert first.locator(".chip q").inner_text() == MARKED[text_of(first)]
    rate(ada)
    ada.shot("rate-answer")
    ada.go_on()
    # Back, another opinion, and forth
    ada.page.go_back()
    other = 1 + int(ada.notes["main"][text_of(unit_of(ada.page)), "empathy"][0] or 0) % 5
    answer(ada, ada.page, "empathy", other, "main")
    ada.saved()
    ada.page.go_forward()
    # Two tabs, which answer different questions and one both
    rate(ada, "overall", "specificity")
    ada.saved()
    tab = ada.at.context.new_page()
    tab.goto(ada.page.url)
    rate(ada, "empathy", "toxicity", page=tab)
    answer(ada, tab, "specificity", 5, "main")
    saved(tab)
    tab.close()
    ada.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(ada.page.locator("fieldset.answered")).to_have_count(4)
    rate(ada)
    ada.saved()
    ada.go_on()

    bruna.arrive()
    bruna.agree()
    introduce(bruna, 0)
    # The network is lost; she closes the page, and comes back when it is there again
    bruna.at.context.set_offline(True)
    rate(bruna)
    bruna.page.wait_for_selector("[data-status][data-state=failing]")
    bruna.shot("rate-offline")
    bruna.page.close()
    bruna.at.context.set_offline(False)
    bruna.at.page = bruna.at.context.new_page()
    bruna.page.goto(bruna.link)
    expect(unit_of(bruna.page).locator("fieldset.answered")).to_have_count(6)
    bruna.saved()
    bruna.go_on()
    rate(bruna, "overall", "empathy")
    bruna.saved()
    bruna.leave()

    owner.stop()
    # In the night nothing is there, and what is answered on a page left open is kept
    rate(ada, "overall")
    ada.page.wait_for_selector("[data-status][data-state=failing]")
    owner.serve()

    ada.page.evaluate("dispatchEvent(new Event('online'))")
    ada.saved()
    rate(ada)
    ada.go_on()
    rate(ada)
    ada.go_on()
    remark(ada, "=1+1 is no formula here 🙂")
    ada.shot("rate-done")
    # The next day, on another device
    bruna.arrive()
    expect(unit_of(bruna.page).locator("fieldset.answered")).to_have_count(6)
    bruna.go_on()
    expect(unit_of(bruna.page).locator("fieldset.answered")).to_have_count(2)
    bruna.shot("rate-next-day")
    for _ in range(3):
        rate(bruna)
        bruna.saved()
        bruna.go_on()
    remark(bruna, "Più tempo, per favore: è bello così.")

    sources = [source for answers in TOLD.values() for source in answers]
    out = ended(owner, people, visit, *sources, *ASKED, "practice-4710")
    assert any("R001 says" in text for _, _, text in ada.received())
    assert not any("R001 says" in text for _, _, text in bruna.received())
    texts = texts_of(out)
    assert sorted(texts.values()) == sorted(MARKED)
    assert differences(people, "main", exported(read(out, "ratings"), texts, texts)) == []
    practiced = dict(read(out, "known").select("unit_id", "text").iter_rows())
    assert differences(people, "known", exported(read(out, "known_ratings"), {}, practiced)) == []
    assert differences(people, "asked", exported(read(out, "questions"), {})) == []
    about = {r: json.loads(a) for r, a in read(out, "raters").select("rater", "attributes").rows()}
    assert {code: a["language"] for code, a in about.items()} == {"R001": "en", "R002": "it"}
    # What comes after reads it as it is
    said = json.loads(
        attunement(
            *("agreement", out / "ratings.parquet", "--dimension", "overall"),
            *("--replicates", "50", "--json"),
        )
    )
    assert said["results"]
