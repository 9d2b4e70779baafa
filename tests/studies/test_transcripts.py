"""Conversations as items and responses."""

from collections.abc import Callable

from attunement import tables
from attunement.decoding import decode_json
from attunement.studies.models import Chat, Message, Participant, Study
from attunement.studies.opened import described
from attunement.studies.transcripts import transcripts
from attunement.studies.withdrawal import KEPT, erase, stop


def tell(chat: Chat, *turns: tuple[str, str, str]) -> None:
    for position, (role, text, status) in enumerate(turns):
        Message.objects.create(
            chat=chat,
            position=position,
            role=role,
            text=text,
            status=status,
            model="m-1" if role == "assistant" else "",
            error="no reply in time" if status == "failed" else "",
        )


def chats(code: str = "R001") -> list[Chat]:
    return list(Chat.objects.filter(assignment__participant__code=code).order_by("number"))


def test_every_reply_is_an_item_with_what_was_said_before_it(
    make_chat: Callable[..., Study],
) -> None:
    make_chat()
    tell(
        chats()[0],
        ("user", "I cannot sleep.", "done"),
        ("assistant", "Since when?", "done"),
        ("user", "May.", "done"),
        ("assistant", "That is long.", "done"),
    )
    items, responses = transcripts(described())
    assert tables.check(items, "items") == []
    assert tables.check(responses, "responses") == []
    assert items["item_id"].to_list() == ["R001-c1-t1", "R001-c1-t2"]
    assert items["turns"].to_list()[1] == [
        {"role": "user", "text": "I cannot sleep."},
        {"role": "assistant", "text": "Since when?"},
        {"role": "user", "text": "May."},
    ]
    assert decode_json(items["meta"][1]) == {
        "session": "R001:quiet-heron",
        "conversation": 1,
        "turn": 2,
        "stopped": False,
    }
    assert responses.select("item_id", "source", "text", "model", "attempts").rows() == [
        ("R001-c1-t1", "quiet-heron", "Since when?", "m-1", 1),
        ("R001-c1-t2", "quiet-heron", "That is long.", "m-1", 1),
    ]


def test_a_reply_that_never_came_whole_is_an_error_and_no_text(
    make_chat: Callable[..., Study],
) -> None:
    make_chat()
    tell(
        chats()[0],
        ("user", "I cannot sleep.", "done"),
        ("assistant", "Si", "failed"),
        ("assistant", "Since when?", "done"),
        ("user", "May.", "done"),
        ("assistant", "That is", "failed"),
    )
    responses = transcripts(described())[1]
    assert responses.select("text", "attempts", "error").rows() == [
        ("Since when?", 2, None),
        (None, 1, "no reply in time"),
    ]


def test_a_chatbot_with_memory_has_the_earlier_conversation_as_context(
    make_chat: Callable[..., Study],
) -> None:
    make_chat(sessions=2, memory="kept")
    for chat, name in zip(chats(), ("Ada", "Bea"), strict=True):
        tell(chat, ("user", f"I am {name}.", "done"), ("assistant", f"Hello {name}.", "done"))
    items = transcripts(described())[0]
    said = [[turn["text"] for turn in turns] for turns in items["turns"].to_list()]
    assert said == [["I am Ada."], ["I am Ada.", "Hello Ada.", "I am Bea."]]


def test_replies_that_are_still_written_and_people_who_withdrew_are_left_out(
    make_chat: Callable[..., Study],
) -> None:
    make_chat()
    tell(chats()[0], ("user", "Hi.", "done"), ("assistant", "He", "writing"))
    gone = chats("R002")[0]
    tell(gone, ("user", "Hi.", "done"), ("assistant", "Hello.", "done"))
    erase(gone.assignment.participant, by="R002")
    items, responses = transcripts(described())
    assert items.equals(tables.empty("items"))
    assert responses.equals(tables.empty("responses"))


def test_what_people_said_stays_when_they_stop_and_leave_it(
    make_chat: Callable[..., Study],
) -> None:
    make_chat()
    chat = chats("R002")[0]
    tell(
        chat,
        ("user", "Hi.", "done"),
        ("assistant", "Hello.", "done"),
        ("user", "I cannot sleep.", "done"),
        ("assistant", "Si", "writing"),
    )
    Chat.objects.filter(pk=chat.pk).update(started_at="2026-01-01T00:00:00Z")
    stop(chat.assignment.participant, by="R002")
    items, responses = transcripts(described())
    # The reply that was under way is cut, so that what it answers is not lost
    assert responses.select("item_id", "text").rows() == [
        ("R002-c1-t1", "Hello."),
        ("R002-c1-t2", None),
    ]
    assert [decode_json(meta)["stopped"] for meta in items["meta"]] == [True, True]
    assert list(Participant.objects.filter(KEPT, code="R002").distinct()) == [
        chat.assignment.participant
    ]


def test_a_study_without_conversations_has_no_transcripts(
    make_study: Callable[..., Study],
) -> None:
    make_study()
    assert transcripts(described())[0].equals(tables.empty("items"))


def test_a_conversation_has_the_language_in_which_somebody_agreed_and_then_the_one_they_chose(
    make_chat: Callable[..., Study],
) -> None:
    make_chat()
    tell(chats()[0], ("user", "Non dormo.", "done"), ("assistant", "Da quando?", "done"))
    person = Participant.objects.get(code="R001")
    person.consents.create(version=1, language="it", text="Acconsento.")
    assert transcripts(described())[0]["lang"].to_list() == ["it"]
    Participant.objects.update(language="en")
    assert transcripts(described())[0]["lang"].to_list() == ["en"]
