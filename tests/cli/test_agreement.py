"""``attunement agreement``: from a table in a file to numbers, and from a mistake to advice."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import typer
from typer.testing import CliRunner, Result

from attunement import tables
from attunement.cli.agreement import agreement
from attunement.stats.agreement import alpha, cohen_kappa, fleiss_kappa, gwet_ac, icc

app = typer.Typer()
app.command()(agreement)

VALUES = np.array(
    [[1, 2, 1], [3, 3, 4], [5, 4, 5], [2, math.nan, 3], [2, 2, 2], [4, 5, 5], [1, 1, 3], [3, 4, 3],
     [2, 2, 1], [5, 5, 4], [2, 3, 1], [4, 4, 4]]
)  # fmt: skip
RATERS = ("ann", "bo", "cy")


def run(path: Path, *words: str) -> Result:
    result = CliRunner().invoke(app, [str(path), *words])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def found(path: Path, *words: str) -> dict[str, Any]:
    result = run(path, *words, "--json")
    assert result.exit_code == 0, result.output
    answer: dict[str, Any] = json.loads(result.stdout)
    assert answer["schema_version"] == 1
    return answer


def refused(path: Path, *words: str) -> str:
    result = run(path, *words)
    assert result.exit_code == 2, result.output
    return " ".join(result.output.split())


def write(tmp_path: Path, text: str, name: str = "t.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def long(tmp_path: Path, **more: list[str]) -> Path:
    frame = pl.DataFrame(
        [
            {"item_id": f"i{i}", "rater": r, "value": v, **{k: w[i] for k, w in more.items()}}
            for i, row in enumerate(VALUES)
            for r, v in zip(RATERS, row, strict=True)
        ]
    ).with_columns(pl.col("value").fill_nan(None))
    frame.write_csv(tmp_path / "long.csv")
    return tmp_path / "long.csv"


def rating(i: int, rater: str, value: float | None, **more: Any) -> dict[str, Any]:
    row = {
        "unit": "response",
        "unit_id": f"r{i}",
        "item_id": f"q{i // 4}",
        "source": ("a", "b")[i % 2],
        "rater": rater,
        "rater_kind": "human",
        "instrument": "test@1",
        "dimension": "empathy",
        "value": value,
        "status": "not_sure" if value is None else "ok",
    }
    return {**row, **more}


def our_ratings(tmp_path: Path, *more: dict[str, Any]) -> Path:
    rows = [
        rating(i, r, None if math.isnan(v) else float(v))
        for i, row in enumerate(VALUES)
        for r, v in zip(RATERS, row, strict=True)
    ]
    path = tmp_path / "ratings.parquet"
    tables.write_table(pl.DataFrame([*rows, *more], infer_schema_length=None), path, "ratings")
    return path


def test_a_long_table_gives_alpha_with_its_interval(tmp_path):
    answer = found(long(tmp_path), "--level", "interval")
    (result,) = answer["results"]
    expected = alpha(VALUES, "interval")
    assert result["name"] == "krippendorff_alpha_interval"
    assert result["estimate"] == expected.estimate
    assert (result["ci_low"], result["ci_high"]) == (expected.ci_low, expected.ci_high)
    assert (result["n"], result["n_missing"]) == (12, 0)
    assert answer["study_size"].startswith("At a reliability of")


def test_a_table_for_people_says_what_it_means_for_a_study(tmp_path):
    result = run(long(tmp_path), "--level", "ordinal")
    text = " ".join(result.output.split())
    assert "35 ratings of 12 items by 3 raters" in text
    assert "krippendorff alpha ordinal" in text
    assert "95% interval" in text
    assert "raters an item" in text or "one rater an item" in text


def test_a_wide_table_gives_the_same(tmp_path):
    named = "item_id,ann,bo,cy\n" + "".join(
        f"{i}," + ",".join("" if math.isnan(v) else str(int(v)) for v in row) + "\n"
        for i, row in enumerate(VALUES)
    )
    bare = "".join(line.partition(",")[2] + "\n" for line in named.splitlines())
    expected = alpha(VALUES).estimate
    with_items = found(write(tmp_path, named), "--wide")
    assert with_items["results"][0]["estimate"] == expected
    assert with_items["notes"] == [
        "Column 'item_id' names the items; the other 3 columns are raters."
    ]
    without = found(write(tmp_path, bare, "bare.csv"), "--wide")
    assert without["results"][0]["estimate"] == expected
    assert without["notes"] == ["All 3 columns are raters; each row is an item."]


def test_all_statistics_fit_the_level(tmp_path):
    answer = found(long(tmp_path), "--statistic", "all", "--replicates", "50")
    values = {r["name"]: r["estimate"] for r in answer["results"]}
    assert values == {
        "krippendorff_alpha_ordinal": alpha(VALUES).estimate,
        "mean_pairwise_linear_weighted_kappa": cohen_kappa(VALUES, "linear").estimate,
        "mean_pairwise_quadratic_weighted_kappa": cohen_kappa(VALUES, "quadratic").estimate,
        "fleiss_kappa": fleiss_kappa(VALUES).estimate,
        "gwet_ac1": gwet_ac(VALUES).estimate,
        "gwet_ac2_ordinal": gwet_ac(VALUES, "ordinal").estimate,
        "icc_1": icc(VALUES, "1").estimate,
        "icc_a_1": icc(VALUES, "A,1").estimate,
        "icc_c_1": icc(VALUES, "C,1").estimate,
        "icc_1_k": icc(VALUES, "1,k").estimate,
        "icc_a_k": icc(VALUES, "A,k").estimate,
        "icc_c_k": icc(VALUES, "C,k").estimate,
        "percent_agreement": values["percent_agreement"],
    }
    nominal = found(long(tmp_path), "--statistic", "all", "--level", "nominal")
    assert not any("icc" in r["name"] or "ac2" in r["name"] for r in nominal["results"])
    assert "no number of raters" in nominal["study_size"]


def test_the_scale_counts_where_chance_depends_on_it(tmp_path):
    answer = found(long(tmp_path), "--statistic", "ac1", "--categories", "1,2,3,4,5,6")
    expected = gwet_ac(VALUES, categories=[1, 2, 3, 4, 5, 6]).estimate
    assert answer["results"][0]["estimate"] == expected
    assert "--statistic alpha or icc does" in answer["study_size"]


def test_words_are_categories_at_level_nominal(tmp_path):
    path = write(tmp_path, "item_id,rater,value\na,x,Yes\na,y,Yes\nb,x,No\nb,y,Yes\nc,x,\nc,y,No\n")
    answer = found(path, "--level", "nominal")
    assert answer["results"][0]["n"] == 2
    assert answer["results"][0]["n_missing"] == 1
    assert answer["notes"] == ["2 categories: No, Yes."]


def test_our_ratings_by_item_are_averaged_and_pooled(tmp_path):
    answer = found(our_ratings(tmp_path), "--dimension", "empathy", "--by", "item")
    mean, pooled, *each = answer["results"]
    assert mean["name"] == "mean_krippendorff_alpha_ordinal"
    assert pooled["name"] == "pooled_krippendorff_alpha_ordinal"
    assert pooled["estimate"] == alpha(VALUES).estimate
    assert [r["group"] for r in each] == [
        {"dimension": "empathy", "item": f"q{i}"} for i in range(3)
    ]
    assert mean["estimate"] == pytest.approx(np.mean([r["estimate"] for r in each]))
    assert mean["n"] == 3


def test_topics_are_found_in_the_items(tmp_path):
    items = tmp_path / "items.parquet"
    turns = [[{"role": "user", "text": "?"}]] * 3
    frame = pl.DataFrame({"item_id": ["q0", "q1", "q2"], "topic": ["x", "y", "x"], "turns": turns})
    tables.write_table(frame, items, "items")
    path = our_ratings(tmp_path)
    answer = found(path, "--by", "topic", "--items", str(items))
    assert [r["group"]["topic"] for r in answer["results"][2:]] == ["x", "y"]
    assert "--items" in refused(path, "--by", "topic")


def test_groups_may_be_any_column(tmp_path):
    path = long(tmp_path, clinic=["n", "s"] * 6)
    answer = found(path, "--by", "clinic", "--replicates", "50")
    assert [r["group"] for r in answer["results"][2:]] == [{"clinic": "n"}, {"clinic": "s"}]
    shown = run(path, "--by", "clinic", "--replicates", "50").output
    assert "clinic" in shown
    assert "mean krippendorff" in shown


def test_a_status_other_than_ok_is_missing(tmp_path):
    answer = found(our_ratings(tmp_path), "--statistic", "icc")
    assert {r["n_missing"] for r in answer["results"]} == {1}


def test_one_kind_of_rater_may_be_chosen(tmp_path):
    judge = [rating(i, "judge:x", 3.0, rater_kind="judge") for i in range(12)]
    path = our_ratings(tmp_path, *judge)
    assert found(path, "--rater-kind", "human")["results"][0]["estimate"] == alpha(VALUES).estimate
    assert found(path)["results"][0]["estimate"] != alpha(VALUES).estimate
    assert "There is: human, judge" in refused(path, "--rater-kind", "people")


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


def test_sets_of_labels_are_compared_as_sets(tmp_path):
    labels = [[["a"], ["a"]], [["a", "b"], ["b"]], [["c"], ["c"]], [["b"], []]]
    rows = [
        rating(i, RATERS[j], None, dimension="emotions", status="ok", labels=chosen)
        for i, row in enumerate(labels)
        for j, chosen in enumerate(row)
    ]
    answer = found(our_ratings(tmp_path, *rows), "--dimension", "emotions")
    assert [r["name"] for r in answer["results"]] == [
        "krippendorff_alpha_jaccard",
        "krippendorff_alpha_masi",
    ]
    assert all(r["n"] == 4 for r in answer["results"])
    grouped = found(our_ratings(tmp_path, *rows), "--dimension", "emotions", "--by", "source")
    assert grouped["results"][0]["name"] == "mean_krippendorff_alpha_jaccard"


def test_raters_of_a_few_items_each_have_a_one_way_icc(tmp_path):
    rows = "".join(f"i{i},p{(i + j) % 9},{v}\n" for i, row in enumerate(VALUES[:, [0, 2]])
                   for j, v in enumerate(row))  # fmt: skip
    path = write(tmp_path, f"item_id,rater,value\n{rows}")
    answer = found(path, "--statistic", "icc")
    assert [r["name"] for r in answer["results"]] == ["icc_1", "icc_1_k"]
    assert answer["results"][0]["estimate"] == pytest.approx(icc(VALUES[:, [0, 2]], "1").estimate)
    assert "whoever gave them" in answer["notes"][0]


def test_what_is_undefined_is_null_with_a_reason(tmp_path):
    path = write(tmp_path, "item_id,rater,value\na,x,3\na,y,3\nb,x,3\nb,y,3\n")
    (result,) = found(path)["results"]
    assert (result["estimate"], result["ci_low"]) == (None, None)
    assert "all ratings are the same" in result["reason"]
    shown = " ".join(run(path).output.split())
    assert "Nothing can be said about a study's size" in shown


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


WIDE = "".join(f"{i},{i % 3},{i % 2}\n" for i in range(1, 13))


def test_a_first_column_that_counts_the_rows_names_the_items(tmp_path):
    path = write(tmp_path, "Case no.,ann,bo\n" + WIDE)
    counted = found(path, "--wide")
    named = found(write(tmp_path, "item_id,ann,bo\n" + WIDE, "named.csv"), "--wide")
    assert counted["results"] == named["results"]
    assert "if it is a rater, --id none says so" in counted["notes"][1]
    assert found(path, "--wide", "--id", "none")["results"] != named["results"]


@pytest.mark.parametrize("first", [range(1, 6), range(301, 289, -1)])
def test_a_column_that_may_number_the_items_is_warned_of(tmp_path, first):
    rows = "".join(f"{n},{i % 3},{i % 2}\n" for i, n in enumerate(first))
    result = run(write(tmp_path, "Case no.,ann,bo\n" + rows), "--wide")
    said = " ".join(result.stderr.split())
    assert said.startswith("Warning: Column 'Case no.' was read as a rater")
    assert "--id 'Case no.'" in said


def test_any_column_may_name_the_items(tmp_path):
    rows = "".join(f"{i % 3},{i % 2},{7 * i}\n" for i in range(1, 13))
    path = write(tmp_path, "ann,bo,number\n" + rows)
    named = found(write(tmp_path, "item_id,ann,bo\n" + WIDE, "named.csv"), "--wide")
    assert found(path, "--wide", "--id", "number")["results"] == named["results"]
    assert "did you mean 'number'?" in refused(path, "--wide", "--id", "numbr")
    assert "Add --wide" in refused(path, "--id", "number")


def test_sets_come_as_sets_though_their_value_says_how_many_they_are(tmp_path):
    # Two sorters who share no label agree in how many they chose, and in nothing else.
    rows = [
        rating(i, rater, 1.0, dimension="issues", labels=[label])
        for i in range(12)
        for rater, label in (("ann", "ab"[i % 2]), ("bo", "cd"[i % 2]))
    ]
    rows.append(rating(20, "ann", 0.0, dimension="issues", labels=[]))
    rows.append(rating(20, "bo", 0.0, dimension="issues"))  # none of them, without a list
    answer = found(our_ratings(tmp_path, *rows), "--dimension", "issues")
    jaccard = answer["results"][0]
    assert jaccard["name"] == "krippendorff_alpha_jaccard"
    assert jaccard["n"] == 13
    # By hand: 12 of 13 pairs differ wholly; of 26 * 25 ordered pairs of ratings, four labels of six
    # ratings and two empty sets make 4 * 6 * 5 + 2 equal ones.
    assert jaccard["estimate"] == pytest.approx(1 - (12 / 13) / (1 - 122 / 650))


def test_options_with_numbers_of_their_own_are_compared_by_these(tmp_path):
    rows = [
        rating(i, r, float(v), dimension="grade", labels=[f"option{v:g}"])
        for i, row in enumerate(VALUES)
        for r, v in zip(RATERS, row, strict=True)
        if not math.isnan(v)
    ]
    answer = found(our_ratings(tmp_path, *rows), "--dimension", "grade")
    assert answer["results"][0]["estimate"] == alpha(VALUES).estimate


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
