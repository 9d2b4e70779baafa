"""The instruments that ship."""

import re
from pathlib import Path

import pytest

from attunement.errors import UserError
from attunement.instruments import NumberScale, list_instruments, load_instrument


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
    file.write_text(
        """
        id: mine
        version: 2
        title: {en: Mine}
        description: {en: One question.}
        unit: response
        dimensions:
          - id: warm
            label: {en: Warm}
            wording: {en: "Is it warm?"}
            scale: {type: boolean, better: higher}
        source: {citation: me}
        license: CC0-1.0
        """
    )
    assert load_instrument(file).name == "mine@2"
