import math

import pytest
from statsmodels.stats.proportion import proportion_confint

from attunement.stats.proportion import wilson


def test_newcombes_published_examples():
    # Newcombe (1998), Statistics in Medicine 17, 857-872, Table I, method 3
    for k, n, low, high in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ]:
        result = wilson(k, n)
        assert (round(result.ci_low, 4), round(result.ci_high, 4)) == (low, high)


def test_statsmodels_agrees_at_other_levels():
    assert (wilson(9, 12, level=0.9).ci_low, wilson(9, 12, level=0.9).ci_high) == pytest.approx(
        proportion_confint(9, 12, alpha=0.1, method="wilson")
    )


def test_all_and_none_touch_the_ends_and_no_more():
    assert wilson(0, 9).ci_low == 0
    assert wilson(9, 9).ci_high == 1


def test_no_cases_give_no_share():
    result = wilson(0, 0, n_missing=3)
    assert math.isnan(result.estimate)
    assert (result.reason, result.n_missing) == ("no cases", 3)


def test_more_than_all_is_an_error():
    with pytest.raises(ValueError, match="not a share"):
        wilson(3, 2)
