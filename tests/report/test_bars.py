"""Pictures with a row an item: what they write, and that color is never alone."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from attunement.report import bars, fields, matrices, theme
from attunement.report.picture import NARROW, WIDE


def texts(figure: object) -> list[str]:
    with theme.drawing():
        svg = theme.as_svg(figure, "t")  # type: ignore[arg-type]
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_bar_has_its_number_and_its_word(width: float) -> None:
    rows = [bars.Bar("A1", -0.12, -0.3, 0.1, said="negative"), bars.Bar("A2", 0.5)]
    with theme.drawing():
        found = texts(bars.bars([bars.Bars("", rows)], width, axis="r", threshold=0.3))
    assert {"A1", "A2", "−0.12 negative", "0.50"} <= set(found)


def test_a_missing_value_is_a_dash_and_no_bar() -> None:
    with theme.drawing():
        found = texts(
            bars.bars([bars.Bars("", [bars.Bar("A1", math.nan, said="undefined")])], WIDE, axis="r")
        )
    assert "– undefined" in found


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_share_without_room_has_no_number(width: float) -> None:
    stack = bars.Stack("A1", [0.02, 0.98])
    with theme.drawing():
        drawn = bars.stacked(
            [bars.Stacks("", [stack])],
            width,
            names=["no", "yes"],
            colors=bars.shades(2),
            axis="%",
        )
    found = texts(drawn)
    assert "98" in found
    assert "2" not in found


def test_nobody_s_answers_are_said_in_words() -> None:
    with theme.drawing():
        drawn = bars.stacked(
            [bars.Stacks("", [bars.Stack("A1", [0.0, 0.0])])],
            WIDE,
            names=["no", "yes"],
            colors=bars.shades(2),
            axis="%",
        )
    assert "no answers" in texts(drawn)


def test_counts_are_written_as_counts() -> None:
    with theme.drawing():
        drawn = bars.stacked(
            [bars.Stacks("", [bars.Stack("UR", [3.0, 1.0])])],
            WIDE,
            names=["stay", "go"],
            colors=bars.shades(2),
            axis="Items",
            counts=True,
        )
    assert {"3", "1"} <= set(texts(drawn))


def test_five_answers_have_a_neutral_middle_and_six_have_none() -> None:
    assert bars.shades(5)[2] == (theme.BAND, 1.0)
    assert theme.BAND not in [color for color, _ in bars.shades(6)]


def test_the_neutral_answer_is_the_one_below_agreement() -> None:
    colors = [color for color, _ in bars.shades(5, middle=2)]
    assert colors == [theme.HIGH, theme.HIGH, theme.BAND, theme.LOW, theme.LOW]
    assert [c for c, _ in bars.shades(7, middle=4)][4:] == [theme.BAND, theme.LOW, theme.LOW]


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_an_undefined_value_in_a_field_is_a_dash(width: float) -> None:
    dot = fields.Dot("UR1", [(math.nan,) * 3, (4.0, 3.5, 4.5)], theme.LOW, "o")
    panels = [fields.Field("Agreement", "Agree", (0, 100), 75), fields.Field("Mean", "M", (1, 5))]
    with theme.drawing():
        drawn = fields.fields(
            [fields.Dots("UR", [dot])], width, panels, [fields.Key("keep", theme.LOW, "o")]
        )
    found = texts(drawn)
    assert "–" in found
    assert "keep" in found


def test_small_matrices_have_numbers_and_undefined_ones_a_question_mark() -> None:
    r = np.array([[1.0, 0.5, np.nan], [0.5, 1.0, -0.25], [np.nan, -0.25, 1.0]])
    with theme.drawing():
        found = texts(matrices.correlation_map(["a", "b", "c"], [3], r, NARROW))
    assert {".50", "−.25", "?"} <= set(found)


def test_a_large_matrix_on_a_phone_is_color_only() -> None:
    with theme.drawing():
        names = [f"i{i}" for i in range(30)]
        found = texts(matrices.correlation_map(names, [15, 15], np.full((30, 30), 0.44), NARROW))
    assert ".44" not in found
