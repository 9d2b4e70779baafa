import math

import pytest

from attunement.report import formats as f


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "–"),
        (math.nan, "–"),
        (math.inf, "–"),
        (0.0, "0.00"),
        (-0.004, "0.00"),
        (-1.5, "−1.50"),
        (12345.678, "12,345.68"),
    ],
)
def test_a_number_is_a_dash_where_it_is_missing_and_never_minus_zero(
    value: float | None, written: str
) -> None:
    assert f.number(value) == written


def test_a_signed_number_has_a_plus_only_where_it_is_above_zero() -> None:
    assert [f.number(v, 1, sign=True) for v in (0.26, 0.01, -0.26)] == ["+0.3", "0.0", "−0.3"]


# Publication Manual of the American Psychological Association, 7th ed., 6.36: p < .001 for less.
@pytest.mark.parametrize(
    ("p", "written"),
    [(0.0, "<0.001"), (0.00099, "<0.001"), (0.001, "0.001"), (0.0496, "0.050"), (1.0, "1.000")],
)
def test_a_p_value_is_never_printed_as_zero(p: float, written: str) -> None:
    assert f.p_value(p) == written


def test_a_p_value_just_below_one_is_not_printed_as_one() -> None:
    assert f.p_value(0.99996) == ">0.999"


def test_an_interval_needs_both_ends() -> None:
    assert f.interval(0.1, 0.25) == "[0.10, 0.25]"
    assert f.interval(None, 0.25) == f.interval(0.1, math.nan) == ""


def test_a_share_that_is_not_none_is_not_printed_as_none() -> None:
    assert [f.percent(v) for v in (0.0, 0.001, 0.5, 0.9999, 1.0)] == [
        "0\u00a0%",
        "<1\u00a0%",
        "50\u00a0%",
        ">99\u00a0%",
        "100\u00a0%",
    ]


def test_dollars_keep_two_digits_of_a_small_amount() -> None:
    assert [f.dollars(v) for v in (None, 0.0, 0.000431, 12.5)] == ["–", "$0", "$0.00043", "$12.50"]


def test_marks_that_turn_the_direction_are_removed_and_right_to_left_text_is_kept() -> None:
    assert f.readable("safe\u202egnp.exe\u202c") == "safegnp.exe"
    assert f.readable("שלום, מה שלומך?") == "שלום, מה שלומך?"


def test_control_characters_are_removed_and_line_breaks_and_joined_emoji_are_kept() -> None:
    assert f.readable("a\x00b\x1b[31m\n\tc\ufffe") == "ab[31m\n\tc"
    assert f.readable("👩‍👩‍👧") == "👩‍👩‍👧"


def test_a_long_text_is_cut_at_a_word_and_says_so() -> None:
    text, note = f.shortened("word " * 200_000, 100)
    assert len(text) <= 102
    assert text.endswith("word …")
    assert "1,000,000 characters" in note


def test_a_short_text_is_left_alone() -> None:
    assert f.shortened("Short.", 100) == ("Short.", "")


def test_a_text_without_spaces_is_cut_all_the_same() -> None:
    text, _ = f.shortened("x" * 1000, 100)
    assert len(text) == 102


def test_the_name_of_a_plugged_in_metric_is_made_readable() -> None:
    assert f.metric_label("warmth_of_tone") == "Warmth of tone"
