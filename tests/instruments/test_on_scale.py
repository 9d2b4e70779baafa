"""Values and labels that no rater could have given."""

from typing import Any

import polars as pl
import pytest

from attunement import tables
from attunement.errors import UserError
from attunement.instruments import load_instrument
from attunement.instruments.on_scale import refuse_off_scale


def check(name: str, dimension: str, instrument: str = "", **said: Any) -> None:
    row = {
        "unit": "response",
        "unit_id": "a1",
        "rater": "ann",
        "rater_kind": "human",
        "instrument": instrument or f"{name}@1",
        "dimension": dimension,
        "status": "ok",
        **said,
    }
    refuse_off_scale(tables.conform(pl.DataFrame([row]), "ratings"), load_instrument(name))


@pytest.mark.parametrize(
    ("name", "dimension", "said"),
    [
        ("counselbench-eval", "overall", {"value": 1.0}),
        ("counselbench-eval", "overall", {"value": 5.0}),
        ("counselbench-eval", "overall", {"value": None, "status": "not_sure"}),
        ("counselbench-eval", "medical_advice", {"value": 0.0}),
        ("counselbench-eval", "unheard_of", {"value": 99.0}),
        ("counselbench-eval", "overall", {"value": 99.0, "instrument": "counselbench-eval@2"}),
        ("low-rating-issues", "issues", {"value": 1.0, "labels": ["lacking_empathy"]}),
        ("low-rating-issues", "issues", {"value": 0.0, "labels": []}),
    ],
)
def test_what_could_have_been_given_passes(name: str, dimension: str, said: dict[str, Any]) -> None:
    check(name, dimension, **said)


@pytest.mark.parametrize(
    ("name", "dimension", "said", "told"),
    [
        ("counselbench-eval", "overall", {"value": 0.0}, "the value 0 is not .*, 1 to 5"),
        ("counselbench-eval", "overall", {"value": 5.01}, "the value 5.01 is not .*, 1 to 5"),
        ("counselbench-eval", "medical_advice", {"value": 2.0}, "1 for yes and 0 for no"),
        ("low-rating-issues", "issues", {"labels": ["bogus"]}, "the label 'bogus' is not among"),
    ],
)
def test_what_could_not_is_refused_and_placed(
    name: str, dimension: str, said: dict[str, Any], told: str
) -> None:
    with pytest.raises(UserError, match=told) as error:
        check(name, dimension, **said)
    assert error.value.where == "ratings table, rater 'ann', response 'a1'"
    assert error.value.fix
