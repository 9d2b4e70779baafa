"""The link that logs the owner of a demonstration in, once."""

from collections.abc import Callable

import pytest
from django.test import Client

from attunement.studies.models import Event, Study
from attunement.studies.owner import make_owner
from attunement.studies.views.once import login_path


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    made = make_study()
    make_owner()
    return made


def demonstrate(study: Study) -> None:
    study.demo = True
    study.save()


def test_the_owner_of_a_demonstration_is_logged_in_once(study: Study) -> None:
    demonstrate(study)
    path = login_path()
    client = Client()
    assert client.get(path).headers["Location"] == "/owner/"
    assert client.get("/owner/").status_code == 200
    assert client.get(path).headers["Location"] == "/owner/"
    assert Client().get(path).status_code == 404
    assert Event.objects.filter(action__contains="logged in").count() == 1


def test_a_real_study_has_no_such_link(study: Study) -> None:
    assert Client().get(login_path()).status_code == 404


def test_a_link_that_was_made_up_is_worth_nothing(study: Study) -> None:
    demonstrate(study)
    for token in ("x", "c0ffee-" + "0" * 32):
        assert Client().get(f"/owner/once/{token}/").status_code == 404
