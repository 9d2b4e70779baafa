import math
import warnings

import numpy as np
import pandas as pd
import pingouin
import pytest

from attunement.stats.agreement import KINDS, icc, without_raters

NAN = math.nan
# icc.R: psych::ICC, estimate and limits, of Shrout and Fleiss (1979), table 2 ...
SHROUT = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
)
PSYCH_SHROUT = {
    "1": (0.165741768405476, -0.1329323248747509, 0.722560062328121),
    "A,1": (0.289763779527559, 0.0187865133747120, 0.761084369648953),
    "C,1": (0.714840714840715, 0.3424647650339254, 0.945858259955360),
    "1,k": (0.442797133679269, -0.8844421552381190, 0.912415420340776),
    "A,k": (0.620050547598989, 0.0711368153025035, 0.927232040167722),
    "C,k": (0.909315542377069, 0.6756747138163047, 0.985891678169062),
}
# ... and of a table with missing ratings, listwise.
SOME = np.array(
    [
        [1, 2, 1], [3, 3, 4], [5, 4, 5], [2, NAN, 3], [2, 2, 2], [4, 5, 5],
        [1, 1, 3], [3, 4, 3], [NAN, 2, 2], [5, 5, 4], [2, 3, 1], [4, 4, 4],
    ]
)  # fmt: skip
PSYCH_SOME = {
    "1": (0.788426763110308, 0.523338443668330, 0.935706518006928),
    "A,1": (0.787658802177859, 0.516676317905406, 0.935786215255760),
    "C,1": (0.779174147217235, 0.496242628022017, 0.933159563765987),
    "1,k": (0.917894736842105, 0.767104637140868, 0.977609113984408),
    "A,k": (0.917547568710360, 0.762302084949537, 0.977638110722214),
    "C,k": (0.913684210526316, 0.747171342698834, 0.976680741655042),
}


def triple(result):
    return result.estimate, result.ci_low, result.ci_high


@pytest.mark.parametrize("kind", KINDS)
def test_estimate_and_interval_equal_rs_psych(kind):
    assert triple(icc(SHROUT, kind)) == pytest.approx(PSYCH_SHROUT[kind], abs=1e-9)
    listwise = icc(SOME, kind)
    assert triple(listwise) == pytest.approx(PSYCH_SOME[kind], abs=1e-9)
    assert (listwise.n, listwise.n_missing) == (10, 2)


@pytest.mark.parametrize("seed", range(4))
def test_random_tables_equal_pingouin_listwise(seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(25, 1)) + rng.normal(size=(25, 4)) + rng.normal(size=4) / 2
    table[rng.random(table.shape) < 0.05] = NAN
    long = pd.DataFrame(table).reset_index().melt("index")
    with warnings.catch_warnings():
        # pandas warns of a keyword that pingouin uses.
        warnings.simplefilter("ignore")
        theirs = pingouin.intraclass_corr(
            long, "index", "variable", "value", nan_policy="omit"
        ).set_index("Type")["ICC"]
    for kind in KINDS:
        name = "ICC(1,1)" if kind == "1" else f"ICC({kind})"
        assert icc(table, kind).estimate == pytest.approx(theirs[name], abs=1e-9)


def test_another_coverage_gives_another_interval():
    wide, narrow = icc(SHROUT, ci_level=0.99), icc(SHROUT, ci_level=0.8)
    assert wide.ci_low < narrow.ci_low < narrow.ci_high < wide.ci_high
    assert "interval:f|level:0.99" in wide.signature


def test_the_bootstrap_resamples_items():
    rng = np.random.default_rng(2)
    table = rng.normal(size=(200, 1)) + rng.normal(size=(200, 4))
    f, boot = icc(table, "C,1"), icc(table, "C,1", interval="bootstrap")
    assert boot.estimate == f.estimate
    # Normal ratings and many items: both intervals are right and differ little.
    assert (boot.ci_low, boot.ci_high) == pytest.approx((f.ci_low, f.ci_high), abs=0.03)
    assert "bootstrap over items" in boot.method


def test_raters_means_count_in_absolute_agreement_only():
    table = np.arange(10.0)[:, None] + [0, 5, 10]
    assert icc(table, "C,1").estimate == pytest.approx(1)
    assert (icc(table, "C,1").ci_low, icc(table, "C,1").ci_high) == (1, 1)
    absolute = icc(table, "A,1")
    assert absolute.estimate < 0.5
    assert absolute.ci_low < absolute.estimate < absolute.ci_high


def test_complete_agreement_is_one_with_an_interval_of_no_width():
    table = np.arange(10.0)[:, None] + [0, 0]
    for kind in KINDS:
        assert triple(icc(table, kind)) == pytest.approx((1, 1, 1))


def test_the_mean_is_more_reliable_as_spearman_and_brown_say():
    for one, many in (("1", "1,k"), ("A,1", "A,k"), ("C,1", "C,k")):
        r = icc(SHROUT, one).estimate
        assert icc(SHROUT, many).estimate == pytest.approx(4 * r / (1 + 3 * r))


def test_one_way_needs_no_names_of_raters():
    sparse = np.full((6, 12), NAN)
    rng = np.random.default_rng(0)
    for row, values in zip(sparse, SHROUT, strict=True):
        row[np.sort(rng.choice(12, 4, replace=False))] = values
    assert icc(sparse, "1").reason == "no item was rated by every rater"
    assert icc(without_raters(sparse), "1").estimate == pytest.approx(PSYCH_SHROUT["1"][0])


@pytest.mark.parametrize(
    ("table", "why"),
    [
        (np.full((5, 3), 2.0), "all ratings are the same"),
        ([[1, 2], [1, 2], [1, 2]], "the items' means do not differ"),
        ([[1], [2]], "fewer than two raters"),
        ([[1, NAN], [2, NAN]], "fewer than two raters"),
        ([[1, 2]], "fewer than two items"),
        ([[1, NAN], [NAN, 2]], "no item was rated by every rater"),
        (np.empty((0, 2)), "no item was rated by every rater"),
    ],
)
def test_what_is_undefined_says_why(table, why):
    result = icc(table, "C,k")
    assert all(math.isnan(v) for v in triple(result))
    assert result.reason.startswith(why)


def test_wrong_options_are_refused():
    with pytest.raises(ValueError, match="kind must be one of"):
        icc(SHROUT, "2,1")
    with pytest.raises(ValueError, match="interval must be"):
        icc(SHROUT, interval="bayes")
    with pytest.raises(ValueError, match="takes items as independent"):
        icc(SHROUT, clusters=[0, 0, 0, 1, 1, 1])
