import math

import numpy as np
import pytest

from attunement.counselbench import agreement, meaning, reliability_of_mean, scores, size_table

ALPHAS = {
    # Recorded in the project's design from the public scores: by question and averaged, pooled.
    "overall": (0.400, 0.441),
    "empathy": (0.429, 0.505),
    "specificity": (0.377, 0.436),
    "factual_consistency": (0.161, 0.197),
    "toxicity": (0.211, 0.259),
}


def cells(results):
    return {(r.group["dimension"], r.group["over"]): r for r in results}


def test_alpha_is_by_question_and_pooled_and_both_are_named(make, ratings_of):
    krippendorff = pytest.importorskip("krippendorff")
    rng = np.random.default_rng(3)
    rows, values = [], {}
    for q in range(12):
        for s in range(4):
            for r in range(3):
                value = int(np.clip(round(s + 1 + rng.normal()), 1, 5))
                values.setdefault(f"q{q}", []).append(value)
                rows.append(make(f"q{q}", f"s{s}", f"q{q}r{r}", "overall", value))
    result = cells(agreement(scores(ratings_of(rows)), replicates=200))
    by_question = [
        krippendorff.alpha(np.reshape(v, (4, 3)).T, level_of_measurement="ordinal")
        for v in values.values()
    ]
    mean, pooled = result["overall", "question"], result["overall", "pooled"]
    assert mean.estimate == pytest.approx(np.mean(by_question), abs=1e-9)
    everything = np.concatenate([np.reshape(v, (4, 3)) for v in values.values()])
    assert pooled.estimate == pytest.approx(
        krippendorff.alpha(everything.T, level_of_measurement="ordinal"), abs=1e-9
    )
    assert (mean.n, pooled.n) == (12, 48)
    for one in (mean, pooled):
        assert one.ci_low < one.estimate < one.ci_high


def test_questions_whose_alpha_is_undefined_are_counted_not_averaged_as_zero(make, ratings_of):
    rows = []
    for q, values in enumerate([[1, 1, 5, 5], [3, 3, 3, 3], [2, 2, 4, 4]]):
        for place, value in enumerate(values):
            rows.append(make(f"q{q}", f"s{place // 2}", f"r{place % 2}", "overall", value))
    mean = cells(agreement(scores(ratings_of(rows))))["overall", "question"]
    assert mean.estimate == 1
    assert (mean.n, mean.n_missing) == (2, 1)
    assert "undefined in 1 of 3 questions" in str(mean.reason)


def test_a_small_study_has_an_interval_of_its_pooled_alpha_too(make, ratings_of):
    rng = np.random.default_rng(5)
    rows = [
        make(f"q{q}", f"s{s}", f"r{r}", "overall", int(rng.integers(1, 6)))
        for q in range(3)
        for s in range(4)
        for r in range(3)
    ]
    pooled = cells(agreement(scores(ratings_of(rows))))["overall", "pooled"]
    assert math.isfinite(pooled.ci_low)


def test_reliability_of_a_mean_is_spearman_and_browns():
    # Spearman (1910), Brown (1910): doubling a test of reliability .5 gives 2/3.
    assert reliability_of_mean(0.5, 2) == pytest.approx(2 / 3)
    assert reliability_of_mean(0.3, 1) == pytest.approx(0.3)
    assert math.isnan(reliability_of_mean(-0.1, 5))


def test_the_table_says_what_agreement_of_two_to_five_tenths_takes():
    table = size_table()
    assert table["agreement"].to_list() == [0.2, 0.3, 0.4, 0.5]
    assert table["raters"].to_list() == [16, 10, 6, 4]
    for value, raters in table.select("agreement", "raters").iter_rows():
        assert reliability_of_mean(value, raters) >= 0.8 - 1e-9
        assert reliability_of_mean(value, raters - 1) < 0.8
    assert table["answers"].to_list() == pytest.approx([5, 10 / 3, 2.5, 2])


@pytest.mark.shared
def test_the_ten_alphas_of_the_public_scores(shared):
    from attunement.datasets.counselbench import load_annotations

    given = scores(load_annotations(shared / "data" / "counselbench" / "scores.csv").ratings)
    results = agreement(given)
    found = cells(results)
    for dimension, values in ALPHAS.items():
        for over, value in zip(("question", "pooled"), values, strict=True):
            one = found[dimension, over]
            assert one.estimate == pytest.approx(value, abs=5e-4), (dimension, over)
            assert one.ci_low < one.estimate < one.ci_high
    assert found["toxicity", "question"].n_missing == 1
    assert found["overall", "pooled"].n == 400
    said = meaning(given, results)
    assert said["overall"].startswith("The mean of the 5 raters here has a reliability of 0.80.")
    assert "raters an answer reaches 0.8" in said["toxicity"]
