"""What a generator learns from."""

import pytest

from attunement.errors import UserError
from attunement.planning import Dialogue, Split
from attunement.respond.exchanges import exchanges


def split(*turns: tuple[str, ...]) -> Split:
    found = [Dialogue(str(i), t, (None,) * len(t)) for i, t in enumerate(turns)]
    return Split("train", tuple(found))


def test_every_turn_but_the_first_is_an_answer_to_the_three_before_it() -> None:
    found = exchanges(split(("a", "b", "c", "d", "e"), ("f",), ()))
    assert [(e.context, e.response) for e in found] == [
        (("a",), "b"), (("a", "b"), "c"), (("a", "b", "c"), "d"), (("b", "c", "d"), "e"),
    ]  # fmt: skip
    full = exchanges(split(("a", "b", "c", "d", "e")), full=True)
    assert [e.response for e in full] == ["d", "e"]


def test_turns_without_a_text_are_neither_answer_nor_context() -> None:
    found = exchanges(split(("", " ", "a  b", "\n", "c")))
    assert [(e.context, e.response) for e in found] == [(("a b",), "c")]
    with pytest.raises(UserError, match="no turn to learn an answer from"):
        exchanges(split(("a",), ("", "b"), ()))
    with pytest.raises(ValueError, match="needs a turn"):
        exchanges(split(("a", "b")), context=0)
