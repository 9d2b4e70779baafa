"""``attunement data`` from the command line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from attunement import datasets, tables
from attunement.cli import app

CSV = "question,reference,topic\nWhy?,So.,anxiety\nHow?,Thus.,grief\n,lost,grief\n"


def data(*words: object) -> Result:
    return CliRunner().invoke(app, ["data", *map(str, words)])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text(CSV, encoding="utf-8")
    return path


def test_loading_writes_the_tables_and_shows_what_was_left_out(table: Path, tmp_path: Path) -> None:
    result = data("load", "table", table, "--out", tmp_path / "o")
    assert result.exit_code == 0, result.output
    assert tables.read_table(tmp_path / "o" / "items.parquet", "items").height == 2
    assert tables.read_table(tmp_path / "o" / "responses.parquet", "responses").height == 2
    said = " ".join(result.stdout.split())
    assert "rows in the source │ 3" in said
    assert "left out: the question is empty │ 1 │ 3" in said


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_other_formats_are_written(table: Path, tmp_path: Path, suffix: str) -> None:
    assert data("load", table, "--out", tmp_path / "o", "--format", suffix).exit_code == 0
    assert tables.read_table(tmp_path / "o" / f"items.{suffix}", "items").height == 2


def test_without_a_folder_nothing_is_written(table: Path, tmp_path: Path) -> None:
    result = data("load", table)
    assert result.exit_code == 0
    assert "Nothing was written" in result.stderr
    assert list(tmp_path.iterdir()) == [table]


def test_json_has_the_account_alone_on_standard_output(table: Path) -> None:
    result = data("load", table, "--topics", "grief", "--limit", 1, "--json")
    found = json.loads(result.stdout)
    assert found["results"] == []
    assert found["loaded"]["rows_read"] == 3
    assert found["loaded"]["rows_kept"] == 1
    assert [d["reason"] for d in found["loaded"]["dropped"]] == [
        "the question is empty",
        "another topic than asked for",
    ]


def test_columns_are_mapped(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("Frage,Antwort\nWarum?,Darum.\n", encoding="utf-8")
    result = data("load", path, "--map", "question=Frage", "--map", "reference=Antwort", "--json")
    assert json.loads(result.stdout)["loaded"]["items"] == 1


def test_a_transcript_takes_the_name_of_its_system(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]
    path.write_text(json.dumps({"messages": turns}), encoding="utf-8")
    result = data("load", "transcripts", path, "--source", "mine", "--out", tmp_path / "o")
    assert result.exit_code == 0, result.output
    responses = tables.read_table(tmp_path / "o" / "responses.parquet", "responses")
    assert responses["source"].to_list() == ["mine"]


def test_the_sources_are_listed() -> None:
    result = data("list")
    assert result.exit_code == 0
    names = {s["name"] for s in json.loads(data("list", "--json").stdout)["sources"]}
    assert names == set(datasets.SOURCES)
    assert all(name in result.stdout for name in names)


def bad(tmp_path: Path, content: bytes, *words: object) -> str:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    result = data("load", "table", path, *words)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    assert result.stdout == ""
    return " ".join(result.stderr.split())


def test_an_empty_file_is_said(tmp_path: Path) -> None:
    assert "the file is empty" in bad(tmp_path, b"")


def test_a_wrong_delimiter_is_said(tmp_path: Path) -> None:
    assert "wrong delimiter" in bad(tmp_path, b"question;reference\nWhy?;So.\n")


def test_latin_1_bytes_are_said(tmp_path: Path) -> None:
    said = bad(tmp_path, "question,reference\nWhy?,caf\xe9\n".encode("latin-1"))
    assert "line 2 is not UTF-8" in said


def test_a_missing_column_lists_what_there_is(tmp_path: Path) -> None:
    assert "the file has q, a" in bad(tmp_path, b"q,a\nWhy?,So.\n")
    assert "Did you mean --map question=q?" in bad(
        tmp_path, b"q,a\nWhy?,So.\n", "--map", "question=qu"
    )


def test_duplicate_ids_are_said(tmp_path: Path) -> None:
    said = bad(tmp_path, b"item_id,question\n1,Why?\n1,How?\n")
    assert "duplicate ids: row 2 (1)" in said


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "bom.csv"
    path.write_bytes(b"\xef\xbb\xbf" + CSV.encode())
    assert data("load", "table", path).exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--map", "question"], "'question' is not OURS=THEIRS"),
        (["--map", "question=question", "--map", "question=topic"], "mapped twice"),
        (["--map", "qestion=question"], "Did you mean 'question'?"),
        (["--format", "xlsx"], "unknown format"),
        (["--topics", "griev"], "Did you mean 'grief'?"),
        (["--limit", "0"], "at least 1"),
    ],
)
def test_wrong_words_are_said(table: Path, words: list[str], said: str) -> None:
    result = data("load", "table", table, *words)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_an_unknown_source_is_said() -> None:
    result = data("load", "counsel")
    assert result.exit_code == 2
    assert "neither a file nor a source" in result.stderr


@pytest.mark.shared
def test_counselchat_loads_from_the_command_line(shared: Path, tmp_path: Path) -> None:
    path = shared / "data" / "counsel-chat" / "counselchat-data.csv"
    result = data("load", "counselchat", path, "--out", tmp_path, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["loaded"]
    assert (found["rows_read"], found["rows_kept"], found["items"]) == (1482, 1475, 778)
