import json
import math
from pathlib import Path

import numpy as np
import pytest
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as theirs

from attunement.stats.agreement import fleiss_kappa

NAN = math.nan
CASES = json.loads(Path(__file__).with_name("irrcac.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("seed", range(5))
def test_complete_tables_equal_statsmodels(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 4, size=(40, 5))
    table[:, 1] = table[:, 0]
    ours = fleiss_kappa(table)
    assert ours.estimate == pytest.approx(theirs(aggregate_raters(table)[0]), abs=1e-9)
    assert ours.ci_low < ours.estimate < ours.ci_high


@pytest.mark.parametrize("case", CASES)
def test_missing_ratings_equal_irrcac(case):
    # irrcac_values.py
    ours = fleiss_kappa(np.array(case["ratings"], dtype=float))
    assert ours.estimate == pytest.approx(case["fleiss"], abs=1e-9)


def test_an_item_with_one_rating_tells_only_of_prevalence():
    result = fleiss_kappa([[1, 1], [2, 2], [1, NAN], [NAN, NAN]])
    assert result.estimate == 1
    assert (result.n, result.n_missing) == (3, 1)


@pytest.mark.parametrize(
    ("table", "why"),
    [
        (np.ones((6, 3)), "all ratings are the same"),
        ([[1], [2]], "no item has two ratings"),
        (np.empty((0, 2)), "no ratings"),
        ([[NAN, NAN]], "no ratings"),
    ],
)
def test_what_is_undefined_says_why(table, why):
    result = fleiss_kappa(table)
    assert math.isnan(result.estimate)
    assert result.reason.startswith(why)
