"""Django's admin shows everything and changes nothing of the study."""

from collections.abc import Callable

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client

from attunement.studies.models import Participant, Study
from studies.filling import fill

TABLES = [m._meta.model_name for m in apps.get_app_config("studies").get_models()]


@pytest.fixture
def owner(make_study: Callable[..., Study], client: Client) -> Client:
    make_study()
    fill(people=1)
    client.force_login(User.objects.create_superuser("owner", password="a long password"))
    return client


@pytest.mark.parametrize("table", TABLES)
def test_every_table_can_be_read_and_nothing_added(owner: Client, table: str) -> None:
    assert owner.get(f"/admin/studies/{table}/").status_code == 200
    assert owner.get(f"/admin/studies/{table}/add/").status_code == 403


def test_a_row_can_be_seen_and_neither_changed_nor_deleted(owner: Client) -> None:
    person = Participant.objects.first()
    assert person is not None
    where = f"/admin/studies/participant/{person.pk}"
    page = owner.get(f"{where}/change/").content.decode()
    assert person.code in page
    assert person.nonce not in page
    assert person.token_hash not in page
    assert owner.post(f"{where}/change/", {"code": "X"}).status_code == 403
    assert owner.post(f"{where}/delete/", {"post": "yes"}).status_code == 403


def test_nobody_sees_it_without_login(owner: Client) -> None:
    owner.logout()
    response = owner.get("/admin/studies/answer/", follow=True)
    assert response.redirect_chain[-1][0].startswith("/owner/login/")
