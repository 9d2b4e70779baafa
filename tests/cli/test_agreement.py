"""``attunement agreement``: from a table in a file to numbers, for the whole and for groups."""

import math

import numpy as np
import polars as pl
import pytest

from attunement import tables
from attunement.stats.agreement import alpha, cohen_kappa, fleiss_kappa, gwet_ac, icc
from stubs.agreement import RATERS, VALUES, found, long, our_ratings, rating, refused, run, write


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


def test_one_kind_of_rater_may_be_chosen(tmp_path):
    judge = [rating(i, "judge:x", 3.0, rater_kind="judge") for i in range(12)]
    path = our_ratings(tmp_path, *judge)
    assert found(path, "--rater-kind", "human")["results"][0]["estimate"] == alpha(VALUES).estimate
    assert found(path)["results"][0]["estimate"] != alpha(VALUES).estimate
    assert "There is: human, judge" in refused(path, "--rater-kind", "people")


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
