"""A small study of each protocol, in the database of the test."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache

from attunement.studies import opening
from attunement.studies.models import Study
from stubs import panel_study
from stubs.study_files import study_text, write_tables, write_texts
from studies.filter_pages import ANSWERS


@pytest.fixture
def make_study(db: None, tmp_path: Path) -> Callable[..., Study]:
    """Return a function that opens a study: the base above with some keys replaced."""

    def make(*, items: int = 2, **keys: Any) -> Study:
        write_tables(tmp_path, items)
        return opening.make_study(study_text(**keys), tmp_path)

    return make


@pytest.fixture
def make_chat(db: None, tmp_path: Path) -> Callable[..., Study]:
    """Return a function that opens a study with one chatbot: keys of its protocol replaced."""

    def make(
        base_url: str = "http://127.0.0.1:9/v1", *, file: dict[str, Any] | None = None, **keys: Any
    ) -> Study:
        protocol: dict[str, Any] = {
            "type": "chat-then-rate",
            "bots": {"quiet-heron": {"model": "m", "base_url": base_url, "system": "SECRET PLAN"}},
            "participants": 2,
            "least_turns": 2,
            "most_turns": 3,
            **keys,
        }
        keys = {"items": None, "responses": None, **(file or {}), "protocol": protocol}
        return opening.make_study(study_text(**keys), tmp_path)

    return make


@pytest.fixture
def make_panel(db: None, tmp_path: Path) -> Callable[..., Study]:
    """Return a function that opens a panel of four: keys of its protocol replaced."""

    def make(**keys: Any) -> Study:
        panel_study.write_draft(tmp_path)
        return opening.make_study(study_text(**panel_study.with_protocol(**keys)), tmp_path)

    return make


@pytest.fixture
def make_filtering(db: None, tmp_path: Path) -> Callable[..., Study]:
    """Return a function that opens a study of answers to filter: keys of its protocol replaced."""

    def make(*, items: int = 2, answers: dict[str, str] = ANSWERS, **keys: Any) -> Study:
        asked = {f"q{n}": f"I lie awake, night {n}." for n in range(items)}
        write_texts(tmp_path, asked, dict.fromkeys(asked, answers))
        protocol = {"type": "filter-choose-annotate", **keys}
        return opening.make_study(study_text(protocol=protocol), tmp_path)

    return make


@pytest.fixture
def empty_cache() -> Iterator[None]:
    """A cache that holds nothing of other tests, and leaves nothing to them."""
    cache.clear()
    yield
    cache.clear()
