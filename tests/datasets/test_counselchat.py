"""CounselChat in both layouts: cleaned, without names, and every row accounted for."""

import csv
import json
from pathlib import Path

import polars as pl
import pytest

from attunement import datasets, tables
from attunement.errors import UserError

OLD = (
    "questionID questionTitle questionText questionLink topic "
    "therapistInfo therapistURL answerText upvotes"
)
NEW = (
    "questionID questionTitle questionText questionUrl topics "
    "therapistName therapistUrl answerText upvotes"
)


def write(path: Path, header: str, rows: list[tuple[object, ...]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header.split())
        writer.writerows(rows)
    return path


def row(
    answer: str,
    votes: object = 0,
    *,
    id: str = "1",
    title: str = "Title",
    text: str = "Why?",
    topic: str = "anxiety",
    who: str = "Ann Example, LPC",
) -> tuple[object, ...]:
    return (
        id,
        title,
        text,
        "https://x.example/q1",
        topic,
        who,
        "https://x.example/t1",
        answer,
        votes,
    )


def old(tmp_path: Path, *rows: tuple[object, ...]) -> datasets.Loaded:
    return datasets.load("counselchat", write(tmp_path / "old.csv", OLD, list(rows)))


def drops(loaded: datasets.Loaded) -> dict[str, int]:
    return dict(loaded.dropped.select("reason", "count").iter_rows())


def test_the_most_upvoted_answer_is_the_reference(tmp_path: Path) -> None:
    loaded = old(tmp_path, row("worse", 1), row("best", 4), row("middle", 2))
    assert loaded.items["reference"].to_list() == ["best"]
    assert loaded.responses.select("source", "candidate", "text").rows() == [
        ("reference", 0, "best"),
        ("therapist", 0, "middle"),
        ("therapist", 1, "worse"),
    ]


def test_the_tables_are_valid(tmp_path: Path) -> None:
    loaded = old(tmp_path, row("a", 1), row("b", 0))
    assert tables.check(loaded.items, "items") == []
    assert tables.check(loaded.responses, "responses") == []


def test_every_row_that_is_left_out_is_counted(tmp_path: Path) -> None:
    loaded = old(
        tmp_path,
        row("a", 1),
        row("a", 1),
        row("<p>\u00a0</p>"),
        row("lost", text="", title=" "),
        row("b", text="", title="Only a title"),
    )
    assert drops(loaded) == {
        "the same question and answer as an earlier row": 1,
        "the answer is empty": 1,
        "the question and its title are empty": 1,
    }
    assert loaded.dropped["rows"].to_list() == [[2], [3], [4]]
    assert loaded.rows_read == 5 == loaded.kept.height + loaded.dropped["count"].sum()


def test_an_empty_question_falls_back_to_its_title(tmp_path: Path) -> None:
    loaded = old(tmp_path, row("a", text="", title="Am I wrong?"))
    assert tables.question(loaded.items["turns"][0].to_list()) == "Am I wrong?"
    assert any("whose title stands for it: 1" in note for note in loaded.notes)


def test_a_question_under_two_topics_is_one_item(tmp_path: Path) -> None:
    loaded = old(tmp_path, row("a", topic="depression"), row("b", 1, id="9", topic="anxiety"))
    assert loaded.items["topic"].to_list() == ["depression"]
    meta = json.loads(loaded.items["meta"][0])
    assert meta["topics"] == ["depression", "anxiety"]
    assert meta["question_ids"] == ["1", "9"]


def test_an_id_that_stands_for_two_questions_does_not_join_them(tmp_path: Path) -> None:
    loaded = old(tmp_path, row("a", text="One?"), row("b", text="Two?"))
    assert loaded.items.height == 2
    assert any("more than one question" in note for note in loaded.notes)


def test_several_topics_in_a_field_keep_the_first(tmp_path: Path) -> None:
    path = write(tmp_path / "new.csv", NEW, [row("<p>a</p>", topic="Family Conflict,Parenting ")])
    loaded = datasets.load("counselchat", path)
    assert loaded.items["topic"].to_list() == ["family-conflict"]
    assert json.loads(loaded.items["meta"][0])["topics"] == ["family-conflict", "parenting"]


def test_the_same_question_has_the_same_id_in_both_layouts(tmp_path: Path) -> None:
    new = datasets.load(
        "counselchat", write(tmp_path / "n.csv", NEW, [row("<p>a</p>", text="Why? ")])
    )
    assert new.items["item_id"].to_list() == old(tmp_path, row("a")).items["item_id"].to_list()


def test_names_and_links_reach_no_output(tmp_path: Path) -> None:
    loaded = old(
        tmp_path,
        row("Call me. Ann Example, https://x.example/t1", 1),
        row("I agree with Ann Example, LPC", text="See https://x.example/q1"),
    )
    everything = json.dumps(loaded.items.to_dicts()) + json.dumps(loaded.responses.to_dicts())
    for value in ("Ann Example", "x.example"):
        assert value not in everything
    assert "[therapist]" in everything


def test_votes_that_are_no_number_rank_last_and_are_said(tmp_path: Path) -> None:
    loaded = old(tmp_path, row("odd", "many"), row("plain", 0))
    assert loaded.items["reference"].to_list() == ["plain"]
    assert any("Rows without a number of upvotes" in note for note in loaded.notes)


def test_a_field_beyond_the_limit_of_the_csv_module_is_read(tmp_path: Path) -> None:
    # csv.field_size_limit() is 131,072 by default.
    image = '<img src="data:image/png;base64,' + "A" * 230_000 + '">'
    loaded = datasets.load(
        "counselchat", write(tmp_path / "n.csv", NEW, [row(f"<p>kept{image}</p>")])
    )
    assert loaded.responses["text"].to_list() == ["kept"]


def test_raw_answers_are_not_touched(tmp_path: Path) -> None:
    path = write(tmp_path / "n.csv", NEW, [row("<p>a&nbsp;</p>", 2), row("<p>a&nbsp;</p>", 2)])
    raw = datasets.raw_answers(path)
    assert raw.columns == ["question_id", "title", "question", "answer", "topic", "upvotes"]
    assert raw["answer"].to_list() == ["<p>a&nbsp;</p>"] * 2
    assert raw["upvotes"].to_list() == [2, 2]


def test_another_table_is_not_counselchat(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("questionID,answerText\n1,a\n", encoding="utf-8")
    with pytest.raises(UserError, match="missing questionTitle"):
        datasets.load("counselchat", tmp_path / "x.csv")


def test_a_file_with_nothing_to_keep_says_why(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="1 answer rows: the answer is empty"):
        old(tmp_path, row(""))


FILES = {
    "20200325_counsel_chat.csv": (
        2129,
        824,
        {"the same question and answer as an earlier row": 120},
    ),
    "counselchat-data.csv": (
        1482,
        778,
        {"the answer is empty": 5, "the question and its title are empty": 2},
    ),
}


@pytest.mark.shared
@pytest.mark.parametrize("name", FILES)
def test_the_public_files_load_with_no_row_lost(shared: Path, name: str) -> None:
    path = shared / "data" / "counsel-chat" / name
    rows, items, left_out = FILES[name]
    loaded = datasets.load("counselchat", path)
    assert loaded.rows_read == rows == len(datasets.raw_answers(path))
    assert loaded.items.height == items
    assert drops(loaded) == left_out
    assert loaded.kept.height == loaded.responses.height == rows - sum(left_out.values())
    assert (loaded.responses["source"] == "reference").sum() == items
    assert tables.check(loaded.items, "items") == []
    assert tables.check(loaded.responses, "responses") == []


@pytest.mark.shared
@pytest.mark.parametrize("name", FILES)
def test_the_public_files_come_out_clean_and_nameless(shared: Path, name: str) -> None:
    path = shared / "data" / "counsel-chat" / name
    loaded = datasets.load("counselchat", path)
    text = json.dumps(
        [loaded.items.to_dicts(), loaded.responses.to_dicts()], ensure_ascii=False, default=str
    )
    for piece in ("\u00a0", "\u200b", "&nbsp;", "&#34;", "<p>", "<br", "<span", "mso-", "base64"):
        assert piece not in text
    frame = tables.read_frame(path)
    hidden = [
        c
        for c in frame.columns
        if c in (OLD + NEW).split() and ("herapist" in c or c.endswith(("Link", "questionUrl")))
    ]
    values = pl.concat([frame[c].drop_nulls().rename("v") for c in hidden]).unique().to_list()
    assert len(hidden) == 3
    assert [v for v in values if v in text] == []
    assert [v for v in values if v.split(",")[0] in text] == []
