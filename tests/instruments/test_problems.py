"""All that is wrong with a file, by line and key."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from attunement.errors import UserError
from attunement.instruments import check_instrument
from attunement.instruments._problems import read
from stubs.instrument_text import MINE

FAULTY = """\
id: mine
version: 1
titel: {en: Mine}
title: {en: Mine}
description: {en: One question.}
unit: answer
dimensions:
  - id: warm
    label: {en: Warm}
    wordings: {en: "Is it warm?"}
    scale:
      type: integer
      min: 1
      maks: 5
      max: 5
      better: up
source: {citation: me}
licence: CC0-1.0
"""


def test_every_problem_has_its_line_key_reason_and_nearest_known_key(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(FAULTY)
    found = {(p.line, p.key): (p.reason, p.nearest) for p in check_instrument(file)}
    assert {p.file for p in check_instrument(file)} == {str(file)}
    assert found[3, "titel"] == ("unknown key", "title")
    assert found[10, "dimensions.0.wordings"] == ("unknown key", "wording")
    assert found[14, "dimensions.0.scale.maks"] == ("unknown key", "max")
    assert found[18, "licence"] == ("unknown key", "license")
    assert found[8, "dimensions.0.wording"] == ("this key is missing", None)
    assert found[16, "dimensions.0.scale.better"][0] == (
        "'higher', 'lower' or 'neither' is wanted here, not 'up'"
    )
    assert found[6, "unit"][0].startswith("'item', 'response'")
    assert found[1, "license"] == ("this key is missing", None)
    assert len(found) == 8  # and not that 'dimensions' is empty, which it is not


VALID = yaml.safe_load(MINE)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("title", "Mine", 'a text by language is wanted here: {en: "Mine"}'),
        ("title", {"en": 5}, 'a text is wanted here; in quotes it is one: "5"'),
        ("title", {"en": True}, 'a text is wanted here; in quotes it is one: "true"'),
        ("title", {"en": None}, "the text is missing"),
        ("title", {"EN": "Mine"}, "a language code such as en or pt-BR is wanted as the key"),
        ("languages", "en", "a list is wanted here: [en]"),
        ("languages", ["english"], "'english' is no language code, such as en or pt-BR"),
        ("id", "My Scale", "'My Scale' is no name for tables: lower-case letters and digits"),
        ("version", "one", "a whole number is wanted here, not 'one'"),
        ("version", 1.5, "a whole number is wanted here, not 1.5"),
        ("version", 0, "1 or more is wanted here, not 0"),
        ("dimensions", [], "at least 1 entry is wanted here"),
        ("dimensions", {"a": 1}, "a list is wanted here, not keys and values"),
        ("dimensions", ["warm"], "keys and values are wanted here, not a text"),
        ("source", "me", "keys and values are wanted here, not a text"),
        ("license", ["CC0"], "a text is wanted here, not a list"),
        ("license", "  ", "the text is empty"),
    ],
)
def test_a_reason_is_in_words_for_whoever_writes_the_file(
    key: str, value: object, said: str
) -> None:
    _, problems = read(yaml.safe_dump({**VALID, key: value}), "x.yaml")
    assert any(p.key.startswith(key) and p.reason.startswith(said) for p in problems), problems
    assert not any("[key]" in p.key for p in problems)


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        ({"type": "likert"}, "no scale has the type 'likert'; known: integer, number"),
        ({"min": 1}, "a scale needs a type: integer, number"),
        ([1, 5], "keys and values are wanted here, not a list"),
        (
            {"type": "integer", "min": 1, "max": "five", "better": "higher"},
            "a number is wanted here, not 'five'",
        ),
        (
            {"type": "integer", "min": 1, "max": float("inf"), "better": "higher"},
            "a finite number is wanted here, not inf",
        ),
        (
            {"type": "boolean", "better": "higher", "not_sure": "maybe"},
            "true or false is wanted here, not 'maybe'",
        ),
        (
            {
                "type": "integer",
                "min": 1,
                "max": 5,
                "better": "higher",
                "anchors": {"low": {"en": "x"}},
            },
            "an anchor belongs to a value of the scale",
        ),
        (
            {
                "type": "integer",
                "min": 1,
                "max": 12_345_678,
                "better": "higher",
                "anchors": {12_345_679: {"en": "x"}},
            },
            "the anchor 12345679 is outside 1 to 12345678",
        ),
    ],
)
def test_a_reason_about_a_scale(scale: object, said: str) -> None:
    dimension = {"id": "d", "label": {"en": "D"}, "wording": {"en": "D?"}, "scale": scale}
    _, problems = read(yaml.safe_dump({**VALID, "dimensions": [dimension]}), "x.yaml")
    assert [p.reason[: len(said)] for p in problems] == [said]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title: {en: Which tone?}", '{en: "Which tone?"}'),
        ("title: {en: Is it: warm}", '{en: "Which tone?"}'),
        ("license: CC: zero", "a text with a colon in it needs quotes"),
        ("source:\n\tcitation: me", "spaces, not with tabs"),
    ],
)
def test_what_yaml_takes_for_its_own_is_said_with_a_remedy(text: str, said: str) -> None:
    _, (problem,) = read(text, "x.yaml")
    assert problem.reason.startswith("not valid YAML")
    assert said in problem.reason


def test_an_instrument_of_the_library_is_checked_by_its_name() -> None:
    assert check_instrument("counselbench-eval") == []
    with pytest.raises(UserError, match="did you mean 'counselbench-eval'"):
        check_instrument("counselbench-evl")


def test_a_valid_file_has_no_problem(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    changes = {
        "titel: {en: Mine}\n": "",
        "unit: answer": "unit: response",
        "wordings": "wording",
        "      maks: 5\n": "",
        "better: up": "better: higher",
        "licence": "license",
    }
    text = FAULTY
    for old, new in changes.items():
        text = text.replace(old, new)
    file.write_text(text)
    assert check_instrument(file) == []
    file.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert check_instrument(file) == []


@pytest.mark.parametrize("name", ["missing.yaml", "."])
def test_what_cannot_be_read_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError):
        check_instrument(tmp_path / name)


def test_bytes_that_are_no_text_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="not UTF-8"):
        check_instrument(tmp_path / "x.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "? [a, b]\n: c\n",
        "dimensions: 3\n",
        "dimensions: [1, [2], {a: b}]\n",
        "dimensions: [{scale: {type: 3}}]\n",
        "judge: []\nsteps: {a: b}\n1: 2\n",
        "a: !!python/object:os.system {}\n",
        "a: &x [*x]\n",
        "[" * 5000,
    ],
)
def test_odd_files_have_problems_and_no_traceback(text: str) -> None:
    instrument, problems = read(text, "x.yaml")
    assert instrument is None
    assert problems
    assert all(str(p) for p in problems)


keys = st.sampled_from(
    ["id", "title", "dimensions", "scale", "type", "steps", "examples", "x", "no"]
)
leaves = st.one_of(st.integers(-9, 9), st.text(max_size=3), st.booleans(), st.none())
trees = st.recursive(
    leaves, lambda t: st.lists(t, max_size=3) | st.dictionaries(keys, t, max_size=4), max_leaves=12
)


@settings(max_examples=100, deadline=None)
@given(data=st.dictionaries(keys, trees, max_size=5))
def test_any_mapping_has_problems_and_no_traceback(data: dict[str, object]) -> None:
    instrument, problems = read(yaml.safe_dump(data), "x.yaml")
    assert instrument is None
    assert all(p.file == "x.yaml" and str(p) for p in problems)
