from pathlib import Path

import polars as pl
import pytest

from attunement.errors import UserError
from attunement.runs import Run, fingerprint


def ratings(value: float, dimension: str = "d") -> pl.DataFrame:
    return pl.DataFrame(
        {
            "unit": ["response"],
            "unit_id": ["a"],
            "rater": ["r"],
            "rater_kind": ["metric"],
            "instrument": ["x@1"],
            "dimension": [dimension],
            "value": [value],
            "status": ["ok"],
        }
    )


def test_ratings_of_the_same_key_are_replaced_and_others_kept(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.add_ratings(ratings(1.0))
    run.add_ratings(ratings(5.0, "e"))
    run.add_ratings(ratings(2.0))
    kept = run.read("ratings").sort("dimension")
    assert kept["value"].to_list() == [2.0, 5.0]


def test_a_missing_table_is_said_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no ratings table"):
        Run(tmp_path).read("ratings")


def test_the_manifest_keeps_each_stage_and_the_versions(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.describe(name="study")
    run.record("score", rows=3)
    run.record("judge", rows=4)
    manifest = run.manifest()
    assert manifest["name"] == "study"
    assert manifest["stages"]["score"]["rows"] == 3
    assert set(manifest["stages"]) == {"score", "judge"}
    assert "attunement" in manifest["versions"]


def test_a_broken_manifest_is_said(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(UserError, match="not valid JSON"):
        Run(tmp_path).manifest()


def test_a_fingerprint_does_not_depend_on_the_order_of_keys() -> None:
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1}) != fingerprint({"a": 1})
