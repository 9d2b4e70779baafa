"""Participants as pages."""

import csv
import io
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from attunement.studies import links
from attunement.studies.models import Answer, Event, Participant, Study
from studies.filling import fill


@pytest.fixture
def person(make_study: Callable[..., Study]) -> Participant:
    make_study(items=3)
    return Participant.objects.get(code="R001")


def test_a_link_is_shown_only_where_it_is_asked_for(owner: Client, person: Participant) -> None:
    path = links.path(person)
    where = f"/owner/people/{person.pk}/"
    assert path not in owner.get("/owner/people/").content.decode()
    assert path not in owner.get(where).content.decode()
    assert f"http://testserver{path}" in owner.get(f"{where}?link=1").content.decode()
    assert Event.objects.filter(action="link shown").count() == 1


def test_addresses_are_stored_with_the_next_places(owner: Client, person: Participant) -> None:
    text = "ada@example.org\nbo@example.org"
    page = owner.post("/owner/people/invite/", {"addresses": text}, follow=True).content.decode()
    assert "Marked as invited: R001, R002" in page
    assert "bo@example.org" in page


def test_an_address_that_stands_twice_gets_one_place_and_that_is_said(
    owner: Client, person: Participant
) -> None:
    text = "ada@example.org\nbo@example.org\nada@example.org,"
    page = owner.post("/owner/people/invite/", {"addresses": text}, follow=True).content.decode()
    assert "ada@example.org stands more than once" in page
    assert Participant.objects.exclude(invited_at=None).count() == 2


@pytest.mark.parametrize("count", ["", "-1", "x", "0", "99", "1e3", "٣", "9" * 5000])
def test_a_count_that_is_none_invites_nobody(
    owner: Client, person: Participant, count: str
) -> None:
    page = owner.post("/owner/people/invite/", {"count": count}, follow=True).content.decode()
    assert "Not done:" in page
    assert not Participant.objects.exclude(invited_at=None).exists()


def test_a_link_is_dead_once_it_is_revoked(owner: Client, person: Participant) -> None:
    path = links.path(person)
    rater = Client()
    assert rater.get(path, follow=True).status_code == 200
    owner.get(f"/owner/people/{person.pk}/revoke/")
    assert rater.get(path, follow=True).status_code == 200
    owner.post(f"/owner/people/{person.pk}/revoke/")
    assert rater.get(path).status_code == 404


def test_a_new_link_can_be_given(owner: Client, person: Participant) -> None:
    old = links.path(person)
    owner.post(f"/owner/people/{person.pk}/renew/")
    person.refresh_from_db()
    assert Client().get(old).status_code == 404
    assert Client().get(links.path(person), follow=True).status_code == 200


def test_somebody_is_replaced_after_asking(owner: Client, person: Participant) -> None:
    owner.get(f"/owner/people/{person.pk}/replace/")
    assert not Participant.objects.filter(replaces=person).exists()
    owner.post(f"/owner/people/{person.pk}/replace/")
    assert Participant.objects.filter(replaces=person).exists()


def test_withdrawing_erases_after_asking(owner: Client, person: Participant) -> None:
    fill(people=1)
    owner.get(f"/owner/people/{person.pk}/withdraw/")
    assert Answer.objects.exists()
    owner.post(f"/owner/people/{person.pk}/withdraw/")
    assert not Answer.objects.exists()
    assert Event.objects.filter(action="erased", actor="owner").exists()


def test_links_of_those_invited_come_as_a_table(owner: Client, person: Participant) -> None:
    person.address, person.invited_at = "=cmd@example.org", timezone.now()
    person.save()
    response = owner.post("/owner/people/links/")
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [r["code"] for r in rows] == ["R001"]
    assert rows[0]["address"] == "'=cmd@example.org"
    assert rows[0]["link"].endswith(links.path(person))


def test_reminders_have_words_and_are_marked(owner: Client, person: Participant) -> None:
    person.address, person.invited_at = "ada@example.org", timezone.now() - timedelta(days=9)
    person.save()
    page = owner.get("/owner/people/due/").content.decode()
    assert "mailto:ada@example.org?subject=" in page
    assert links.path(person) in page
    page = owner.post(f"/owner/people/{person.pk}/reminded/", follow=True).content.decode()
    assert "Nobody is due a reminder" in page


def test_a_reminder_is_in_the_language_somebody_agreed_in(
    owner: Client, make_study: Callable[..., Study]
) -> None:
    make_study(languages=["en", "it"])
    person = Participant.objects.get(code="R001")
    person.consents.create(version=1, language="it", text="Sì.")
    person.invited_at = timezone.now() - timedelta(days=9)
    person.save()
    assert "Buongiorno," in owner.get("/owner/people/due/").content.decode()


def test_participants_can_be_filtered_by_state(owner: Client, person: Participant) -> None:
    owner.post("/owner/people/invite/", {"count": "1"})
    rows = owner.get("/owner/people/?state=invited").context["rows"]
    assert [(p.code, state) for p, state, _ in rows] == [("R001", "invited")]


def test_the_table_can_be_downloaded(owner: Client, person: Participant) -> None:
    response = owner.get("/owner/people/table/?format=csv")
    assert response.headers["Content-Disposition"] == 'attachment; filename="participants.csv"'
    assert response.content.decode().startswith("question,level,figure\n")


def test_an_address_that_is_none_is_refused(owner: Client, person: Participant) -> None:
    where = f"/owner/people/{person.pk}/invited/"
    assert "Not done:" in owner.post(where, {"address": "x"}, follow=True).content.decode()
    owner.post(where, {"address": "ada@example.org"})
    person.refresh_from_db()
    assert person.address == "ada@example.org"
    assert person.invited_at is not None


def test_places_can_be_added(owner: Client, person: Participant) -> None:
    page = owner.post("/owner/people/places/", {"places": "2"}, follow=True).content.decode()
    assert "2 added, up to R005" in page
    page = owner.post("/owner/people/places/", {"places": "many"}, follow=True).content.decode()
    assert "Not done:" in page
