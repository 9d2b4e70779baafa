"""A conversation: every message once, one reply at a time, an end at any time."""

from collections.abc import Callable

import pytest

from attunement.studies.chat.conversation import (
    LONGEST_MESSAGE,
    end,
    say,
    state_of,
    try_again,
)
from attunement.studies.holding import Refused
from attunement.studies.models import Chat, Message, Study


@pytest.fixture
def chat(make_chat: Callable[..., Study]) -> Chat:
    make_chat()
    return Chat.objects.order_by("pk")[0]


def reply(chat: Chat, text: str = "I hear you.", status: str = "done") -> None:
    """Let the reply that waits be written."""
    assert chat.messages.filter(status="waiting").update(text=text, status=status) == 1


def told(chat: Chat) -> list[tuple[str, str, str]]:
    return list(chat.messages.values_list("role", "text", "status"))


def test_a_message_is_stored_and_a_reply_is_waited_for(chat: Chat) -> None:
    say(chat, "  I cannot sleep.\r\nAt all. ", client="a")
    assert told(chat) == [
        ("user", "I cannot sleep.\nAt all.", "done"),
        ("assistant", "", "waiting"),
    ]
    assert state_of(chat).pending
    chat.refresh_from_db()
    assert chat.started_at is not None


def test_the_same_message_sent_twice_is_one_message(chat: Chat) -> None:
    say(chat, "I cannot sleep.", client="a")
    say(chat, "I cannot sleep.", client="a")
    assert Message.objects.count() == 2


def test_other_words_under_the_number_of_a_stored_message_are_not_dropped_in_silence(
    chat: Chat,
) -> None:
    say(chat, "I cannot sleep.", client="a")
    with pytest.raises(Refused, match="sent already"):
        say(chat, "I cannot sleep at all.", client="a")


def test_there_is_one_reply_at_a_time(chat: Chat) -> None:
    say(chat, "I cannot sleep.", client="a")
    with pytest.raises(Refused, match="still being written"):
        say(chat, "Hello?", client="b")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (" \n ", "nothing in the message"),
        ("x" * (LONGEST_MESSAGE + 1), "too long"),
        ("a\x00b", "cannot be stored"),
    ],
)
def test_what_is_no_message_is_refused(chat: Chat, text: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        say(chat, text, client="a")
    assert not Message.objects.exists()


def test_a_message_of_the_greatest_length_is_taken(chat: Chat) -> None:
    say(chat, "x" * LONGEST_MESSAGE, client="a")
    assert chat.messages.count() == 2


@pytest.mark.parametrize("client", ["", "x" * 41])
def test_a_message_without_a_number_is_refused(chat: Chat, client: str) -> None:
    with pytest.raises(Refused, match="reload"):
        say(chat, "Hello", client=client)


def test_a_failed_reply_can_be_tried_again_and_stays_on_record(chat: Chat) -> None:
    say(chat, "I cannot sleep.", client="a")
    chat.messages.filter(status="waiting").update(
        status="failed", text="I he", error="no reply in time"
    )
    assert state_of(chat).failed
    try_again(chat)
    try_again(chat)  # a second click
    assert told(chat)[1:] == [("assistant", "I he", "failed"), ("assistant", "", "waiting")]
    assert chat.messages.get(status="failed").error == "no reply in time"
    assert [m.status for m in state_of(chat).messages] == ["done", "waiting"]


def test_after_a_failed_reply_something_else_can_be_said(chat: Chat) -> None:
    say(chat, "I cannot sleep.", client="a")
    reply(chat, "", "failed")
    say(chat, "Are you there?", client="b")
    assert [m.text for m in state_of(chat).messages] == ["I cannot sleep.", "Are you there?", ""]


def test_there_is_nothing_to_try_again_while_all_is_well(chat: Chat) -> None:
    try_again(chat)
    say(chat, "I cannot sleep.", client="a")
    reply(chat)
    try_again(chat)
    assert chat.messages.count() == 2


def test_a_conversation_comes_to_its_end_once_enough_was_said(chat: Chat) -> None:
    say(chat, "One.", client="1")
    reply(chat)
    with pytest.raises(Refused, match="not long enough"):
        end(chat, stopped=False)
    say(chat, "Two.", client="2")
    with pytest.raises(Refused, match="not long enough"):
        end(chat, stopped=False)  # its reply is still to come
    reply(chat)
    end(chat, stopped=False)
    chat.refresh_from_db()
    assert chat.ended_at is not None
    assert not chat.stopped


def test_it_can_be_stopped_before_anything_was_said(chat: Chat) -> None:
    end(chat, stopped=True)
    chat.refresh_from_db()
    assert chat.stopped


def test_stopping_cuts_the_reply_and_keeps_what_was_shown(chat: Chat) -> None:
    say(chat, "One.", client="1")
    reply(chat, "I he", "writing")
    end(chat, stopped=True)
    assert told(chat)[1] == ("assistant", "I he", "failed")
    assert "ended before the reply was complete" in chat.messages.get(role="assistant").error


def test_how_a_conversation_ended_does_not_change_afterwards(chat: Chat) -> None:
    end(chat, stopped=True)
    end(chat, stopped=False)
    chat.refresh_from_db()
    assert chat.stopped
    with pytest.raises(Refused, match="has ended"):
        say(chat, "One more thing.", client="z")
    try_again(chat)
    assert not chat.messages.exists()


def test_a_conversation_has_a_greatest_length(chat: Chat) -> None:
    for n in range(3):
        say(chat, f"Number {n}.", client=str(n))
        reply(chat)
    state = state_of(chat)
    assert state.full
    assert not state.can_write
    assert state.can_finish
    with pytest.raises(Refused, match="reached its length"):
        say(chat, "Number 3.", client="3")
