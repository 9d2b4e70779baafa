"""The design's numbers: how many people, and how much each of them is asked."""

from collections.abc import Callable

import pytest

from attunement.studies.design import design_of_study
from attunement.studies.models import Study

ASKED = {
    "id": "age",
    "label": {"en": "Age", "it": "Età"},
    "wording": {"en": "How old are you?", "it": "Quanti anni ha?"},
    "scale": {"type": "integer", "min": 18, "max": 120, "better": "neither"},
}
EVAL = {"type": "rate", "instrument": "counselbench-eval", "raters_per_item": 2}


def test_the_design_of_the_counselbench_paper(make_study: Callable[..., Study]) -> None:
    """100 questions, 5 ratings each, 5 questions a rater: 100 raters (Li et al. 2025, 4.3)."""
    make_study(items=100, protocol={**EVAL, "raters_per_item": 5, "items_per_rater": 5})
    design = design_of_study()
    assert design.participants == 100
    assert (design.items, design.answers) == (100, 200)
    assert design.raters_an_item == (5, 5)
    assert design.items_a_rater == (5, 5)


def test_questions_and_minutes_of_a_participant(make_study: Callable[..., Study]) -> None:
    make_study(items=2, protocol=EVAL, background=[ASKED])
    design = design_of_study()
    assert design.pages == (3, 3)
    # One about age, and 6 on each of 2 answers to 2 items
    assert design.questions == (25, 25)
    # An item has 5 words and its answers 11 each: "That sounds tiring. This is what a says to
    # night 0." At 238 words a minute and 8 seconds a question:
    assert design.minutes == pytest.approx((54 / 238 + 25 * 8 / 60,) * 2)
