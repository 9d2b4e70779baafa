"""Data sets from the hub, against a stub of it on localhost."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from attunement import datasets
from attunement.datasets import hub
from attunement.errors import UserError
from stubs.hub import serve

pytest.importorskip("huggingface_hub")

CARD = """---
license: mit
configs:
- config_name: small
  data_files:
  - split: test
    path: parts/small-*.jsonl
- config_name: big
  data_files: parts/big.csv
---
# Chats
"""


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    one = tmp_path / "hub" / "datasets" / "someone" / "one"
    many = tmp_path / "hub" / "datasets" / "someone" / "many"
    shards = tmp_path / "hub" / "datasets" / "someone" / "shards"
    none = tmp_path / "hub" / "datasets" / "someone" / "none"
    for folder in (one, many / "parts", shards / "data", none):
        folder.mkdir(parents=True)
    (one / "data.csv").write_text("question,reference\nWhy?,So.\n", encoding="utf-8")
    (many / "README.md").write_text(CARD, encoding="utf-8")
    for name in ("small-1", "small-2"):
        row = {"question": f"{name}?", "reference": "So."}
        (many / "parts" / f"{name}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (many / "parts" / "big.csv").write_text("Frage,Antwort\nWarum?,Darum.\n", encoding="utf-8")
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]
    for n in range(2):
        pl.DataFrame([{"id": str(n), "messages": turns}]).write_parquet(
            shards / "data" / f"train-0000{n}-of-00002.parquet"
        )
    (none / "README.md").write_text("nothing", encoding="utf-8")
    with serve(tmp_path / "hub") as server:
        server.use(monkeypatch, tmp_path / "cache")
        yield server


def test_the_only_file_of_a_data_set_is_loaded(served: Any) -> None:
    loaded = datasets.load("hub:someone/one")
    assert loaded.items["reference"].to_list() == ["So."]
    commit = served.commit("someone/one", dataset=True)
    assert loaded.name == f"hub:someone/one@{commit[:12]}"
    assert f"commit {commit[:12]}: data.csv." in loaded.notes[0]


def test_a_file_goes_through_the_mapping(served: Any) -> None:
    loaded = datasets.load(
        "hub:someone/many#parts/big.csv", mapping={"question": "Frage", "reference": "Antwort"}
    )
    assert loaded.items["reference"].to_list() == ["Darum."]
    fetched = [r for r in served.requests if "/resolve/" in r]
    assert not any("small" in r for r in fetched)


def test_a_configuration_of_the_card_is_several_files(served: Any) -> None:
    loaded = datasets.load("hub", "someone/many@main#small")
    assert loaded.items.height == 2
    assert "License as its card says: mit." in loaded.notes


def test_shards_of_one_split_belong_together(served: Any) -> None:
    assert datasets.load("hub:someone/shards").items["item_id"].to_list() == ["0/1", "1/1"]
    assert datasets.load("hub:someone/shards#data").items.height == 2


def test_nothing_but_the_data_set_is_asked_for(served: Any) -> None:
    datasets.load("hub:someone/one")
    assert {r.split("someone")[0] for r in served.requests} == {
        "GET /api/datasets/",
        "HEAD /datasets/",
        "GET /datasets/",
    }


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("hub:someone/nothing", "no such data set"),
        ("hub:someone/one@v9", "no revision 'v9'"),
        ("hub:someone/one#dat.csv", "Did you mean #data.csv"),
        ("hub:someone/many", "Say which: hub:someone/many#parts/big.csv"),
        ("hub:someone/none", "has no .csv"),
        ("hub:a b", "not an address"),
        ("hub:", "not an address"),
    ],
)
def test_a_wrong_address_is_said(served: Any, address: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        datasets.load(address)


def test_the_tables_of_one_split_are_found(served: Any) -> None:
    paths, source = hub.split_files("hub:someone/shards", ("train",))
    assert [p.name for p in paths] == [f"train-0000{n}-of-00002.parquet" for n in range(2)]
    assert source.startswith("hub:someone/shards@")
    with pytest.raises(UserError, match="no table of the split 'validation'"):
        hub.split_files("hub:someone/shards", ("validation", "dev"))


@pytest.mark.parametrize(
    ("files", "part", "expected"),
    [
        (["default/test/0000.parquet", "default/train/0000.parquet"], None, 0),
        (["data/testing.csv", "data/test.csv"], None, 1),
        (["a/test.csv", "b/test.csv"], "b", 1),
        (["test.csv", "test.parquet"], None, 1),
    ],
)
def test_a_split_is_told_by_a_files_name_or_folder(
    files: list[str], part: str | None, expected: int
) -> None:
    assert hub._of_split(files, hub.Address("a/b", part=part), ("test",)) == [files[expected]]


def test_a_hub_that_cannot_be_reached_is_said(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ConnectionError("refused")

    monkeypatch.setattr("huggingface_hub.HfApi.dataset_info", refuse)
    with pytest.raises(UserError, match="could not be reached: refused"):
        datasets.load("hub:someone/one")


def test_without_the_extra_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(UserError, match=r"attunement\[hub\]"):
        datasets.load("hub:someone/one")


def test_telemetry_is_off(served: Any) -> None:
    from huggingface_hub import constants

    datasets.load("hub:someone/one")
    assert constants.HF_HUB_DISABLE_TELEMETRY is True


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("hub:a/b", ("a/b", None, None)),
        ("a/b@main", ("a/b", "main", None)),
        ("hub:a/b@refs/pr/1#x/y.csv", ("a/b", "refs/pr/1", "x/y.csv")),
        ("hub:squad#plain", ("squad", None, "plain")),
    ],
)
def test_the_parts_of_an_address(address: str, parts: tuple[str | None, ...]) -> None:
    at = hub.parse(address)
    assert (at.repo, at.revision, at.part) == parts
