"""The account of rows, and the choice of topics and items."""

import json
from pathlib import Path

import polars as pl
import pytest

from attunement import datasets, tables
from attunement.errors import UserError


def loaded(order: int = 1) -> datasets.Loaded:
    names = [f"Question {i}?" for i in range(20)][::order]
    return datasets.load(
        pl.DataFrame(
            {
                "question": ["", *names],
                "reference": ["x", *(f"Answer to {n}" for n in names)],
                "topic": [
                    "t",
                    *("Family Conflict" if int(n[9:-1]) % 2 else "anxiety" for n in names),
                ],
            }
        )
    )


def test_choosing_topics_counts_the_others() -> None:
    chosen = loaded().select(topics=["family-conflict"])
    assert chosen.items["topic"].unique().to_list() == ["Family Conflict"]
    assert chosen.responses.height == 10
    assert dict(chosen.dropped.select("reason", "count").iter_rows()) == {
        "the question is empty": 1,
        "another topic than asked for": 10,
    }
    assert chosen.rows_read == 21 == chosen.kept.height + chosen.dropped["count"].sum()


def test_a_topic_that_does_not_occur_is_an_error_with_the_nearest() -> None:
    with pytest.raises(UserError, match="Did you mean 'anxiety'"):
        loaded().select(topics=["anxeity"])


def test_the_items_of_a_limit_are_drawn_by_the_seed_and_not_by_order() -> None:
    first = loaded().select(limit=5, seed=3)
    again = loaded(-1).select(limit=5, seed=3)
    assert sorted(first.items["item_id"]) == sorted(again.items["item_id"])
    others = [set(loaded().select(limit=5, seed=s).items["item_id"]) for s in range(5)]
    assert any(o != set(first.items["item_id"]) for o in others)
    assert first.rows_read == first.kept.height + first.dropped["count"].sum()


def test_a_limit_above_the_number_of_items_leaves_nothing_out() -> None:
    assert loaded().select(limit=100).items.height == 20
    with pytest.raises(UserError, match="at least 1"):
        loaded().select(limit=0)


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_what_is_written_is_read_again(tmp_path: Path, suffix: str) -> None:
    source = loaded()
    paths = source.write(tmp_path / "new" / "folder", suffix=suffix)
    assert tables.read_table(paths[0], "items").equals(source.items)
    assert tables.read_table(paths[1], "responses").equals(source.responses)
    account = json.loads(paths[2].read_text(encoding="utf-8"))
    assert account["rows_read"] == 21
    assert account["dropped"] == [{"reason": "the question is empty", "count": 1, "rows": [1]}]


def test_a_wrong_place_or_format_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(UserError, match="not a folder"):
        loaded().write(tmp_path / "file")
    with pytest.raises(UserError, match="unknown format"):
        loaded().write(tmp_path, suffix="xlsx")


def test_progress_counts_every_row() -> None:
    from contextlib import contextmanager

    steps: list[int] = []

    @contextmanager
    def track(what, total):
        assert (what, total) == ("Reading", 150)
        yield steps.append

    datasets.load(pl.DataFrame({"question": [f"{i}?" for i in range(150)]}), track=track)
    assert sum(steps) == 150
