"""The worker: replies come from outside of requests, and none is lost."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connections

from attunement.studies.chat import conversation, worker
from attunement.studies.chat.conversation import end, say, state_of
from attunement.studies.models import Chat, Message, Participant, Study
from stubs.llm import StubLLM


def a_chat(number: int = 0) -> Chat:
    return Chat.objects.order_by("pk")[number]


def written() -> Message:
    """Write the reply that waits, in this thread."""
    claimed = worker.claim()
    assert claimed is not None
    worker.write_reply(claimed)
    claimed.refresh_from_db()
    return claimed


def test_a_reply_is_written_down_with_what_it_took(make_chat: Callable[..., Study]) -> None:
    with StubLLM("I hear you.") as server:
        make_chat(server.base_url)
        say(a_chat(), "I cannot sleep.", client="a")
        reply = written()
    assert (reply.text, reply.status, reply.error) == ("I hear you.", "done", "")
    assert (reply.model, reply.tokens_in, reply.tokens_out) == ("stub", 10, 5)
    assert reply.latency_s is not None
    assert server.requests[0]["messages"][-1] == {"role": "user", "content": "I cannot sleep."}
    assert worker.claim() is None


def test_a_failure_is_kept_with_its_reason(make_chat: Callable[..., Study]) -> None:
    with StubLLM(lambda request: (500, '{"error": {"message": "out of memory"}}')) as server:
        make_chat(server.base_url)
        say(a_chat(), "I cannot sleep.", client="a")
        reply = written()
    assert (reply.status, reply.error) == ("failed", "HTTP 500: out of memory")


def test_an_empty_reply_has_failed(make_chat: Callable[..., Study]) -> None:
    with StubLLM("  \n") as server:
        make_chat(server.base_url)
        say(a_chat(), "I cannot sleep.", client="a")
        assert written().error == "the reply is empty"


def test_a_reply_without_end_is_cut(
    make_chat: Callable[..., Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "LONGEST_REPLY", 9)
    with StubLLM("one two three four five") as server:
        make_chat(server.base_url)
        say(a_chat(), "Count.", client="a")
        reply = written()
    assert (reply.text, reply.status) == ("one two t", "done")
    assert "cut after 9" in reply.error


def test_text_that_no_database_holds_is_made_storable() -> None:
    assert worker.storable("a\x00b") == "ab"
    assert worker.storable("\ud83d\ude00") == "\U0001f600"  # a pair that came in two pieces
    assert worker.storable("x\ud83d") == "x\ufffd"


def test_the_reply_that_waits_longest_comes_first(make_chat: Callable[..., Study]) -> None:
    make_chat()
    for number in (1, 0):
        say(a_chat(number), f"I am {number}.", client="a")
    first, second = worker.claim(), worker.claim()
    assert first is not None
    assert second is not None
    assert [first.chat, second.chat] == [a_chat(1), a_chat(0)]


def test_what_somebody_wrote_who_has_withdrawn_is_sent_to_nobody(
    make_chat: Callable[..., Study],
) -> None:
    make_chat()
    say(a_chat(), "I cannot sleep.", client="a")
    Participant.objects.update(withdrawn_at="2026-01-01T00:00:00Z")
    assert worker.claim() is None


def test_a_reply_that_was_cut_is_not_written_any_further(
    make_chat: Callable[..., Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "WRITE_EVERY_S", 0.0)

    def pieces(*args: Any) -> Iterator[Any]:
        yield worker.Piece("I ")
        end(a_chat(), stopped=True)
        yield worker.Piece("hear ")
        raise AssertionError("nobody wants the rest")

    monkeypatch.setattr(worker, "stream", pieces)
    make_chat()
    say(a_chat(), "I cannot sleep.", client="a")
    reply = written()
    assert (reply.text, reply.status, reply.error) == ("I ", "failed", conversation.CUT)


def test_somebody_who_withdraws_meanwhile_takes_the_reply_with_them(
    make_chat: Callable[..., Study],
) -> None:
    with StubLLM("I hear you.") as server:
        make_chat(server.base_url)
        say(a_chat(), "I cannot sleep.", client="a")
        claimed = worker.claim()
        assert claimed is not None
        Message.objects.all().delete()
        claimed.chat = a_chat()
        worker.write_reply(claimed)
    assert not Message.objects.exists()


def test_a_reply_that_a_killed_server_began_is_asked_for_again(
    make_chat: Callable[..., Study],
) -> None:
    make_chat()
    say(a_chat(), "I cannot sleep.", client="a")
    Message.objects.filter(status="waiting").update(status="writing", text="I he")
    worker.recover()
    assert list(a_chat().messages.values_list("text", "status"))[1:] == [
        ("I he", "failed"),
        ("", "waiting"),
    ]


def wait_for(chat: Chat, done: Callable[[], bool]) -> None:
    """Wait until the worker's threads have come so far."""
    pause = threading.Event()
    for _ in range(600):
        if done():
            return
        pause.wait(0.05)
    raise AssertionError([(m.status, m.error) for m in chat.messages.all()])


@pytest.fixture
def live(transactional_db: None, make_chat: Callable[..., Study]) -> Callable[..., Study]:
    """Studies whose rows other threads see."""
    return make_chat


def test_words_are_shown_as_they_come_and_a_message_wakes_the_worker(
    live: Callable[..., Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "WRITE_EVERY_S", 0.0)
    pause = threading.Event()
    with StubLLM("I hear you.", pause=pause) as server:
        live(server.base_url)
        chat = a_chat()
        with worker.Worker():
            say(chat, "I cannot sleep.", client="a")
            wait_for(chat, lambda: state_of(chat).messages[-1].text == "I hear ")
            assert state_of(chat).pending
            pause.set()
            wait_for(chat, lambda: not state_of(chat).pending)
    assert state_of(chat).messages[-1].text == "I hear you."


def test_what_waits_when_the_server_starts_is_replied_to(live: Callable[..., Study]) -> None:
    with StubLLM("I hear you.") as server:
        live(server.base_url)
        for number in (0, 1):
            say(a_chat(number), "I cannot sleep.", client="a")
        Message.objects.filter(chat=a_chat(1), status="waiting").update(status="writing")
        with worker.Worker():
            wait_for(a_chat(0), lambda: Message.objects.filter(status="done").count() == 4)
    assert server.calls == 2


def test_several_replies_are_written_at_once(live: Callable[..., Study]) -> None:
    hold = threading.Event()
    with StubLLM("I hear you.", hold=hold) as server:
        live(server.base_url, participants=4)
        with worker.Worker():
            for number in range(4):
                say(a_chat(number), "I cannot sleep.", client="a")
            server.wait_for(4)
            hold.set()
            wait_for(a_chat(), lambda: Message.objects.filter(status="done").count() == 8)
    assert server.peak == 4
    connections.close_all()


def test_a_fault_of_our_own_is_a_failed_reply_and_no_silence(
    live: Callable[..., Study], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*args: Any) -> Any:
        raise RuntimeError("this should not happen")

    monkeypatch.setattr(worker, "prompt_of", broken)
    live()
    chat = a_chat()
    with worker.Worker():
        say(chat, "I cannot sleep.", client="a")
        wait_for(chat, lambda: state_of(chat).failed)
    assert chat.messages.get(status="failed").error == "RuntimeError"
    assert "a reply cannot be written" in caplog.text
