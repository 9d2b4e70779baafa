"""The structure of a scale: factors, the instrument's model, and warnings."""

import math
from dataclasses import replace

import numpy as np
import pytest

from attunement.errors import UserError
from attunement.psychometrics import Answers, from_items, from_matrix
from attunement.psychometrics.structure import structure
from stubs.likert import answers, with_gaps

ITEMS = [f"x{i}" for i in range(1, 10)]
THREE = {"f": ("x1", "x2", "x3"), "g": ("x4", "x5", "x6"), "h": ("x7", "x8", "x9")}


def given(values: np.ndarray) -> Answers:
    return from_matrix(values, from_items(ITEMS, ends=(1, 5), subscales=THREE))


def test_the_model_of_the_subscales_is_fitted_both_ways() -> None:
    found = structure(given(answers()), replicates=0)
    ml, wlsmv = found.confirmed
    assert found.factors == ("f", "g", "h")
    assert ml.found is not None
    assert wlsmv.found is not None
    # lavaan: tests/stats/psychometrics.R
    assert ml.found.fit.cfi == pytest.approx(0.98492476695)
    assert wlsmv.found.fit.cfi == pytest.approx(0.9939056141)
    by_name = {(r.name, r.group["estimator"]): r for r in found.results() if len(r.group) == 1}
    rmsea = by_name["rmsea", "ml"]
    assert (rmsea.ci_level, rmsea.ci_high) == (0.9, pytest.approx(0.06366432, abs=1e-6))
    assert by_name["srmr", "wlsmv"].reason == "it has no accepted interval"


def test_loadings_come_with_intervals_and_names() -> None:
    found = structure(given(answers()), n_factors=3, replicates=30)
    assert found.exploratory is not None
    loading = next(
        r for r in found.exploratory.loadings if r.group == {"item": "x2", "factor": "2"}
    )
    assert loading.estimate == pytest.approx(0.7107, abs=2e-4)  # R: fa(x, 3)
    assert loading.ci_low < 0.7107 < loading.ci_high
    assert len(found.exploratory.correlations) == 3
    standardized = [r for r in found.results() if r.name == "standardized_loading"]
    assert standardized[0].group == {"estimator": "ml", "item": "x1", "factor": "f"}
    assert standardized[0].ci_low == pytest.approx(0.7699 - 1.96 * 0.04295, abs=1e-3)  # lavaan


def test_few_respondents_are_warned_of() -> None:
    assert "WARNING: 49 respondents" in structure(given(answers()[:49]), replicates=0).notes[0]
    assert not any("WARNING" in n for n in structure(given(answers()), replicates=0).notes)


def test_the_model_takes_complete_answers_and_counts_the_others() -> None:
    whole = int((~np.isnan(with_gaps()).any(axis=1)).sum())
    found = structure(given(with_gaps()), replicates=0)
    assert found.confirmed[0].n == whole
    assert found.confirmed[0].n_missing == 300 - whole
    assert found.parallel.n > whole


def test_a_model_that_cannot_be_fitted_says_why() -> None:
    found = given(answers())
    pairs = {"f": ("x1",), "g": tuple(ITEMS[1:])}
    lone = replace(found, scale=replace(found.scale, subscales=pairs))
    made = structure(lone, replicates=0)
    assert all("at least three items" in (c.reason or "") for c in made.confirmed)
    cfi = next(r for r in made.results() if r.name == "cfi")
    assert math.isnan(cfi.estimate)
    assert "at least three items" in (cfi.reason or "")


def test_subscales_that_leave_items_out_are_no_model() -> None:
    found = given(answers())
    some = replace(found, scale=replace(found.scale, subscales={"f": THREE["f"]}))
    assert structure(some, replicates=0).confirmed == ()


def test_answers_that_are_not_categories_have_no_wlsmv() -> None:
    x = answers() + np.random.default_rng(1).uniform(-0.4, 0.4, (300, 9))
    found = from_matrix(x, from_items(ITEMS, subscales=THREE))
    ml, wlsmv = structure(found, replicates=0).confirmed
    assert ml.reason is None
    assert "not ordered categories" in (wlsmv.reason or "")


def test_unrelated_items_have_no_factor() -> None:
    x = np.random.default_rng(11).integers(1, 6, (300, 9)).astype(float)
    found = structure(given(x), replicates=0)
    assert found.exploratory is None
    assert any("suggests no factor" in note for note in found.notes)


@pytest.mark.parametrize(
    ("values", "message"),
    [(np.ones((20, 9)), "same answer to x1"), (answers()[:1], "fewer than two respondents")],
)
def test_answers_without_structure_are_refused(values: np.ndarray, message: str) -> None:
    with pytest.raises(UserError, match=message):
        structure(given(values), replicates=0)
