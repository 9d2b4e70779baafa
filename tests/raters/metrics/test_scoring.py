"""Responses in, ratings out: every response gets a row for every metric."""

import pandas as pd
import polars as pl
import pytest

from attunement import tables
from attunement.errors import UserError
from attunement.raters.metrics import score

RESPONSES = pl.DataFrame(
    {
        "item_id": ["q1", "q1", "q2"],
        "source": ["a", "b", "a"],
        "text": ["It is good. I hear that you are sad.", "It is bad. Bye.", "You are nice. Rest."],
        "question": ["I am sad", "I am sad", "I cannot sleep"],
    }
)
ITEMS = pl.DataFrame(
    {
        "item_id": ["q1", "q2"],
        "turns": [[{"role": "user", "text": "I am sad"}], [{"role": "user", "text": "No sleep"}]],
        "reference": ["joy 0.9", None],
        "lang": ["en", "it"],
    },
    schema_overrides={"turns": tables.SCHEMAS["items"]["turns"]},
)


def with_text(*texts: str | None) -> pl.DataFrame:
    n = len(texts)
    return pl.DataFrame(
        {
            "item_id": [f"q{i}" for i in range(n)],
            "source": ["a"] * n,
            "text": list(texts),
            "question": ["It is bad"] * n,
        },
        schema_overrides={"text": pl.String},
    )


def one(ratings: pl.DataFrame, row: int = 0) -> tuple[object, ...]:
    return ratings.select("value", "status", "rationale").row(row)


def test_every_response_gets_a_row_for_every_metric_in_order() -> None:
    ratings = score(RESPONSES, metrics=["recycling", "sentiment_slope"])
    assert tables.check(ratings, "ratings") == []
    assert ratings.select("unit_id", "dimension").rows() == [
        (response, metric)
        for response in ("q1/a/0", "q1/b/0", "q2/a/0")
        for metric in ("recycling", "sentiment_slope")
    ]
    assert ratings["rater"].unique().to_list() == ["metric:standard"]
    assert ratings["instrument"].unique().to_list() == ["nuance@1"]
    assert one(ratings) == (1 / 3, "ok", None)  # "hear", "good", "sad": one of three


def test_the_rows_say_how_they_were_made() -> None:
    ratings = score(RESPONSES, metrics=["simplicity"], variant="paper")
    assert ratings["rater"].unique().to_list() == ["metric:paper"]
    assert ratings["signature"][0].startswith("simplicity|variant:paper|formula:kincaid")


def test_a_pandas_frame_is_a_table_too() -> None:
    frame = pd.DataFrame(RESPONSES.to_dict(as_series=False))
    assert score(frame, metrics=["recycling"])["value"].to_list() == (
        score(RESPONSES, metrics=["recycling"])["value"].to_list()
    )


def test_without_metrics_all_that_can_be_computed_are() -> None:
    names = score(RESPONSES)["dimension"].unique(maintain_order=True).to_list()
    assert names == ["sentiment_change", "sentiment_slope", "simplicity", "recycling"]
    bare = score(RESPONSES.drop("question"))
    assert bare["dimension"].unique(maintain_order=True).to_list() == [
        *("sentiment_slope", "simplicity")
    ]


def test_questions_and_references_come_from_the_items(listed_emotions) -> None:
    responses = RESPONSES.drop("question").with_columns(text=pl.lit("joy 0.5"))
    names = ["emotion_consistency", "sentiment_change"]
    ratings = score(responses, ITEMS, metrics=names, emotion=listed_emotions)
    assert one(ratings, 0)[:2] == (pytest.approx(1), "ok")
    assert one(ratings, 1)[:2] == (pytest.approx(1.3), "ok")  # "joy" is 0.8, "sad" -0.5
    assert one(ratings, 4) == (None, "not_applicable", "the item has no reference")
    assert one(ratings, 5)[2] == "the metric reads English, and the item is marked 'it'"


def test_answers_of_source_reference_are_the_references(listed_emotions) -> None:
    responses = pl.DataFrame(
        {
            "item_id": ["q1", "q1", "q2"],
            "source": ["reference", "a", "a"],
            "text": ["joy 0.9", "joy 0.2", "joy 0.2"],
        }
    )
    ratings = score(responses, metrics=["emotion_consistency"], emotion=listed_emotions)
    assert one(ratings, 0)[1:] == (
        *("not_applicable", "the reference is not compared with itself"),
    )
    assert one(ratings, 1)[0] == pytest.approx(1)
    assert one(ratings, 2)[2] == "the item has no reference"


def test_an_item_without_a_reference_takes_its_answer_of_source_reference(
    listed_emotions,
) -> None:
    items = pl.DataFrame(
        {
            "item_id": ["q1", "q2", "q3"],
            "turns": [[{"role": "user", "text": "It is sad"}]] * 3,
            "reference": ["joy 0.9", None, None],
        }
    )
    responses = pl.DataFrame(
        {
            "item_id": ["q1", "q2", "q2", "q3"],
            "source": ["a", "a", "reference", "a"],
            "text": ["joy 0.2", "joy 0.2", "joy 0.4", "joy 0.2"],
            "reference": [None, None, None, "joy 0.7"],
        }
    )
    names = ["emotion_consistency"]
    ratings = score(responses, items, metrics=names, emotion=listed_emotions)
    values = ratings.filter(source="a")["value"].to_list()
    assert values == [pytest.approx(1), pytest.approx(1), pytest.approx(1)]
    bare = score(responses.drop("reference"), items, metrics=names, emotion=listed_emotions)
    assert bare.filter(source="a")["value"].is_not_null().to_list() == [True, True, False]


@pytest.mark.parametrize("text", ["", "  \n ", None])
def test_an_empty_answer_is_not_applicable(text: str | None) -> None:
    ratings = score(with_text(text))
    assert ratings.height == 4
    assert ratings.select("value", "status", "rationale").unique().rows() == [
        (None, "not_applicable", "the answer is empty")
    ]


def test_an_answer_that_failed_is_an_error_with_the_models_words() -> None:
    responses = with_text(None).with_columns(error=pl.lit("429 Too Many Requests"))
    ratings = score(responses, metrics=["recycling"])
    assert one(ratings) == (None, "error", "no answer: 429 Too Many Requests")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("😀😀 !!", "the answer has no words"),
        (
            "אני שומע אותך. זה בסדר.",
            "the metric reads English, and the answer is in another script",
        ),
        ("我听到你了。没关系。", "the metric reads English, and the answer is in another script"),
        (
            "Mi dispiace molto per quello che stai passando. Non sei solo e puoi parlare con me.",
            "the metric reads English, and most of the answer's words are not",
        ),
        (
            "Es tut mir leid, dass du so leidest. Du bist nicht allein, sprich mit einem Freund.",
            "the metric reads English, and most of the answer's words are not",
        ),
    ],
)
def test_what_a_metric_cannot_read_is_not_applicable(text: str, reason: str) -> None:
    ratings = score(with_text(text))
    assert ratings.select("value", "status", "rationale").unique().rows() == [
        (None, "not_applicable", reason)
    ]
    # The paper's formulas never ask: they give the number that they gave.
    assert score(with_text(text), variant="paper", metrics=["recycling"])["status"][0] == "ok"


def test_emoji_and_right_to_left_words_in_an_english_answer_do_no_harm() -> None:
    ratings = score(with_text("It is good 😀 שלום, and I hear you. Rest now."))
    statuses = dict(zip(ratings["dimension"], ratings["status"], strict=True))
    assert statuses == {
        "sentiment_change": "ok",
        "sentiment_slope": "ok",
        "simplicity": "not_applicable",
        "recycling": "ok",
    }
    assert ratings["value"][0] == pytest.approx(1.4)


def test_a_megabyte_is_rated() -> None:
    long = "I hear that you are sad, and that is hard. " * 24_000
    ratings = score(with_text(long, "x" * 1_000_000))
    assert ratings["status"].to_list()[:4] == ["ok"] * 4
    assert ratings.height == 8


def test_an_item_that_is_not_there_is_an_error_row_and_nothing_is_lost() -> None:
    responses = RESPONSES.drop("question").with_columns(item_id=pl.Series(["q1", "q9", "q9"]))
    responses = responses.with_columns(candidate=pl.Series([0, 1, 2]))
    ratings = score(responses, ITEMS, metrics=["sentiment_change", "sentiment_slope"])
    ratings = ratings.filter(pl.col("source") != "reference")
    assert ratings["status"].to_list() == ["ok", "ok", "error", "ok", "error", "ok"]
    assert ratings["rationale"][2] == "item 'q9' is not in the items table"


def test_a_reference_that_only_the_items_have_is_rated_too() -> None:
    answers = pl.DataFrame({"item_id": ["q1"], "source": ["bot"], "text": ["I hear you."]})
    ratings = score(answers, ITEMS, metrics=["sentiment_change"])
    assert ratings["source"].to_list() == ["bot", "reference"]
    assert ratings["unit_id"].to_list() == ["q1/bot/0", "q1/reference/0"]


def test_items_of_another_study_are_a_mistake() -> None:
    with pytest.raises(UserError, match="none of the responses' items is in the items table"):
        score(RESPONSES.with_columns(item_id=pl.lit("z")).with_row_index("candidate"), ITEMS)


@pytest.mark.parametrize(
    ("responses", "message"),
    [
        (RESPONSES.drop("text"), "no column 'text'"),
        (RESPONSES.rename({"item_id": "itemid"}), "no column 'item_id'.*Rename 'itemid'"),
        (RESPONSES.with_columns(source=pl.lit(" ")), "source is empty in 3 rows, first in row 1"),
        (RESPONSES.with_columns(item_id=pl.lit("q")), r"more than once: 'q/a/0'\..*candidate"),
        (RESPONSES.with_columns(response_id=pl.lit("r")), "more than once: 'r'"),
    ],
)
def test_a_table_that_is_wrong_is_an_error_that_says_where(
    responses: pl.DataFrame, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        score(responses)


def test_an_unknown_variant_is_an_error() -> None:
    with pytest.raises(UserError, match=r"no variant 'papr'.*Use 'paper'"):
        score(RESPONSES, variant="papr")  # type: ignore[arg-type]


def test_a_question_that_is_asked_for_and_not_there_is_an_error() -> None:
    with pytest.raises(UserError, match=r"recycling needs a question.*column 'question'"):
        score(RESPONSES.drop("question"), metrics=["recycling"])


def test_no_responses_give_no_ratings() -> None:
    assert score(RESPONSES.clear()).height == 0
