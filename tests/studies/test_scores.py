"""The socio-emotional scores by the instrument's own questions."""

import polars as pl
import pytest

from attunement.errors import UserError
from attunement.instruments import load_instrument, parse_instrument
from attunement.studies.scores import SocioEmotional, questions, socio_emotional_scores

RESPONSES = pl.DataFrame(
    {
        "response_id": ["a1", "b1"],
        "item_id": ["c1", "c1"],
        "source": ["A", "B"],
        "text": ["words", "other words"],
    }
)
BEST = {
    "usefulness": 3,
    "fluency": 3,
    "style_consistency": 1,
    "emotional_tone": 3,
    "dialogue_strategy": 3,
    "role_consistency": 1,
}


def row(unit_id: str, dimension: str, value: float, **more: object) -> dict[str, object]:
    return {
        "unit": "response",
        "unit_id": unit_id,
        "rater": "x",
        "rater_kind": "human",
        "instrument": "socio-emotional@1",
        "dimension": dimension,
        "value": value,
        "labels": None,
        "status": "ok",
        "round": 1,
        **more,
    }


def study(**changed: float) -> list[dict[str, object]]:
    chosen = row("c1", "choice", 1, unit="item", labels=["a1"])
    kept = [row("a1", "keep", 1), row("b1", "keep", 0)]
    return [chosen, *kept, *(row("a1", d, v) for d, v in {**BEST, **changed}.items())]


def scores(rows: list[dict[str, object]]) -> SocioEmotional:
    return socio_emotional_scores(pl.DataFrame(rows), RESPONSES, replicates=0)


def test_the_axes_and_the_ends_of_the_scales_are_the_instruments() -> None:
    axes, ends = questions(load_instrument("socio-emotional"))
    assert axes == {
        "logical": ["usefulness", "fluency", "style_consistency"],
        "emotional": ["emotional_tone"],
        "social": ["dialogue_strategy", "role_consistency"],
    }
    assert ends["fluency"] == (1, 3)
    assert ends["role_consistency"] == (0, 1)


def test_the_best_answer_has_all_of_every_score() -> None:
    found = scores(study())
    of_a = {r.name: r.estimate for r in found.results() if r.group.get("source") == "A"}
    assert of_a == dict.fromkeys(
        ("filter", "top3", "logical", "emotional", "social", "socemo", "weighted_fluency"), 1.0
    )
    of_b = {r.name: r.estimate for r in found.results() if r.group.get("source") == "B"}
    assert [of_b[n] for n in ("filter", "top3", "socemo", "weighted_fluency")] == [0, 0, 0, 0]
    assert [r.group["dimension"] for r in found.agreement] == ["keep", "choice", "choice"]


def test_questions_weigh_within_their_axis() -> None:
    """Fluency 2 of 1 to 3 is 0.5: logical is (1 + 0.5 + 1) / 3, socemo (5 / 6 + 1 + 1) / 3."""
    found = scores(study(fluency=2))
    assert found.axes[0].estimate == pytest.approx(5 / 6)
    assert found.socemo[0].estimate == pytest.approx(17 / 18)
    assert found.fluency[0].estimate == 0.5


def test_only_the_latest_round_of_people_on_this_instrument_counts() -> None:
    rows = [
        *study(),
        row("a1", "keep", 0, round=2),
        row("b1", "keep", 1, rater="m", rater_kind="judge"),
        row("b1", "keep", 1, rater="y", instrument="other@1"),
    ]
    assert [r.estimate for r in scores(rows).filter] == [0, 0]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([row("a1", "keep", 1, instrument="other@1")], "there are other@1"),
        ([row("a1", "keep", 1), row("a1", "fluency", 4)], "not on the scale"),
        ([row("z9", "keep", 1)], "'z9' is no response"),
    ],
)
def test_ratings_that_cannot_be_used_are_refused(rows: list[dict[str, object]], said: str) -> None:
    with pytest.raises(UserError, match=said):
        scores(rows)


def test_an_instrument_without_the_steps_is_refused() -> None:
    with pytest.raises(UserError, match="no 'keep' or no subscales"):
        questions(load_instrument("nuance-judges"))


def test_a_scale_on_which_less_is_better_is_turned() -> None:
    found = parse_instrument(
        """
id: turned
version: 1
title: {en: T}
description: {en: D}
unit: response
license: Apache-2.0
source: {citation: none}
subscales: [{id: axis, label: {en: A}, dimensions: [harm]}]
dimensions:
  - {id: keep, label: {en: K}, wording: {en: "K?"}, scale: {type: boolean, better: higher}}
  - id: harm
    label: {en: H}
    wording: {en: "H?"}
    scale: {type: integer, min: 1, max: 5, better: lower}
""",
        where="here",
    )
    assert questions(found) == ({"axis": ["harm"]}, {"harm": (5, 1)})
