"""Files are rated in batches, with the result of rating them whole."""

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from attunement import tables
from attunement.errors import UserError
from attunement.raters.metrics import Plan, files, score, score_file

N = 50


@pytest.fixture
def responses() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "item_id": [f"q{i // 2}" for i in range(N)],
            "source": ["a", "b"] * (N // 2),
            "text": [
                f"It is {'good' if i % 3 else 'bad'} for you. Sleep {i} hours." for i in range(N)
            ],
            "question": ["I sleep 3 hours and it is bad"] * N,
        }
    )


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BATCH", 7)


@pytest.mark.parametrize("suffix", ["parquet", "csv", "tsv", "jsonl"])
def test_in_batches_as_whole_in_every_format(
    responses: pl.DataFrame, tmp_path: Path, suffix: str
) -> None:
    given = tmp_path / f"responses.{suffix}"
    if suffix == "parquet":
        responses.write_parquet(given)
    elif suffix == "jsonl":
        responses.write_ndjson(given)
    else:
        responses.write_csv(given, separator="\t" if suffix == "tsv" else ",")
    out = tmp_path / f"ratings.{suffix}"
    plans: list[Plan] = []
    rows: list[int] = []
    summary = score_file(given, out, on_plan=plans.append, on_rows=rows.append)
    expected = score(responses)
    assert_frame_equal(tables.read_table(out, "ratings"), expected)
    assert plans[0].rows == sum(rows) == N
    assert plans[0].left_out == {"emotion_consistency": "no reference given"}
    assert sum(sum(c.values()) for c in summary.statuses.values()) == expected.height


def test_items_come_from_a_file_and_references_from_the_responses(
    responses: pl.DataFrame, tmp_path: Path, listed_emotions
) -> None:
    items = pl.DataFrame(
        {
            "item_id": [f"q{i}" for i in range(N // 2)],
            "turns": [[{"role": "user", "text": "It is bad"}]] * (N // 2),
        }
    )
    tables.write_table(items, tmp_path / "items.jsonl", "items")
    gold = responses.filter(pl.col("source") == "a").with_columns(
        source=pl.lit("reference"), text=pl.lit("joy 0.4")
    )
    given = pl.concat([responses.with_columns(text=pl.lit("joy 0.9")), gold]).drop("question")
    given.write_parquet(tmp_path / "responses.parquet")
    out = tmp_path / "ratings.parquet"
    summary = score_file(
        tmp_path / "responses.parquet",
        out,
        tmp_path / "items.jsonl",
        metrics=["emotion_consistency", "sentiment_change"],
        emotion=listed_emotions,
    )
    assert summary.status_counts("emotion_consistency") == {"ok": N, "not_applicable": N // 2}
    assert summary.mean("emotion_consistency") == pytest.approx(1)
    assert summary.mean("sentiment_change") == pytest.approx(0.8 - -0.7)


def test_references_stand_partly_in_the_items_and_partly_among_the_responses(
    tmp_path: Path, listed_emotions
) -> None:
    items = pl.DataFrame(
        {
            "item_id": ["q1", "q2"],
            "turns": [[{"role": "user", "text": "It is sad"}]] * 2,
            "reference": ["joy 0.9", None],
        }
    )
    tables.write_table(items, tmp_path / "items.jsonl", "items")
    responses = pl.DataFrame(
        {
            "item_id": ["q1", "q2", "q2"],
            "source": ["a", "a", "reference"],
            "text": ["joy 0.2", "joy 0.2", "joy 0.4"],
        }
    )
    responses.write_parquet(tmp_path / "responses.parquet")
    out = tmp_path / "ratings.parquet"
    score_file(
        *(tmp_path / "responses.parquet", out, tmp_path / "items.jsonl"),
        metrics=["emotion_consistency"],
        emotion=listed_emotions,
    )
    ratings = tables.read_table(out, "ratings")
    assert ratings.filter(source="a")["value"].to_list() == [pytest.approx(1), pytest.approx(1)]


def test_an_id_that_occurs_twice_is_found_across_batches(
    responses: pl.DataFrame, tmp_path: Path
) -> None:
    given = tmp_path / "responses.parquet"
    pl.concat([responses, responses.slice(3, 2)]).write_parquet(given)
    with pytest.raises(UserError, match="more than once: 'q1/b/0', 'q2/a/0'") as caught:
        score_file(given, tmp_path / "ratings.parquet")
    assert caught.value.where == str(given)
    assert not (tmp_path / "ratings.parquet").exists()


def test_an_empty_id_is_named_by_its_row_in_the_file(
    responses: pl.DataFrame, tmp_path: Path
) -> None:
    given = tmp_path / "responses.csv"
    ids = [*responses["item_id"].to_list()[:-1], None]
    responses.with_columns(item_id=pl.Series(ids)).write_csv(given)
    with pytest.raises(UserError, match=f"item_id is empty in 1 rows, first in row {N}"):
        score_file(given, tmp_path / "ratings.csv")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.parquet", None, "no such file"),
        ("none.csv", None, "no such file"),
        ("empty.csv", b"", "empty"),
        ("empty.parquet", b"", "empty"),
        ("text.parquet", b"item_id,source,text\n", "cannot be read as Parquet"),
        ("head.csv", b"item_id,source,text\n", "no rows"),
        ("semi.csv", b"item_id;source;text\na;b;c\n", "wrong delimiter"),
        ("latin.csv", "item_id,source,text\nq,a,caf\u00e9\n".encode("latin-1"), "not UTF-8"),
        ("column.csv", b"item_id,source,answer\nq,a,Hi\n", "no column 'text'"),
        ("answers.xlsx", b"PK", "unknown kind of file"),
    ],
)
def test_a_file_that_cannot_be_used_is_an_error_with_its_name(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    given = tmp_path / name
    if content is not None:
        given.write_bytes(content)
    with pytest.raises(UserError, match=message) as caught:
        score_file(given, tmp_path / "ratings.parquet")
    assert name in str(caught.value)
    assert [p.name for p in tmp_path.iterdir() if "ratings" in p.name] == []


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path: Path) -> None:
    given = tmp_path / "bom.csv"
    given.write_bytes("\ufeffitem_id,source,text\nq,a,Good. Bad.\n".encode())
    score_file(given, tmp_path / "ratings.csv")
    assert tables.read_table(tmp_path / "ratings.csv", "ratings").height == 2


def test_the_responses_are_not_overwritten(responses: pl.DataFrame, tmp_path: Path) -> None:
    given = tmp_path / "table.parquet"
    responses.write_parquet(given)
    with pytest.raises(UserError, match="overwrite the responses"):
        score_file(given, given)
    assert_frame_equal(pl.read_parquet(given), responses)


def test_an_items_file_that_is_missing_is_named(responses: pl.DataFrame, tmp_path: Path) -> None:
    given = tmp_path / "responses.parquet"
    responses.write_parquet(given)
    with pytest.raises(UserError, match=r"items\.csv.*no such file"):
        score_file(given, tmp_path / "ratings.parquet", tmp_path / "items.csv")
