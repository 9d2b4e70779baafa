"""What a study should think about before it begins."""

from pathlib import Path
from typing import Any

import pytest

from attunement.instruments import load_instrument
from attunement.studies.checks import memory_dimensions, sizes, unreachable, warnings_of
from attunement.studies.config import StudyFile, read_study
from stubs.llm import StubLLM
from stubs.study_files import study_text

HERE = "http://127.0.0.1:9/v1"


def study_of(*, bot: dict[str, Any] | None = None, **keys: Any) -> StudyFile:
    bots = {"heron": {"model": "m", "base_url": HERE, **(bot or {})}}
    text = study_text(protocol={"type": "chat-then-rate", "bots": bots, **keys})
    return read_study(text, where="study file")


def warned(**keys: Any) -> list[str]:
    return warnings_of(study_of(**keys), Path())


def asked(**keys: Any) -> list[str]:
    return unreachable(study_of(**keys))


def test_more_items_a_rater_than_there_are_is_said() -> None:
    protocol = {"type": "rate", "instrument": "crisis-handling", "items_per_rater": 9}
    study = read_study(study_text(protocol=protocol), where="study file")
    assert sizes(study, 9) == []
    (said,) = sizes(study, 4)
    assert "items_per_rater is 9, and there are 4 items" in said


def test_a_country_without_support_lines_is_said() -> None:
    (said,) = sizes(read_study(study_text(country="ZZ"), where="study file"), 9)
    assert "no support lines are known of ZZ" in said


def test_the_questions_on_memory_are_those_of_the_subscale_memory() -> None:
    # CES-LCC, Table 2: the dimension Memory has the items M1 to M3
    assert memory_dimensions(load_instrument("ces-lcc")) == ["m1", "m2", "m3"]
    assert memory_dimensions(load_instrument("crisis-handling")) == []


def test_memory_cannot_be_rated_after_one_conversation() -> None:
    (said,) = warned(sessions=1)
    assert "m1, m2, m3 of ces-lcc@1" in said
    assert "sessions: 2 or more" in said
    assert "does not apply" in said


def test_memory_cannot_be_rated_where_none_is_kept() -> None:
    (said,) = warned(sessions=2, memory="fresh")
    assert "memory: kept" in said


def test_memory_over_several_conversations_is_well() -> None:
    assert warned(sessions=2, memory="kept") == []


def test_an_instrument_for_single_answers_is_named() -> None:
    (said,) = warned(instrument="crisis-handling")
    assert "asks about one response" in said


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://api.example.org/v1", ["leaves this machine for api.example.org"]),
        ("http://10.0.0.1/v1", ["leaves this machine for 10.0.0.1", "without encryption"]),
        ("http://localhost:1/v1", []),
    ],
)
def test_texts_that_leave_the_machine_are_said_to(url: str, words: list[str]) -> None:
    said = warned(sessions=2, memory="kept", bot={"base_url": url})
    assert len(said) == len(words)
    assert all(word in line for word, line in zip(words, said, strict=True))


def test_a_key_that_is_not_set_is_named() -> None:
    (said,) = warned(sessions=2, memory="kept", bot={"api_key_env": "NO_SUCH_KEY"})
    assert "NO_SUCH_KEY" in said


def test_the_embedded_model_is_not_for_people_in_distress() -> None:
    (said,) = warned(sessions=2, memory="kept", bot={"model": "local", "base_url": None})
    assert "never let people in distress talk to it" in said


def test_endpoints_are_asked_only_on_demand() -> None:
    with StubLLM() as server:
        kept = {"sessions": 2, "memory": "kept", "bot": {"base_url": server.base_url}}
        assert asked(**kept) == []
        assert server.calls == 0  # no model was asked for words
    assert warned(**kept) == []
    (said,) = asked(**kept)
    assert "nothing answers for the bot 'heron'" in said


def test_a_study_without_chatbots_has_nothing_to_think_about(tmp_path: Path) -> None:
    assert warnings_of(read_study(study_text(), where="study file"), tmp_path) == []
