"""The report on a scale: its parts, the paper's layout, and what it says in words."""

import numpy as np
import pytest

from attunement.instruments import load_instrument
from attunement.psychometrics import (
    OVERALL,
    Answers,
    Report,
    from_instrument,
    from_items,
    from_matrix,
    layout,
    only,
    report,
    sentences,
)
from attunement.psychometrics.words import HEADINGS, cells
from stubs.likert import answers

ITEMS = [f"x{i}" for i in range(1, 10)]
THREE = {"f": ("x1", "x2", "x3"), "g": ("x4", "x5", "x6"), "h": ("x7", "x8", "x9")}


def given(values: np.ndarray, **how: object) -> Answers:
    scale = from_items(ITEMS, ends=(1, 5), subscales=THREE, **how)  # type: ignore[arg-type]
    return from_matrix(values, scale)


def reported(found: Answers, **how: object) -> Report:
    return report(found, **{"replicates": 20, **how})  # type: ignore[arg-type]


def test_each_subscale_and_the_whole_are_reported() -> None:
    found = reported(given(answers()))
    assert [p.id for p in found.parts] == ["f", "g", "h", OVERALL]
    # R, psych 2.2.9: tests/stats/psychometrics.R
    assert found.parts[0].reliability.alpha.estimate == pytest.approx(0.6888735621)
    assert found.parts[-1].reliability.alpha.estimate == pytest.approx(0.7876309524)
    hierarchical, total = found.hierarchy
    assert hierarchical.estimate == pytest.approx(0.6071262, abs=2e-5)
    assert total.estimate == pytest.approx(0.8451001, abs=2e-5)
    assert hierarchical.ci_low < hierarchical.estimate < hierarchical.ci_high


def test_every_estimate_says_what_it_is_about() -> None:
    for result in reported(given(answers())).results():
        assert result.group["scale"] in ("f", "g", "h", OVERALL)
        assert result.n == 300
        assert result.signature


def test_the_table_has_the_columns_of_the_paper_and_alpha_only_for_the_whole() -> None:
    rows = layout(reported(given(answers())))
    assert len(cells(rows[0])) == len(HEADINGS)
    assert cells(rows[0]) == ("f", "0.43", "0.35 to 0.56", "0.51", "0.41 to 0.56", "0.69")
    assert cells(rows[-1]) == (OVERALL, "N/A", "N/A", "N/A", "N/A", "0.79")


def test_an_item_that_weakens_its_scale_is_named() -> None:
    x = answers().copy()
    x[:, 2] = np.roll(x[:, 2], 7)  # other people's answers
    found = given(x)
    said = " ".join(sentences(reported(found), found.scale))
    assert "f is weak" in said
    assert "x3 does it" in said
    assert "without it alpha would be 0.72" in said  # R: alpha(x[, 1:2])


def test_an_item_that_was_not_turned_is_warned_of() -> None:
    x = answers().copy()
    x[:, 2] = 6 - x[:, 2]
    found = given(x)
    said = " ".join(sentences(reported(found), found.scale))
    assert "f: x3 correlates negatively with the other items (-0.41). Is it reverse-coded?" in said
    turned = given(x, reverse=["x3"])
    again = " ".join(sentences(reported(turned), turned.scale))
    assert "negatively" not in again
    assert reported(turned).parts[0].reliability.alpha.estimate == pytest.approx(0.6888735621)


def test_an_item_that_was_turned_twice_is_asked_about() -> None:
    found = given(answers(), reverse=["x3"])  # the answers were fine as they were
    said = " ".join(sentences(reported(found), found.scale))
    assert "was it turned before as well" in said


def test_a_weak_scale_without_a_culprit_says_so() -> None:
    rng = np.random.default_rng(1)
    common = rng.standard_normal((400, 1))
    x = np.clip(np.round(3 + 0.7 * common + rng.standard_normal((400, 9))), 1, 5)
    found = given(x)
    said = " ".join(sentences(reported(found), found.scale))
    assert "No single item does it" in said


def test_the_reversed_item_of_the_ces_lcc_is_called_so() -> None:
    scale = only(from_instrument(load_instrument("ces-lcc")), ["crr1", "crr2", "crr3"])
    x = answers()[:49, :3].copy()
    x[:, 2] = np.roll(x[:, 2], 5)
    found = from_matrix(x, scale)
    said = " ".join(sentences(reported(found), scale))
    assert "crr (Clarity and relevance of responses) is weak" in said
    assert "crr3, a reversed item, does it" in said
    assert "49 answered, fewer than 100" in said


def test_floor_and_ceiling_effects_are_said() -> None:
    x = answers().copy()
    x[:60, :3] = 5
    found = given(x)
    assert reported(found).parts[0].ceiling.estimate >= 0.2
    assert any("ceiling effect" in s for s in sentences(reported(found), found.scale))


def test_a_constant_item_is_named_in_the_reason() -> None:
    x = answers().copy()
    x[:, 4] = 3
    found = given(x)
    made = reported(found)
    why = "everyone gave the same answer to x5"
    assert made.parts[1].reliability.omega_total.reason == why
    assert made.hierarchy[0].reason == why
    assert "x5 does it: everyone gave the same answer to it" in " ".join(
        sentences(made, found.scale)
    )


def test_answers_about_several_chatbots_are_warned_of() -> None:
    found = given(answers())
    mixed = Answers(
        found.values,
        found.items,
        found.respondents,
        tuple("ab"[i % 2] for i in range(300)),
        found.ends,
        found.scale,
    )
    assert any("several chatbots" in note for note in reported(mixed).notes)


def test_two_items_are_no_scale_for_omega_but_have_alpha() -> None:
    found = from_matrix(answers()[:, :2], from_items(["a", "b"], ends=(1, 5)))
    made = reported(found)
    assert made.parts[0].reliability.alpha.estimate == pytest.approx(0.7195610138)  # R
    assert made.hierarchy[0].reason == "2 items are too few for 3 factors"


def test_an_alpha_just_below_what_is_enough_does_not_look_like_it() -> None:
    # Two parallel items that correlate 0.5367: alpha 2 r / (1 + r) = 0.6985.
    half = np.repeat([[1.0, 1.0], [0.0, 0.0]], 7683, axis=0)
    odd = np.repeat([[1.0, 0.0], [0.0, 1.0]], 2317, axis=0)
    scale = from_items(["a", "b"])
    found = report(from_matrix(np.concatenate([half, odd]), scale), replicates=0)
    assert any("is weak: alpha 0.698" in s for s in sentences(found, scale))
