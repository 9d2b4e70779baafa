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
    assert any("several kinds (human, judge)" in note for note in found(path)["notes"])
    of_people = found(path, "--rater-kind", "human")["notes"]
    assert not any("several kinds" in note for note in of_people)


def test_answers_to_one_item_are_said_not_to_be_independent(tmp_path):
    frame = pl.read_parquet(our_ratings(tmp_path))
    path = tmp_path / "answers.parquet"
    three = pl.col("item_id").rank("dense").cast(pl.Int64) % 3
    frame.with_columns(item_id=pl.format("q{}", three)).write_parquet(path)
    (note,) = [n for n in found(path)["notes"] if "independent" in n]
    assert note.startswith("The 12 answers are to 3 items.")
    assert not any("independent" in n for n in found(path, "--by", "item")["notes"])


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


def test_a_label_given_twice_is_in_the_set_once(tmp_path):
    # Of marked passages a rater may give one label to two; raters share no label anywhere
    rows = [
        rating(i, rater, float(len(labels)), dimension="acts", labels=labels)
        for i in range(12)
        for rater, labels in (("ann", ["a", "a"] if i == 3 else ["a", "b"]), ("bo", ["c"]))
    ]
    jaccard = found(our_ratings(tmp_path, *rows), "--dimension", "acts")["results"][0]
    assert jaccard["name"] == "krippendorff_alpha_jaccard"
    # By hand: every pair is at distance 1. Of 24 * 23 ordered pairs of ratings, those of equal sets
    # (11 * 10 and 12 * 11) are at 0 and those of {a} and {a, b} (2 * 11) at 1/2.
    assert jaccard["estimate"] == pytest.approx(1 - 1 / ((552 - 110 - 132 - 11) / 552))


def test_a_choice_of_an_answer_that_stands_for_two_is_a_set(tmp_path):
    chosen = {0: (["q0-a", "q0-b"], ["q0-c"]), 1: (["q1-a"], ["q1-b"]), 2: (["q2-a"], ["q2-a"])}
    rows = [
        rating(i, r, 1.0, dimension="choice", labels=labels)
        for i, both in chosen.items()
        for r, labels in zip(RATERS, both, strict=False)
    ]
    jaccard = found(our_ratings(tmp_path, *rows), "--dimension", "choice")["results"][0]
    assert jaccard["name"] == "krippendorff_alpha_jaccard"
    # By hand: two of three pairs differ wholly; of 6 * 5 ordered pairs two are equal
    assert jaccard["estimate"] == pytest.approx(1 - (2 / 3) / (28 / 30))


def test_labels_that_are_not_compared_are_said(tmp_path):
    rows = [
        rating(i, r, 4.0 + i % 2, dimension="overall", labels=["long", "kind"])
        for i in range(3)
        for r in RATERS
    ]
    answer = found(our_ratings(tmp_path, *rows), "--dimension", "overall")
    assert answer["results"][0]["name"] == "krippendorff_alpha_ordinal"
    assert any("Labels are not compared" in note for note in answer["notes"])


def test_one_label_each_is_a_category_for_every_statistic(tmp_path):
    labels = np.array([["a", "a"], ["b", "c"], ["c", "c"], ["b", "b"]])
    rows = [
        rating(i, r, None, dimension="kind", status="ok", labels=[label])
        for i, row in enumerate(labels)
        for r, label in zip(RATERS, row, strict=False)
    ]
    path = our_ratings(tmp_path, *rows)
    codes = np.array([[ord(v) for v in row] for row in labels], dtype=float)
    (result,) = found(path, "--dimension", "kind")["results"]
    assert result["name"] == "krippendorff_alpha_nominal"
    assert result["estimate"] == pytest.approx(alpha(codes, "nominal").estimate)
    percent = found(path, "--dimension", "kind", "--statistic", "percent")
    assert percent["results"][0]["estimate"] == 0.75
    kappa = found(path, "--dimension", "kind", "--statistic", "kappa")["results"][0]
    assert kappa["estimate"] == pytest.approx(cohen_kappa(codes, "identity").estimate)


def test_sets_have_alpha_only(tmp_path):
    rows = [
        rating(i, r, None, dimension="kind", status="ok", labels=["a", "b"][: 1 + i % 2])
        for i in range(4)
        for r in RATERS
    ]
    said = refused(our_ratings(tmp_path, *rows), "--dimension", "kind", "--statistic", "percent")
    assert "these ratings are sets of labels" in said


def test_what_was_skipped_at_first_is_not_taken_from_a_later_replicate(tmp_path):
    rows = [
        rating(i, r, 1.0 + (i + j) % 3, dimension=name)
        for i in range(6)
        for j, r in enumerate(RATERS[:2])
        for name in ("asked", "optional")
        if (i, r, name) != (0, RATERS[0], "optional")
    ]
    path = tmp_path / "one.parquet"
    tables.write_table(pl.DataFrame(rows), path, "ratings")
    once = found(path, "--dimension", "optional")["results"][0]
    again = [rating(0, RATERS[0], 3.0, dimension=d, replicate=1) for d in ("asked", "optional")]
    tables.write_table(
        pl.DataFrame([*({"replicate": 0, **r} for r in rows), *again]), path, "ratings"
    )
    answer = found(path, "--dimension", "optional")
    assert answer["results"][0]["estimate"] == once["estimate"]
    assert "the first of each rater is taken; 1 rows are left out" in " ".join(answer["notes"])


def test_an_answer_that_raters_of_a_study_saw_once_counts_once(tmp_path):
    from attunement.runs import Run

    texts = {"q0": ("Same.", "Same. "), "q1": ("One.", "Two."), "q2": ("Three.", "Four.")}
    answers = [
        {"response_id": f"{q}-{s}", "item_id": q, "source": s, "text": text}
        for q, both in texts.items()
        for s, text in zip("ab", both, strict=True)
    ]
    values = {"q0-a": (1, 3), "q0-b": (1, 3), "q1-a": (2, 2), "q1-b": (3, 3), "q2-a": (1, 1),
              "q2-b": (2, 3)}  # fmt: skip
    rows = [
        rating(0, r, float(v), unit_id=id, item_id=id[:2], source=id[-1], signature="study|x")
        for id, pair in values.items()
        for r, v in zip(RATERS, pair, strict=False)
    ]
    run = Run(tmp_path / "study")
    run.write(pl.DataFrame(answers), "responses")
    run.write(pl.DataFrame(rows), "ratings")
    answer = found(run.folder)
    once = np.array([pair for id, pair in values.items() if id != "q0-b"], dtype=float)
    assert answer["results"][0]["estimate"] == pytest.approx(alpha(once).estimate)
    assert any("count once; 2 rows" in note for note in answer["notes"])
    by_source = found(run.folder, "--by", "source")["results"]
    assert next(r for r in by_source if r["group"].get("source") == "b")["n"] == 3


def test_options_with_numbers_of_their_own_are_compared_by_these(tmp_path):
    rows = [
        rating(i, r, float(v), dimension="grade", labels=[f"option{v:g}"])
        for i, row in enumerate(VALUES)
        for r, v in zip(RATERS, row, strict=True)
        if not math.isnan(v)
    ]
    answer = found(our_ratings(tmp_path, *rows), "--dimension", "grade")
    assert answer["results"][0]["estimate"] == alpha(VALUES).estimate
