"""Talking to a chatbot, and writing questions, in a real browser as a person would."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stubs import llm
from studies.browser import pages

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SCENARIO = {
    "en": "Think of something that has worried you this week, and talk about it.",
    "it": "Pensi a qualcosa che l'ha preoccupata questa settimana e ne parli.",
}
WARNING = {
    "en": "Talking about worries can be hard. Take your time.",
    "it": "Parlare delle proprie preoccupazioni può essere difficile. Faccia con calma.",
}
REPLY = "It sounds as if the nights are the hardest part.\nWhat goes through your mind then?"


@pytest.fixture
def bot() -> Iterator[llm.StubLLM]:
    """A chatbot that says one word after the other, the third only when a test lets it."""
    pause = threading.Event()
    with llm.StubLLM(REPLY, pause=pause) as server:
        yield server


def study_with(bot: llm.StubLLM, **keys: Any) -> dict[str, Any]:
    protocol = {
        "type": "chat-then-rate",
        "bots": {"quiet-heron": {"model": "m", "base_url": bot.base_url, "system": "SECRET PLAN"}},
        "participants": 2,
        "least_turns": 2,
        "scenario": SCENARIO,
        **keys,
    }
    return {"warning": WARNING, "protocol": protocol}


def begin(person: Any, link: str) -> None:
    """Open a personal link and agree."""
    pages.begin(person.page, link, "[data-chat]")


def say(person: Any, text: str) -> None:
    person.page.locator("#text").fill(text)
    person.page.locator("[data-send]").click()


def last(person: Any) -> Any:
    return person.page.locator("[data-messages] > li").last


def begun(person: Any) -> None:
    """Wait for the first words of a reply of which more is to come."""
    person.page.locator("[data-status=writing] >> text=It").wait_for()


def is_done(person: Any, count: int) -> None:
    """Wait until there are so many turns and the last is whole."""
    person.page.locator(f"[data-messages] > li:nth-child({count})[data-status=done]").wait_for()


def messages(study: Any) -> list[dict[str, Any]]:
    return study.rows("SELECT * FROM studies_message ORDER BY chat_id, position")


def free(bot: llm.StubLLM) -> None:
    assert bot.pause is not None
    bot.pause.set()


def test_from_the_invitation_to_the_questionnaire(
    serve: Callable[..., Any], visit: Callable[..., Any], bot: llm.StubLLM
) -> None:
    study, person = serve(**study_with(bot)), visit(width=360, language="it")
    page = person.page
    begin(person, study.link())
    assert SCENARIO["it"] in page.locator(".notes").inner_text()
    person.shot("chat-begin-360")
    say(person, "I cannot sleep since my sister moved out.")
    begun(person)
    assert last(person).get_attribute("data-status") == "writing"
    person.shot("chat-writing-360")
    free(bot)
    is_done(person, 2)
    assert last(person).locator(".said").inner_text() == REPLY
    assert page.locator("[data-finish]").is_disabled()
    say(person, "Mostly that I am alone now.")
    is_done(person, 4)
    person.shot("chat-replied-360")
    assert pages.fits(page)
    page.locator("[data-finish]").click()
    page.locator("[data-ended]").wait_for()
    person.shot("chat-ended-360")
    page.locator("main button.primary").click()
    page.locator("[data-dimension=ur1]").wait_for()
    person.shot("chat-questions-360", whole=False)
    assert "quiet-heron" not in page.content()
    assert bot.requests[1]["messages"][0] == {"role": "system", "content": "SECRET PLAN"}
    chat = study.rows("SELECT * FROM studies_chat ORDER BY id")[0]
    assert (chat["bot"], chat["stopped"]) == ("quiet-heron", 0)
    assert study.rows("SELECT seconds FROM studies_assignment ORDER BY id")[0]["seconds"] > 0


def test_stopping_leads_to_help_and_to_the_questions(
    serve: Callable[..., Any], visit: Callable[..., Any], bot: llm.StubLLM
) -> None:
    study, person = serve(**study_with(bot, sessions=2)), visit(width=360)
    page = person.page
    begin(person, study.link())
    say(person, "This is too much.")
    begun(person)
    page.locator("button.stop").click()  # while the reply is being written
    page.locator("[data-ended]").wait_for()
    assert page.locator("details.support").get_attribute("open") is not None
    person.shot("chat-stopped-360")
    page.locator("text=No more conversations").click()
    page.locator("[data-dimension=ur1]").wait_for()
    assert [m["status"] for m in messages(study)] == ["done", "failed"]
    assert messages(study)[1]["text"].strip() == "It"


def test_a_reload_loses_neither_the_draft_nor_the_reply(
    serve: Callable[..., Any], visit: Callable[..., Any], bot: llm.StubLLM
) -> None:
    study, person = serve(**study_with(bot)), visit()
    page = person.page
    begin(person, study.link())
    page.locator("#text").fill("I have not sent this yet.")
    page.reload()
    assert page.locator("#text").input_value() == "I have not sent this yet."
    page.locator("[data-send]").click()
    begun(person)
    page.locator("#text").fill("And something more.")
    page.reload()
    free(bot)
    is_done(person, 2)
    assert page.locator("#text").input_value() == "And something more."
    page.goto("about:blank")
    page.go_back()
    is_done(person, 2)
    assert page.locator("#text").input_value() == "And something more."
    page.locator("[data-send]").click()
    is_done(person, 4)
    assert page.locator("#text").input_value() == ""
    assert len(messages(study)) == 4


def test_two_tabs_are_one_conversation(
    serve: Callable[..., Any], visit: Callable[..., Any], bot: llm.StubLLM
) -> None:
    free(bot)
    study, person = serve(**study_with(bot)), visit()
    begin(person, study.link())
    first, second = person.page, person.context.new_page()
    first.locator("#text").fill("I cannot sleep.")
    second.goto(first.url)
    assert second.locator("#text").input_value() == "I cannot sleep."
    first.locator("[data-send]").click()
    is_done(person, 2)
    # The other tab has heard of it, and has nothing left to send
    second.locator("[data-messages] > li").nth(1).wait_for()
    assert second.locator("#text").input_value() == ""
    assert len(messages(study)) == 2


def test_a_message_survives_a_lost_network_and_is_stored_once(
    serve: Callable[..., Any], visit: Callable[..., Any], bot: llm.StubLLM
) -> None:
    free(bot)
    study, person = serve(**study_with(bot)), visit()
    page = person.page
    begin(person, study.link())
    person.context.set_offline(True)
    say(person, "I cannot sleep.")
    page.locator("[role=alert] >> text=Nothing is lost").wait_for()
    person.shot("chat-offline-1280")
    assert page.locator("#text").input_value() == "I cannot sleep."
    person.context.set_offline(False)

    # The message arrives, its answer does not
    def lose(route: Any) -> None:
        route.fetch()
        route.abort()

    page.route("**/chat/say/", lose)
    page.locator("[data-send]").click()
    page.locator("[role=alert] >> text=could not be sent").wait_for()
    page.unroute("**/chat/say/")
    page.locator("[data-send]").click()
    is_done(person, 2)
    assert page.locator("#text").input_value() == ""
    assert [m["role"] for m in messages(study)] == ["user", "assistant"]


def test_a_server_that_is_killed_meanwhile_replies_when_it_is_back(
    serve: Callable[..., Any], visit: Callable[..., Any], bot: llm.StubLLM
) -> None:
    study, person = serve(**study_with(bot)), visit()
    page = person.page
    begin(person, study.link())
    say(person, "I cannot sleep.")
    begun(person)
    study.kill()
    page.locator("[data-note] >> text=no connection").wait_for()
    free(bot)
    study.start()
    page.locator("[data-messages] > li[data-n='2'][data-status=done]").wait_for()
    assert [m["status"] for m in messages(study)] == ["done", "failed", "done"]


def test_an_endpoint_that_fails_can_be_tried_again(
    serve: Callable[..., Any], visit: Callable[..., Any]
) -> None:
    answers: list[llm.Answer] = [(500, '{"error": {"message": "out of memory"}}'), REPLY]
    with llm.StubLLM(lambda request: answers.pop(0)) as bot:
        study, person = serve(**study_with(bot)), visit()
        page = person.page
        begin(person, study.link())
        say(person, "I cannot sleep.")
        page.locator("[data-again]").wait_for(state="visible")
        person.shot("chat-failed-1280")
        assert "out of memory" not in page.content()
        page.locator("[data-again] button").click()
        page.locator("[data-messages] > li[data-n='2'][data-status=done]").wait_for()
        assert not page.locator("[data-again]").is_visible()


def test_the_page_follows_a_reply_while_its_beginning_is_in_view(
    serve: Callable[..., Any], visit: Callable[..., Any]
) -> None:
    with llm.StubLLM("A line of a long reply.\n" * 60) as bot:
        study, person = serve(**study_with(bot)), visit(width=360, height=700)
        begin(person, study.link())
        say(person, "I cannot sleep.")
        is_done(person, 2)
        box = last(person).bounding_box()
        assert 0 <= box["y"] < 200
        assert box["y"] + box["height"] > 700


def test_script_in_a_conversation_is_text(
    serve: Callable[..., Any], visit: Callable[..., Any]
) -> None:
    said = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    with llm.StubLLM(said) as bot:
        study, person = serve(**study_with(bot)), visit()
        begin(person, study.link())
        say(person, said)
        is_done(person, 2)
        shown = person.page.locator("[data-messages] .said").all_inner_texts()
        assert shown == [said, said]
        person.page.reload()
        is_done(person, 2)
        assert person.page.locator("[data-messages] .said").all_inner_texts() == [said, said]
        assert person.page.title() != "owned"


@pytest.mark.parametrize("width", [1280, 360])
def test_nothing_on_the_pages_of_a_conversation_violates_wcag(
    serve: Callable[..., Any], visit: Callable[..., Any], bot: llm.StubLLM, width: int
) -> None:
    free(bot)
    study, person = serve(**study_with(bot)), visit(width=width)
    begin(person, study.link())
    say(person, "I cannot sleep.")
    is_done(person, 2)
    assert pages.faults_of(person.page, *pages.WCAG) == []
    person.page.locator("button.stop").click()
    person.page.locator("[data-ended]").wait_for()
    assert pages.faults_of(person.page, *pages.WCAG) == []


@pytest.mark.parametrize("width", [1280, 360])
def test_questions_for_a_failure_mode_are_written_and_saved(
    serve: Callable[..., Any], visit: Callable[..., Any], width: int
) -> None:
    protocol = {"type": "write", "contributors": 1, "modes": ["apathetic"]}
    study = serve(languages=["en"], protocol=protocol)
    person = visit(width=width)
    page = person.page
    pages.begin(page, study.link(), "[data-open-instructions]")
    page.locator("textarea").first.fill("My cat is gone. I know that it is only a cat.")
    page.locator("textarea").last.fill("Everybody says that I should be over it by now.")
    page.locator("textarea").last.blur()
    person.shot(f"write-{width}")
    page.locator("main button.primary").last.click()
    page.locator(".code").wait_for()
    saved = {a["dimension"]: json.loads(a["labels"]) for a in study.answers()}
    assert saved == {
        "question-1": ["My cat is gone. I know that it is only a cat."],
        "question-2": ["Everybody says that I should be over it by now."],
    }
