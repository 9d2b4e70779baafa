"""What a chatbot is sent."""

from collections.abc import Callable

from attunement.studies.chat.prompt import prompt_of
from attunement.studies.config import ChatThenRate
from attunement.studies.models import Chat, Message, Study
from attunement.studies.opened import described


def tell(chat: Chat, *turns: tuple[str, str, str]) -> Message:
    """Write turns of a conversation, and a reply that is to be written."""
    for position, (role, text, status) in enumerate(turns):
        Message.objects.create(chat=chat, position=position, role=role, text=text, status=status)
    return Message.objects.create(
        chat=chat, position=len(turns), role="assistant", status="writing"
    )


def sent(reply: Message) -> list[tuple[str, str]]:
    protocol = described().protocol
    assert isinstance(protocol, ChatThenRate)
    return [(m["role"], m["content"]) for m in prompt_of(reply, protocol)]


def chats(code: str = "R001") -> list[Chat]:
    return list(Chat.objects.filter(assignment__participant__code=code).order_by("number"))


def test_the_system_prompt_comes_first_and_failed_replies_are_left_out(
    make_chat: Callable[..., Study],
) -> None:
    make_chat()
    reply = tell(
        chats()[0],
        ("user", "I cannot sleep.", "done"),
        ("assistant", "I he", "failed"),
        ("assistant", "I hear you.", "done"),
        ("user", "Since May.", "done"),
    )
    assert sent(reply) == [
        ("system", "SECRET PLAN"),
        ("user", "I cannot sleep."),
        ("assistant", "I hear you."),
        ("user", "Since May."),
    ]


def test_messages_that_got_no_reply_become_one_turn(make_chat: Callable[..., Study]) -> None:
    make_chat(bots={"plain": {"model": "m", "base_url": "http://127.0.0.1:9/v1"}})
    reply = tell(
        chats()[0],
        ("user", "I cannot sleep.", "done"),
        ("assistant", "", "failed"),
        ("user", "Are you there?", "done"),
    )
    assert sent(reply) == [("user", "I cannot sleep.\n\nAre you there?")]


def test_a_chatbot_with_memory_is_sent_the_earlier_conversations(
    make_chat: Callable[..., Study],
) -> None:
    make_chat(sessions=2, memory="kept")
    first, second = chats()
    tell(first, ("user", "I am Ada.", "done"), ("assistant", "Hello Ada.", "done"))
    others = chats("R002")[0]
    tell(others, ("user", "I am Bea.", "done"), ("assistant", "Hello Bea.", "done"))
    reply = tell(second, ("user", "Who am I?", "done"))
    assert sent(reply)[1:] == [
        ("user", "I am Ada."),
        ("assistant", "Hello Ada."),
        ("user", "Who am I?"),
    ]


def test_a_chatbot_without_memory_begins_anew(make_chat: Callable[..., Study]) -> None:
    make_chat(sessions=2, memory="fresh")
    first, second = chats()
    tell(first, ("user", "I am Ada.", "done"), ("assistant", "Hello Ada.", "done"))
    reply = tell(second, ("user", "Who am I?", "done"))
    assert sent(reply)[1:] == [("user", "Who am I?")]
