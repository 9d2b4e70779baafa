"""The owner, logged in."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    """Forget wrong passwords and results of other tests."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def owner(db: None, client: Client) -> Client:
    """A browser that is logged in as the owner."""
    client.force_login(User.objects.create_superuser("owner", password="a long password"))
    return client
