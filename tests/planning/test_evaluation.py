"""Scores of plans; scikit-learn is the oracle for everything about sets."""

import math
from itertools import pairwise

import numpy as np
import pytest
from nltk.metrics.distance import edit_distance
from sklearn.metrics import f1_score, jaccard_score, precision_score, recall_score

from attunement.planning import DAILYDIALOG, Plan, Window, evaluate
from attunement.planning.evaluation import Evaluation, Scoring

LABELS = [label for label in DAILYDIALOG.labels if label != "neutral"]
ORACLES = {
    "jaccard": jaccard_score,
    "precision": precision_score,
    "recall": recall_score,
    "f1": f1_score,
}
Sequences = list[tuple[str, ...]]


def by_chance(n: int, seed: int, fewest: int = 1) -> Sequences:
    rng = np.random.default_rng(seed)
    p = np.linspace(3, 0.2, len(LABELS))
    return [
        DAILYDIALOG.sequence(
            rng.choice(LABELS, size=rng.integers(fewest, 4), replace=False, p=p / p.sum())
        )
        for _ in range(n)
    ]


def onehot(sequences: Sequences) -> np.ndarray:
    return np.array([[label in s for label in DAILYDIALOG.labels] for s in sequences], dtype=int)


def score(said: Sequences, truth: Sequences, scoring: Scoring = "standard") -> Evaluation:
    turns = [Window(f"d{i // 5}", i % 5, ("hi",), t) for i, t in enumerate(truth)]
    return evaluate(
        [Plan(s) for s in said], turns, DAILYDIALOG, scoring=scoring, replicates=200, planner="x"
    )


@pytest.mark.parametrize("fewest", [0, 1])
@pytest.mark.parametrize("name", list(ORACLES))
@pytest.mark.parametrize("average", ["sample", "macro", "weighted"])
def test_the_set_scores_are_scikit_learns(name: str, average: str, fewest: int) -> None:
    said, truth = by_chance(300, 1, fewest), by_chance(300, 2)
    gold, plan = onehot(truth), onehot(said)
    present = np.flatnonzero((gold | plan).any(axis=0))
    expected = ORACLES[name](
        gold[:, present],
        plan[:, present],
        average="samples" if average == "sample" else average,
        zero_division=0,
    )
    assert score(said, truth).get(name, average).estimate == pytest.approx(expected)


@pytest.mark.parametrize("name", list(ORACLES))
def test_the_papers_scores_are_scikit_learns_with_its_faults_put_in(name: str) -> None:
    said, truth = by_chance(300, 1), by_chance(300, 2)
    gold, plan = onehot([t[-1:] for t in truth]), onehot([s[-1:] for s in said])
    expected = ORACLES[name](plan, gold, average="weighted", zero_division=0)
    assert score(said, truth, "paper").get(name).estimate == pytest.approx(expected)


def test_sequence_scores_are_means_over_turns() -> None:
    said, truth = by_chance(200, 3), by_chance(200, 4)
    found = score(said, truth)
    pairs = list(zip(said, truth, strict=True))
    expected = [1 - edit_distance(a, b) / max(len(a), len(b)) for a, b in pairs]
    assert found.get("nls").estimate == pytest.approx(np.mean(expected))
    assert found.get("exact_match").estimate == pytest.approx(np.mean([a == b for a, b in pairs]))
    assert found.get("mean_length").estimate == pytest.approx(np.mean([len(a) for a in said]))


def test_the_papers_similarity_is_one_distance_over_the_whole_list() -> None:
    said, truth = by_chance(80, 5), by_chance(80, 6)
    found = score(said, truth, "paper").get("nls")
    assert found.estimate == pytest.approx(1 - edit_distance(said, truth) / 80)
    assert found.reason is not None
    assert "whole list" in found.reason


def test_intervals_hold_the_estimate_and_are_wider_over_dialogues_that_agree() -> None:
    truth = [("inform",) if i // 5 % 2 else ("question",) for i in range(300)]
    said: Sequences = [("inform",)] * 300
    turns = [Window(f"d{i // 5}", i % 5, ("hi",), t) for i, t in enumerate(truth)]
    plans = [Plan(s) for s in said]
    widths = []
    for resample in ("windows", "dialogues"):
        found = evaluate(plans, turns, DAILYDIALOG, resample=resample)  # type: ignore[arg-type]
        for r in found.results:
            assert r.ci_low <= r.estimate <= r.ci_high
            assert (r.n, r.n_missing) == (300, 0)
        exact = found.get("exact_match")
        widths.append(exact.ci_high - exact.ci_low)
    # Normal theory for a share of one half: 2 * 1.96 * sqrt(0.25 / n), n = 300 turns, 60 dialogues.
    assert widths == pytest.approx([0.1132, 0.2530], rel=0.1)
    assert all(a < b for a, b in pairwise(widths))


def test_the_same_seed_gives_the_same_intervals() -> None:
    said, truth = by_chance(100, 1), by_chance(100, 2)
    assert score(said, truth) == score(said, truth)


def test_a_planner_that_plans_nothing_has_counts_and_no_precision() -> None:
    found = score([()] * 10, [("inform",)] * 10)
    assert (found.empty, found.statuses) == (10, {"ok": 10})
    assert found.get("recall", "weighted").estimate == 0
    assert found.get("nls").estimate == 0
    precision = found.get("precision", "weighted")
    assert math.isnan(precision.estimate)
    assert precision.reason == "No plan has a label of the label set."


def test_the_papers_scores_of_a_planner_that_plans_nothing_are_undefined() -> None:
    found = score([()] * 10, [("inform",)] * 10, "paper")
    assert math.isnan(found.get("f1").estimate)
    assert found.get("mean_length").estimate == 0


def test_unknown_labels_are_counted_and_count_as_wrong() -> None:
    found = score([("inform", "greeting"), ("greeting",)], [("inform",), ("inform",)])
    assert found.unknown == {"greeting": 2}
    assert found.get("precision", "sample").estimate == pytest.approx((1 / 2 + 0) / 2)
    assert found.get("nls").estimate == pytest.approx((1 / 2 + 0) / 2)
    assert found.get("recall", "weighted").estimate == pytest.approx(1 / 2)


def test_turns_without_any_label_leave_weighted_scores_undefined() -> None:
    found = score([("inform",)] * 3, [(), (), ()])
    weighted = found.get("f1", "weighted")
    assert math.isnan(weighted.estimate)
    assert weighted.reason == "No turn has a label of the label set."
    assert found.get("f1", "sample").estimate == 0


def test_one_dialogue_of_several_turns_has_no_interval_and_says_so() -> None:
    turns = [Window("d", i, ("hi",), ("inform",)) for i in range(3)]
    plans = [Plan(("inform",)), Plan(("question",)), Plan(("inform",))]
    exact = evaluate(plans, turns, DAILYDIALOG).get("exact_match")
    assert math.isnan(exact.ci_low)
    assert exact.reason == "One dialogue or turn has no interval."
    over_turns = evaluate(plans, turns, DAILYDIALOG, resample="windows").get("exact_match")
    assert over_turns.reason is None


def test_turns_without_a_plan_are_left_out_and_counted() -> None:
    plans = [Plan(("inform",)), Plan((), "unparsed", "None"), Plan((), "error", "timeout")]
    turns = [Window("d", i, ("hi",), ("inform",)) for i in range(3)]
    found = evaluate(plans, turns, DAILYDIALOG)
    assert found.statuses == {"ok": 1, "unparsed": 1, "error": 1}
    exact = found.get("exact_match")
    assert (exact.estimate, exact.n, exact.n_missing) == (1.0, 1, 2)
    assert exact.reason == "One dialogue or turn has no interval."


def test_no_plan_at_all_is_undefined_and_no_crash() -> None:
    for scoring in ("standard", "paper"):
        found = evaluate(
            [Plan((), "error")],
            [Window("d", 1, ("hi",), ("inform",))],
            DAILYDIALOG,
            scoring=scoring,  # type: ignore[arg-type]
        )
        assert all(math.isnan(r.estimate) and r.reason for r in found.results)
        assert {r.n_missing for r in found.results} == {1}


def test_plans_and_windows_are_pairs() -> None:
    with pytest.raises(ValueError, match="1 plans for 0 windows"):
        evaluate([Plan(())], [], DAILYDIALOG)
