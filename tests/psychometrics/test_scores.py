"""Scores, short forms and comparisons."""

import math
from dataclasses import replace

import numpy as np
import pytest

from attunement.errors import UserError
from attunement.instruments import load_instrument
from attunement.psychometrics import (
    OVERALL,
    Answers,
    from_instrument,
    from_items,
    from_matrix,
    only,
)
from attunement.psychometrics.compare import compare, described
from attunement.psychometrics.scores import least_answered, score, shortened
from stubs.likert import answers

NINE = only(
    from_instrument(load_instrument("ces-lcc")),
    ["ur1", "ur2", "ur3", "phi1", "phi2", "phi3", "lq1", "lq2", "lq3"],
)


def rated(**sources: np.ndarray) -> Answers:
    """Answers about chatbots, respondents p1, p2, ... of each."""
    found = from_matrix(np.concatenate(list(sources.values())), NINE)
    return replace(
        found,
        respondents=tuple(f"p{i + 1}" for x in sources.values() for i in range(len(x))),
        sources=tuple(name for name, x in sources.items() for _ in range(len(x))),
    )


def test_a_score_is_the_mean_of_what_was_answered_if_enough_was() -> None:
    x = np.array([[1, 2, math.nan, 3, 3, 3, 4, 4, 4], [1, math.nan, math.nan, 5, 5, 5, 5, 5, 5]])
    found = score(from_matrix(x, NINE))
    assert found.values["ur"][0] == 1.5
    assert math.isnan(found.values["ur"][1])
    assert found.answered["ur"].tolist() == [2, 1]
    assert found.values[OVERALL] == pytest.approx([24 / 8, 31 / 7])
    assert found.least == {"ur": 2, "phi": 2, "lq": 2, OVERALL: 6}


def test_a_sum_takes_a_missing_answer_for_the_mean_of_the_others() -> None:
    x = np.array([[1, 2, math.nan, 3, 3, 3, 4, 4, 4]])
    assert score(from_matrix(x, NINE), kind="sum").values["ur"][0] == 4.5


def test_how_many_items_are_needed_can_be_said() -> None:
    x = np.array([[1, math.nan, math.nan, 3, 3, 3, 4, 4, 4]])
    assert score(from_matrix(x, NINE), min_items=1).values["ur"][0] == 1
    assert math.isnan(score(from_matrix(x, NINE), min_items=9).values["ur"][0])
    with pytest.raises(UserError, match="at least one"):
        score(from_matrix(x, NINE), min_items=0)


@pytest.mark.parametrize(("k", "needed"), [(1, 1), (2, 2), (3, 2), (6, 4), (27, 18)])
def test_two_thirds_of_the_items_are_needed(k: int, needed: int) -> None:
    assert least_answered(k) == needed


def test_the_table_of_scores_has_null_where_there_is_none() -> None:
    x = np.array([[math.nan, math.nan, 1, 3, 3, 3, 4, 4, 4]])
    row = score(from_matrix(x, NINE)).table().row(0, named=True)
    assert row == {"respondent": "1", "scale": "ur", "score": None, "answered": 1}


def test_mean_scores_of_each_chatbot_have_intervals() -> None:
    found = score(rated(a=answers()[:30], b=answers()[30:70])).results()
    own = [r for r in found if r.group == {"scale": "ur", "source": "b"}]
    assert own[0].n == 40
    assert own[0].estimate == pytest.approx(answers()[30:70, :3].mean())
    assert own[0].ci_low < own[0].estimate < own[0].ci_high


def test_the_short_form_of_one_item_expects_the_mean_correlation() -> None:
    form, shorts = shortened(from_matrix(answers(), NINE), 1, replicates=20)
    assert form.items == ("ur1", "phi1", "lq1")
    first = shorts[0]
    # R: average_r of the three items is what Spearman and Brown leave of one.
    assert first.expected.estimate == pytest.approx(0.4263818017)
    assert first.expected.ci_low < first.expected.estimate < first.expected.ci_high
    assert first.observed.reason == "needs at least two items"
    assert first.with_full.estimate == pytest.approx(
        np.corrcoef(answers()[:, 0], answers()[:, :3].sum(axis=1))[0, 1]
    )


def test_the_short_form_of_two_items_has_an_alpha_of_its_own() -> None:
    _, shorts = shortened(from_matrix(answers(), NINE), 2, replicates=20)
    assert shorts[0].observed.estimate == pytest.approx(0.7195610138)  # R: alpha without x3
    assert shorts[-1].part == OVERALL
    assert len(shorts[-1].items) == 6


def test_two_chatbots_of_different_people_are_compared_as_groups() -> None:
    shifted = np.minimum(answers()[100:160] + 1, 5)
    found = compare(rated(a=answers()[:60], b=shifted[:50]), "b", "a", design="independent")
    assert found.design == "independent"
    whole = found.parts[-1]
    assert whole.part == OVERALL
    assert whole.between.difference.estimate > 0
    assert whole.between.test.p_adjusted == whole.between.test.p_value
    first = found.parts[0].between.test
    assert first.p_adjusted >= first.p_value
    assert "b scores higher" in " ".join(described(found))


def test_people_who_rated_both_are_compared_with_themselves() -> None:
    x = answers()[:40]
    found = compare(rated(a=x, b=np.maximum(x - 1, 1)), "a", "b")
    assert found.design == "paired"
    assert found.parts[0].between.difference.n == 40
    assert found.parts[0].first.estimate == pytest.approx(x[:, :3].mean())


def test_who_rated_only_one_is_left_out_of_the_pairs() -> None:
    found = compare(rated(a=answers()[:40], b=answers()[40:70]), "a", "b")
    assert found.design == "paired"
    assert "10 respondents rated only one of the two: left out of the pairs." in found.notes


def test_no_difference_is_not_called_sameness() -> None:
    x = answers()[:40]
    found = compare(rated(a=x, b=np.roll(x, 1, axis=0)), "a", "b")
    assert "that is not to say that there is none" in described(found)[-1]


@pytest.mark.parametrize(
    ("names", "message"), [(("a", "a"), "with itself"), (("a", "z"), "no answers about 'z'")]
)
def test_chatbots_that_cannot_be_compared_are_refused(names: tuple[str, str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        compare(rated(a=answers()[:9], b=answers()[:9]), *names)


def test_a_table_without_chatbots_is_refused() -> None:
    plain = from_matrix(answers()[:, :2], from_items(["a", "b"], ends=(1, 5)))
    with pytest.raises(UserError, match="which chatbot"):
        compare(plain, "a", "b")


def test_a_paired_comparison_needs_people_who_rated_both() -> None:
    found = rated(a=answers()[:9], b=answers()[9:20])
    apart = replace(found, respondents=tuple(str(i) for i in range(20)))
    with pytest.raises(UserError, match="nobody rated both"):
        compare(apart, "a", "b", design="paired")
    assert compare(apart, "a", "b").design == "independent"
