"""The owner, logged in."""

import pytest
from django.contrib.auth.models import User
from django.test import Client


@pytest.fixture(autouse=True)
def _nothing_kept(empty_cache: None) -> None:
    """Neither wrong passwords nor results of other tests count."""


@pytest.fixture
def owner(db: None, client: Client) -> Client:
    """A browser that is logged in as the owner."""
    client.force_login(User.objects.create_superuser("owner", password="a long password"))
    return client
