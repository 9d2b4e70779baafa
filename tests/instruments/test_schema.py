"""What an instrument file may say, and how its mistakes are named."""

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from attunement.errors import UserError
from attunement.instruments import Instrument, parse_instrument

Change = Callable[[dict[str, Any]], Any]


def valid() -> dict[str, Any]:
    return {
        "id": "scale-x",
        "version": 1,
        "title": {"en": "X", "it": "X"},
        "description": {"en": "About X.", "it": "Su X."},
        "unit": "session",
        "languages": ["en", "it"],
        "dimensions": [
            {
                "id": "easy",
                "label": {"en": "Easy", "it": "Facile"},
                "wording": {"en": "It is easy.", "it": "È facile."},
                "scale": {
                    "type": "integer",
                    "min": 1,
                    "max": 5,
                    "anchors": {1: {"en": "no", "it": "no"}, 5: {"en": "yes", "it": "sì"}},
                    "better": "higher",
                    "not_sure": True,
                },
                "evidence": ["rationale", "spans"],
                "reversed": True,
                "priority": "high",
            },
            {
                "id": "flaws",
                "label": {"en": "Flaws", "it": "Difetti"},
                "wording": {"en": "Which flaws?", "it": "Quali difetti?"},
                "scale": {
                    "type": "multi",
                    "options": [
                        {"id": "no", "label": {"en": "none", "it": "nessuno"}},
                        {"id": "yes", "label": {"en": "some", "it": "alcuni"}, "value": 1},
                    ],
                },
                "required": False,
            },
        ],
        "instructions": {"en": "Answer.", "it": "Risponda."},
        "caution": {"en": "New.", "it": "Nuovo."},
        "steps": [
            {"id": "first", "label": {"en": "First", "it": "Primo"}, "dimensions": ["easy"]},
            {"id": "then", "label": {"en": "Then", "it": "Poi"}, "dimensions": ["flaws"]},
        ],
        "subscales": [{"id": "use", "label": {"en": "Use", "it": "Uso"}, "dimensions": ["easy"]}],
        "source": {"citation": "Someone (2020)"},
        "license": "CC-BY-4.0",
        "judge": {"system": "You rate.", "task": "Rate it."},
    }


def load(change: Change) -> Instrument:
    data = valid()
    change(data)
    return parse_instrument(yaml.safe_dump(data), where="x.yaml")


def test_a_full_instrument_loads() -> None:
    instrument = load(lambda d: None)
    assert instrument.name == "scale-x@1"
    assert instrument.language == "en"
    assert instrument.dimension("easy").reversed
    with pytest.raises(KeyError):
        instrument.dimension("hard")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.update(dimension=[]), "dimension: unknown key; did you mean 'dimensions'?"),
        (
            lambda d: d["dimensions"][0].update(wordings={}),
            "dimensions.0.wordings: unknown key; did you mean 'wording'?",
        ),
        (
            lambda d: d["dimensions"][0]["scale"].update(maximum=3),
            "dimensions.0.scale.maximum: unknown key; did you mean 'max'?",
        ),
        (
            lambda d: d["judge"].update(zzz=1),
            "judge.zzz: unknown key; known: per, prompts, rationale_chars",
        ),
        (lambda d: d.pop("license"), "license: this key is missing"),
        (lambda d: d.update(id="Scale X"), "is no name for tables"),
        (lambda d: d.update(version=0), "version:"),
        (lambda d: d.update(unit="answer"), "unit: 'item', 'response'"),
        (lambda d: d["dimensions"][0]["scale"].update(type="likert"), "dimensions.0.scale:"),
        (lambda d: d["dimensions"][0]["scale"].update(min=5), "min 5 is not below max 5"),
        (lambda d: d["dimensions"][0]["scale"].update(max=5.5), "whole numbers"),
        (
            lambda d: d["dimensions"][0]["scale"]["anchors"].update({6: {"en": "a", "it": "b"}}),
            "the anchor 6 is outside 1 to 5",
        ),
        (lambda d: d["dimensions"].append(d["dimensions"][0]), "'easy' stands there twice"),
        (lambda d: d["title"].pop("it"), "title has no text in 'it'"),
        (lambda d: d["title"].update(fr="X"), "title has a text in 'fr'"),
        (
            lambda d: d["dimensions"][1]["scale"]["options"][0]["label"].pop("it"),
            "dimension 'flaws' has no text in 'it'",
        ),
        (
            lambda d: d["subscales"][0].update(dimensions=["eazy"]),
            "subscale 'use' names 'eazy', which is no dimension; did you mean 'easy'?",
        ),
        (
            lambda d: d["steps"][1].update(dimensions=["flaw"]),
            "step 'then' names 'flaw', which is no dimension; did you mean 'flaws'?",
        ),
        (
            lambda d: d["steps"][1].update(dimensions=["easy", "flaws"]),
            "the dimension of a step 'easy' stands there twice",
        ),
        (lambda d: d["steps"].pop(), "'flaws' stands in no step"),
        (lambda d: d["steps"][0]["label"].pop("it"), "step 'first' has no text in 'it'"),
        (lambda d: d["caution"].pop("it"), "caution has no text in 'it'"),
        (lambda d: d["instructions"].pop("it"), "instructions has no text in 'it'"),
        (lambda d: d.update(schema_version=2), "schema_version: 1 is wanted here, not 2"),
        (lambda d: d["judge"].pop("task"), "needs a 'task'"),
        (lambda d: d["judge"].update(prompts={"easy": "?"}), "belong to the style 'appended'"),
        (lambda d: d["judge"].update(reply="number"), "needs per: dimension"),
        (
            lambda d: d["judge"].update(reply="number", per="dimension"),
            "'flaws' is not a number",
        ),
        (
            lambda d: d["judge"].update(
                style="appended", per="dimension", reply="json", prompts={"easy": "?"}
            ),
            "judge.prompts has no prompt for 'flaws'",
        ),
    ],
)
def test_a_mistake_is_named(change: Change, said: str) -> None:
    with pytest.raises(UserError) as caught:
        load(change)
    assert said in caught.value.what
    assert caught.value.where == "x.yaml"


def test_words_that_yaml_takes_for_booleans_stay_words() -> None:
    text = yaml.safe_dump(valid()).replace("'no'", "no").replace("'yes'", "yes")
    assert "id: no\n" in text
    flaws = parse_instrument(text, where="x.yaml").dimension("flaws").scale
    assert [o.id for o in flaws.options] == ["no", "yes"]  # type: ignore[union-attr]


def test_a_key_given_twice_is_an_error() -> None:
    with pytest.raises(UserError, match="'id' is given twice") as caught:
        parse_instrument("id: a\nid: b\n", where="x.yaml")
    assert caught.value.where == "x.yaml, line 2"


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "just words", "a: [1, 2", "a: b: c", "\x00"])
def test_what_is_no_mapping_is_an_error(text: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_instrument(text, where="x.yaml")
    assert caught.value.where is not None
    assert caught.value.where.startswith("x.yaml")


def test_a_step_has_its_own_dimensions_subscales_and_instructions() -> None:
    def change(data: dict[str, Any]) -> None:
        data["steps"][1]["instructions"] = {"en": "Now these.", "it": "Ora queste."}

    instrument = load(change)
    first, then = instrument.step("first"), instrument.step("then")
    assert [d.id for d in first.dimensions] == ["easy"]
    assert [s.id for s in first.subscales] == ["use"]
    assert [d.id for d in then.dimensions] == ["flaws"]
    assert then.subscales == ()
    assert first.instructions is not None
    assert then.instructions is not None
    assert (first.instructions["en"], then.instructions["en"]) == ("Answer.", "Now these.")
    with pytest.raises(KeyError):
        instrument.step("last")


@pytest.mark.parametrize(
    ("dimension", "rating", "fits"),
    [
        (0, 5, True),
        (0, 6, False),
        (0, 2.5, False),
        (0, "yes", False),
        (1, "yes", True),
        (1, ["yes", "no"], True),
        (1, "maybe", False),
        (1, 1, False),
    ],
)
def test_a_worked_example_is_rated_on_the_scale(dimension: int, rating: Any, fits: bool) -> None:
    words = {"en": "x", "it": "x"}
    example = {"answer": words, "rating": rating, "why": words}

    def change(data: dict[str, Any]) -> None:
        data["dimensions"][dimension]["examples"] = [example]

    if fits:
        assert load(change).dimensions[dimension].examples[0].why == words
    else:
        with pytest.raises(UserError, match="is not on the dimension's scale"):
            load(change)


def test_the_words_of_an_example_are_in_every_language() -> None:
    example = {"answer": {"en": "x"}, "rating": 5, "why": {"en": "x", "it": "x"}}
    with pytest.raises(UserError, match="dimension 'easy' has no text in 'it'"):
        load(lambda d: d["dimensions"][0].update(examples=[example]))
