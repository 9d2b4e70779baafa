"""``attunement check``: what is wrong with a table, by row, column and reason."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from attunement import datasets, tables
from attunement.cli import app


def check(path: Path, *words: str) -> Result:
    result = CliRunner().invoke(app, ["check", str(path), *words])
    assert "Traceback" not in result.output
    return result


def found(path: Path, *words: str) -> dict[str, Any]:
    result = check(path, *words, "--json")
    answer: dict[str, Any] = json.loads(result.stdout)
    assert result.exit_code == (0 if answer["ok"] else 1)
    assert answer["ok"] == (answer["problems"] == [])
    return answer


def csv(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def responses(tmp_path: Path, *texts: str) -> Path:
    path = tmp_path / "responses.parquet"
    frame = pl.DataFrame(
        {"item_id": [f"q{i}" for i in range(len(texts))], "source": "a", "text": list(texts)}
    )
    tables.write_table(frame, path, "responses")
    return path


@pytest.mark.parametrize("kind", ["items", "responses"])
@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_a_good_table_is_fine_and_its_kind_is_guessed(
    tmp_path: Path, kind: str, suffix: str
) -> None:
    datasets.load("sample").write(tmp_path, suffix=suffix)
    result = check(tmp_path / f"{kind}.{suffix}")
    assert result.exit_code == 0, result.output
    assert "nothing wrong" in result.stderr
    assert found(tmp_path / f"{kind}.{suffix}")["kind"] == kind


def test_ratings_and_raters_are_told_from_their_columns(tmp_path: Path) -> None:
    path = csv(
        tmp_path,
        "unit,unit_id,rater,rater_kind,instrument,dimension,value,status\n"
        "response,r,me,human,x@1,d,1,ok\nresponse,r2,me,human,x@1,d,,ok\n",
    )
    answer = found(path)
    assert answer["kind"] == "ratings"
    assert answer["problems"] == [
        {"row": 2, "column": "value", "reason": "status ok without a value or labels"}
    ]
    assert found(csv(tmp_path, "rater,kind\nme,human\n"))["kind"] == "raters"


def test_problems_are_printed_with_row_column_and_reason(tmp_path: Path) -> None:
    path = csv(tmp_path, "item_id,source,text\n1,a,hi\n1,,ho\n")
    result = check(path)
    assert result.exit_code == 1
    assert "problem: row 2, column 'source': empty" in result.stdout
    assert "responses, 2 rows: 1 problem." in " ".join(result.stderr.split())


def test_an_empty_file(tmp_path: Path) -> None:
    assert found(csv(tmp_path, ""))["problems"][0]["reason"].startswith("the file is empty")


def test_a_header_without_rows(tmp_path: Path) -> None:
    assert found(csv(tmp_path, "item_id,source,text\n"))["problems"][0]["reason"] == "no rows"


def test_a_wrong_delimiter(tmp_path: Path) -> None:
    reason = found(csv(tmp_path, "item_id;source;text\n1;a;hi\n"))["problems"][0]["reason"]
    assert "wrong delimiter" in reason
    assert "Save the file" in reason


def test_a_byte_order_mark_is_no_problem(tmp_path: Path) -> None:
    assert found(csv(tmp_path, b"\xef\xbb\xbfitem_id,source,text\n1,a,hi\n"))["ok"]


def test_latin_1_bytes(tmp_path: Path) -> None:
    path = csv(tmp_path, "item_id,source,text\n1,a,caf\xe9\n".encode("latin-1"))
    assert "byte 0xe9 in line 2 is not UTF-8" in found(path)["problems"][0]["reason"]


def test_a_missing_column(tmp_path: Path) -> None:
    answer = found(csv(tmp_path, "item_id,source,txt\n1,a,hi\n"))
    assert answer["kind"] == "responses"
    assert answer["problems"] == [{"row": None, "column": "text", "reason": "missing column"}]
    assert "did you mean 'text'" in answer["warnings"][0]["reason"]


def test_duplicate_ids(tmp_path: Path) -> None:
    answer = found(csv(tmp_path, "item_id,source,text\n1,a,hi\n1,a,ho\n"))
    assert answer["problems"] == [
        {"row": 2, "column": "response_id", "reason": "duplicate response_id: 1/a/0"}
    ]


def test_a_megabyte_of_answer_emoji_and_right_to_left_text_are_fine(tmp_path: Path) -> None:
    path = responses(tmp_path, "x" * 1_000_000, "😀👨‍👩‍👧", "مرحبا \u200fשלום")
    assert found(path)["ok"]


def test_an_empty_answer_is_a_problem_where_no_error_says_why(tmp_path: Path) -> None:
    answer = found(csv(tmp_path, "item_id,source,text,error\n1,a,,\n2,a,,timeout\n"))
    assert answer["problems"] == [{"row": 1, "column": "text", "reason": "empty"}]


def test_a_turn_with_an_unknown_role(tmp_path: Path) -> None:
    path = tmp_path / "i.jsonl"
    path.write_text(
        json.dumps({"item_id": "1", "turns": [{"role": "bot", "text": "hi"}]}), encoding="utf-8"
    )
    assert "role 'bot'" in found(path)["problems"][0]["reason"]


def test_an_unknown_column_is_a_warning(tmp_path: Path) -> None:
    path = csv(tmp_path, "item_id,source,text,mood\n1,a,hi,good\n")
    result = check(path)
    assert result.exit_code == 0
    assert "warning: column 'mood': unknown column" in result.stdout


def test_a_value_that_does_not_fit_its_type(tmp_path: Path) -> None:
    path = csv(tmp_path, "item_id,source,text,latency_s\n1,a,hi,soon\n")
    assert "'soon' is not a value of type number" in found(path)["problems"][0]["reason"]


def test_a_file_that_is_no_table_of_ours(tmp_path: Path) -> None:
    reason = found(csv(tmp_path, "a,b\n1,2\n"))["problems"][0]["reason"]
    assert "cannot tell which table" in reason
    assert "--kind" in reason


def test_the_kind_can_be_said(tmp_path: Path) -> None:
    answer = found(csv(tmp_path, "a,b\n1,2\n"), "--kind", "raters")
    assert {p["column"] for p in answer["problems"]} == {"rater", "kind"}


def test_many_problems_are_cut_for_people_and_whole_in_json(tmp_path: Path) -> None:
    path = csv(tmp_path, "item_id,source,text\n" + ",a,hi\n" * 60)
    assert "more; --json has them all" in check(path).stdout
    assert len(found(path)["problems"]) >= 60


def test_a_missing_file_or_an_unknown_kind_is_a_mistake_in_the_words(tmp_path: Path) -> None:
    assert check(tmp_path / "none.csv").exit_code == 2
    result = check(csv(tmp_path, "a\n1\n"), "--kind", "item")
    assert result.exit_code == 2
    assert "items, responses" in result.stderr
