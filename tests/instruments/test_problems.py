"""All that is wrong with a file, by line and key."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attunement.errors import UserError
from attunement.instruments import check_instrument
from attunement.instruments._problems import read

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
    assert found[8, "dimensions.0.wording"] == ("Field required", None)
    assert found[16, "dimensions.0.scale.better"][0].startswith("Input should be 'higher'")
    assert found[6, "unit"][0].startswith("Input should be 'item'")
    assert found[1, "license"] == ("Field required", None)
    assert len(found) == 8  # and not that 'dimensions' is empty, which it is not


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
    import yaml

    instrument, problems = read(yaml.safe_dump(data), "x.yaml")
    assert instrument is None
    assert all(p.file == "x.yaml" and str(p) for p in problems)
