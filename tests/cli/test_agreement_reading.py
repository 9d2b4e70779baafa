"""Which tables ``attunement agreement`` reads, what it makes of their cells, what it refuses."""

import polars as pl
import pytest

from attunement.stats.agreement import alpha
from stubs.agreement import VALUES, found, our_ratings, rating, refused, run, write


def test_words_are_categories_at_level_nominal(tmp_path):
    path = write(tmp_path, "item_id,rater,value\na,x,Yes\na,y,Yes\nb,x,No\nb,y,Yes\nc,x,\nc,y,No\n")
    answer = found(path, "--level", "nominal")
    assert answer["results"][0]["n"] == 2
    assert answer["results"][0]["n_missing"] == 1
    assert answer["notes"] == ["2 categories: No, Yes."]


def test_a_status_other_than_ok_is_missing(tmp_path):
    answer = found(our_ratings(tmp_path), "--statistic", "icc")
    assert {r["n_missing"] for r in answer["results"]} == {1}


def test_of_repeated_ratings_the_first_is_taken_and_said(tmp_path):
    again = [rating(i, "ann", 5.0, replicate=1) for i in range(12)]
    answer = found(our_ratings(tmp_path, *again))
    assert answer["results"][0]["estimate"] == alpha(VALUES).estimate
    assert "12 rows are left out" in answer["notes"][0]


def test_of_several_rounds_the_last_is_taken(tmp_path):
    later = [rating(i, "ann", 5.0, round=2) for i in range(12)]
    changed = VALUES.copy()
    changed[:, 0] = 5
    answer = found(our_ratings(tmp_path, *later))
    assert answer["results"][0]["estimate"] == alpha(changed).estimate


LONG = "item_id,rater,value\n"


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        (LONG + "a,x,1\na,x,2\n", (), "rater 'x' rated item 'a' more than once"),
        (LONG + "a,x,1\na,y,good\n", (), "row 2, column 'value'"),
        (LONG + "a,x,1\na,y,good\n", (), "--missing 'good'"),
        (LONG + "a,x,1\na,y,inf\n", (), "'inf' is not a number"),
        (LONG + "a,x,1\na,,2\n", (), "row 2 has no item_id or no rater"),
        (LONG, (), "no rows"),
        ("item_id,raters,value\na,x,1\n", (), "no column 'rater' (there is 'raters')"),
        ("i,ann,bo\n1,2,3\n", (), "use --wide"),
        ("item_id,rater,value,dimension\na,x,1,empathy\n", ("--dimension", "empaty"), "'empathy'"),
        (
            "item_id,rater,value,dimension\na,x,1,empathy\na,x,2,tone\n",
            (),
            "Choose one with --dimension: empathy, tone",
        ),
        (
            "item_id,rater,value,instrument\na,x,1,one@1\na,y,2,two@1\n",
            (),
            "Choose one with --instrument",
        ),
        (LONG + "a,x,1\na,y,2\n", ("--dimension", "valu"), "no column 'valu' (there is 'value')"),
        (LONG + "a,x,1\na,y,2\n", ("--by", "item"), "unit_id"),
        (LONG + "a,x,1\na,y,2\n", ("--by", "clinic"), "no column 'clinic'"),
        (LONG + "a,x,1\na,y,2\n", ("--level", "ordnial"), "Did you mean ordinal?"),
        (LONG + "a,x,1\na,y,2\n", ("--statistic", "kapa"), "Did you mean kappa?"),
        (LONG + "a,x,1\na,y,2\n", ("--categories", "1,two"), "not a list of numbers"),
        (LONG + "a,x,1\na,y,2\n", ("--categories", "1,2,nan"), "not a list of numbers"),
        (LONG + "a,x,1\na,y,2\n", ("--categories", "1,2,inf"), "not a list of numbers"),
        (LONG + "a,x,1\na,y,1_0\n", (), "'1_0' is not a number"),
        (LONG + "a,x,1\na,y,2\n", ("--dimension", "rater"), "column 'rater' holds no ratings"),
        (LONG + "a,x,1\na,y,2\n", ("--by", "rater"), "item 'a' is in two groups, 'x' and 'y'"),
        ("item_id,rater,value,status\na,x,1,ok\na,y,2,OK\n", (), "row 2, column 'status'"),
        ("item_id,rater,value,labels\na,x,,3\na,y,,[1]\n", (), "row 2, column 'labels'"),
        ('item_id,rater,value,labels\na,x,,"{""b"": 1}"\n', (), "not a list of words"),
        ("item_id,ann,bo\na,1,2\n,1,2\n", ("--wide",), "row 2 names no item"),
        (
            LONG + "a,x,1\na,y,2\n",
            ("--statistic", "ac1", "--categories", "2,3"),
            "the rating 1 is none of the categories",
        ),
        (LONG + "a,x,1\na,y,2\n", ("--statistic", "icc", "--level", "nominal"), "needs an order"),
        (LONG + "a,x,-1\na,y,2\n", ("--level", "ratio"), "must not be negative"),
        (LONG + "a,x,1\na,y,2\n", ("--ci-level", "95"), "between 0 and 1"),
        ("item_id,ann\na,1\na,2\n", ("--wide",), "item 'a' has more than one row"),
        ("item_id,ann,bo\na,1,x\n", ("--wide",), "row 1, column 'bo'"),
        ("item_id,ann,bo\na,1,2\n", ("--wide", "--by", "topic"), "Leave out --by"),
    ],
)
def test_a_mistake_is_answered_with_what_to_do(tmp_path, text, words, said):
    assert said in refused(write(tmp_path, text), *words)


def test_a_file_that_is_not_there_is_said(tmp_path):
    assert "no such file" in refused(tmp_path / "none.csv")


def test_a_word_for_missing_is_not_a_value(tmp_path):
    path = write(tmp_path, LONG + "a,x,1\na,y,I am not sure\nb,x,2\nb,y,2\nc,x,1\nc,y,1\n")
    (result,) = found(path, "--missing", "I am not sure")["results"]
    assert (result["estimate"], result["n"], result["n_missing"]) == (1, 2, 1)


@pytest.mark.parametrize("name", ["[/x]", "[red]", ":m:", "\x1b[31m"])
def test_names_are_shown_as_they_stand(tmp_path, name):
    text = f"item_id,rater,value,{name}\n" + "".join(
        f"{i},{r},{(i + r) % 3},{name}{i % 2}\n" for i in range(6) for r in range(3)
    )
    shown = run(write(tmp_path, text), "--by", name).stdout
    assert shown.count(name.replace("\x1b", "\\x1b")) >= 3
    assert "\x1b" not in shown


def test_units_of_two_kinds_with_one_name_stay_two_items(tmp_path):
    rows = ["a b,c,x,1", "a b,c,y,1", "a,b c,x,2", "a,b c,y,2"]
    path = write(tmp_path, "unit,unit_id,rater,value\n" + "\n".join(rows))
    assert found(path)["results"][0]["n"] == 2


def test_a_run_folder_stands_for_its_ratings(tmp_path):
    our_ratings(tmp_path)
    assert found(tmp_path)["results"][0]["estimate"] == alpha(VALUES).estimate
    (tmp_path / "empty").mkdir()
    assert "no ratings.parquet" in refused(tmp_path / "empty")


def test_without_a_column_of_values_those_that_may_be_it_are_named(tmp_path):
    path = write(tmp_path, "item_id,rater,overall,tone,comment\na,x,1,2,good\na,y,2,2,bad\n")
    assert "--dimension overall; there is overall, tone." in refused(path)


def test_a_repeated_item_is_found_at_once_in_a_large_table(tmp_path):
    rows = "".join(f"x{i},1,2\n" for i in range(30_000))
    assert "item 'x7'" in refused(write(tmp_path, "item_id,ann,bo\n" + rows + "x7,1,2\n"), "--wide")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("item_id", [[0], [0], [1], [1]]),
        ("item_id", [{"a": 0}, {"a": 0}, {"a": 1}, {"a": 1}]),
        ("item_id", [0.0, 0.0, 1.0, 1.0]),
        ("rater", [1, 2, 1, 2]),
        ("status", ["ok"] * 4),
        ("_row", [1, 1, 1, 1]),
        ("replicate", ["0.0"] * 4),
        ("replicate", [[1]] * 4),
    ],
)
def test_a_parquet_file_may_have_keys_of_any_type(tmp_path, name, values):
    base = {"item_id": ["a", "a", "b", "b"], "rater": ["x", "y"] * 2, "value": [1, 1, 2, 3]}
    pl.DataFrame({**base, name: values}).write_parquet(tmp_path / "t.parquet")
    assert found(tmp_path / "t.parquet")["results"][0]["n"] == 2


def test_bytes_for_names_are_refused(tmp_path):
    base = {"item_id": ["a", "a"], "rater": [b"\xff", b"y"], "value": [1, 1]}
    pl.DataFrame(base).write_parquet(tmp_path / "t.parquet")
    assert "column 'rater' holds Binary, not text" in refused(tmp_path / "t.parquet")


def test_replicates_written_as_decimals_are_told_apart(tmp_path):
    text = "item_id,rater,replicate,value\n"
    text += "".join(
        f"i{i},{r},{k}.0,{i if k == 0 else 9}\n" for i in range(3) for r in "xy" for k in (0, 1)
    )
    answer = found(write(tmp_path, text))
    assert answer["results"][0]["estimate"] == 1
    assert "the first of each rater is taken; 6 rows are left out" in answer["notes"][0]


def test_a_number_for_missing_is_found_however_it_is_written(tmp_path):
    frame = {"item_id": list("aabbcc"), "rater": ["x", "y"] * 3, "value": [1.0, 9, 2, 2, 1, 1]}
    pl.DataFrame(frame, strict=False).write_parquet(tmp_path / "t.parquet")
    (result,) = found(tmp_path / "t.parquet", "--missing", "9")["results"]
    assert (result["estimate"], result["n"]) == (1, 2)
