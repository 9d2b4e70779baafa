"""Nobody but the owner sees the owner's pages, and passwords cannot be tried without end."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from attunement.studies import links, owner_urls
from attunement.studies.models import Participant, Study
from attunement.studies.views.owner import access

OPEN = {"login", "logout"}
NAMES = [p.name for p in owner_urls.urlpatterns if p.name not in OPEN]


def address(name: str) -> str:
    for args in ([], [1], [1, 1]):
        try:
            return reverse(f"owner:{name}", args=args)
        except Exception:
            continue
    raise AssertionError(name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("method", ["get", "post"])
def test_every_page_asks_strangers_to_log_in(
    make_study: Callable[..., Study], client: Client, name: str, method: str
) -> None:
    make_study()
    response = getattr(client, method)(address(name))
    assert response.status_code in (302, 405)
    if response.status_code == 302:
        assert response.headers["Location"].startswith("/owner/login/?next=")


@pytest.mark.parametrize("name", NAMES)
def test_an_account_that_is_not_of_the_staff_is_refused(
    make_study: Callable[..., Study], client: Client, name: str
) -> None:
    make_study()
    client.force_login(User.objects.create_user("visitor", password="a long password"))
    assert client.get(address(name)).status_code in (403, 405)


def test_a_personal_link_opens_none_of_them(
    make_study: Callable[..., Study], client: Client
) -> None:
    make_study()
    path = links.path(Participant.objects.first())  # type: ignore[arg-type]
    client.get(path)
    assert client.get("/owner/people/").status_code == 302
    assert client.get(f"{path}owner/").status_code == 404


def log_in(client: Client, name: str = "owner", password: str = "wrong", **more: Any) -> int:
    fields = {"username": name, "password": password}
    return client.post("/owner/login/", fields, **more).status_code


@pytest.fixture
def account(make_study: Callable[..., Study]) -> None:
    make_study()
    User.objects.create_superuser("owner", password="a long password")


def test_the_right_password_opens_the_overview(account: None, client: Client) -> None:
    assert log_in(client, password="a long password") == 302
    assert client.get("/owner/").status_code == 200


def test_a_stranger_with_wrong_passwords_does_not_lock_the_owner_out(
    account: None, client: Client
) -> None:
    for _ in range(access.MOST_PER_NAME):
        log_in(client, REMOTE_ADDR="192.0.2.1")
    assert log_in(client, password="a long password", REMOTE_ADDR="192.0.2.1") == 429
    assert log_in(client, password="a long password", REMOTE_ADDR="198.51.100.1") == 302


def test_after_too_many_wrong_passwords_for_a_name_the_right_one_does_not_help(
    account: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "MOST_IN_ALL", 12)
    said = [log_in(client, REMOTE_ADDR=f"192.0.2.{n}") for n in range(12)]
    assert set(said) == {200}
    assert log_in(client, password="a long password", REMOTE_ADDR="198.51.100.1") == 429
    assert log_in(client, name="OWNER", REMOTE_ADDR="198.51.100.1") == 429


def test_after_too_many_wrong_passwords_an_address_is_not_heard(
    account: None, client: Client
) -> None:
    for n in range(access.MOST_PER_ADDRESS):
        log_in(client, name=f"name{n}")
    assert log_in(client, password="a long password") == 429
    assert log_in(client, password="a long password", REMOTE_ADDR="198.51.100.1") == 302


def test_the_admin_has_the_same_login(account: None, client: Client) -> None:
    response = client.get("/admin/login/?next=/admin/")
    assert response.status_code == 302
    assert response.headers["Location"] == "/owner/login/?next=/admin/"
    assert client.post("/admin/login/", {"username": "owner"}).status_code == 302


def test_nobody_is_sent_to_another_site_after_login(account: None, client: Client) -> None:
    fields = {"username": "owner", "password": "a long password", "next": "https://evil.example/"}
    assert client.post("/owner/login/", fields).headers["Location"] == "/owner/"


def test_forms_from_elsewhere_are_refused(account: None) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(User.objects.get())
    person = Participant.objects.first()
    assert person is not None
    assert strict.post(f"/owner/people/{person.pk}/withdraw/").status_code == 403
    assert strict.post("/owner/close/").status_code == 403


def test_logging_out_takes_a_post(owner: Client, make_study: Callable[..., Study]) -> None:
    make_study()
    assert owner.get("/owner/logout/").status_code == 405
    owner.post("/owner/logout/")
    assert owner.get("/owner/").status_code == 302
