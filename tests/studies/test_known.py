"""Known answers: what counts as right."""

from typing import Any

import pytest

from attunement.studies.known import agrees
from attunement.studies.models import Answer


@pytest.mark.parametrize(
    ("value", "labels", "expected", "tolerance", "right"),
    [
        (4, None, 4, 0, True),
        (3, None, 4, 0, False),
        (3, None, 4, 1, True),
        (2, None, 4, 1, False),
        (None, None, 4, 1, False),
        (1, ["a"], "a", 0, True),
        (1, ["b"], "a", 5, False),
        (2, ["b", "a"], ["a", "b"], 0, True),
        (1, ["a"], ["a", "b"], 0, False),
        (0, [], [], 0, True),
    ],
)
def test_numbers_may_be_off_by_the_tolerance_and_options_have_to_be_the_same(
    value: float | None, labels: list[str] | None, expected: Any, tolerance: float, right: bool
) -> None:
    answer = Answer(status="ok", value=value, labels=labels)
    assert agrees(answer, expected, tolerance) is right


@pytest.mark.parametrize("status", ["not_sure", "not_applicable", "partial"])
def test_no_answer_is_not_the_right_one(status: str) -> None:
    assert not agrees(Answer(status=status, value=None), 4, 5)
