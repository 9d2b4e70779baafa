"""Invitations: places, addresses, dead links and new ones."""

from collections.abc import Callable

import pytest

from attunement.errors import UserError
from attunement.studies import invitations, links
from attunement.studies.models import Event, Participant, Study
from attunement.studies.replacement import replace_participant
from attunement.studies.withdrawal import erase


@pytest.fixture
def places(make_study: Callable[..., Study]) -> list[Participant]:
    make_study(items=3)
    return list(Participant.objects.all())


def test_the_next_free_places_are_invited(places: list[Participant]) -> None:
    assert [p.code for p in invitations.invite(2, by="owner")] == ["R001", "R002"]
    assert [p.code for p in invitations.free_places()] == ["R003"]
    assert Event.objects.first().detail == {"participants": ["R001", "R002"]}  # type: ignore[union-attr]


def test_more_than_there_are_places_invites_nobody(places: list[Participant]) -> None:
    with pytest.raises(UserError, match="3 places are free"):
        invitations.invite(4, by="owner")
    assert invitations.free_places().count() == 3


def test_addresses_are_read_one_a_line_and_none_twice() -> None:
    text = "ada@example.org\n\n  bo@example.org , \nada@example.org\n"
    assert invitations.read_addresses(text) == ["ada@example.org", "bo@example.org"]


def test_a_line_that_is_no_address_is_named() -> None:
    with pytest.raises(UserError, match="line 2"):
        invitations.read_addresses("ada@example.org\nnobody\n")


def test_an_address_has_one_place(places: list[Participant]) -> None:
    invitations.invite_addresses(["ada@example.org"], by="owner")
    with pytest.raises(UserError, match="R001"):
        invitations.invite_addresses(["bo@example.org", "ada@example.org"], by="owner")
    assert invitations.free_places().count() == 2


def test_the_log_holds_no_addresses(places: list[Participant]) -> None:
    invitations.invite_addresses(["ada@example.org"], by="owner")
    assert "example.org" not in str(list(Event.objects.values_list("detail")))


def test_a_revoked_link_is_nobodys(places: list[Participant]) -> None:
    token = links.token(places[0].nonce)
    invitations.revoke(places[0], by="owner")
    assert links.find(token) is None
    assert invitations.state_of(places[0]) == "revoked"


def test_a_new_link_works_and_the_old_one_does_not(places: list[Participant]) -> None:
    old = links.token(places[0].nonce)
    invitations.renew(places[0], by="owner")
    assert links.find(old) is None
    assert links.find(links.token(places[0].nonce)) == places[0]


def test_whoever_withdrew_or_was_replaced_gets_no_new_link(places: list[Participant]) -> None:
    erase(places[0], by="R001")
    with pytest.raises(UserError, match="withdrawn"):
        invitations.renew(places[0], by="owner")
    replace_participant(places[1], by="owner")
    with pytest.raises(UserError, match="took their place"):
        invitations.renew(places[1], by="owner")
