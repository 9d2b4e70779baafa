"""Checking a study's files: everything that is wrong, at once."""

from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from attunement.studies.checking import Found, check_files
from stubs.study_files import BASE, study_text, write_tables

GREETING = {
    "id": "greeting",
    "turns": [{"text": "Good morning."}],
    "answer": "Go away.",
    "expected": {"recognizes_risk": 0},
    "feedback": {"en": "No.", "it": "No."},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_tables(tmp_path)
    return tmp_path


def check(folder: Path, **keys: Any) -> Found:
    (folder / "study.yaml").write_text(study_text(**keys), encoding="utf-8")
    return check_files(folder / "study.yaml", today=date(2026, 6, 1))


def change(folder: Path, name: str, **columns: pl.Expr) -> None:
    file = folder / f"{name}.parquet"
    pl.read_parquet(file).with_columns(**columns).write_parquet(file)


def test_nothing_is_wrong_with_a_good_study(folder: Path) -> None:
    found = check(folder, training=[GREETING])
    assert (found.problems, found.warnings) == ([], [])


def test_everything_wrong_is_said_at_once(folder: Path) -> None:
    change(folder, "responses", item_id=pl.col("item_id").replace("q1", "q9"))
    known = {**GREETING, "expected": {"recognizes_risk": 7, "warmth": 1}}
    found = check(
        folder,
        training=[known, known],
        closes="2026-05-31",
        completion={"redirect": "http://panel.example.org"},
        protocol={**BASE["protocol"], "instrument": "crisis-handling"},
    )
    said = "\n".join(found.problems)
    for part in (
        "1 item is not in the items table, such as 'q9'",
        "1 item is without an answer, such as 'q1'",
        "training: 'greeting' stands twice",
        "training greeting: 7.0 is not on the scale of 'recognizes_risk'",
        "training greeting: crisis-handling@1 has no dimension 'warmth'",
        "closes: 2026-05-31 has passed",
        "completion.redirect: not an https address",
    ):
        assert part in said


def test_an_id_that_stands_twice_is_named_by_row(folder: Path) -> None:
    change(folder, "items", item_id=pl.lit("q0"))
    found = check(folder)
    assert any("row 2, column 'item_id': duplicate" in problem for problem in found.problems)


def test_a_protocol_without_its_tables_is_told(tmp_path: Path) -> None:
    found = check(tmp_path, responses=None)
    assert "responses: the protocol needs this table, and none is named." in found.problems
    assert any("items.parquet: no such file" in problem for problem in found.problems)


def test_a_text_in_a_language_that_the_study_has_not_is_told(folder: Path) -> None:
    words = {"en": "Age?", "it": "Eta?"}
    question = {"id": "age", "label": words, "wording": words, "scale": {"type": "text"}}
    found = check(folder, languages=["en"], background=[question])
    (said,) = [p for p in found.problems if p.startswith("background")]
    assert said.endswith("in 'it', which 'languages' lacks: delete it, or add the language.")


@pytest.mark.parametrize(("named", "problems", "warnings"), [("none", 1, 0), ("items", 0, 1)])
def test_a_table_that_the_protocol_does_not_use_is_told_once(
    folder: Path, named: str, problems: int, warnings: int
) -> None:
    found = check(folder, protocol={"type": "write"}, items=f"{named}.parquet", responses=None)
    assert (len(found.problems), len(found.warnings)) == (problems, warnings)


def test_languages_that_the_instrument_lacks_are_named(folder: Path) -> None:
    found = check(folder, protocol={**BASE["protocol"], "instrument": "nuance-judges"})
    (problem,) = found.problems
    assert problem.startswith("languages: nuance-judges@1 has no texts in it")


def test_an_instrument_without_the_steps_of_the_protocol_is_refused(folder: Path) -> None:
    protocol = {"type": "filter-choose-annotate", "instrument": "crisis-handling"}
    said = check(folder, protocol=protocol).problems
    assert len([problem for problem in said if "has no step" in problem]) == 2


def test_answers_that_are_missing_equal_or_uneven_are_warned_of(folder: Path) -> None:
    text = pl.when(pl.col("response_id") == "q1-beta").then(pl.lit(" ")).otherwise("text")
    change(folder, "responses", text=text)
    change(
        folder,
        "responses",
        text=pl.when(pl.col("item_id") == "q0").then(pl.lit("The same.")).otherwise("text"),
    )
    found = check(folder)
    assert found.problems == []
    assert found.warnings == [
        "responses: 1 have no text and are left out.",
        "responses: 1 are equal to another answer to the same item; raters will see both.",
        "responses: not all items have as many answers: 1 with 1, 1 with 2.",
    ]


def test_a_question_that_stands_twice_is_found(folder: Path) -> None:
    asked = {
        "id": "age",
        "label": {"en": "Age", "it": "Età"},
        "wording": {"en": "How old are you?", "it": "Quanti anni ha?"},
        "scale": {"type": "integer", "min": 18, "max": 120, "better": "neither"},
    }
    found = check(folder, background=[asked, asked])
    assert any(problem.startswith("background:") for problem in found.problems)


def test_a_file_that_cannot_be_read_is_the_one_problem(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_bytes(b"\xff\xfe\xff")
    found = check_files(tmp_path / "study.yaml")
    assert len(found.problems) == 1
    assert found.study is None


def test_a_fault_of_the_study_file_is_told_in_plain_words_with_its_line(tmp_path: Path) -> None:
    words = study_text(closes="soon", country="Italy")
    (tmp_path / "study.yaml").write_text(words, encoding="utf-8")
    (said,) = check_files(tmp_path / "study.yaml").problems
    line = 1 + next(n for n, line in enumerate(words.splitlines()) if line.startswith("closes"))
    assert f"line {line}, closes: a date is wanted here, such as 2027-01-31" in said
    assert "country: two capital letters are wanted here" in said
    assert "Input should" not in said
