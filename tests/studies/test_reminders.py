"""Who is due a reminder, and the words to send."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from attunement.studies import reminders
from attunement.studies.models import Participant, Study

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


@pytest.fixture
def person(make_study: Callable[..., Study]) -> Participant:
    make_study()
    found = Participant.objects.get(code="R001")
    found.invited_at = NOW - timedelta(days=5)
    found.save()
    return found


def codes(after_days: int) -> list[str]:
    return [d.participant.code for d in reminders.due(after_days, now=NOW)]


def test_whoever_was_invited_long_enough_ago_is_due(person: Participant) -> None:
    assert codes(5) == ["R001"]
    assert codes(6) == []


def test_whoever_was_seen_since_is_not(person: Participant) -> None:
    person.last_seen_at = NOW - timedelta(days=1)
    person.save()
    assert codes(3) == []


def test_whoever_was_reminded_is_not_due_again_at_once(person: Participant) -> None:
    reminders.mark_reminded(person, by="owner")
    assert codes(3) == []


@pytest.mark.parametrize("left", ["finished_at", "revoked_at", "withdrawn_at"])
def test_whoever_is_done_or_gone_is_not(person: Participant, left: str) -> None:
    setattr(person, left, NOW)
    person.save()
    assert codes(1) == []


def test_days_are_whole_days_since_the_last_sign(person: Participant) -> None:
    assert [d.days for d in reminders.due(1, now=NOW)] == [5]


def test_the_link_reads_back_as_it_was_written() -> None:
    link = reminders.mailto("ada@example.org", "A & B?", "one\ntwo: https://a.example/?x=1&y=2")
    parts = urlsplit(link)
    assert (parts.scheme, parts.path) == ("mailto", "ada@example.org")
    assert parse_qs(parts.query) == {
        "subject": ["A & B?"],
        "body": ["one\ntwo: https://a.example/?x=1&y=2"],
    }


@pytest.mark.parametrize("language", ["en", "it"])
def test_the_words_hold_link_title_and_contact(language: str) -> None:
    subject, body = reminders.reminder(
        language, title="Nights {awake}", link="https://a.example/r/x/", contact="c@example.org"
    )
    assert "Nights {awake}" in subject
    assert "https://a.example/r/x/" in body
    assert "c@example.org" in body
