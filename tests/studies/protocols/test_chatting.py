"""Chat, then rate: who talks to which chatbot, and what is asked afterwards."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from attunement.errors import UserError
from attunement.instruments import load_instrument
from attunement.studies.asking import units_of
from attunement.studies.config import read_study
from attunement.studies.models import Answer, Assignment, Chat, Participant, Stage, Study
from attunement.studies.opened import instrument_of
from attunement.studies.protocols.chatting import arms, chat_of, ready
from attunement.studies.saving import save
from stubs.study_files import study_text

BOTS = {n: {"model": "m", "base_url": "http://127.0.0.1:9/v1"} for n in ("ash", "birch", "cedar")}


@pytest.mark.parametrize("participants", [1, 2, 3, 7, 30])
def test_the_numbers_of_two_chatbots_differ_by_one_at_most(participants: int) -> None:
    for stop in range(1, participants + 1):
        counts = Counter(arms(list(BOTS), participants, seed=3)[:stop])
        assert max(counts.values()) - min(counts[b] for b in BOTS) <= 1


def test_the_seed_decides_who_talks_to_which_chatbot() -> None:
    names = list(BOTS)
    assert arms(names, 30, seed=1) == arms(names, 30, seed=1)
    assert arms(names, 30, seed=1) != arms(names, 30, seed=2)


def test_everybody_gets_their_conversations_and_then_the_questionnaire(
    make_chat: Callable[..., Study],
) -> None:
    make_chat(bots=BOTS, participants=6, sessions=2)
    assert Counter(Participant.objects.values_list("arm", flat=True)) == dict.fromkeys(BOTS, 2)
    for person in Participant.objects.all():
        pages = list(person.assignments.order_by("position"))
        kinds = [None if (c := chat_of(p)) is None else (c.number, c.bot) for p in pages]
        assert kinds == [(1, person.arm), (2, person.arm), None]
        assert [u.kind for p in pages for u in units_of(p)] == ["session"]


def test_answers_are_about_the_session_and_its_chatbot(make_chat: Callable[..., Study]) -> None:
    make_chat()
    person = Participant.objects.get(code="R001")
    last = person.assignments.order_by("position").last()
    assert last is not None
    save(last, 0, "ur1", {"ur1": ["4"]}, client="a")
    assert Answer.objects.get().unit_id == "R001:quiet-heron"
    assert units_of(last)[0].source == "quiet-heron"


def test_a_page_without_its_conversation_gets_one(make_chat: Callable[..., Study]) -> None:
    make_chat()
    page = Assignment.objects.order_by("position")[0]
    Chat.objects.all().delete()
    made = chat_of(page)
    assert made is not None
    assert (made.bot, made.number) == ("quiet-heron", 1)
    assert chat_of(page) == made
    assert not ready(page)


def test_does_not_apply_is_offered_where_the_study_says_so(make_chat: Callable[..., Study]) -> None:
    plain = load_instrument("counselbench-eval").dimensions
    assert not any(d.scale.not_applicable for d in plain)
    make_chat(instrument="counselbench-eval", not_applicable=[plain[1].id])
    frozen = instrument_of(Stage.objects.get())
    offered = [d.id for d in frozen.dimensions if d.scale.not_applicable]
    assert offered == [plain[1].id]


def test_a_question_that_is_not_in_the_instrument_is_named(make_chat: Callable[..., Study]) -> None:
    with pytest.raises(UserError, match="no dimension 'm4'"):
        make_chat(not_applicable=["m4"])


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"bots": {"a": {"model": "m"}}}, "base_url is missing"),
        ({"bots": {"a": {"model": "m", "base_url": "file:///x"}}}, "begins with http"),
        ({"bots": {"a": {"model": "local", "base_url": "http://x"}}}, "has no base_url"),
        ({"bots": BOTS, "least_turns": 5, "most_turns": 4}, "least_turns is more"),
        ({"bots": {}}, "at least 1"),
    ],
)
def test_what_cannot_work_is_refused(keys: dict[str, Any], why: str) -> None:
    text = study_text(protocol={"type": "chat-then-rate", **keys})
    with pytest.raises(UserError, match=why):
        read_study(text, where="study file")


def test_the_embedded_model_needs_no_address() -> None:
    text = study_text(protocol={"type": "chat-then-rate", "bots": {"a": {"model": "local"}}})
    read_study(text, where="study file")
