import pandas as pd
import polars as pl
import pytest

from attunement import tables
from attunement.errors import UserError
from attunement.tables import Problem


def rating(**changes: object) -> dict[str, object]:
    row: dict[str, object] = {
        "unit": "response",
        "unit_id": "a",
        "rater": "r",
        "rater_kind": "human",
        "instrument": "x@1",
        "dimension": "d",
        "value": 1.0,
        "status": "ok",
    }
    return row | changes


def reasons(rows: list[dict[str, object]], kind: tables.Kind) -> list[str]:
    return [str(p) for p in tables.check(pl.DataFrame(rows, infer_schema_length=None), kind)]


def test_a_good_table_has_no_problem() -> None:
    assert reasons([rating()], "ratings") == []


def test_a_missing_column_is_the_only_thing_said() -> None:
    row = {k: v for k, v in rating().items() if k != "rater"}
    assert reasons([row], "ratings") == ["column 'rater': missing column"]


def test_an_unknown_column_gets_the_nearest_known_one() -> None:
    assert reasons([rating(rationales="x")], "ratings") == [
        "column 'rationales': unknown column; did you mean 'rationale'?"
    ]


def test_the_same_rating_twice_is_a_problem_of_the_second_row() -> None:
    problems = tables.check(pl.DataFrame([rating(), rating()]), "ratings")
    assert [p.row for p in problems] == [1]
    assert "duplicate key" in problems[0].reason


def test_replicates_are_not_duplicates() -> None:
    assert reasons([rating(replicate=0), rating(replicate=1)], "ratings") == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"status": "fine"}, "row 1, column 'status': 'fine' is none of"),
        ({"unit": "answer"}, "row 1, column 'unit': 'answer' is none of"),
        ({"value": None}, "status ok without a value"),
        ({"status": "not_sure"}, "a value although the status is not ok"),
        ({"value": float("inf")}, "not a finite number"),
        ({"rater": "  "}, "row 1, column 'rater': empty"),
        ({"value": "8/10"}, "'8/10' is not a value of type number"),
    ],
)
def test_a_bad_rating_is_named(changes: dict[str, object], said: str) -> None:
    assert said in reasons([rating(**changes)], "ratings")[0]


def test_turns_need_a_known_role_and_text() -> None:
    rows: list[dict[str, object]] = [
        {"item_id": "a", "turns": [{"role": "human", "text": "hi"}]},
        {"item_id": "b", "turns": [{"role": "user", "text": " "}]},
        {"item_id": "c", "turns": []},
    ]
    assert [r.split(": ", 1)[1] for r in reasons(rows, "items")] == [
        "role 'human' is none of system, user, assistant",
        "a user turn is empty",
        "no turns",
    ]


def test_an_answer_may_be_missing_only_where_an_error_says_why() -> None:
    rows: list[dict[str, object]] = [
        {"item_id": "a", "source": "m", "text": None, "error": "time-out"},
        {"item_id": "b", "source": "m", "text": None, "error": None},
        {"item_id": "c", "source": "m", "text": "", "error": None},
    ]
    assert reasons(rows, "responses") == ["row 2, column 'text': empty"]


def test_an_empty_table_is_a_problem() -> None:
    assert tables.check(tables.empty("items"), "items") == [Problem(None, None, "no rows")]


def test_a_pandas_frame_is_accepted() -> None:
    frame = pd.DataFrame({"item_id": ["a"], "source": ["m"], "text": ["hi"]})
    table = tables.conform(frame, "responses")
    assert table["response_id"].to_list() == ["a/m/0"]


def test_require_names_the_first_problems() -> None:
    with pytest.raises(UserError, match=r"not a valid ratings table: row 1, column 'status'"):
        tables.require(pl.DataFrame([rating(status="fine")]), "ratings")


def test_a_table_without_rows_is_told_from_one_with_wrong_rows() -> None:
    with pytest.raises(UserError, match="the ratings table has no rows") as raised:
        tables.require(tables.empty("ratings"), "ratings", where="study/ratings.parquet")
    assert raised.value.fix is None


def test_another_type_than_a_frame_is_refused() -> None:
    with pytest.raises(TypeError, match="polars or pandas"):
        tables.to_polars([1])  # type: ignore[arg-type]
