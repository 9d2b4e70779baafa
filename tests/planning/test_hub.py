"""A data set on the hub, against a stub of it on localhost."""

from pathlib import Path

import polars as pl
import pytest

from attunement.planning import load_split
from stubs.hub import serve

pytest.importorskip("huggingface_hub")


def test_a_split_is_downloaded_from_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "hub" / "datasets" / "someone" / "talks" / "data"
    place.mkdir(parents=True)
    row = {"dialog": [["Hi .", "Hello !"]], "act": [[1, 1]], "emotion": [[0, 4]]}
    pl.DataFrame(row).write_parquet(place / "validation-00000-of-00001.parquet")
    with serve(tmp_path / "hub") as server:
        server.use(monkeypatch, tmp_path / "cache")
        split = load_split("hub:someone/talks", "validation")
    assert split.dialogues[0].labels == (("inform",), ("inform", "happiness"))
    assert split.source.startswith("hub:someone/talks@")
