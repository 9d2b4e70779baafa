"""What each item does. Values marked R come from tests/stats/psychometrics.R (psych 2.2.9)."""

import math

import numpy as np
import pytest

from attunement.stats.item_analysis import Item, item_analysis
from stubs.likert import answers, with_gaps


def of(values: object, low: float = 1, high: float = 5) -> list[Item]:
    x = np.asarray(values, dtype=np.float64)
    return item_analysis(x, ends=[[low, high]] * x.shape[1])


@pytest.mark.parametrize(
    ("gaps", "item_total", "without"),
    [  # R: alpha(...)$item.stats$r.drop and $alpha.drop$raw_alpha
        (
            False,
            [0.5616018282, 0.5518873795, 0.4054829600],
            [0.5183708106, 0.5359422821, 0.7195610138],
        ),
        (
            True,
            [0.5700749508, 0.5474675376, 0.4272082550],
            [0.5292829437, 0.5629538257, 0.7112934574],
        ),
    ],
)
def test_items_are_as_psych_has_them(
    gaps: bool, item_total: list[float], without: list[float]
) -> None:
    found = of((with_gaps() if gaps else answers())[:, :3])
    assert [i.item_total.estimate for i in found] == pytest.approx(item_total, abs=1e-9)
    assert [i.alpha_without.estimate for i in found] == pytest.approx(without, abs=1e-9)


def test_floor_and_ceiling_are_shares_of_the_ends_of_the_scale() -> None:
    found = of([[1, 4], [1, 5], [2, np.nan], [3, 5]])
    assert [i.floor.estimate for i in found] == [0.5, 0.0]
    assert [i.ceiling.estimate for i in found] == pytest.approx([0.0, 2 / 3])
    assert (found[1].ceiling.n, found[1].ceiling.n_missing) == (3, 1)


def test_of_two_items_none_can_be_left_out() -> None:
    first = of(answers()[:, :2])[0]
    assert math.isfinite(first.item_total.estimate)
    assert first.alpha_without.reason == "fewer than two items are left"


def test_constant_items_have_reasons() -> None:
    first, second = of([[1, 3], [2, 3], [3, 3], [4, 3]])
    assert first.item_total.reason == "the other items together do not vary"
    assert second.item_total.reason == "everyone gave the same answer to it"


def test_an_item_that_was_not_turned_round_correlates_negatively() -> None:
    x = answers()[:, :3].copy()
    x[:, 2] = 6 - x[:, 2]
    assert of(x)[2].item_total.estimate == pytest.approx(-0.4054829600, abs=1e-9)
