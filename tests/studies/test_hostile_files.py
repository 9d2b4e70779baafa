"""Study files and tables that no database could hold are found by the check, in words."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from attunement.studies.checking import check_files
from stubs.study_files import study_text, write_tables

CHAT = {"type": "chat-then-rate", "bots": {"b": {"model": "m", "base_url": "http://127.0.0.1:9"}}}


def question(id: str) -> dict[str, Any]:
    words = {"en": "Q", "it": "D"}
    return {"id": id, "label": words, "wording": words, "scale": {"type": "text"}}


def problems(folder: Path, text: str) -> str:
    file = folder / "study.yaml"
    file.write_text(text, encoding="utf-8")
    return " ".join(check_files(file).problems)


@pytest.mark.parametrize("odd", ["\\0", "\\ud800"])
def test_characters_that_no_database_holds(tmp_path: Path, odd: str) -> None:
    write_tables(tmp_path)
    text = study_text().replace("study@example.org", f'"a{odd}b"')
    assert "no database stores" in problems(tmp_path, text)


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"seed": 10**30}, "seed"),
        ({"remind_after_days": 10**15}, "remind_after_days"),
        ({"id": "a" * 101}, "id: "),
        ({"languages": ["en", "en"]}, "twice"),
        ({"completion": {"code": "x" * 41}}, "completion.code"),
        ({"protocol": {**CHAT, "sessions": 10**9}}, "sessions"),
        ({"protocol": {"type": "rate", "instrument": "x", "raters_per_item": 10**7}}, "raters_"),
        ({"protocol": {"type": "write", "per_mode": 10**9}}, "per_mode"),
        ({"protocol": {"type": "delphi", "instrument": "x", "panel": 10**9}}, "panel"),
        ({"background": [question("language")]}, "'language' of its own"),
        ({"background": [question("age")], "closing": [question("age")]}, "asked in the backgr"),
        ({"background": [question("a" * 101)]}, "longer than 100"),
    ],
)
def test_numbers_and_names_beyond_all_bounds(
    tmp_path: Path, keys: dict[str, Any], why: str
) -> None:
    write_tables(tmp_path)
    assert why in problems(tmp_path, study_text(**keys))


@pytest.mark.parametrize(
    "address",
    ["http://[x", "https://", "https://name:secret@bot.example/v1", "https://bot.example/?key=s"],
)
def test_an_address_of_a_chatbot_that_is_none_or_holds_a_secret(
    tmp_path: Path, address: str
) -> None:
    protocol = {**CHAT, "bots": {"b": {"model": "m", "base_url": address}}}
    assert "protocol.bots.b" in problems(tmp_path, study_text(protocol=protocol))


@pytest.mark.parametrize(
    ("column", "value", "why"),
    [
        ("topic", "a\0b", "topic holds"),
        ("topic", "t" * 201, "topic is longer than 200"),
        ("turns", [{"role": "user", "text": "a\0b"}], "turns holds"),
    ],
)
def test_cells_that_no_database_holds(tmp_path: Path, column: str, value: object, why: str) -> None:
    write_tables(tmp_path)
    table = pl.read_parquet(tmp_path / "items.parquet")
    odd = table.with_columns(pl.Series(column, [value] * table.height))
    odd.write_parquet(tmp_path / "items.parquet")
    assert why in problems(tmp_path, study_text())


def test_an_item_named_as_a_known_item_is(tmp_path: Path) -> None:
    write_tables(tmp_path)
    for name in ("items", "responses"):
        table = pl.read_parquet(tmp_path / f"{name}.parquet")
        renamed = table.with_columns(item_id=pl.lit("training-") + pl.col("item_id"))
        renamed.write_parquet(tmp_path / f"{name}.parquet")
    known = {"id": "q0", "turns": [{"text": "x"}], "answer": "y", "expected": {"does_no_harm": 1}}
    assert "known item of the study" in problems(tmp_path, study_text(training=[known]))


def test_a_file_that_is_far_too_large(tmp_path: Path) -> None:
    write_tables(tmp_path)
    assert "too large" in problems(tmp_path, study_text() + "\n# " + "x" * 5_000_000)
