"""A small study of each protocol, in the database of the test."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from attunement.studies import opening
from attunement.studies.models import Study
from stubs.study_files import study_text, write_tables


@pytest.fixture
def make_study(db: None, tmp_path: Path) -> Callable[..., Study]:
    """Return a function that opens a study: the base above with some keys replaced."""

    def make(*, items: int = 2, **keys: Any) -> Study:
        write_tables(tmp_path, items)
        return opening.make_study(study_text(**keys), tmp_path)

    return make
