"""Reading answers: wide tables and ratings, what is turned, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from attunement import tables
from attunement.errors import UserError
from attunement.instruments import load_instrument
from attunement.psychometrics import Answers, Scale, from_instrument, from_items, only, read_answers

ABC = from_items(["a", "b", "c"], reverse=["c"], ends=(1, 5))


def read(tmp_path: Path, text: str, scale: Scale = ABC, **how: Any) -> Answers:
    path = tmp_path / "answers.csv"
    path.write_text(text, encoding="utf-8")
    return read_answers(path, scale, **how)


def refused(tmp_path: Path, text: str, scale: Scale = ABC, **how: Any) -> str:
    with pytest.raises(UserError) as error:
        read(tmp_path, text, scale, **how)
    return str(error.value)


def test_a_reversed_item_is_turned_round_once(tmp_path: Path) -> None:
    found = read(tmp_path, "id,a,b,c\np1,1,2,1\np2,3,,5\n")
    assert found.values[0].tolist() == [1, 2, 5]
    assert found.values[1, [0, 2]].tolist() == [3, 1]
    assert np.isnan(found.values[1, 1])
    assert found.respondents == ("p1", "p2")
    assert found.notes == ("Turned round before anything else: c.",)


def test_without_ends_items_are_turned_about_the_answers_that_occur(tmp_path: Path) -> None:
    found = read(tmp_path, "id,a,b\np1,2,6\np2,3,5\n", from_items(["a", "b"], reverse=["b"]))
    assert found.values[:, 1].tolist() == [2, 3]
    assert "about the answers that occur, 2 to 6" in found.notes[0]


def test_case_of_a_column_does_not_matter(tmp_path: Path) -> None:
    assert read(tmp_path, "ID,A,B,C\n1,1,2,3\n2,2,2,2\n").items == ("a", "b", "c")


def test_rows_are_counted_where_nothing_names_the_respondents(tmp_path: Path) -> None:
    found = read(tmp_path, "a,b,c\n1,2,3\n1,2,3\n")
    assert found.respondents == ("1", "2")
    assert "No column names the respondents: each row is one." in found.notes


def test_who_answered_nothing_is_left_out_and_named(tmp_path: Path) -> None:
    found = read(tmp_path, "id,a,b,c\nx,1,2,3\ny,,NA,\nz,2,3,4\n")
    assert found.respondents == ("x", "z")
    assert found.n_empty == 1
    assert "Left out, as without any answer (1): y." in found.notes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,a,b,c\nx,1,2,7\n", "7 is off the scale of c, 1 to 5"),
        ("id,a,b,c\nx,1,2,agree\n", "'agree' is not a number"),
        ("id,a,b,c\nx,1,2,inf\n", "'inf' is not a number"),
        ("id,a,b,c\nx,1,2,3\nx,3,2,1\n", "respondent 'x' answered more than once"),
        ("id,a,b,c\n,1,2,3\n", "column 'id' is empty"),
        ("id,a,b\nx,1,2\n", "no column for the item 'c'"),
        ("id,a,b,c\nx,,,\n", "nobody answered any item"),
        ("id,a,b,c\n", "no rows"),
    ],
)
def test_a_table_that_is_wrong_is_refused(tmp_path: Path, text: str, message: str) -> None:
    assert message in refused(tmp_path, text)


def test_the_place_of_a_wrong_cell_is_said(tmp_path: Path) -> None:
    assert "row 2, column 'b'" in refused(tmp_path, "id,a,b,c\nx,1,2,3\ny,1,9,3\n")


def test_parts_of_points_are_refused_where_the_instrument_has_whole_ones(tmp_path: Path) -> None:
    scale = only(from_instrument(load_instrument("ces-lcc")), ["ur1", "ur2"])
    assert "whole numbers from 1 to 5" in refused(tmp_path, "id,ur1,ur2\nx,1.5,2\n", scale)


def test_a_word_can_stand_for_no_answer(tmp_path: Path) -> None:
    found = read(tmp_path, "id,a,b,c\nx,1,skip,3\n", missing=["Skip"])
    assert np.isnan(found.values[0, 1])


def test_the_same_respondent_may_rate_two_chatbots(tmp_path: Path) -> None:
    text = "respondent,source,a,b,c\nx,one,1,2,3\nx,two,3,3,3\n"
    found = read(tmp_path, text)
    assert found.about("two").values.shape == (1, 3)
    with pytest.raises(UserError, match="did you mean 'two'"):
        found.about("twoo")
    assert "about 'one'" in refused(tmp_path, text + "x,one,4,4,4\n")


def rating(who: str, item: str, value: float | None, **more: Any) -> dict[str, Any]:
    row = {
        "unit": "session",
        "unit_id": f"s-{who}",
        "source": "bot",
        "rater": who,
        "rater_kind": "human",
        "instrument": "ces-lcc@1",
        "dimension": item,
        "value": value,
        "status": "not_applicable" if value is None else "ok",
    }
    return {**row, **more}


def ratings(tmp_path: Path, rows: list[dict[str, Any]]) -> Path:
    path = tmp_path / "ratings.parquet"
    tables.write_table(pl.DataFrame(rows, infer_schema_length=None), path, "ratings")
    return path


CRR = only(from_instrument(load_instrument("ces-lcc")), ["crr1", "crr2", "crr3"])


def test_ratings_become_a_row_a_respondent(tmp_path: Path) -> None:
    rows = [rating(w, i, v) for w, v in (("x", 2.0), ("y", 4.0)) for i in CRR.items]
    rows[4] = rating("y", "crr2", None)
    found = read_answers(ratings(tmp_path, rows), CRR)
    assert found.values[0].tolist() == [2, 2, 4]  # crr3 is reversed
    assert np.isnan(found.values[1, 1])
    assert found.sources == ("bot", "bot")
    assert found.respondents == ("x", "y")


def test_the_last_round_of_a_respondent_counts(tmp_path: Path) -> None:
    rows = [rating("x", i, 2.0) for i in CRR.items]
    rows += [rating("x", i, 5.0, round=2) for i in CRR.items]
    found = read_answers(ratings(tmp_path, rows), CRR)
    assert found.values.tolist() == [[5, 5, 1]]
    assert any("3 ratings are left out" in note for note in found.notes)


def test_several_sessions_of_a_respondent_are_told_apart_and_warned_of(tmp_path: Path) -> None:
    rows = [rating("x", i, 2.0, unit_id=u) for i in CRR.items for u in ("s1", "s2")]
    found = read_answers(ratings(tmp_path, rows), CRR)
    assert found.respondents == ("x s1", "x s2")
    assert any("intervals too narrow" in note for note in found.notes)


def test_judges_are_no_respondents_among_people(tmp_path: Path) -> None:
    rows = [rating("x", i, 2.0) for i in CRR.items]
    rows += [rating("j", i, 5.0, rater_kind="judge") for i in CRR.items]
    found = read_answers(ratings(tmp_path, rows), CRR)
    assert found.respondents == ("x",)
    assert any("3 ratings by judges" in note for note in found.notes)
    alone = read_answers(ratings(tmp_path, rows[3:]), CRR)
    assert alone.respondents == ("j",)


def test_the_caution_of_an_instrument_goes_with_its_numbers(tmp_path: Path) -> None:
    rows = [rating("x", i, 2.0) for i in CRR.items]
    notes = read_answers(ratings(tmp_path, rows), CRR).notes
    assert any("preliminary" in note for note in notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"instrument": "other@1"}, "no ratings with the instrument ces-lcc@1"),
        ({"value": 9.0}, "9 of crr1 is off its scale"),
        ({"dimension": "crr2"}, "no ratings of the item 'crr1'"),
    ],
)
def test_ratings_that_are_wrong_are_refused(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    rows = [{**rating("x", "crr1", 3.0), **change}]
    if "instrument" not in change:
        rows += [rating("y", item, 2.0) for item in ("crr2", "crr3")]
    with pytest.raises(UserError, match=message):
        read_answers(ratings(tmp_path, rows), CRR)
