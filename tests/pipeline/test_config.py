from pathlib import Path

import pytest

from attunement.errors import UserError
from attunement.pipeline.config import load_study


def write(folder: Path, text: str) -> Path:
    path = folder / "study.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_small_study_needs_a_name_and_data_only(tmp_path: Path) -> None:
    study = load_study(write(tmp_path, "name: first\ndata: {source: sample}\n"))
    assert study.data.source == "sample"
    assert study.variant == "standard"
    assert study.models == []


def test_paths_are_relative_to_the_study_file(tmp_path: Path) -> None:
    text = "name: a\ndata: {source: table, path: q.csv}\nresponses: [r.csv]\n"
    study = load_study(write(tmp_path, text))
    assert study.data.path == tmp_path / "q.csv"
    assert study.responses == [tmp_path / "r.csv"]


@pytest.mark.parametrize(
    ("text", "said", "fix"),
    [
        ("name: a\ndata: {source: sample}\nmodles: []\n", "'modles'", "'models'"),
        ("name: a\ndata: {source: sample, topic: [x]}\n", "'data.topic'", "'topics'"),
        (
            "name: a\ndata: {source: sample}\nmodels: [{model: local, temprature: 1}]\n",
            "'models.0.temprature'",
            "'temperature'",
        ),
    ],
)
def test_an_unknown_key_gets_the_nearest_known_one(
    tmp_path: Path, text: str, said: str, fix: str
) -> None:
    with pytest.raises(UserError) as caught:
        load_study(write(tmp_path, text))
    assert said in caught.value.what
    assert fix in str(caught.value.fix)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("data: {source: sample}\n", "'name' is missing"),
        ("name: a\ndata: {source: sample, limit: 0}\n", "data.limit"),
        ("name: a\ndata: {source: sample}\nvariant: papers\n", "variant"),
        ("- a\n", "mapping"),
        ("", "mapping"),
        ("a: [\n", "not valid YAML"),
    ],
)
def test_a_bad_file_says_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        load_study(write(tmp_path, text))


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such study file"):
        load_study(tmp_path / "none.yaml")
