"""The socio-emotional scores, on tables small enough to be worked out by hand, and on Table VI."""

import math
from collections.abc import Iterable, Mapping

import polars as pl
import pytest

from attunement.stats.agreement.resampling import Bootstrap
from attunement.stats.result import Result
from attunement.stats.socemo import (
    agreement,
    axis_scores,
    filter_scores,
    socemo_scores,
    top3_scores,
    weighted_scores,
)
from attunement.stats.socemo_table import Annotations, sort_ratings

NONE: Bootstrap = {"replicates": 0}
AXES = {"logical": ["useful", "fluency"], "emotional": ["tone"], "social": ["role"]}
SCALES = {"useful": (1.0, 3.0), "fluency": (1.0, 3.0), "tone": (1.0, 3.0), "role": (0.0, 1.0)}
SCHEMA: dict[str, pl.DataType] = {
    "unit": pl.String(),
    "unit_id": pl.String(),
    "rater": pl.String(),
    "dimension": pl.String(),
    "value": pl.Float64(),
    "labels": pl.List(pl.String),
    "status": pl.String(),
    "replicate": pl.Int64(),
}
Row = tuple[str, str, str, str, float | None, list[str] | None, str, int]

RESPONSES = pl.DataFrame(
    {
        "response_id": ["a1", "b1", "a2", "b2"],
        "item_id": ["c1", "c1", "c2", "c2"],
        "source": ["A", "B", "A", "B"],
    }
)


def value(rater: str, response: str, dimension: str, number: float | None) -> Row:
    status = "not_sure" if number is None else "ok"
    return ("response", response, rater, dimension, number, None, status, 0)


def choice(rater: str, item: str, *chosen: str) -> Row:
    return ("item", item, rater, "choice", float(len(chosen)), list(chosen), "ok", 0)


def rated(rater: str, response: str, *numbers: float) -> list[Row]:
    asked = zip(SCALES, numbers, strict=True)
    return [value(rater, response, dimension, number) for dimension, number in asked]


def table(rows: Iterable[Row]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=SCHEMA, orient="row")


def given(
    rows: Iterable[Row],
    responses: pl.DataFrame = RESPONSES,
    credited: Mapping[str, list[str]] | None = None,
) -> Annotations:
    return sort_ratings(table(rows), responses, list(SCALES), credited=credited)


def by_source(results: list[Result]) -> dict[str, float]:
    return {r.group["source"]: r.estimate for r in results}


STEP_1 = [
    value("x", "a1", "keep", 1),
    value("x", "b1", "keep", 0),
    value("x", "a2", "keep", 1),
    value("x", "b2", "keep", 1),
    value("y", "a1", "keep", 0),
    value("y", "b1", "keep", 0),
]
"""Rater y saw the context c1 only."""
STEP_2 = [choice("x", "c1", "a1"), choice("x", "c2", "a2", "b2"), choice("y", "c1")]
STEP_3 = [
    *rated("x", "a1", 3, 2, 3, 1),
    *rated("y", "a1", 1, 2, 2, 0),
    *rated("x", "a2", 3, 3, 3, 1),
    *rated("x", "b2", 2, 3, 1, 1),
]


def test_filter_is_the_mean_of_each_raters_share_of_the_contexts_that_this_rater_saw() -> None:
    """A: x kept 2 of 2, y 0 of 1; B: x 1 of 2, y 0 of 1. Pooled it would be 2/3 and 1/3."""
    found = filter_scores(given(STEP_1), **NONE)
    assert by_source(found) == {"A": 0.5, "B": 0.25}
    assert [(r.n, r.n_missing) for r in found] == [(2, 0), (2, 0)]


def test_top3_is_the_same_of_what_was_chosen() -> None:
    """A: x chose it in 2 of 2, y in 0 of 1; B: x in 1 of 2, y in 0 of 1."""
    assert by_source(top3_scores(given(STEP_2), **NONE)) == {"A": 0.5, "B": 0.25}


def test_an_axis_is_the_mean_over_questions_then_raters_then_answers() -> None:
    """By hand, each question on 0 to 1.

    a1: logical x (1 + 0.5) / 2, y (0 + 0.5) / 2, so 0.5; emotional (1 + 0.5) / 2; social 1 / 2.
    a2: 1, 1, 1. b2: (0.5 + 1) / 2, 0, 1.
    """
    found = axis_scores(given(STEP_3), SCALES, AXES, **NONE)
    assert {(r.group["source"], r.name): r.estimate for r in found} == {
        ("A", "logical"): 0.75,
        ("A", "emotional"): 0.875,
        ("A", "social"): 0.75,
        ("B", "logical"): 0.75,
        ("B", "emotional"): 0,
        ("B", "social"): 1,
    }
    assert [r.n for r in found] == [2, 2, 2, 1, 1, 1]


def test_socemo_weighs_the_axes_by_how_often_an_answer_was_annotated() -> None:
    """A: a1 has (0.5 + 0.75 + 0.5) / 3, a2 has 1; B: nothing in c1, (0.75 + 0 + 1) / 3 in c2."""
    found = by_source(socemo_scores(given(STEP_3), SCALES, AXES, **NONE))
    assert found == pytest.approx({"A": (1.75 / 3 + 1) / 2, "B": 1.75 / 3 / 2})


def test_weighted_fluency_is_the_same_with_fluency_alone() -> None:
    """A: (0.5 + 1) / 2; B: (0 + 1) / 2."""
    found = weighted_scores(given(STEP_3), SCALES, **NONE)
    assert by_source(found) == {"A": 0.75, "B": 0.5}
    assert {r.name for r in found} == {"weighted_fluency"}


def test_a_scale_may_have_its_best_value_below_its_worst() -> None:
    scales = {**SCALES, "tone": (3.0, 1.0)}
    found = axis_scores(given(STEP_3), scales, {"emotional": ["tone"]}, **NONE)
    assert by_source(found) == {"A": 0.125, "B": 1}


TABLE_VI = [
    # source, logical, emotional, social, socemo, contexts of 59
    ("GPT-2 Small NO-CD", 90, 100, 94, 13, 8),
    ("GPT-2 Small CD", 88, 98, 98, 14, 9),
    ("GPT-2 Medium NO-CD", 91, 99, 98, 28, 17),
    ("GPT-2 Medium CD-pred", 83, 99, 99, 30, 19),
    ("GPT-2 Medium CD-GT", 93, 99, 99, 30, 18),  # else as CD-pred: one logical may be a misprint
    ("DialoGPT Small NO-CD", 90, 98, 98, 18, 11),
    ("DialoGPT Small CD", 90, 97, 98, 19, 12),
    ("DialoGPT Medium NO-CD", 89, 99, 99, 15, 9),
    ("DialoGPT Medium CD", 88, 100, 100, 20, 12),
    ("BART Base NO-CD", 87, 97, 95, 13, 8),
    ("BART Base CD", 82, 98, 96, 14, 9),
    ("BART Large NO-CD", 89, 99, 99, 19, 12),
    ("BART Large CD", 88, 100, 99, 19, 12),
    ("Beluga NO-CD", 93, 98, 100, 39, 24),
    ("Beluga PB CD-pred", 93, 98, 98, 44, 27),
    ("Beluga PB CD-GT", 94, 97, 99, 51, 31),
    ("Reference", 94, 98, 100, 69, 42),
]


@pytest.mark.parametrize(("source", "logical", "emotional", "social", "index", "times"), TABLE_VI)
def test_the_published_index_follows_from_the_published_axes(
    source: str, logical: int, emotional: int, social: int, index: int, times: int
) -> None:
    """Vanel et al. (2024), Table VI: socemo, printed in whole per cent, out of the three axes.

    The raw ratings are not at hand, and the number of annotated contexts is not printed: the last
    column is the only whole number of 59 that can give the index. That there is one in every row
    (CD stands for equal rows of CD-pred and CD-GT) says that the mean of the axes was taken and
    not, as in the formula, their sum.
    """
    axes = {axis: [axis] for axis in ("logical", "emotional", "social")}
    contexts = [f"c{i}" for i in range(59)]
    responses = pl.DataFrame({"response_id": contexts, "item_id": contexts, "source": source})
    rows = [
        value(rater, context, axis, number)
        for context in contexts[:times]
        for rater in "xyz"
        for axis, number in zip(axes, (logical, emotional, social), strict=True)
    ]
    sorted_ = sort_ratings(table(rows), responses, list(axes))
    scales = dict.fromkeys(axes, (0.0, 100.0))
    (found,) = socemo_scores(sorted_, scales, axes, contexts=contexts, **NONE)
    assert round(100 * found.estimate) == index
    assert found.n == 59


def test_a_context_in_which_nobody_chose_an_answer_counts() -> None:
    """With a third context of which nothing was worth choosing, the sums are divided by three."""
    more = pl.concat(
        [RESPONSES, pl.DataFrame({"response_id": ["a3"], "item_id": ["c3"], "source": ["A"]})]
    )
    rows = [*STEP_3, choice("x", "c3"), choice("y", "c3")]
    assert by_source(weighted_scores(given(rows, more), SCALES, **NONE)) == pytest.approx(
        {"A": 0.5, "B": 1 / 3}
    )
    only = weighted_scores(given(rows, more), SCALES, contexts=["c1", "c2"], **NONE)
    assert by_source(only) == {"A": 0.75, "B": 0.5}


def test_a_merged_answer_is_credited_to_each_of_its_sources() -> None:
    """In c1 both said a1's words: b1 was not shown, and what was said of a1 holds for B too."""
    credited = {"a1": ["A", "B"], "a2": ["A"], "b2": ["B"]}
    rows = [row for row in [*STEP_1, *STEP_2, *STEP_3] if row[1] != "b1"]
    found = given(rows, credited=credited)
    assert by_source(filter_scores(found, **NONE)) == {"A": 0.5, "B": 0.5}
    assert by_source(top3_scores(found, **NONE)) == {"A": 0.5, "B": 0.5}
    assert by_source(weighted_scores(found, SCALES, **NONE)) == {"A": 0.75, "B": 0.75}


def test_a_missing_rating_is_left_out_and_counted() -> None:
    """Without y's view of a1, A is kept in 2 of 2; a context without any rating is missing."""
    rows = [row for row in STEP_1 if row[:3] != ("response", "a1", "y")]
    rows.append(value("y", "a1", "keep", None))
    a, _ = filter_scores(given(rows), **NONE)
    assert (a.estimate, a.n, a.reason) == (1.0, 2, "1 missing ratings left out")
    a, _ = filter_scores(given([value("x", "a1", "keep", None)]), **NONE)
    assert math.isnan(a.estimate)
    assert (a.n, a.n_missing) == (0, 1)


def test_a_choice_of_nothing_is_a_choice_and_a_missing_one_is_none() -> None:
    missing = ("item", "c1", "y", "choice", None, None, "ok", 0)
    a, _ = top3_scores(given([choice("x", "c1", "a1"), choice("y", "c1")]), **NONE)
    assert a.estimate == 0.5
    a, _ = top3_scores(given([choice("x", "c1", "a1"), missing]), **NONE)
    assert a.estimate == 1.0


def test_an_annotated_answer_that_lacks_an_axis_is_missing_and_not_zero() -> None:
    rows = [row for row in STEP_3 if row[1:4:2] != ("a2", "role")]
    a, _ = socemo_scores(given(rows), SCALES, AXES, **NONE)
    assert a.estimate == pytest.approx(1.75 / 3)
    assert (a.n, a.n_missing) == (1, 1)


def test_a_source_that_nobody_chose_has_no_axes_and_an_index_of_zero() -> None:
    rows = [row for row in STEP_3 if row[1] != "b2"]
    b = axis_scores(given(rows), SCALES, AXES, **NONE)[3:]
    assert all(math.isnan(r.estimate) and r.reason for r in b)
    index = socemo_scores(given(rows), SCALES, AXES, **NONE)[1]
    assert (index.estimate, index.reason) == (0, "none of its answers was annotated")


def test_repeats_do_not_count() -> None:
    again = [(*row[:4], 0.0, None, "ok", 1) for row in STEP_1]
    assert by_source(filter_scores(given([*STEP_1, *again]), **NONE)) == {"A": 0.5, "B": 0.25}


def test_an_answer_without_text_is_none() -> None:
    responses = RESPONSES.with_columns(text=pl.Series(["words", "words", "words", None]))
    rows = [row for row in STEP_1 if row[1] != "b2"]
    assert by_source(filter_scores(given(rows, responses), **NONE)) == {"A": 0.5, "B": 0.0}


def test_intervals_draw_contexts() -> None:
    """Kept in 20 of 50 contexts: resampled shares are binomial.

    SciPy: binom(50, 0.4).ppf([0.025, 0.975]) / 50 = [0.26, 0.54], of which 2,000 draws may be one
    context off.
    """
    contexts = [f"c{i}" for i in range(50)]
    responses = pl.DataFrame({"response_id": contexts, "item_id": contexts, "source": "A"})
    rows = [value("x", context, "keep", float(i < 20)) for i, context in enumerate(contexts)]
    (a,) = filter_scores(given(rows, responses), replicates=2000)
    assert (a.ci_low, a.ci_high) == pytest.approx((0.26, 0.54), abs=0.021)
    assert "over contexts" in a.method
    assert "seed:1" in a.signature


def test_a_source_that_everybody_kept_has_a_share_and_no_interval() -> None:
    everybody = [value(r, a, "keep", 1) for r in "xy" for a in ("a1", "a2")]
    kept = filter_scores(given([*everybody, value("x", "b1", "keep", 0)]), replicates=200)[0]
    assert (kept.estimate, kept.n) == (1.0, 2)
    assert math.isnan(kept.ci_low)
    assert math.isnan(kept.ci_high)
    assert "all values are the same" in str(kept.reason)


def test_agreement_on_what_to_keep_is_nominal_alpha() -> None:
    """Krippendorff (2004), two raters, four answers: (1, 1), (0, 0), (1, 0), (1, 1).

    n = 8 values, five of them 1: alpha = 1 - 7 * 2 / (2 * 5 * 3).
    """
    pairs = {"a1": (1, 1), "b1": (0, 0), "a2": (1, 0), "b2": (1, 1)}
    rows = [
        value(rater, response, "keep", number)
        for response, pair in pairs.items()
        for rater, number in zip("xy", pair, strict=True)
    ]
    keep = agreement(given(rows))[0]
    assert keep.estimate == pytest.approx(1 - 14 / 30)
    assert keep.group == {"dimension": "keep"}
    assert keep.method.endswith("bootstrap over contexts")


def test_agreement_on_the_choice_is_alpha_of_sets_and_the_mean_jaccard_index() -> None:
    """Sets {a}, {a} and {b}, {a, b}: indices 1 and 0.5.

    By hand: within contexts distances of 0 and 0.5, both ways, so 1 in all; among all four values
    2 * (1 + 1 + 0.5 + 0.5 + 0.5) = 7; alpha = 1 - 3 * 1 / 7.
    """
    rows = [
        choice("x", "c1", "a1"),
        choice("y", "c1", "a1"),
        choice("x", "c2", "b1"),
        choice("y", "c2", "a1", "b1"),
    ]
    _, alpha, jaccard = agreement(given(rows), **NONE)
    assert alpha.estimate == pytest.approx(4 / 7)
    assert jaccard.estimate == 0.75
    assert jaccard.n == 2


def test_no_ratings_give_results_that_say_so() -> None:
    nothing = given([])
    found = [
        *filter_scores(nothing),
        *top3_scores(nothing),
        *axis_scores(nothing, SCALES, AXES),
        *socemo_scores(nothing, SCALES, AXES),
        *agreement(nothing),
    ]
    assert all(math.isnan(r.estimate) and r.reason for r in found)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([value("x", "z9", "keep", 1)], "'z9' is no response"),
        ([choice("x", "c1", "z9")], "'z9' is no response"),
        ([STEP_1[0], STEP_1[0]], "more than once"),
    ],
)
def test_ratings_that_cannot_be_are_refused(rows: list[Row], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        given(rows)


def test_a_question_without_a_scale_and_an_unknown_context_are_refused() -> None:
    with pytest.raises(ValueError, match="'tone' of 'emotional'"):
        axis_scores(given(STEP_3), {"role": (0, 1)}, {"emotional": ["tone"]})
    with pytest.raises(ValueError, match="'c9'"):
        socemo_scores(given(STEP_3), SCALES, AXES, contexts=["c9"])
