"""Any table by column mapping: a row a question, or a row an answer."""

from pathlib import Path

import polars as pl
import pytest

from attunement import datasets, tables
from attunement.errors import UserError


def sources(loaded: datasets.Loaded) -> list[tuple[str, int, str]]:
    return loaded.responses.select("source", "candidate", "text").rows()


def test_a_row_a_question_with_a_mapping(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("Frage,Antwort,Thema\nWarum?,Darum.,Angst\n", encoding="utf-8")
    loaded = datasets.load(
        "table",
        tmp_path / "t.csv",
        mapping={"question": "Frage", "reference": "Antwort", "topic": "Thema"},
    )
    assert loaded.items.select("topic", "reference").row(0) == ("Angst", "Darum.")
    assert tables.question(loaded.items["turns"][0].to_list()) == "Warum?"
    assert sources(loaded) == [("reference", 0, "Darum.")]
    assert tables.check(loaded.items, "items") == []


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_every_format_is_read(tmp_path: Path, suffix: str) -> None:
    frame = pl.DataFrame({"question": ["Why? 😀 שלום"], "reference": ["So."], "upvotes": [3]})
    path = tmp_path / f"t{suffix}"
    if suffix == ".parquet":
        frame.write_parquet(path)
    elif suffix == ".jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_csv(path, separator="\t" if suffix == ".tsv" else ",")
    assert datasets.load("table", path).items["turns"][0][0]["text"] == "Why? 😀 שלום"


def test_columns_that_bear_our_names_need_no_mapping() -> None:
    loaded = datasets.load(pl.DataFrame({"Question": ["Why?"], "Answer": ["So."]}))
    assert sources(loaded) == [("reference", 0, "So.")]


def test_a_pandas_frame_is_accepted() -> None:
    pd = pytest.importorskip("pandas")
    loaded = datasets.load(pd.DataFrame({"question": ["Why?"], "reference": ["So."]}))
    assert loaded.items.height == 1


def test_a_row_an_answer_with_its_source() -> None:
    loaded = datasets.load(
        pl.DataFrame(
            {
                "item_id": ["q1"] * 5,
                "question": ["Why?"] * 5,
                "source": ["gpt", "reference", "gpt", "therapist", "other"],
                "answer": ["a", "gold", "b", "human", ""],
            }
        )
    )
    assert loaded.items["reference"].to_list() == ["gold"]
    assert sources(loaded) == [
        ("reference", 0, "gold"),
        ("gpt", 0, "a"),
        ("gpt", 1, "b"),
        ("therapist", 0, "human"),
        ("other", 0, ""),
    ]
    assert loaded.kept.height == 5


def test_a_source_column_beside_a_reference_column() -> None:
    loaded = datasets.load(
        pl.DataFrame(
            {
                "question": ["Why?"] * 2,
                "source": ["a", "b"],
                "answer": ["x", "y"],
                "reference": ["gold"] * 2,
            }
        )
    )
    assert sources(loaded) == [("reference", 0, "gold"), ("a", 0, "x"), ("b", 0, "y")]
    assert loaded.kept.height == loaded.rows_read == 2


def test_answers_without_a_source_are_peoples_and_the_most_liked_is_the_reference() -> None:
    loaded = datasets.load(
        pl.DataFrame(
            {"question": ["Why?"] * 3, "answer": ["a", "b", "c"], "upvotes": ["1", "5", "2"]}
        )
    )
    assert sources(loaded) == [("reference", 0, "b"), ("therapist", 0, "c"), ("therapist", 1, "a")]


def test_a_name_for_all_answers() -> None:
    frame = pl.DataFrame({"question": ["Why?"], "answer": ["a"], "reference": ["gold"]})
    loaded = datasets.load(frame, answered_by="mine")
    assert sources(loaded) == [("reference", 0, "gold"), ("mine", 0, "a")]
    with pytest.raises(UserError, match="whose answer"):
        datasets.load(frame)


def test_what_is_left_out_is_counted() -> None:
    loaded = datasets.load(
        pl.DataFrame(
            {
                "question": ["", "Why?", "Why?", "Why?", "Why?", None],
                "source": ["a", "a", "a", None, "reference", "a"],
                "answer": ["x", "x", "x", "y", " ", "z"],
            }
        )
    )
    assert dict(loaded.dropped.select("reason", "count").iter_rows()) == {
        "the question is empty": 2,
        "the same question, source and answer as an earlier row": 1,
        "the source is empty": 1,
        "the answer is empty": 1,
    }
    assert loaded.rows_read == 6 == loaded.kept.height + loaded.dropped["count"].sum()


def test_questions_without_a_reference_are_said() -> None:
    loaded = datasets.load(pl.DataFrame({"question": ["One?", "Two?", "Two?"]}))
    assert loaded.items["reference"].to_list() == [None, None]
    assert loaded.responses.height == 0
    assert "Questions without a reference: 2." in loaded.notes
    assert loaded.dropped["count"].to_list() == [1]


def test_columns_that_were_not_used_are_said() -> None:
    loaded = datasets.load(pl.DataFrame({"question": ["Why?"], "email": ["a@b.example"]}))
    assert "Columns that were not used: email." in loaded.notes
    assert "b.example" not in str(loaded.items.to_dicts())


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ({"qestion": "q"}, "Did you mean 'question'"),
        ({"question": "qq"}, "it has q, a"),
        ({"answer": "a"}, "no column is the question"),
        ({"question": "q", "source": "a"}, "no column is the answer"),
    ],
)
def test_a_mapping_that_does_not_fit_is_an_error(mapping: dict[str, str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        datasets.load(pl.DataFrame({"q": ["Why?"], "a": ["So."]}), mapping=mapping)


def test_duplicate_ids_are_named_with_their_rows() -> None:
    frame = pl.DataFrame(
        {"item_id": ["1", "2", "1"], "question": ["A?", "B?", "C?"], "reference": ["a", "b", "c"]}
    )
    with pytest.raises(UserError, match=r"duplicate ids: row 3 \(1\)"):
        datasets.load(frame)


def test_an_id_with_two_references_is_a_duplicate() -> None:
    frame = pl.DataFrame({"item_id": ["1"] * 2, "question": ["A?"] * 2, "reference": ["a", "b"]})
    with pytest.raises(UserError, match="duplicate ids"):
        datasets.load(frame)


def test_without_ids_a_second_reference_is_another_persons_answer() -> None:
    loaded = datasets.load(pl.DataFrame({"question": ["A?"] * 2, "reference": ["a", "b"]}))
    assert sorted(loaded.responses["source"]) == ["reference", "therapist"]
    assert loaded.kept.height == 2


def test_lists_are_not_text() -> None:
    with pytest.raises(UserError, match="lists or objects"):
        datasets.load(pl.DataFrame({"question": [["a"]]}))


def test_a_megabyte_of_answer_survives() -> None:
    answer = "word " * 200_000
    loaded = datasets.load(pl.DataFrame({"question": ["Why?"], "reference": [answer]}))
    assert loaded.items["reference"][0] == answer.strip()


def test_a_table_needs_a_path() -> None:
    with pytest.raises(UserError, match="needs the path"):
        datasets.load("table")
