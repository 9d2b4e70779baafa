"""Which loader a source gets."""

import json
from pathlib import Path

import polars as pl
import pytest

from attunement import datasets, tables
from attunement.errors import UserError


def test_the_sample_has_reference_therapist_and_three_systems() -> None:
    loaded = datasets.load("sample")
    assert loaded.items.height >= 24
    assert loaded.items["topic"].n_unique() >= 6
    assert loaded.items["reference"].null_count() == 0
    assert loaded.responses["source"].unique(maintain_order=True).to_list() == [
        "reference",
        "therapist",
        "cold",
        "verbose",
        "attuned",
    ]
    assert all(json.loads(m)["illustration"] for m in loaded.items["meta"])
    assert any("illustration" in note for note in loaded.notes)
    assert loaded.rows_read == loaded.kept.height == loaded.responses.height
    assert tables.check(loaded.items, "items") == []
    assert tables.check(loaded.responses, "responses") == []


def test_the_sample_takes_no_path_and_no_mapping() -> None:
    with pytest.raises(UserError, match="takes no path"):
        datasets.load("sample", "x.csv")
    with pytest.raises(UserError, match="only tables take a mapping"):
        datasets.load("sample", mapping={"question": "q"})


def test_a_file_is_told_by_its_columns(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("question,reference\nWhy?,So.\n", encoding="utf-8")
    assert datasets.load(tmp_path / "t.csv").items["reference"].to_list() == ["So."]
    assert datasets.load("file", tmp_path / "t.csv").items.height == 1
    header = (
        "questionID,questionTitle,questionText,questionLink,topic,therapistInfo,therapistURL,"
        "answerText,upvotes"
    )
    (tmp_path / "c.csv").write_text(f"{header}\n1,t,Why?,l,x,n,u,So.,1\n", encoding="utf-8")
    assert datasets.load(tmp_path / "c.csv").name.startswith("CounselChat")
    chat = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]}
    pl.DataFrame([chat]).write_parquet(tmp_path / "m.parquet")
    assert datasets.load(tmp_path / "m.parquet").unit == "assistant turn"
    (tmp_path / "t.json").write_text('[{"question": "Why?", "reference": "So."}]', encoding="utf-8")
    assert datasets.load(tmp_path / "t.json").items["reference"].to_list() == ["So."]


def test_an_unknown_source_names_the_nearest() -> None:
    with pytest.raises(UserError, match="Did you mean 'counselchat'"):
        datasets.load("counsel-chat")
    with pytest.raises(UserError, match="Did you mean 'table'"):
        datasets.load("tabel", "x.csv")


def test_every_source_says_what_it_is() -> None:
    assert all(source.about and source.path for source in datasets.SOURCES.values())
    with pytest.raises(UserError, match="Give its path"):
        datasets.load("file")
    with pytest.raises(UserError, match="needs the path"):
        datasets.load("counselchat")
    with pytest.raises(UserError, match="hub:OWNER/NAME"):
        datasets.load("hub")
