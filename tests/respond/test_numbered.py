"""Reading numbered answers out of one reply."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attunement.respond.numbered import split


@pytest.mark.parametrize(
    ("reply", "answers"),
    [
        ("I see.\n2: Why?\n3: Go on.", ["I see.", "Why?", "Go on."]),
        ("1: I see.\n2: Why?\n3: Go on.", ["I see.", "Why?", "Go on."]),
        ("Here are 3 responses:\n\n1. I see.\n2. Why?\n3. Go on.", ["I see.", "Why?", "Go on."]),
        ("1) \"I see.\"\n2) “Why?”\n3) 'Go on.'", ["I see.", "Why?", "Go on."]),
        ("**1.** I see.\n**2.** Why?\n**3.** Go on.", ["I see.", "Why?", "Go on."]),
        ("Response 1: I see.\nResponse 2: Why?\nResponse 3: Go on.", ["I see.", "Why?", "Go on."]),
        ("1. I see.\n\n2. Why?\n\n3. Go on.", ["I see.", "Why?", "Go on."]),
        ("1. I see.\n2. Why?\n3. Go on.\n\nI hope this helps!", ["I see.", "Why?", "Go on."]),
        ("1. One.\n\nTwo.\n2. Why?\n3. A.\n\nB.", ["One.\n\nTwo.", "Why?", "A.\n\nB."]),
        ("1. I see.\n3. Go on.", ["I see.", None, "Go on."]),
        ("1. I see.\n2. Why?", ["I see.", "Why?", None]),
        ("1. I see.\n2.\n3. Go on.", ["I see.", "", "Go on."]),
        ("1. I see.\n2. Why?\n3. Go on.\n4. More.", ["I see.", "Why?", "Go on."]),
        ("1. I see.\n2. Why?\n1. Again.\n3. Go on.", ["I see.", "Why?\n1. Again.", "Go on."]),
        ("1. It is 2:30.\n2. Why?\n3. Go on.", ["It is 2:30.", "Why?", "Go on."]),
        ("1. See\n10:30 works.\n2. Why?\n3. Go.", ["See\n10:30 works.", "Why?", "Go."]),
        ("I would rather not.", [None, None, None]),
        ("", [None, None, None]),
    ],
)
def test_three_answers(reply: str, answers: list[str | None]) -> None:
    assert split(reply, 3) == answers


def test_one_answer_needs_no_number() -> None:
    assert split(" I see.\n", 1) == ["I see."]
    assert split("1: I see.", 1) == ["I see."]
    assert split("  ", 1) == [None]


@given(st.text(), st.integers(1, 12))
def test_whatever_comes_there_are_as_many_as_were_asked_for(reply: str, n: int) -> None:
    assert len(split(reply, n)) == n


@given(st.lists(st.text("abc ?", min_size=1).map(str.strip).filter(bool), min_size=2, max_size=10))
def test_what_was_numbered_is_read_again(texts: list[str]) -> None:
    reply = "\n".join(f"{k}: {text}" for k, text in enumerate(texts, 1))
    assert split(reply, len(texts)) == texts
