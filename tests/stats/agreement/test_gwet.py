import json
import math
from pathlib import Path

import numpy as np
import pytest

from attunement.stats.agreement import WEIGHTS, gwet_ac

NAN = math.nan
CASES = json.loads(Path(__file__).with_name("irrcac.json").read_text(encoding="utf-8"))
# Four raters, twelve subjects: the example in the documentation of irrCAC, AC1 0.77544.
FOUR_RATERS = np.array(
    [
        [1, 1, NAN, 1],
        [2, 2, 3, 2],
        [3, 3, 3, 3],
        [3, 3, 3, 3],
        [2, 2, 2, 2],
        [1, 2, 3, 4],
        [4, 4, 4, 4],
        [1, 1, 2, 1],
        [2, 2, 2, 2],
        [NAN, 5, 5, 5],
        [NAN, NAN, 1, 1],
        [NAN, NAN, 3, NAN],
    ]
)


def test_the_documented_example_comes_out():
    result = gwet_ac(FOUR_RATERS)
    assert round(result.estimate, 5) == 0.77544
    assert (result.name, result.n) == ("gwet_ac1", 12)
    assert result.ci_low < result.estimate < result.ci_high


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("case", CASES)
def test_random_tables_equal_irrcac(case, weights):
    # irrcac_values.py
    table = np.array(case["ratings"], dtype=float)
    assert gwet_ac(table, weights).estimate == pytest.approx(case["gwet"][weights], abs=1e-9)
    whole = gwet_ac(table, weights, categories=case["scale"])
    assert whole.estimate == pytest.approx(case["gwet_with_scale"][weights], abs=1e-9)


def test_high_prevalence_does_not_break_it_down():
    # 19 of 20 items agree on the same value: kappa is near 0, AC1 near the 0.95 observed.
    table = np.ones((20, 2))
    table[0, 1] = 2
    assert gwet_ac(table).estimate > 0.94


def test_identical_ratings_need_the_scale():
    result = gwet_ac(np.ones((5, 2)))
    assert math.isnan(result.estimate)
    assert result.reason == "all ratings are the same and no other category is known"
    assert gwet_ac(np.ones((5, 2)), categories=[1, 2]).estimate == 1


@pytest.mark.parametrize(
    ("table", "why"),
    [([[1], [2]], "no item has two ratings"), (np.empty((0, 2)), "no ratings")],
)
def test_nothing_to_compare_is_said(table, why):
    result = gwet_ac(table)
    assert math.isnan(result.estimate)
    assert result.reason == why
