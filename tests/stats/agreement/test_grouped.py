import math
from functools import partial

import krippendorff
import numpy as np
import polars as pl
import pytest

from attunement.stats.agreement import alpha, from_long, grouped, icc, study_size

NAN = math.nan
# Per question and averaged, and pooled, of the public CounselBench scores; the test computes them
# with the krippendorff package as well.
COUNSELBENCH = {
    "overall": (0.400, 0.441),
    "empathy": (0.429, 0.505),
    "specificity": (0.377, 0.436),
    "factual_consistency": (0.161, 0.197),
    "toxicity": (0.211, 0.259),
}


def table(n_groups=20, seed=0):
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), 4)
    truth = rng.normal(size=(n_groups, 1)).repeat(4, axis=0) + rng.normal(size=(4 * n_groups, 1))
    return np.clip(np.round(3 + truth + rng.normal(size=(4 * n_groups, 5))), 1, 5), groups


@pytest.mark.shared
@pytest.mark.parametrize("dimension", COUNSELBENCH)
def test_the_ten_alphas_of_counselbench(shared, dimension):
    scores = pl.read_csv(shared / "data" / "counselbench" / "scores.csv")
    value = pl.col(f"{dimension}_score").cast(pl.String).cast(pl.Float64, strict=False)
    scores = scores.with_columns(value.fill_null(NAN).alias("value"))
    answers = list(zip(scores["questionID"], scores["responder"], strict=True))
    matrix, items, _ = from_long(answers, scores["survey_id"].to_list(), scores["value"].to_numpy())
    found = grouped(matrix, [question for question, _ in items], alpha, over="question")
    ours = round(found.mean.estimate, 3), round(found.pooled.estimate, 3)
    assert ours == COUNSELBENCH[dimension]
    questions = np.array([question for question, _ in items])
    theirs = [
        krippendorff.alpha(reliability_data=own.T, level_of_measurement="ordinal")
        for own in (matrix[questions == q] for q in dict.fromkeys(questions))
        if np.unique(own[~np.isnan(own)]).size > 1
    ]
    assert found.mean.estimate == pytest.approx(np.mean(theirs), abs=1e-9)
    whole = krippendorff.alpha(reliability_data=matrix.T, level_of_measurement="ordinal")
    assert found.pooled.estimate == pytest.approx(whole, abs=1e-9)
    for result in (found.mean, found.pooled):
        assert result.ci_low < result.estimate < result.ci_high
        assert result.ci_high - result.ci_low < 0.12
    # One question's toxicity ratings are all the same.
    assert found.mean.n == (99 if dimension == "toxicity" else 100)
    assert found.mean.n + found.mean.n_missing == len(found.groups) == 100


def test_both_are_named_and_each_group_keeps_its_own():
    matrix, groups = table()
    found = grouped(matrix, groups, alpha, over="question", replicates=200)
    assert found.mean.name == "mean_krippendorff_alpha_ordinal"
    assert found.pooled.name == "pooled_krippendorff_alpha_ordinal"
    assert "mean over questions" in found.mean.method
    assert "bootstrap over questions" in found.mean.method
    assert found.pooled.estimate == alpha(matrix).estimate
    own = [alpha(matrix[groups == g]).estimate for g in range(20)]
    assert [r.estimate for r in found.groups] == own
    assert found.mean.estimate == pytest.approx(np.mean(own))
    assert found.groups[3].group == {"question": "3"}


def test_differences_between_groups_count_in_the_pooled_one_only():
    matrix, groups = table()
    found = grouped(matrix, groups, alpha)
    assert found.pooled.estimate > found.mean.estimate + 0.05


def test_the_pooled_interval_draws_whole_groups():
    matrix, groups = table()
    pooled = grouped(matrix, groups, alpha).pooled
    whole = alpha(matrix, clusters=groups)
    assert (pooled.ci_low, pooled.ci_high) == (whole.ci_low, whole.ci_high)
    assert "bootstrap over groups" in pooled.method


def test_few_groups_are_not_drawn_for_the_pooled_one():
    matrix, groups = table(4)
    pooled = grouped(matrix, groups, alpha, over="source").pooled
    assert pooled.ci_low == alpha(matrix).ci_low
    assert "bootstrap over items" in pooled.method


def test_groups_without_an_alpha_are_left_out_and_counted():
    matrix, groups = table()
    matrix[groups == 5] = 3
    matrix[groups == 6] = NAN
    found = grouped(matrix, groups, alpha)
    assert (found.mean.n, found.mean.n_missing) == (18, 2)
    assert found.mean.reason == "undefined in 2 of 20 groups, which are left out"
    assert math.isnan(found.groups[5].estimate)


def test_no_group_with_an_alpha_is_said():
    found = grouped(np.full((8, 2), 3.0), [0, 0, 1, 1, 2, 2, 3, 3], alpha, over="topic")
    assert math.isnan(found.mean.estimate)
    assert found.mean.reason == "undefined in every topic"
    assert "all ratings are the same" in found.pooled.reason
    assert "undefined in every topic" in study_size(found.mean)


def test_a_rater_who_rated_nothing_of_a_group_is_no_rater_of_it():
    matrix = np.full((8, 4), NAN)
    matrix[:4, :2] = [[1, 2], [2, 3], [4, 4], [5, 3]]
    matrix[4:, 2:] = [[1, 1], [2, 3], [5, 4], [5, 5]]
    each = partial(icc, kind="1", interval="bootstrap")
    found = grouped(matrix, [0] * 4 + [1] * 4, each)
    assert found.mean.n == 2
    assert math.isnan(found.pooled.estimate)


def test_one_group_an_item_is_needed():
    with pytest.raises(ValueError, match="one label an item"):
        grouped([[1, 2]], [], alpha)
