"""The pages of a conversation: for its participant only, in words that no reply can break."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from attunement.studies import links
from attunement.studies.chat import worker
from attunement.studies.models import Chat, Consent, Event, Message, Participant, Study
from stubs.llm import StubLLM

JSON = {"Accept": "application/json"}
SCRIPT = "<script>alert('x')</script>"


class Person:
    """Somebody with a link who agreed to take part."""

    def __init__(self, code: str = "R001", *, agrees: bool = True) -> None:
        self.client = Client()
        self.who = Participant.objects.get(code=code)
        self.home = links.path(self.who)
        if agrees:
            Consent.objects.create(participant=self.who, version=1, language="en", text="Yes")

    @property
    def chats(self) -> list[Chat]:
        return list(Chat.objects.filter(assignment__participant=self.who).order_by("number"))

    def page(self, number: int = 0) -> str:
        return f"{self.home}a/{self.chats[number].assignment_id}/"

    def say(self, text: str, client: str = "a", **headers: Any) -> Any:
        return self.client.post(
            f"{self.page()}chat/say/", {"text": text, "client": client}, headers=headers or JSON
        )

    def state(self) -> Any:
        return self.client.get(f"{self.page()}chat/").json()

    def read(self, number: int = 0) -> str:
        return self.client.get(self.page(number)).content.decode()


def write(text: str = "I hear you.", **keys: Any) -> None:
    Message.objects.filter(status="waiting").update(**{"text": text, "status": "done", **keys})


@pytest.fixture
def person(make_chat: Callable[..., Study]) -> Person:
    make_chat(
        scenario={"en": "Talk about sleep.", "it": "Parli del sonno."},
        file={"warning": {"en": "This may be hard.", "it": "Può essere difficile."}},
    )
    return Person()


def test_the_page_says_what_it_is_before_anything_is_written(person: Person) -> None:
    assert person.client.get(person.home).headers["Location"] == person.page()
    page = person.read()
    for words in (
        "with a program, not with a person",
        "not for emergencies",
        "This may be hard.",
        "Talk about sleep.",
        "Please write at least 2 messages.",
        "Stop the conversation",
        "where to find help",
    ):
        assert words in page


def test_the_chatbot_is_not_named_and_its_instructions_stay_here(person: Person) -> None:
    person.say("Hello")
    write()
    pages = [person.read(), str(person.state())]
    person.client.post(f"{person.page()}chat/end/", {"stop": "1"})
    pages.append(person.read())
    for page in pages:
        assert "quiet-heron" not in page
        assert "SECRET PLAN" not in page
        assert "127.0.0.1:9" not in page


def test_no_request_asks_the_chatbot(make_chat: Callable[..., Study]) -> None:
    with StubLLM() as server:
        make_chat(server.base_url)
        person = Person()
        person.say("Hello")
        person.read()
        person.state()
        assert server.calls == 0
        claimed = worker.claim()
        assert claimed is not None
        worker.write_reply(claimed)
    assert person.state()["messages"][-1]["text"] == "I hear you."


def test_what_is_new_is_sent_from_a_turn_on(person: Person) -> None:
    person.say("Hello")
    Message.objects.filter(status="waiting").update(status="writing", text="I he")
    state = person.client.get(f"{person.page()}chat/?since=1").json()
    assert [(m["n"], m["text"], m["status"]) for m in state["messages"]] == [(1, "I he", "writing")]
    assert (state["pending"], state["canWrite"], state["turns"]) == (True, False, 1)
    assert len(person.client.get(f"{person.page()}chat/?since=x").json()["messages"]) == 2


def test_a_message_that_is_sent_twice_is_there_once(person: Person) -> None:
    for _ in range(2):
        assert person.say("Hello").status_code == 200
    assert Message.objects.filter(role="user").count() == 1


def test_without_scripts_the_page_works_by_its_forms(person: Person) -> None:
    sent = person.say("Hello", Accept="text/html")
    assert sent.headers["Location"] == person.page()
    assert "See whether the reply has come" in person.read()
    refused = person.say("Hello again", "b", Accept="text/html")
    assert refused.status_code == 409
    page = refused.content.decode()
    assert "A reply is still being written" in page
    assert ">Hello again</textarea>" in page  # not lost


@pytest.mark.parametrize("stored", [SCRIPT, "</textarea><img src=x onerror=alert(1)>"])
def test_markup_in_a_conversation_is_shown_as_it_was_typed(person: Person, stored: str) -> None:
    person.say(stored)
    write(stored)
    page = person.read()
    assert stored not in page
    assert "&lt;" in page
    assert person.client.get(f"{person.page()}chat/").headers["Content-Type"] == "application/json"


def test_a_reply_that_failed_is_met_with_calm_words_and_a_second_try(person: Person) -> None:
    person.say("Hello")
    write("", status="failed", error="HTTP 500: out of memory at 10.1.2.3")
    page = person.read()
    assert "has nothing to do with what you wrote" in page
    assert "out of memory" not in page + str(person.state())
    again = person.client.post(f"{person.page()}chat/again/", headers=JSON).json()
    assert again["pending"]
    assert not again["failed"]


def test_too_early_an_end_is_refused_and_stopping_is_not(person: Person) -> None:
    end = f"{person.page()}chat/end/"
    assert person.client.post(end, {"stop": "0"}).status_code == 409
    for _ in range(2):  # pressed twice
        assert person.client.post(end, {"stop": "1"}).status_code == 302
    page = person.read()
    assert "You have stopped the conversation" in page
    assert '<details class="support" open>' in page
    assert Event.objects.filter(action="chat stopped", actor="R001").count() == 1


def test_a_page_is_not_done_before_the_conversation_has_ended(person: Person) -> None:
    person.client.post(f"{person.page()}done/")
    assert person.chats[0].assignment.done_at is None
    person.client.post(f"{person.page()}chat/end/", {"stop": "1"})
    after = person.client.post(f"{person.page()}done/")
    assert after.status_code == 302
    assert person.chats[0].assignment.done_at is not None
    questions = person.client.get(person.home, follow=True).content.decode()
    assert "About the program you talked to" in questions
    assert 'data-dimension="ur1"' in questions
    assert "quiet-heron" not in questions


def test_whoever_stops_can_leave_out_the_conversations_that_would_follow(
    make_chat: Callable[..., Study],
) -> None:
    make_chat(sessions=3)
    person = Person()
    assert person.client.post(f"{person.page()}chat/skip/").status_code == 409
    person.client.post(f"{person.page()}chat/end/", {"stop": "1"})
    assert "No more conversations" in person.read()
    person.client.post(f"{person.page()}chat/skip/")
    assert [(c.stopped, c.assignment.done_at is None) for c in person.chats] == [(True, False)] * 3
    page = person.client.get(person.home, follow=True).content.decode()
    assert "About the program you talked to" in page


def test_a_conversation_that_is_over_is_left_as_it_is(person: Person) -> None:
    person.client.post(f"{person.page()}chat/end/", {"stop": "1"})
    person.client.post(f"{person.page()}done/")
    refused = person.say("One more thing")
    assert refused.status_code == 409
    assert refused.json()["refused"] == "This conversation has ended."
    assert not Message.objects.exists()


def test_a_study_that_is_closed_takes_no_messages(person: Person) -> None:
    Study.objects.update(closed_at="2026-01-01T00:00:00Z")
    assert "no more answers" in person.say("Hello").json()["refused"]
    assert not Message.objects.exists()


@pytest.mark.parametrize("path", ["", "say/", "again/", "end/", "skip/"])
def test_a_conversation_of_somebody_else_is_not_there(person: Person, path: str) -> None:
    other = Person("R002")
    pk = person.chats[0].assignment_id
    address = f"{other.home}a/{pk}/chat/{path}"
    call = other.client.post if path else other.client.get
    assert call(address).status_code == 404


def test_nothing_is_shown_or_taken_before_consent(make_chat: Callable[..., Study]) -> None:
    make_chat()
    person = Person(agrees=False)
    assert person.say("Hello").status_code == 404
    assert person.client.get(f"{person.page()}chat/").status_code == 404


def test_a_later_conversation_waits_for_the_earlier(make_chat: Callable[..., Study]) -> None:
    make_chat(sessions=2)
    person = Person()
    later = f"{person.page(1)}chat/say/"
    assert person.client.post(later, {"text": "Hi", "client": "a"}).status_code == 404


def test_forms_of_other_sites_are_refused(person: Person) -> None:
    strict = Client(enforce_csrf_checks=True)
    sent = strict.post(f"{person.page()}chat/say/", {"text": "Hi", "client": "a"})
    assert sent.status_code == 403


def test_the_questionnaire_has_no_conversation(person: Person) -> None:
    last = person.who.assignments.order_by("position").last()
    assert last is not None
    person.client.post(f"{person.page()}chat/end/", {"stop": "1"})
    person.client.post(f"{person.page()}done/")
    assert person.client.get(f"{person.home}a/{last.pk}/chat/").status_code == 404


def test_visible_time_is_added_up(person: Person) -> None:
    for client, seconds in (("a", "12.5"), ("a", "nan"), ("a", "-3"), ("a", "soon")):
        person.client.post(
            f"{person.page()}chat/say/", {"text": "Hi", "client": client, "seconds": seconds}
        )
    assert person.chats[0].assignment.seconds == 12.5


def test_the_interface_speaks_italian(person: Person) -> None:
    Participant.objects.update(language="it")
    page = person.read()
    assert "Parli del sonno." in page
    assert 'lang="it"' in page
