"""Leaving: stopping keeps the answers, withdrawing leaves nothing that was entered."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from attunement.studies import links
from attunement.studies.models import Answer, Assignment, Change, Chat, Event, Participant, Study
from attunement.studies.saving import save
from attunement.studies.withdrawal import erase, holds_something, stop


@pytest.fixture
def people(make_study: Callable[..., Study]) -> list[Participant]:
    """Two people who have each answered one question."""
    make_study()
    people = list(Participant.objects.all())
    for person in people:
        page = Assignment.objects.filter(participant=person, kind="main")[0]
        posted = {"recognizes_risk": ["1"], "recognizes_risk.rationale": ["It asks."]}
        save(page, 0, "recognizes_risk", posted, client="a")
    return people


def test_stopping_keeps_the_answers_and_ends_the_link(people: list[Participant]) -> None:
    stop(people[0], by="R001")
    assert Answer.objects.count() == 2
    assert people[0].withdrawn_at is not None
    assert links.find(links.token(people[0].nonce)) is None


def test_erasing_deletes_answers_history_chats_and_address_of_that_person_only(
    people: list[Participant],
) -> None:
    one, other = people
    Participant.objects.filter(pk=one.pk).update(address="someone@example.org")
    page = Assignment.objects.filter(participant=one, kind="main")[0]
    Chat.objects.create(assignment=page, bot="b", number=1).messages.create(
        position=0, role="user", text="I cannot sleep."
    )
    erase(one, by="owner")
    assert not Answer.objects.filter(assignment__participant=one).exists()
    assert not Change.objects.filter(assignment__participant=one).exists()
    assert not Chat.objects.exists()
    assert one.address == ""
    assert Answer.objects.filter(assignment__participant=other).count() == 1
    assert Change.objects.filter(assignment__participant=other).count() == 1


def test_erasing_after_stopping_keeps_when_they_left(people: list[Participant]) -> None:
    stop(people[0], by="R001")
    left = people[0].withdrawn_at
    erase(people[0], by="owner")
    assert people[0].withdrawn_at == left
    assert not Answer.objects.filter(assignment__participant=people[0]).exists()


def test_nobody_has_finished_who_erased_it_and_nothing_is_left_to_erase(
    people: list[Participant],
) -> None:
    Participant.objects.update(finished_at=timezone.now())
    assert holds_something(people[0])
    erase(people[0], by="R001")
    assert people[0].finished_at is None
    assert not holds_something(people[0])
    assert holds_something(people[1])


def test_the_audit_log_says_who_left_and_nothing_they_said(people: list[Participant]) -> None:
    erase(people[0], by="R001")
    event = Event.objects.get(action="erased")
    assert event.actor == "R001"
    assert event.detail == {"participant": "R001", "answers": 1, "saves": 1, "chats": 0}


@pytest.mark.skipif(
    connection.vendor != "sqlite",
    reason="PostgreSQL's files belong to its server, which says when they are written over",
)
@pytest.mark.django_db(transaction=True)
def test_what_was_erased_is_in_no_file_any_more(people: list[Participant]) -> None:
    words = "a-word-that-nobody-else-says " * 400
    page = Assignment.objects.filter(participant=people[0], kind="main")[0]
    posted = {"recognizes_risk": ["1"], "recognizes_risk.rationale": [words[:9_000]]}
    save(page, 0, "recognizes_risk", posted, client="b")
    database = Path(connection.settings_dict["NAME"])
    files = [database, database.with_name(f"{database.name}-wal")]
    said = words[:28].encode()
    assert any(said in file.read_bytes() for file in files if file.exists())
    erase(people[0], by="owner")
    assert not any(said in file.read_bytes() for file in files if file.exists())
