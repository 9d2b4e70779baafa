"""Judges against people on small tables whose answers are known."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
import pytest

from attunement.errors import UserError
from attunement.instruments import parse_instrument
from attunement.judges_vs_people import Held, JudgesVsPeople, compare_judges
from attunement.stats.alt_test import alt_test


def row(rater: str, unit: int, dimension: str = "warmth", **more: Any) -> dict[str, Any]:
    kind = "judge" if rater.startswith("judge:") else "human"
    return {
        "unit": "response",
        "unit_id": f"r{unit}",
        "item_id": f"q{unit // 2}",
        "source": f"s{unit % 2}",
        "rater": rater,
        "rater_kind": kind,
        "instrument": "own@1",
        "dimension": dimension,
        "value": None,
        "labels": None,
        "spans": None,
        "status": "ok",
        "replicate": 0,
        "round": 1,
        **more,
    }


def table(rows: Iterable[dict[str, Any]]) -> pl.DataFrame:
    spans = pl.List(
        pl.Struct({"start": pl.Int64, "end": pl.Int64, "text": pl.String, "label": pl.String})
    )
    types = {"value": pl.Float64, "labels": pl.List(pl.String), "spans": spans}
    return pl.DataFrame(list(rows), schema_overrides=types, infer_schema_length=None)


def simulated(n: int = 80, shift: float = 0.0, noise: float = 0.6, seed: int = 1):
    """Four people and a judge on n answers, on a scale of 1 to 5."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1, n)
    people = np.clip(np.rint(truth[:, None] + rng.normal(0, 0.6, (n, 4))), 1, 5)
    judge = np.clip(np.rint(truth + shift + rng.normal(0, noise, n)), 1, 5)
    rows = [row(f"p{j}", i, value=people[i, j]) for i in range(n) for j in range(4)]
    rows += [row("judge:m", i, value=judge[i]) for i in range(n)]
    return table(rows), judge, people


def only(compared: JudgesVsPeople) -> Held:
    (held,) = compared.held
    return held


def test_numbers_are_those_of_the_statistics() -> None:
    ratings, judge, people = simulated()
    held = only(compare_judges(ratings, replicates=200))
    assert (held.units, held.items, held.people, held.kind) == (80, 40, 4, "number")
    assert held.bias is not None
    assert held.bias.estimate == pytest.approx((judge - people.mean(axis=1)).mean())
    assert held.alt_test is not None
    assert held.alt_test.winning_rate == alt_test(judge, people).winning_rate
    names = [r.name for r in held.results()]
    assert names == [
        "judge_bias",
        "judge_mae",
        "quadratic_weighted_kappa_with_people",
        "mean_pairwise_quadratic_weighted_kappa",
        "spearman_by_answer",
        "spearman_by_source",
        "discordant_pairs",
        "winning_rate",
        "advantage",
    ]
    for result in held.results():
        assert result.group["judge"] == "judge:m"
        assert result.group["dimension"] == "warmth"
        assert result.signature


def test_a_good_judge_may_stand_in_and_the_line_says_for_what() -> None:
    (said,) = compare_judges(simulated(n=160)[0], replicates=400).verdicts
    assert said.may == ("warmth",)
    assert said.text.startswith(
        "judge:m: May stand in for one of several people on warmth "
        "(alternative-annotator test, epsilon 0.2)"
    )


def test_a_judge_that_guesses_may_not() -> None:
    (said,) = compare_judges(simulated(noise=4.0)[0], replicates=400).verdicts
    assert said.may_not == ("warmth",)
    assert "May not stand in for a person on warmth" in said.text


def test_a_shift_is_said_with_its_direction_and_interval() -> None:
    (said,) = compare_judges(simulated(shift=-1.0)[0], replicates=400).verdicts
    assert said.biased == (("warmth", -1),)
    assert "It rates lower than people: warmth by 0.8" in said.text


def test_passing_by_saying_the_same_every_time_is_not_enough() -> None:
    rng = np.random.default_rng(1)
    rows = [row(f"p{j}", i, value=float(rng.random() < 0.05)) for i in range(100) for j in range(4)]
    rows += [row("judge:m", i, value=0.0) for i in range(100)]
    compared = compare_judges(table(rows), replicates=200)
    held = only(compared)
    assert held.kind == "boolean"
    assert held.alt_test is not None
    assert held.alt_test.passed is True
    (said,) = compared.verdicts
    assert said.may == ()
    assert said.open == (
        ("warmth", "it passes the test but is not shown to agree with people beyond chance"),
    )


@pytest.mark.parametrize(("cases", "claim"), [(5, False), (9, False), (10, True)])
def test_finding_a_handful_of_cases_is_not_agreement(cases: int, claim: bool) -> None:
    rows = [
        row(rater, i, value=float(i < cases))
        for i in range(100)
        for rater in ("p0", "p1", "p2", "judge:m")
    ]
    compared = compare_judges(table(rows), replicates=100)
    held, (said,) = only(compared), compared.verdicts
    assert held.unlike == cases
    assert said.may == (("warmth",) if claim else ())
    assert held.kappa is not None
    if not claim:
        assert f"people rated only {cases} of the answers otherwise" in said.text
        assert math.isnan(held.kappa.ci_low)
        assert "no interval" in str(held.kappa.reason)


def test_few_items_give_no_claim_but_that_it_is_open() -> None:
    (said,) = compare_judges(simulated(n=12, shift=1.5)[0], replicates=200).verdicts
    assert said.text == (
        "judge:m: Open on warmth: nobody rated 30 comparable items; the most is 12."
    )


def test_the_other_order_of_sources_is_told() -> None:
    rows = []
    rng = np.random.default_rng(1)
    for i in range(120):
        level = 4.0 if i % 2 else 2.0
        rows += [row(f"p{j}", i, value=level + rng.integers(0, 2)) for j in range(3)]
        rows.append(row("judge:m", i, value=6.0 - level + rng.integers(0, 2)))
    compared = compare_judges(table(rows), replicates=400)
    (said,) = compared.verdicts
    assert said.misordered == (("warmth", "s1", "s0"),)
    assert "turns 1 around; people rate s1 above s0 on warmth" in said.text
    (pair,) = compared.pairs().rows(named=True)
    assert pair["order"] == "opposite"
    assert pair["people_difference"] == pytest.approx(-2, abs=0.3)


TEXT = "One two three four. Five six seven eight. Nine ten eleven twelve. Last one here now."
FIRST, SECOND, THIRD, FOURTH = (0, 19), (20, 41), (42, 66), (67, 84)


def marks(*spans: tuple[int, int]) -> list[dict[str, Any]]:
    return [{"start": a, "end": b, "text": TEXT[a:b], "label": None} for a, b in spans]


def test_sentences_by_hand() -> None:
    # first: two people, judge marks half of its tokens: a hit; second: one person, judge: left out
    # third: nobody, judge: false alarm; fourth: two people, judge marks one of four tokens: a miss
    lost = {"start": None, "end": None, "text": "not in it", "label": "not_found"}
    rows = [
        row("p0", 0, value=1.0, spans=marks(FIRST, SECOND, FOURTH)),
        row("p1", 0, value=1.0, spans=marks((4, 19), FOURTH)),
        row("p2", 0, value=1.0, spans=[]),
        row("judge:m", 0, value=2.0, spans=[*marks((0, 7), SECOND, THIRD, (67, 71)), lost]),
        row("p0", 1, value=1.0, spans=marks(FIRST)),
        row("judge:m", 1, value=2.0, spans=marks(FIRST)),
    ]
    answers = pl.DataFrame(
        {
            "response_id": ["r0", "r1"],
            "item_id": ["q0", "q0"],
            "source": ["s0", "s1"],
            "text": [TEXT, TEXT],
        }
    )
    held = only(compare_judges(table(rows), answers, replicates=100))
    flagged = held.flagged
    assert flagged is not None
    assert (flagged.answers, flagged.sentences) == (1, 4)
    assert (flagged.agreed, flagged.single, flagged.judge) == (2, 1, 3)
    assert flagged.found.recall.estimate == 0.5
    assert flagged.found.precision.estimate == 0.5
    assert {r.name for r in held.results()} >= {"flag_recall", "flag_precision", "flag_f1"}
    assert only(compare_judges(table(rows), replicates=100)).flagged is None


def test_spans_that_are_no_place_mark_nothing_and_are_counted() -> None:
    wrong = [{"start": a, "end": b, "text": "", "label": None} for a, b in ((-3, 10), (41, 20))]
    rows = [
        row("p0", 0, value=1.0, spans=marks(FIRST)),
        row("p1", 0, value=1.0, spans=[*marks(FIRST), wrong[0]]),
        row("judge:m", 0, value=2.0, spans=[*marks(FIRST), wrong[1]]),
    ]
    answers = pl.DataFrame(
        {"response_id": ["r0"], "item_id": ["q0"], "source": ["s0"], "text": [TEXT]}
    )
    flagged = only(compare_judges(table(rows), answers, replicates=0)).flagged
    assert flagged is not None
    assert (flagged.unusable, flagged.agreed, flagged.judge) == (2, 1, 1)


def test_a_text_that_spans_do_not_fit_is_counted_and_not_used() -> None:
    rows = [row(r, 0, value=1.0, spans=marks(FOURTH)) for r in ("p0", "p1", "judge:m")]
    answers = pl.DataFrame(
        {"response_id": ["r0"], "item_id": ["q0"], "source": ["s0"], "text": ["Too short."]}
    )
    flagged = only(compare_judges(table(rows), answers, replicates=50)).flagged
    assert flagged is not None
    assert (flagged.answers, flagged.unlocated) == (0, 1)
    assert math.isnan(flagged.found.recall.estimate)


def test_yes_and_no_against_the_majority() -> None:
    rows = []
    for i, (votes, said) in enumerate([((1, 1, 0), 1), ((0, 0, 1), 1), ((1, 1, 1), 0), ((0,), 0)]):
        rows += [row(f"p{j}", i, value=float(v)) for j, v in enumerate(votes)]
        rows.append(row("judge:m", i, value=float(said)))
    rows += [row("p0", 4, value=1.0), row("p1", 4, value=0.0), row("judge:m", 4, value=1.0)]
    yes = only(compare_judges(table(rows), replicates=100)).yes
    assert yes is not None
    assert (yes.recall.estimate, yes.precision.estimate, yes.f1.estimate) == (0.5, 0.5, 0.5)
    assert yes.recall.n_missing == 1  # the tie


def test_one_person_is_enough_for_failure_modes_and_no_verdict_follows() -> None:
    rows = [row("p0", i, value=float(i % 2)) for i in range(40)]
    rows += [row("judge:m", i, value=float(i % 2)) for i in range(40)]
    compared = compare_judges(table(rows), replicates=100)
    yes = only(compared).yes
    assert yes is not None
    assert yes.f1.estimate == 1
    (said,) = compared.verdicts
    assert said.open == (("warmth", "no item was rated by the judge and two people"),)
    assert "It finds 100% (84% to 100%) of 20 cases of warmth." in said.text
    assert said.finds == (("warmth", "yes"),)


def test_sets_are_compared_by_overlap_and_by_option() -> None:
    rng = np.random.default_rng(2)
    rows = []
    for i in range(60):
        truth = {"cold"} if i % 2 else {"vague", "long"}
        for rater in ("p0", "p1", "p2", "judge:m"):
            said = truth if rng.random() < 0.9 else set()
            rows.append(row(rater, i, labels=sorted(said), value=float(len(said))))
    compared = compare_judges(table(rows), replicates=100)
    held = only(compared)
    assert held.kind == "set"
    assert set(held.options) == {"cold", "vague", "long"}
    assert held.options["cold"].recall.estimate > 0.7
    assert held.alt_test is not None
    assert held.alt_test.passed is True
    assert {r.group.get("option") for r in held.results()} == {None, "cold", "vague", "long"}


def test_categories_have_kappa_and_the_test_only() -> None:
    rows = []
    for i in range(40):
        label = ["keep", "drop", "ask"][i % 3]
        rows += [row(rater, i, labels=[label]) for rater in ("p0", "p1", "p2", "judge:m")]
    held = only(compare_judges(table(rows), replicates=50))
    assert held.kind == "category"
    assert held.bias is held.order is None
    assert held.kappa is not None
    assert held.kappa.estimate == 1
    assert held.alt_test is not None
    assert held.alt_test.winning_rate == 1


def test_replicates_are_averaged_and_the_last_round_counts() -> None:
    rows = [row("judge:m", 0, value=v, replicate=k) for k, v in enumerate([2.0, 4.0, 4.0])]
    rows += [row("p0", 0, value=1.0), row("p0", 0, value=4.0, round=2)]
    held = only(compare_judges(table(rows), replicates=0))
    assert held.bias is not None
    assert held.bias.estimate == pytest.approx(10 / 3 - 4)


def test_of_a_person_who_was_asked_twice_the_first_answer_counts() -> None:
    rows = [row("judge:m", i, value=4.0) for i in range(2)]
    rows += [row("p0", 0, value=2.0), row("p0", 0, value=5.0, replicate=1)]
    rows += [row("p0", 1, value=None, status="not_sure"), row("p0", 1, value=5.0, replicate=1)]
    held = only(compare_judges(table(rows), replicates=0))
    assert held.bias is not None
    assert (held.bias.estimate, held.bias.n) == (2.0, 1)
    people = [
        row("p0", 0, value=2.0),
        row("p0", 0, value=5.0, replicate=1),
        row("p1", 0, value=3.0),
    ]
    as_judge = only(compare_judges(table(people), judges=["p0"], replicates=0))
    assert as_judge.bias is not None
    assert as_judge.bias.estimate == -1.0


def test_not_sure_is_left_out_and_counted() -> None:
    ratings, *_ = simulated(n=40)
    unsure = [
        row("judge:m", i, status="not_sure" if i < 3 else "ok", value=None if i < 3 else 3.0)
        for i in range(40)
    ]
    ratings = pl.concat([ratings.filter(rater_kind="human"), table(unsure)])
    compared = compare_judges(ratings, replicates=50)
    assert only(compared).units == 37
    counted = compared.coverage().filter(who="judge")
    assert dict(counted.select("status", "count").iter_rows()) == {"not_sure": 3, "ok": 37}


def test_an_instrument_says_what_its_numbers_are() -> None:
    ratings, *_ = simulated(n=40)
    text = """
id: own
version: 1
title: {en: Own}
description: {en: Own}
unit: response
source: {citation: none}
license: none
dimensions:
  - id: warmth
    label: {en: W}
    wording: {en: W}
    scale: {type: text}
"""
    instrument = parse_instrument(text, where="own.yaml")
    held = only(compare_judges(ratings, instruments=[instrument], replicates=50))
    assert held.kind == "none"
    assert held.results() == []
    (said,) = compare_judges(ratings, instruments=[instrument], replicates=50).verdicts
    assert said.text == "judge:m: No dimension could be tested."


def test_several_judges_have_a_verdict_each() -> None:
    ratings, *_ = simulated()
    second = ratings.filter(rater="judge:m").with_columns(
        rater=pl.lit("judge:n"), value=pl.lit(3.0)
    )
    compared = compare_judges(pl.concat([ratings, second]), replicates=100)
    assert [v.judge for v in compared.verdicts] == ["judge:m", "judge:n"]
    assert compared.people()["judge"].unique(maintain_order=True).to_list() == [
        "judge:m",
        "judge:n",
    ]


def test_mistakes_are_said_in_words() -> None:
    ratings, *_ = simulated(n=4)
    with pytest.raises(UserError, match="hold no judge"):
        compare_judges(ratings.filter(rater_kind="human"))
    with pytest.raises(UserError, match="no people"):
        compare_judges(ratings.filter(rater_kind="judge"))
    with pytest.raises(UserError, match="did you mean 'judge:m'"):
        compare_judges(ratings, judges=["judge:n"])
    other = ratings.with_columns(
        instrument=pl.when(pl.col("rater_kind") == "judge")
        .then(pl.lit("own@2"))
        .otherwise("instrument")
    )
    with pytest.raises(UserError, match="no dimension of the same instrument"):
        compare_judges(other)
