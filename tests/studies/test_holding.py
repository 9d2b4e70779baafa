"""What happens between the check of a request and its writing is seen before anything is written.

Each test lets something else happen at the worst moment, in the same thread: the order is fixed.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from attunement.errors import UserError
from attunement.studies import closing, extra, flow, invitations, links, saving
from attunement.studies.chat import conversation
from attunement.studies.config import StudyFile
from attunement.studies.holding import Refused
from attunement.studies.models import (
    Answer,
    Assignment,
    Change,
    Chat,
    Message,
    Participant,
    Stage,
    Study,
)
from attunement.studies.replacement import replace_participant
from attunement.studies.withdrawal import erase, stop

RATED = "recognizes_risk"


@pytest.fixture
def page(make_study: Callable[..., Study]) -> Assignment:
    """The first page of somebody who has agreed."""
    make_study()
    person = Participant.objects.order_by("pk")[0]
    flow.agree(person, "en")
    return Assignment.objects.filter(participant=person, kind="main")[0]


def meanwhile(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Let something happen once a save was checked and before it is written."""
    read = saving._fields

    def late(*given: Any) -> Any:
        monkeypatch.setattr(saving, "_fields", read)
        happens()
        return read(*given)

    monkeypatch.setattr(saving, "_fields", late)


def save(page: Assignment, **more: str) -> saving.Saved:
    given = {RATED: [more.get("value", "1")] if more.get("value", "1") else []}
    return saving.save(page, 0, RATED, given, client=more.get("client", "a"))


def close_it(page: Assignment) -> None:
    closing.close_stage(Stage.objects.get(), by="owner")


@pytest.mark.parametrize(
    "happens",
    [
        lambda page: erase(page.participant, by="owner"),
        lambda page: stop(page.participant, by="owner"),
        lambda page: invitations.revoke(page.participant, by="owner"),
        lambda page: replace_participant(page.participant, by="owner"),
        lambda page: flow.finish(page.participant),
        close_it,
    ],
    ids=["erased", "stopped", "revoked", "replaced", "finished", "stage closed"],
)
def test_nothing_is_saved_for_somebody_whose_part_ended_meanwhile(
    page: Assignment, monkeypatch: pytest.MonkeyPatch, happens: Callable[[Assignment], object]
) -> None:
    meanwhile(monkeypatch, lambda: happens(page))
    with pytest.raises(Refused):
        save(page)
    assert not Answer.objects.exists()
    assert not Change.objects.exists()


def test_the_page_hears_why_in_words(page: Assignment, monkeypatch: pytest.MonkeyPatch) -> None:
    meanwhile(monkeypatch, lambda: erase(page.participant, by="owner"))
    answer = Client().post(
        f"{links.path(page.participant)}a/{page.pk}/save/",
        {"place": "0", "dimension": RATED, RATED: "1", "client": "a"},
    )
    assert answer.status_code == 400
    assert answer.json()["message"] == "The study takes no more answers."


@pytest.mark.parametrize("leave", [stop, erase])
def test_nobody_says_anything_in_a_chat_that_they_left_meanwhile(
    make_chat: Callable[..., Study], leave: Callable[..., None]
) -> None:
    make_chat()
    chat = Chat.objects.order_by("pk")[0]
    leave(chat.assignment.participant, by="owner")
    with pytest.raises(Refused):
        conversation.say(chat, "I cannot sleep.", client="a")
    # A request that came before finds no chat, and begins one
    again = Chat.objects.get_or_create(
        assignment=chat.assignment, defaults={"bot": "quiet-heron", "number": 1}
    )[0]
    with pytest.raises(Refused):
        conversation.say(again, "I cannot sleep.", client="a")
    assert not Message.objects.exists()


def test_two_tabs_at_the_end_show_one_completion_code(page: Assignment) -> None:
    one, other = (Participant.objects.get(pk=page.participant_id) for _ in range(2))
    flow.finish(one)
    flow.finish(other)
    assert one.completion == other.completion != ""


def test_agreeing_twice_is_one_consent(page: Assignment) -> None:
    flow.agree(page.participant, "it")
    assert [c.language for c in page.participant.consents.all()] == ["en"]


def test_a_page_whose_answer_was_taken_back_is_to_be_done_again(page: Assignment) -> None:
    for place in range(2):
        for dimension in saving.units_of(page)[place].instrument.dimensions:
            saving.save(
                page, place, dimension.id, {dimension.id: ["1"]}, client=f"{place}{dimension.id}"
            )
    assert flow.complete(page)
    done = page.done_at
    save(page, value="0", client="changed")
    page.refresh_from_db()
    assert page.done_at == done
    save(page, value="", client="cleared")
    page.refresh_from_db()
    assert page.done_at is None
    assert not flow.complete(page)


def test_visible_time_of_two_tabs_adds_up(page: Assignment) -> None:
    old = Assignment.objects.get(pk=page.pk)
    Assignment.objects.filter(pk=page.pk).update(seconds=5, opened_at=timezone.now())
    from attunement.studies.views.rater import _add_seconds

    _add_seconds(old, "2")
    page.refresh_from_db()
    assert page.seconds == 7


def test_no_page_is_opened_or_done_before_its_turn_or_before_consent(page: Assignment) -> None:
    other = Participant.objects.order_by("pk")[1]
    for person, is_early in ((page.participant, True), (other, False)):
        last = Assignment.objects.filter(participant=person, kind="main").order_by("position")
        late = last[1] if is_early else last[0]
        for action in ("begin", "done"):
            answer = Client().post(f"{links.path(person)}a/{late.pk}/{action}/")
            assert answer.status_code == 302
        late.refresh_from_db()
        assert late.opened_at is None
        assert late.done_at is None


def test_a_closed_study_takes_no_consent(page: Assignment) -> None:
    closing.close_study(Study.objects.get(), by="owner")
    other = Participant.objects.order_by("pk")[1]
    Client().post(f"{links.path(other)}consent/", {"agree": "yes"})
    assert not other.consents.exists()


def test_an_address_has_one_place(page: Assignment) -> None:
    one, other = Participant.objects.order_by("pk")[:2]
    invitations.mark_invited(one, address="a@example.org", by="owner")
    invitations.mark_invited(one, address="a@example.org", by="owner")
    with pytest.raises(UserError, match="has the place"):
        invitations.mark_invited(other, address="a@example.org", by="owner")


def test_nobody_who_was_erased_gets_an_address_again(page: Assignment) -> None:
    erase(page.participant, by="owner")
    with pytest.raises(UserError, match="withdrawn"):
        invitations.mark_invited(page.participant, address="a@example.org", by="owner")


def test_places_and_replacements_have_codes_of_their_own(page: Assignment) -> None:
    new = replace_participant(page.participant, by="owner")
    more = extra.add_places(2, by="owner")
    codes = [p.code for p in (new, *more)]
    assert codes == sorted(set(codes))


@pytest.mark.parametrize("number", ["9" * 5000, "9" * 12, "-1", "²"])
def test_a_number_beyond_all_bounds_is_no_fault_of_the_server(
    page: Assignment, number: str
) -> None:
    base = f"{links.path(page.participant)}a/{page.pk}/"
    client = Client()
    assert client.get(base, {"u": number}).status_code == 200
    assert client.post(f"{base}done/", {"u": number}).status_code in (200, 302)
    assert client.post(f"{base}all/", {"place": number}).status_code == 404
    assert client.post(f"{base}save/", {"place": number}).status_code == 400


def test_a_study_that_was_closed_meanwhile_takes_nothing(
    page: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, lambda: closing.close_study(Study.objects.get(), by="owner"))
    with pytest.raises(Refused, match="no more answers"):
        save(page)
    assert not Answer.objects.exists()
    other = Participant.objects.order_by("pk")[1]
    flow.agree(other, "en")
    assert not other.consents.exists()
    with pytest.raises(Refused):
        flow.complete(page)


def test_a_page_that_is_sent_off_as_the_study_closes_leads_home(
    page: Assignment, monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    for dimension in ("recognizes_risk", "responds_first", "points_to_help", "does_no_harm"):
        for place in range(2):
            saving.save(page, place, dimension, {dimension: ["1"]}, client=f"{dimension}{place}")
    of = flow.protocol_of

    def late(file: StudyFile) -> Any:
        monkeypatch.setattr(flow, "protocol_of", of)
        closing.close_study(Study.objects.get(), by="owner")
        return of(file)

    monkeypatch.setattr(flow, "protocol_of", late)
    home = links.path(page.participant)
    sent = client.post(f"{home}a/{page.pk}/done/", {"u": "1"})
    assert (sent.status_code, sent.headers["Location"]) == (302, home)
    page.refresh_from_db()
    assert page.done_at is None
    assert Study.objects.get().closed_at is not None


def test_nobody_who_was_erased_finishes_afterwards(page: Assignment) -> None:
    person = Participant.objects.get(pk=page.participant_id)
    erase(Participant.objects.get(pk=person.pk), by="owner")
    flow.finish(person)  # as it was before that
    held = Participant.objects.get(pk=person.pk)
    assert (held.finished_at, held.completion) == (None, "")


def test_a_save_is_not_numbered_by_what_no_database_stores(page: Assignment) -> None:
    with pytest.raises(Refused):
        save(page, client="a\x00b")
