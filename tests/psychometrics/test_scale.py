"""Scales: from instruments, from lists of items, and short forms by priority."""

import pytest

from attunement.errors import UserError
from attunement.instruments import load_instrument
from attunement.psychometrics import OVERALL, from_instrument, from_items, only, short_form

CES = from_instrument(load_instrument("ces-lcc"))


def test_the_ces_lcc_has_nine_subscales_of_three_and_one_reversed_item() -> None:
    assert len(CES.items) == 27
    assert [len(own) for own in CES.subscales.values()] == [3] * 9
    assert CES.reversed == {"crr3"}
    assert CES.ends["ur1"] == (1, 5)
    assert list(CES.parts())[-1] == OVERALL


def test_a_short_form_has_the_first_items_by_priority() -> None:
    one, two = short_form(CES, 1), short_form(CES, 2)
    assert one.items == ("ur1", "phi1", "crr1", "lq1", "t1", "es1", "gd1", "m1", "os1")
    assert len(two.items) == 18
    assert two.subscales["crr"] == ("crr1", "crr2")
    assert not two.reversed  # the reversed item comes last
    assert one.name.startswith("ces-lcc@1")


def test_a_form_of_all_items_is_no_short_form() -> None:
    with pytest.raises(UserError, match="not shorter"):
        short_form(CES, 3)


def test_items_without_priority_have_no_short_form() -> None:
    with pytest.raises(UserError, match="no priority"):
        short_form(from_items(["a", "b"]), 1)


def test_items_outside_the_kept_ones_are_dropped_everywhere() -> None:
    some = only(CES, ["crr3", "ur1", "ur2"])
    assert some.items == ("ur1", "ur2", "crr3")
    assert some.subscales == {"ur": ("ur1", "ur2"), "crr": ("crr3",)}
    assert some.reversed == {"crr3"}


def test_an_instrument_without_numbers_is_no_scale() -> None:
    with pytest.raises(UserError, match="asks for no numbers"):
        from_instrument(load_instrument("low-rating-issues"))


@pytest.mark.parametrize(
    ("items", "how", "message"),
    [
        (["a"], {}, "at least two items"),
        (["a", "a"], {}, "named twice"),
        (["a1", "a2"], {"reverse": ["a3"]}, "did you mean"),
        (["a", "b"], {"ends": (5, 1)}, "not in order"),
    ],
)
def test_items_that_make_no_scale_are_refused(
    items: list[str], how: dict[str, object], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        from_items(items, **how)  # type: ignore[arg-type]
