"""The published layout of CounselBench-Eval, with every oddity that its file has."""

import json
from pathlib import Path

import polars as pl
import pytest

from attunement import tables
from attunement.datasets import load
from attunement.datasets.counselbench import (
    COLUMNS,
    DIMENSIONS,
    INSTRUMENT,
    from_frame,
    is_annotations,
    load_annotations,
    read_score,
    responder,
)
from attunement.errors import UserError

ANSWER = "You are not alone.<br><br>Ask your doctor about an SSRI;\nit can help. Don’t wait."


def row(**changes: str) -> dict[str, str]:
    plain = dict.fromkeys(COLUMNS, "")
    plain |= {
        "questionID": "questionID_933",
        "questionTitle": "Worried",
        "questionText": "I can't sleep.<br>What now?",
        "response": ANSWER,
        "topic": "Grief & Loss",
        "responder": "gpt4",
        "survey_id": "6",
    }
    plain |= {f"{d}_score": "4" for d in DIMENSIONS} | {"medical_advice_score": "Yes"}
    return plain | changes


def written(tmp_path: Path, *rows: dict[str, str], unnamed: int = 2) -> Path:
    """Write a file as it was published: texts over several lines, unnamed empty columns last."""
    records = [list(rows[0]), *(list(r.values()) for r in rows)]
    lines = [",".join('"' + v.replace('"', '""') + '"' for v in r) + "," * unnamed for r in records]
    path = tmp_path / "annotations.csv"
    path.write_text("\ufeff" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def rating(found, dimension: str) -> dict:
    return found.ratings.filter(pl.col("dimension") == dimension).row(0, named=True)


def test_a_row_becomes_an_item_a_response_a_rater_and_six_ratings(tmp_path):
    found = load_annotations(written(tmp_path, row()))
    item = found.loaded.items.row(0, named=True)
    assert (item["item_id"], item["topic"]) == ("questionID_933", "grief-loss")
    assert item["turns"] == [{"role": "user", "text": "I can't sleep.\nWhat now?"}]
    assert json.loads(item["meta"]) == {"title": "Worried"}
    answer = found.loaded.responses.row(0, named=True)
    assert (answer["source"], answer["model"]) == ("gpt4", "gpt-4-0613")
    assert answer["text"].startswith("You are not alone.\n\nAsk your doctor")
    assert found.raters["rater"].to_list() == ["survey-6"]
    assert found.ratings["dimension"].to_list() == list(DIMENSIONS)
    assert set(found.ratings["instrument"]) == {INSTRUMENT}
    assert set(found.ratings["unit_id"]) == {"questionID_933/gpt4/0"}
    assert rating(found, "medical_advice")["value"] == 1
    for kind, table in (
        ("items", found.loaded.items),
        ("responses", found.loaded.responses),
        ("ratings", found.ratings),
        ("raters", found.raters),
    ):
        assert tables.check(table, kind) == []


def test_copied_fragments_are_found_in_the_answer_by_code_points(tmp_path):
    copied = "ask your doctor about an SSRI; it can help ; don't wait ; take two"
    found = load_annotations(
        written(tmp_path, row(medical_advice_copy=copied, medical_advice_reason="A drug<br>named"))
    )
    text = found.loaded.responses["text"][0]
    advice = rating(found, "medical_advice")
    assert advice["rationale"] == "A drug\nnamed"
    first, second, third = advice["spans"]
    assert text[first["start"] : first["end"]] == first["text"]
    assert first["text"].startswith("Ask your doctor")
    assert second["text"] == "Don’t wait"
    assert (third["start"], third["text"], third["label"]) == (None, "take two", "not_found")
    assert any("3, of which 1 do not stand in the answer" in n for n in found.loaded.notes)


def test_not_sure_has_a_status_and_no_value(tmp_path):
    found = load_annotations(
        written(
            tmp_path,
            row(medical_advice_score="I am not sure", factual_consistency_score="I'm not sure"),
        )
    )
    for dimension in ("medical_advice", "factual_consistency"):
        assert (rating(found, dimension)["status"], rating(found, dimension)["value"]) == (
            "not_sure",
            None,
        )


def test_empty_scores_give_no_rating_and_odd_ones_no_value_and_both_are_counted(tmp_path):
    found = load_annotations(
        written(tmp_path, row(empathy_score="", factual_consistency_score="5", toxicity_score="x"))
    )
    assert found.ratings.height == 5
    assert rating(found, "factual_consistency")["status"] == "unparsed"
    assert "Scores that are empty, and no rating: 1." in found.loaded.notes
    assert "Scores that are not on their scale, and unparsed: 2." in found.loaded.notes


def test_unnamed_empty_columns_are_counted_and_others_are_named(tmp_path):
    found = load_annotations(written(tmp_path, row() | {"comment": "hello"}, unnamed=3))
    assert "Empty columns without a meaning: 3." in found.loaded.notes
    assert "Columns that are not read: 'comment'." in found.loaded.notes


def test_every_row_is_kept_or_counted_with_its_reason(tmp_path):
    rows = [
        row(),
        row(),
        row(survey_id=""),
        row(survey_id="7", **{f"{d}_score": "" for d in DIMENSIONS}),
        row(survey_id="8", responder="LLaMA-3"),
    ]
    loaded = load_annotations(written(tmp_path, *rows)).loaded
    assert loaded.rows_read == 5
    assert loaded.kept["row"].to_list() == [1, 5]
    assert {r: rows for r, _, rows in loaded.dropped.iter_rows()} == {
        "the same annotator rated the same answer in an earlier row": [2],
        "survey_id is empty": [3],
        "no score is filled in": [4],
    }


def test_five_annotators_of_one_answer_share_its_response(tmp_path):
    found = load_annotations(written(tmp_path, *(row(survey_id=str(n)) for n in range(5))))
    assert (found.loaded.items.height, found.loaded.responses.height) == (1, 1)
    assert (found.raters.height, found.ratings.height) == (5, 30)


def test_another_text_under_the_same_id_is_said(tmp_path):
    found = load_annotations(
        written(tmp_path, row(), row(survey_id="7", response="Else", questionText="Other"))
    )
    assert found.loaded.responses["text"][0].startswith("You are not alone")
    assert sum("the first counts" in n for n in found.loaded.notes) == 2


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("gpt4", "gpt4"),
        ("GPT-4-0613", "gpt4"),
        ("llama3", "llama3"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama3"),
        ("gemini_1.5_pro", "gemini"),
        ("Online Human Therapists", "human"),
        ("human", "human"),
        ("gpt-4o", "gpt-4o"),
        ("gemini-2.0-flash", "gemini-2.0-flash"),
    ],
)
def test_responders_have_one_spelling_and_other_models_keep_theirs(spelled, name):
    assert responder(spelled) == name


@pytest.mark.parametrize(
    ("raw", "scale", "read"),
    [
        ("5", (1, 5), ("ok", 5.0)),
        ("4.0", (1, 5), ("ok", 4.0)),
        ("no", (0, 1), ("ok", 0.0)),
        ("NOT SURE", (0, 1), ("not_sure", None)),
        ("0", (1, 5), ("unparsed", None)),
        ("3.5", (1, 5), ("unparsed", None)),
        ("1", (0, 1), ("unparsed", None)),
        ("Yes", (1, 5), ("unparsed", None)),
        ("nan", (1, 5), ("unparsed", None)),
    ],
)
def test_a_score_is_read_or_unparsed(raw, scale, read):
    assert read_score(raw, scale) == read


def test_another_layout_is_refused_with_the_nearest_name():
    frame = pl.DataFrame([row()]).rename({"overall_score": "overall_scores"})
    with pytest.raises(UserError, match=r"missing overall_score.*Rename 'overall_scores'"):
        from_frame(frame, where="x.csv")
    assert not is_annotations(frame.columns)
    assert is_annotations(list(COLUMNS))


def test_a_file_with_no_score_at_all_is_refused():
    frame = pl.DataFrame([row(**{f"{d}_score": "" for d in DIMENSIONS})])
    with pytest.raises(UserError, match="no row has a score"):
        from_frame(frame, where="x.csv")


def test_its_questions_and_answers_load_as_any_source(tmp_path):
    path = written(tmp_path, row(), row(responder="human"))
    loaded = load("counselbench", path)
    assert loaded.responses["source"].to_list() == ["gpt4", "human"]


def test_the_four_tables_and_the_account_are_written(tmp_path):
    found = load_annotations(written(tmp_path, row()))
    paths = found.write(tmp_path / "out")
    assert sorted(p.name for p in paths) == [
        "items.parquet",
        "loaded.json",
        "raters.parquet",
        "ratings.parquet",
        "responses.parquet",
    ]
    assert tables.read_table(tmp_path / "out" / "ratings.parquet", "ratings").height == 6
    assert json.loads((tmp_path / "out" / "loaded.json").read_text())["ratings"] == 6


@pytest.mark.shared
def test_the_public_scores_load_whole_without_texts(shared):
    path = shared / "data" / "counselbench" / "scores.csv"
    found = load_annotations(path)
    assert (found.loaded.rows_read, found.loaded.kept.height) == (2000, 2000)
    assert (found.ratings.height, found.raters.height) == (12_000, 100)
    assert (found.loaded.responses.height, found.loaded.items.height) == (400, 0)
    unsure = found.ratings.filter(pl.col("status") == "not_sure")["dimension"].value_counts()
    # Counted in the file: 51 and 70 times "I am not sure".
    assert dict(unsure.iter_rows()) == {"medical_advice": 51, "factual_consistency": 70}
    assert tables.check(found.ratings, "ratings") == []
    assert tables.check(found.loaded.responses, "responses") == []
    with pytest.raises(UserError, match="scores and no texts"):
        load("counselbench", path)
