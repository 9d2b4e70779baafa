import pytest

from attunement.planning import Dialogue, Split, windows
from attunement.planning.windows import mean_length

INFORM = ("inform",)
DIALOGUE = Dialogue("d", ("a", "b", "c", "d", "e"), (INFORM,) * 5)
SPLIT = Split("train", (DIALOGUE, Dialogue("alone", ("x",), (INFORM,))))


def test_every_turn_but_a_dialogues_first_has_a_window_of_up_to_three_turns() -> None:
    assert [(w.turn, w.context) for w in windows(SPLIT)] == [
        (1, ("a",)),
        (2, ("a", "b")),
        (3, ("a", "b", "c")),
        (4, ("b", "c", "d")),
    ]


def test_only_full_windows_can_be_asked_for() -> None:
    assert [w.turn for w in windows(SPLIT, full=True)] == [3, 4]
    assert [w.context for w in windows(SPLIT, context=4, full=True)] == [("a", "b", "c", "d")]


def test_the_target_is_the_next_turns_sequence() -> None:
    labels = (INFORM, ("question", "surprise"))
    (window,) = windows(Split("test", (Dialogue("d", ("a", "b"), labels),)))
    assert window.target == ("question", "surprise")
    assert mean_length([window]) == 2


def test_a_window_needs_context() -> None:
    with pytest.raises(ValueError, match="a turn of context"):
        windows(SPLIT, context=0)
