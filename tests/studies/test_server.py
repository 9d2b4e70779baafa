"""One study, one server."""

from pathlib import Path

import pytest
from django.conf import settings

from attunement.errors import UserError
from attunement.runs import locked
from attunement.studies import server


def test_a_study_that_is_being_served_is_not_served_twice() -> None:
    with (
        locked(Path(settings.STUDY_FOLDER), "taken"),
        pytest.raises(UserError, match="being served already"),
    ):
        server.serve("127.0.0.1", 0)
