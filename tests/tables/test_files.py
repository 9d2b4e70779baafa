from pathlib import Path

import polars as pl
import pytest

from attunement import tables
from attunement.errors import UserError


def items(n: int = 3) -> pl.DataFrame:
    return tables.conform(
        pl.DataFrame(
            {
                "item_id": [f"q{i}" for i in range(n)],
                "turns": [
                    [{"role": "user", "text": f"Frage {i}, שלום 🙂\nnext line"}] for i in range(n)
                ],
            }
        ),
        "items",
    )


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".tsv", ".jsonl"])
def test_every_format_gives_back_what_was_written(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"items{suffix}"
    tables.write_table(items(), path, "items")
    assert tables.read_table(path, "items").equals(items())


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl"])
def test_spans_and_missing_values_survive(tmp_path: Path, suffix: str) -> None:
    ratings = tables.conform(
        pl.DataFrame(
            {
                "unit": ["response"] * 2,
                "unit_id": ["a", "b"],
                "rater": ["r"] * 2,
                "rater_kind": ["human"] * 2,
                "instrument": ["x@1"] * 2,
                "dimension": ["d"] * 2,
                "value": [0.0, None],
                "status": ["ok", "not_sure"],
                "spans": [[{"start": 0, "end": 2, "text": "ab", "label": None}], None],
            }
        ),
        "ratings",
    )
    path = tmp_path / f"ratings{suffix}"
    tables.write_table(ratings, path, "ratings")
    back = tables.read_table(path, "ratings")
    assert back.equals(ratings)
    assert back["value"].to_list() == [0.0, None]


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        tables.read_frame(tmp_path / "none.csv")


def test_an_empty_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_bytes(b"")
    with pytest.raises(UserError, match="empty"):
        tables.read_frame(tmp_path / "e.csv")


def test_a_byte_order_mark_is_not_part_of_the_first_column(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_bytes(b"\xef\xbb\xbfitem_id,text\n1,hi\n")
    assert tables.read_frame(tmp_path / "b.csv").columns == ["item_id", "text"]


def test_latin_1_bytes_are_named_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_bytes("item_id,text\n1,caf\xe9\n".encode("latin-1"))
    with pytest.raises(UserError, match="line 2 is not UTF-8"):
        tables.read_frame(tmp_path / "l.csv")


@pytest.mark.parametrize(("suffix", "mark"), [(".csv", ","), (".tsv", "\t")])
def test_a_row_with_too_many_fields_is_named(tmp_path: Path, suffix: str, mark: str) -> None:
    file = tmp_path / f"r{suffix}"
    rows = ["item_id,text", '1,"two\nlines, quoted"', "2,fine", "3,not, quoted"]
    file.write_text("\n".join(row.replace(",", mark) for row in rows), encoding="utf-8")
    with pytest.raises(UserError, match="in line 5 has 3 fields, the header has 2") as caught:
        tables.read_frame(file)
    assert caught.value.fix is not None
    assert "double quotes" in caught.value.fix


def test_a_wrong_delimiter_is_suspected(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("item_id;source;text\n1;a;hi\n", encoding="utf-8")
    with pytest.raises(UserError, match="wrong delimiter"):
        tables.read_frame(tmp_path / "s.csv")


def test_a_broken_json_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "j.jsonl").write_text('{"a": 1}\n{"a": \n', encoding="utf-8")
    with pytest.raises(UserError, match="line 2"):
        tables.read_frame(tmp_path / "j.jsonl")


def test_text_that_looks_like_a_number_stays_text(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("item_id,source,text\n007,a,42\n", encoding="utf-8")
    table = tables.read_table(tmp_path / "n.csv", "responses")
    assert table.select("item_id", "text").row(0) == ("007", "42")


def test_batches_hold_the_whole_table_in_order(tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    with tables.TableWriter(path, "items") as writer:
        for start in range(0, 10, 4):
            writer.write(items(10).slice(start, 4))
    batches = list(tables.iter_batches(path, "items", size=3))
    assert pl.concat(batches).equals(items(10))
    assert max(b.height for b in batches) <= 3
    assert writer.rows == 10


def test_an_error_while_writing_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"

    def fail_midway() -> None:
        with tables.TableWriter(path, "items") as writer:
            writer.write(items())
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_midway()
    assert list(tmp_path.iterdir()) == []


def test_a_writer_with_no_rows_leaves_an_empty_table(tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    with tables.TableWriter(path, "items"):
        pass
    assert pl.read_parquet(path).schema == tables.empty("items").schema


def test_numbers_of_mixed_types_keep_every_digit(tmp_path: Path) -> None:
    path = tmp_path / "n.jsonl"
    path.write_text('{"id": 9007199254740993}\n{"id": 1.5}\n{"id": true}\n', encoding="utf-8")
    assert tables.read_frame(path)["id"].to_list() == ["9007199254740993", "1.5", "true"]


def test_a_column_that_the_header_names_twice_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("item_id,item_id\n1,2\n", encoding="utf-8")
    with pytest.raises(UserError, match="'item_id' twice"):
        tables.read_frame(tmp_path / "d.csv")


def test_the_line_ends_of_old_macs_are_read(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_bytes(b"item_id,text\r1,hi\r2,ho\r")
    assert tables.read_frame(tmp_path / "r.csv").height == 2


def test_no_text_is_a_formula_in_a_spreadsheet() -> None:
    safe = tables.for_spreadsheet(pl.DataFrame({"a": ["=1", "-x", "fine", None], "b": [-1.0] * 4}))
    assert safe["a"].to_list() == ["'=1", "'-x", "fine", None]
    assert safe["b"].to_list() == [-1.0] * 4
