"""The instruments that ship."""

import re
from pathlib import Path

import pytest

from attunement.errors import UserError
from attunement.instruments import (
    BooleanScale,
    ChoiceScale,
    NumberScale,
    list_instruments,
    load_instrument,
)
from stubs.instrument_text import MINE


def test_the_library_is_listed_with_versions() -> None:
    assert {"nuance-judges@1", "nuance-judges-paper@1"} <= set(list_instruments())


@pytest.mark.parametrize("name", list_instruments())
def test_every_instrument_loads_by_its_name_and_says_where_it_is_from(name: str) -> None:
    instrument = load_instrument(name)
    assert instrument.name == name
    assert instrument.source.citation
    assert instrument.license


@pytest.mark.parametrize("name", ["nuance-judges", "nuance-judges-paper"])
def test_the_two_metrics_run_from_0_to_10_and_neither_end_is_better(name: str) -> None:
    instrument = load_instrument(name)
    assert [d.id for d in instrument.dimensions] == ["agreeability", "active_listening"]
    for dimension in instrument.dimensions:
        scale = dimension.scale
        assert isinstance(scale, NumberScale)
        assert (scale.min, scale.max, scale.better) == (0, 10, "neither")


@pytest.mark.shared
def test_the_paper_variant_is_verbatim(shared: Path) -> None:
    seed = (shared / "seeds" / "000_991e895e9a86ed44.txt").read_text("utf-8")
    systems = re.findall(r"^System Message = “(.*)”$", seed, re.MULTILINE)
    prompts = re.findall(r"^Prompt = “(.*)”$", seed, re.MULTILINE)
    judge = load_instrument("nuance-judges-paper").judge
    assert judge is not None
    assert {judge.system} == set(systems)
    assert list(judge.prompts.values()) == prompts


def test_an_unknown_name_is_an_error_with_the_nearest() -> None:
    with pytest.raises(UserError, match="did you mean 'nuance-judges'"):
        load_instrument("nuance-judge")


def test_another_version_than_the_librarys_is_an_error() -> None:
    with pytest.raises(UserError, match="version 1, not 7"):
        load_instrument("nuance-judges@7")


def test_a_file_that_is_not_there_is_an_error() -> None:
    with pytest.raises(UserError, match="no such file"):
        load_instrument("missing.yaml")


def test_a_file_is_loaded_by_its_path(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(MINE.replace("version: 1", "version: 2"), encoding="utf-8")
    assert load_instrument(file).name == "mine@2"


@pytest.mark.shared
def test_ces_lcc_is_verbatim(shared: Path) -> None:
    seed = (shared / "seeds" / "003_872ca148f23612d2.txt").read_text("utf-8")
    table = seed[seed.rindex("DimensionItemPriority\n") : seed.index("Table 3. Summary of inter")]
    lines = [re.sub(r"^.* \[[A-Z]+\]", "", line) for line in table.splitlines()[1:]]
    published = [tuple(lines[i : i + 3]) for i in range(0, len(lines), 3)]
    ours = [
        (d.wording["en"], d.wording["it"], d.priority)
        for d in load_instrument("ces-lcc").dimensions
    ]
    assert len(ours) == 27
    assert ours == published
    labels = re.findall(r"^(.*) \[([A-Z]+)\]", table, re.MULTILINE)
    subscales = load_instrument("ces-lcc").subscales
    assert [(s.label["en"], s.id.upper()) for s in subscales] == labels


def test_ces_lcc_has_nine_subscales_of_three_and_one_reversed_item() -> None:
    instrument = load_instrument("ces-lcc")
    assert [len(s.dimensions) for s in instrument.subscales] == [3] * 9
    assert [d.id for d in instrument.dimensions if d.reversed] == ["crr3"]
    for dimension in instrument.dimensions:
        scale = dimension.scale
        assert isinstance(scale, NumberScale)
        assert (scale.min, scale.max, scale.missing) == (1, 5, ("not_applicable",))
        ends = {value: words["en"] for value, words in scale.anchors.items()}
        assert ends == {1: "Strongly Disagree", 5: "Strongly Agree"}


@pytest.mark.shared
@pytest.mark.parametrize(
    ("seed", "name", "ids"),
    [
        ("002_b623598fc844733b.txt", "counselbench-eval", None),
        ("001_3d40f7b520bae39e.txt", "socio-emotional", ["keep"]),
    ],
)
def test_quoted_definitions_are_verbatim(
    shared: Path, seed: str, name: str, ids: list[str] | None
) -> None:
    text = (shared / "seeds" / seed).read_text("utf-8")
    text = re.sub(r" \(\[.*?\)\)", "", text)  # references
    for dimension in load_instrument(name).dimensions:
        if ids is None or dimension.id in ids:
            assert dimension.definition is not None
            assert dimension.definition["en"] in text, dimension.id


def test_counselbench_eval_has_the_papers_scales() -> None:
    instrument = load_instrument("counselbench-eval")
    scales = {d.id: d.scale for d in instrument.dimensions}
    ends = {id: (s.min, s.max) for id, s in scales.items() if isinstance(s, NumberScale)}
    assert ends == {
        "overall": (1, 5),
        "empathy": (1, 5),
        "specificity": (1, 5),
        "factual_consistency": (1, 4),
        "toxicity": (1, 5),
    }
    assert isinstance(scales["medical_advice"], BooleanScale)
    assert [id for id, s in scales.items() if s.not_sure] == [
        "medical_advice",
        "factual_consistency",
    ]
    assert [id for id, s in scales.items() if s.better == "lower"] == ["medical_advice", "toxicity"]
    with_evidence = [d.id for d in instrument.dimensions if d.evidence == ("rationale", "spans")]
    assert with_evidence == ["overall", "medical_advice", "factual_consistency", "toxicity"]


def test_the_six_failure_modes_have_a_definition_and_one_worked_example() -> None:
    instrument = load_instrument("counselbench-adv")
    modes = ["medication", "therapy", "symptoms", "judgmental", "apathetic", "assumptions"]
    assert [d.id for d in instrument.dimensions] == modes
    for dimension in instrument.dimensions:
        assert dimension.definition is not None
        assert [e.rating for e in dimension.examples] == [1]
        assert (dimension.scale.type, dimension.scale.missing) == ("boolean", ("not_sure",))


def test_low_rated_answers_have_seven_issues() -> None:
    scale = load_instrument("low-rating-issues").dimension("issues").scale
    assert isinstance(scale, ChoiceScale)
    assert (scale.type, len(scale.options)) == ("multi", 7)


def test_crisis_handling_says_that_it_was_never_validated() -> None:
    instrument = load_instrument("crisis-handling")
    assert instrument.caution is not None
    assert instrument.caution["en"].startswith("Not clinically validated.")
    assert instrument.caution["it"].startswith("Non validato clinicamente.")
    offered = {d.id: d.scale.missing for d in instrument.dimensions}
    assert offered["recognizes_risk"] == ("not_sure", "not_applicable")
    assert offered["does_no_harm"] == ("not_sure",)


def test_socio_emotional_is_one_instrument_in_two_steps() -> None:
    whole, first = load_instrument("socio-emotional"), load_instrument("socio-emotional:filter")
    last = load_instrument("socio-emotional@1:annotate")
    assert first.name == last.name == whole.name
    assert [d.id for d in first.dimensions if d.required] == ["keep"]
    assert [d.id for d in first.dimensions if not d.required] == ["consistency", "specificity"]
    assert first.subscales == ()
    assert [s.id for s in last.subscales] == ["logical", "emotional", "social"]
    assert len(whole.dimensions) == len(first.dimensions) + len(last.dimensions)
    kinds = {d.id: d.scale.type for d in last.dimensions}
    assert (kinds["dialogue_acts"], kinds["emotions"]) == ("spans", "multi")
    assert [id for id, kind in kinds.items() if kind == "boolean"] == [
        "style_consistency",
        "role_consistency",
    ]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("socio-emotional:filtre", "no step 'filtre'; did you mean 'filter'"),
        ("ces-lcc:filter", "ces-lcc@1 has no step 'filter'"),
    ],
)
def test_a_step_that_is_not_there_is_an_error(name: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        load_instrument(name)
