"""Transcripts: an item an assistant turn, the turns before it as context."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from attunement import datasets, tables
from attunement.datasets import transcripts
from attunement.datasets.base import Options
from attunement.errors import UserError


def u(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


def a(text: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **more}


def chat(*turns: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"messages": list(turns), **more}


def load(*records: dict[str, Any], source: str | None = None) -> datasets.Loaded:
    return transcripts.from_records(
        list(records), Options(source=source), name="chats", where="chats.jsonl"
    )


def drops(loaded: datasets.Loaded) -> dict[str, int]:
    return dict(loaded.dropped.select("reason", "count").iter_rows())


def test_one_item_an_assistant_turn_with_the_turns_before_it() -> None:
    loaded = load(chat(u("Hi"), a("Hello"), u("I am sad"), a("Since when?"), id="s1"))
    assert loaded.items["item_id"].to_list() == ["s1/1", "s1/2"]
    assert [len(t) for t in loaded.items["turns"].to_list()] == [1, 3]
    assert loaded.items["turns"][1].to_list()[-1] == {"role": "user", "text": "I am sad"}
    assert loaded.responses["text"].to_list() == ["Hello", "Since when?"]
    assert json.loads(loaded.items["meta"][1]) == {"session": "s1", "turn": 2}
    assert tables.check(loaded.items, "items") == []
    assert tables.check(loaded.responses, "responses") == []


def test_sharegpt_says_the_same_in_other_words() -> None:
    loaded = load(
        {
            "conversations": [
                {"from": "system", "value": "Be kind."},
                {"from": "human", "value": "Hi"},
                {"from": "gpt", "value": "Hello"},
            ]
        }
    )
    assert [t["role"] for t in loaded.items["turns"][0].to_list()] == ["system", "user"]
    assert loaded.responses["text"].to_list() == ["Hello"]


def test_the_source_is_the_model_or_the_given_name() -> None:
    named = load(chat(u("Hi"), a("1"), model="m1"), chat(u("Ho"), a("2", model="m2")), source="x")
    assert named.responses.select("source", "model").rows() == [("m1", "m1"), ("m2", "m2")]
    assert load(chat(u("Hi"), a("1")), source="x").responses["source"].to_list() == ["x"]
    assert load(chat(u("Hi"), a("1"))).responses["source"].to_list() == ["assistant"]


def test_parts_are_joined_and_those_that_are_not_text_counted() -> None:
    parts = [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "x"}}]
    loaded = load(chat(u(parts), a([{"type": "output_text", "text": "I see"}])))
    assert loaded.items["turns"][0].to_list() == [{"role": "user", "text": "Look"}]
    assert loaded.responses["text"].to_list() == ["I see"]
    assert any("not text (images, audio, files), left out: 1" in n for n in loaded.notes)


def test_tools_stay_out_of_the_context_and_developer_means_system() -> None:
    loaded = load(
        chat(
            {"role": "developer", "content": "Be brief."},
            u("Weather?"),
            a(None, tool_calls=[{"id": "1"}]),
            {"role": "tool", "content": "sunny"},
            a("Sunny."),
        )
    )
    assert [t["role"] for t in loaded.items["turns"][0].to_list()] == ["system", "user"]
    assert loaded.items["item_id"].to_list() == ["session-1/2"]
    assert drops(loaded) == {"it only calls a tool": 1}
    assert any("Tool turns" in note for note in loaded.notes)


def test_every_fault_is_counted() -> None:
    loaded = load(
        chat(a("Hello, I am a bot"), u("Hi"), a("What is it?")),
        chat(u("Hi"), a("")),
        chat(u("Hi"), a("x"), {"role": "narrator", "content": "y"}, a("z")),
        chat(u("Hi")),
        {"messages": "no list"},
        {"messages": ["no object"]},
        {"other": 1},
        chat(u(3), a("x")),
        chat({"content": "who?"}, a("x")),
        chat(u(" "), a("x")),
    )
    assert drops(loaded) == {
        "no user turn stands before it": 2,
        "the assistant turn is empty": 1,
        "a turn has the unknown role 'narrator'": 2,
        "a conversation without an assistant turn": 1,
        "'messages' is not a list": 1,
        "a turn is not an object": 1,
        "the conversation has no turns": 1,
        "a turn's content is neither text nor a list of parts": 1,
        "a turn has no role": 1,
    }
    assert loaded.rows_read == 12 == loaded.kept.height + loaded.dropped["count"].sum()
    assert loaded.items.height == 1
    # What the bot said first is context of what it said next.
    assert loaded.items["turns"][0][0]["text"] == "Hello, I am a bot"


def test_the_same_conversation_again_is_a_duplicate_and_another_with_its_id_an_error() -> None:
    one = chat(u("Hi"), a("1"), id="s")
    assert drops(load(one, one)) == {"the same conversation as an earlier one": 1}
    with pytest.raises(UserError, match="conversations 1 and 2 are both 's'"):
        load(one, chat(u("Hi"), a("2"), id="s"))


def test_what_the_system_said_is_not_mended() -> None:
    loaded = load(chat(u("a\u00a0b"), a("One.Two <b>x</b> 😀")))
    assert loaded.responses["text"].to_list() == ["One.Two <b>x</b> 😀"]
    assert loaded.items["turns"][0][0]["text"] == "a b"


@pytest.mark.parametrize("how", ["jsonl", "array", "object", "parquet", "csv"])
def test_every_kind_of_file_is_read(tmp_path: Path, how: str) -> None:
    record = chat(u("Hi"), a("Hello \ud83d" if how == "jsonl" else "Hello"), id="s")
    path = tmp_path / {"parquet": "c.parquet", "csv": "c.csv", "jsonl": "c.jsonl"}.get(
        how, "c.json"
    )
    if how == "jsonl":
        path.write_text("\ufeff" + json.dumps(record) + "\n\n", encoding="utf-8")
    elif how == "parquet":
        pl.DataFrame([record]).write_parquet(path)
    elif how == "csv":
        pl.DataFrame({"id": ["s"], "messages": [json.dumps(record["messages"])]}).write_csv(path)
    else:
        value = [record] if how == "array" else record
        path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    loaded = datasets.load("transcripts", path)
    assert loaded.responses["text"][0].startswith("Hello")
    assert datasets.load(path).items.equals(loaded.items)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        (" \n", "the file is empty"),
        ('{"messages": []}\n{"messages": \n', "line 2"),
        ("[1]", "entry 1"),
        ("[1", "not valid JSON"),
        ('{"text": "x"}\n', "no conversation has 'messages'"),
    ],
)
def test_a_bad_file_is_said(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=said):
        datasets.load("transcripts", path)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        datasets.load("transcripts", tmp_path / "none.jsonl")
