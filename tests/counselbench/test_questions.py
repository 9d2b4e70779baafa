import json

import polars as pl
import pytest
import yaml

from attunement import datasets
from attunement.counselbench import PAPER_TOPICS, question_set, study_file, write_question_set
from attunement.errors import UserError
from attunement.pipeline import load_study


def chat(tmp_path, rows):
    """CounselChat's layout of 2020 from (id, topic, answer, upvotes)."""
    path = tmp_path / "chat.csv"
    pl.DataFrame(
        [
            {
                "questionID": ident,
                "questionTitle": f"title {ident}",
                "questionText": f"question {ident}",
                "questionLink": "https://example.org/q",
                "topic": topic,
                "therapistInfo": "A Person",
                "therapistURL": "https://example.org/p",
                "answerText": answer,
                "upvotes": votes,
            }
            for ident, topic, answer, votes in rows
        ]
    ).write_csv(path)
    return datasets.load("counselchat", path)


LONG = "word " * 251


@pytest.fixture
def loaded(tmp_path):
    return chat(
        tmp_path,
        [
            ("1", "grief", "good", "3"),
            ("1", "grief", LONG + "best", "9"),
            ("2", "grief", "well liked", "7"),
            ("2", "grief", "less liked", "2"),
            ("3", "grief", LONG, "20"),
            ("4", "grief", "hardly liked", "1"),
            ("5", "anger", "only", "0"),
            ("6", "sleep", "elsewhere", "5"),
        ],
    )


def titles(chosen):
    return [json.loads(m)["question_ids"][0] for m in chosen.items["meta"]]


def test_each_topic_gives_the_questions_whose_short_answers_are_liked_most(loaded):
    chosen = question_set(loaded, topics=["anger", "grief"], per_topic=2)
    # Question 3 has no short answer; that of question 1 has 3 upvotes, not the 9 of its long one.
    assert titles(chosen) == ["5", "2", "1"]
    assert chosen.items["topic"].to_list() == ["anger", "grief", "grief"]
    assert chosen.items["reference"].to_list() == ["only", "well liked", "good"]
    assert chosen.responses["text"].to_list() == ["only", "well liked", "less liked", "good"]
    assert chosen.responses["source"].to_list() == [
        "reference",
        "reference",
        "therapist",
        "reference",
    ]


def test_every_question_is_kept_or_counted(loaded):
    chosen = question_set(loaded, topics=["anger", "grief"], per_topic=2, exclude=["4"])
    assert chosen.rows_read == 6
    assert {r: n for r, n, _ in chosen.dropped.iter_rows()} == {
        "no answer of at most 250 words": 1,
        "excluded by its id": 1,
        "another topic": 1,
    }
    assert chosen.notes == ["Topic 'anger' has only 1 questions that fit."]


def test_an_answer_of_exactly_the_limit_is_short_enough(tmp_path):
    loaded = chat(tmp_path, [("1", "grief", "word " * 250, "1")])
    assert question_set(loaded, topics=["grief"]).items.height == 1
    with pytest.raises(UserError, match="no answer of at most 249 words"):
        question_set(
            chat(tmp_path, [("1", "grief", "word " * 250, "1")]), topics=["grief"], words=249
        )


def test_without_any_upvote_it_is_said_that_the_seed_chose(tmp_path):
    rows = [(str(n), "grief", f"answer {n}", "0") for n in range(5)]
    (note,) = question_set(chat(tmp_path, rows), topics=["grief"]).notes
    assert "the seed alone chose" in note


def test_ties_are_broken_by_the_seed_and_not_by_the_order_of_the_file(tmp_path):
    rows = [(str(n), "grief", f"answer {n}", "1") for n in range(12)]
    first = question_set(chat(tmp_path, rows), topics=["grief"])
    again = question_set(chat(tmp_path, rows[::-1]), topics=["grief"])
    other = question_set(chat(tmp_path, rows), topics=["grief"], seed=2)
    assert titles(first) == titles(again)
    assert titles(first) != titles(other)


def test_a_question_of_two_topics_goes_to_the_one_with_fewer(tmp_path):
    rows = [(str(n), "grief", f"answer {n}", "9") for n in range(3)]
    rows += [("0", "anger", "answer 0b", "9")]
    chosen = question_set(chat(tmp_path, rows), topics=["grief", "anger"], per_topic=2)
    assert sorted(zip(chosen.items["topic"], titles(chosen), strict=True))[0] == ("anger", "0")
    assert len(set(titles(chosen))) == 3


def test_what_does_not_exist_is_refused(loaded):
    with pytest.raises(UserError, match=r"no question has the topic 'greif'.*'grief'"):
        question_set(loaded, topics=["greif"])
    with pytest.raises(UserError, match="no question has the id '99'"):
        question_set(loaded, topics=["grief"], exclude=["99"])
    with pytest.raises(UserError, match="upvoted"):
        question_set(datasets.load("sample"), topics=["grief"])


def test_the_study_file_has_the_papers_settings():
    # Appendix D.1: temperature 0.7, top-p 1.0, at most 1,024 tokens, 250 words.
    study = yaml.safe_load(study_file("questions.csv", ["openai/gpt-4o"]))
    (model,) = study["models"]
    assert (model["temperature"], model["top_p"], model["max_tokens"]) == (0.7, 1.0, 1024)
    assert study["generate"]["words"] == 250


def test_the_written_study_loads_with_its_questions_and_references(loaded, tmp_path):
    chosen = question_set(loaded, topics=["anger", "grief"], per_topic=2)
    paths = write_question_set(chosen, tmp_path / "set", models=["openai/gpt-4o", "local"])
    assert all(path.exists() for path in paths)
    study = load_study(tmp_path / "set" / "study.yaml")
    assert [m.model for m in study.models] == ["openai/gpt-4o", "local"]
    again = datasets.load(study.data.source, study.data.path)
    assert again.items["item_id"].to_list() == chosen.items["item_id"].to_list()
    assert again.items["reference"].to_list() == chosen.items["reference"].to_list()
    assert again.items["topic"].to_list() == chosen.items["topic"].to_list()


@pytest.mark.shared
def test_counselchat_gives_five_questions_for_each_of_the_papers_topics(shared):
    path = shared / "data" / "counsel-chat" / "counselchat-data.csv"
    chosen = question_set(datasets.load("counselchat", path))
    assert len(PAPER_TOPICS) == 20
    assert dict(chosen.items["topic"].value_counts().iter_rows()) == dict.fromkeys(PAPER_TOPICS, 5)
    assert max(len(t.split()) for t in chosen.items["reference"]) <= 250
