import math

import pytest

from attunement.stats.agreement import is_reliability, study_size
from attunement.stats.result import Result


def said(estimate, low=math.nan, high=math.nan, **more):
    result = Result("krippendorff_alpha_ordinal", estimate, 100, "", low, high, **more)
    return study_size(result, unit="answer")


def test_raters_are_spearman_and_browns():
    # .8 * .8 / (.2 * .2) = 16 raters at .2; 4 at .5; 7 at .38 (6.5).
    for value, raters in ((0.2, 16), (0.5, 4), (0.38, 7)):
        assert f"the mean of {raters} raters an answer reaches 0.8" in said(value)


def test_the_interval_becomes_a_range_of_raters():
    assert "(5 to 8 over the interval)" in said(0.4, 0.35, 0.45)
    assert "(16 at the upper end of the interval, no number at the lower)" in said(0.1, -0.1, 0.2)
    assert "interval" not in said(0.4)


def test_fewer_answers_with_less_error():
    text = said(0.4)
    assert "with one rater an answer, comparing means takes 2.5 times as many answers" in text


def test_reliable_enough_needs_one_rater():
    assert said(0.9, 0.85, 0.95).startswith(
        "At a reliability of 0.90 for one rating, one rater an answer reaches 0.8;"
    )
    assert said(1.0).endswith("one rater an answer reaches 0.8.")


def test_no_agreement_is_not_mended_by_raters():
    assert "no number of raters" in said(-0.05)
    assert said(math.nan, reason="no item has two ratings") == (
        "Nothing can be said about a study's size: no item has two ratings."
    )
    assert "more than 1,000 raters" in said(0.0001)


@pytest.mark.parametrize("word", ["substantial", "moderate", "fair", "poor", "good", "excellent"])
def test_no_size_gets_a_label(word):
    for value in (-0.1, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0):
        assert word not in said(value)


def test_what_is_a_reliability():
    for name in ("krippendorff_alpha_interval", "pooled_icc_a_1", "mean_icc_1"):
        assert is_reliability(name)
    assert is_reliability("mean_pairwise_quadratic_weighted_kappa")
    for name in ("gwet_ac1", "percent_agreement", "icc_1_k", "krippendorff_alpha_nominal"):
        assert not is_reliability(name)
    assert is_reliability("krippendorff_alpha_nominal", categories=2)
    assert is_reliability("fleiss_kappa", categories=2)


def test_an_impossible_reliability_is_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        study_size(Result("icc_1", 0.5, 10, ""), wanted=1)
