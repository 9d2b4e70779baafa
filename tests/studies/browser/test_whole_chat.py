"""Talk to a chatbot and rate it, from invitation to export, as an owner and two people do."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from playwright.sync_api import expect

from stubs import llm
from stubs.study_files import words
from studies.browser.notes import differences, exported, opinion
from studies.browser.people import DESK, PHONE, Person, ended, read

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Any]

BOT = "quiet-heron-7b"
SYSTEM = "SECRET PLAN: listen, and ask one thing."


def reply_to(request: llm.Request) -> str:
    """Return a reply that tells what it replies to, and how much was said before."""
    before = sum(m["role"] == "user" for m in request["messages"])
    return f"Ti ascolto 🫂 ({before}).\nYou said: «{llm.said(request)}» – perché?"


def turns(person: Person) -> Any:
    return person.page.locator("[data-messages] > li")


def say(person: Person, text: str) -> None:
    person.page.locator("#text").fill(text)
    person.page.locator("[data-send]").click()


def hear(person: Person, said: list[str]) -> None:
    """Wait for the whole reply to the last of what somebody has said, and hold all against it."""
    expect(turns(person)).to_have_count(2 * len(said))
    expect(turns(person).last).to_have_attribute("data-status", "done")
    shown = person.page.locator("[data-messages] .said").all_inner_texts()
    assert shown[::2] == said
    assert all(f"«{text}»" in reply for text, reply in zip(said, shown[1::2], strict=True))


def end(person: Person) -> None:
    """Finish the conversation and go to what comes next."""
    person.press("[data-finish]")
    person.page.locator("[data-ended]").wait_for()
    person.press("main button.primary")


def answer_about(person: Person, *dimensions: str) -> None:
    """Answer the questionnaire, by default all of it; what is about memory does not apply."""
    page = person.page
    page.locator("[data-open-instructions]").wait_for()
    for question in page.locator("fieldset.dimension").all():
        dimension = str(question.get_attribute("data-dimension"))
        if dimensions and dimension not in dimensions:
            continue
        value = opinion(person.code, "chat", dimension, 5)
        away = dimension in ("m1", "m2")
        question.locator(f"input[value='{'status:not_applicable' if away else value}']").check()
        note = (None if away else float(value), "not_applicable" if away else "ok", None, (), None)
        person.note("main", f"{person.code}:{BOT}", dimension, note)
    person.saved()


def test_chat_then_rate(open_study: Open, visit: Callable[..., Any]) -> None:
    pause = threading.Event()
    with llm.StubLLM(reply_to, pause=pause) as bot:
        chat_then_rate(open_study, visit, bot)


def chat_then_rate(open_study: Open, visit: Callable[..., Any], bot: llm.StubLLM) -> None:
    protocol = {
        "type": "chat-then-rate",
        "instrument": "ces-lcc",
        "bots": {BOT: {"model": "tiny-kestrel", "base_url": bot.base_url, "system": SYSTEM}},
        "participants": 2,
        "sessions": 2,
        "memory": "kept",
        "least_turns": 1,
        "scenario": words("Talk about your week.", "Parli della Sua settimana."),
    }
    owner, people = open_study(("it", PHONE), ("en", DESK), protocol=protocol)
    carla, dora = people

    carla.arrive()
    carla.agree()
    # A reload while the reply is being written, and a draft
    say(carla, "Non dormo più, perché? 😞")
    carla.page.locator("[data-status=writing] >> text=Ti").wait_for()
    carla.shot("chat-writing")
    carla.page.locator("#text").fill("Da maggio…")
    carla.page.reload()
    assert bot.pause is not None
    bot.pause.set()
    hear(carla, ["Non dormo più, perché? 😞"])
    assert carla.page.locator("#text").input_value() == "Da maggio…"
    # The network is lost: what was not sent stays
    carla.at.context.set_offline(True)
    carla.page.locator("[data-send]").click()
    carla.page.locator("[role=alert]:visible").wait_for()
    carla.shot("chat-offline")
    carla.at.context.set_offline(False)
    carla.page.locator("[data-send]").click()
    hear(carla, ["Non dormo più, perché? 😞", "Da maggio…"])
    end(carla)
    carla.page.locator("[data-chat]").wait_for()
    carla.leave()

    dora.arrive()
    dora.agree()
    # Two tabs are one conversation
    tab = dora.at.context.new_page()
    tab.goto(dora.page.url)
    say(dora, "My week was long.")
    hear(dora, ["My week was long."])
    tab.locator("[data-messages] > li").nth(1).wait_for()
    tab.close()
    end(dora)
    # Back is the conversation that is over, which takes nothing more; the link leads on
    dora.page.go_back()
    dora.page.locator("[data-ended]").wait_for()
    assert dora.page.locator("#text").count() == 0
    dora.page.goto(dora.link)
    say(dora, "It is me again.")
    hear(dora, ["It is me again."])
    end(dora)
    answer_about(dora, "ur1", "ur2")
    dora.page.reload()
    expect(dora.page.locator("fieldset.answered")).to_have_count(2)

    owner.stop()
    owner.serve()
    # The next day, on another device: the second conversation, and the questions
    carla.arrive()
    say(carla, "Oggi va meglio.")
    hear(carla, ["Oggi va meglio."])
    end(carla)
    answer_about(carla)
    carla.shot("chat-questions")
    carla.go_on()
    carla.finish()
    answer_about(dora)
    dora.go_on()
    dora.finish()

    out = ended(owner, people, visit, BOT, "tiny-kestrel", "SECRET PLAN")
    assert differences(people, "main", exported(read(out, "ratings"), {})) == []
    items = read(out, "items").join(read(out, "responses"), on="item_id", how="full", coalesce=True)
    said = {
        "R001": ["Non dormo più, perché? 😞", "Da maggio…", "Oggi va meglio."],
        "R002": ["My week was long.", "It is me again."],
    }
    for code, texts in said.items():
        rows = items.filter(pl.col("item_id").str.starts_with(code)).sort("item_id")
        assert rows["source"].to_list() == [BOT] * len(texts)
        # With a memory, whatever was said before is the context of a reply, the day before too
        context = [[t["text"] for t in row if t["role"] == "user"] for row in rows["turns"]]
        assert context == [texts[: n + 1] for n in range(len(texts))]
        assert rows["text"].to_list() == [
            f"Ti ascolto 🫂 ({n}).\nYou said: «{text}» – perché?"
            for n, text in enumerate(texts, start=1)
        ]
    asked = {m["content"] for r in bot.requests for m in r["messages"] if m["role"] == "system"}
    assert asked == {SYSTEM}
