"""The database."""

from io import StringIO

import pytest
from django.core.management import call_command


@pytest.mark.django_db
def test_the_migration_is_what_the_models_say() -> None:
    call_command("makemigrations", "studies", check=True, dry_run=True, stdout=StringIO())
