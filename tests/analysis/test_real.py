"""The analysis on real text: the bundled sample, and CounselChat where it is at hand."""

import polars as pl
import pytest

from attunement.analysis import analyze
from attunement.answers import describe
from attunement.datasets import load
from attunement.raters.metrics import score

METRICS = ["sentiment_change", "sentiment_slope", "simplicity", "recycling"]


def test_the_sample_tells_its_three_systems_apart():
    sample = load("sample")
    ratings = score(sample.responses, sample.items, metrics=METRICS)
    found = analyze(sample.items, sample.responses, ratings)
    assert found.sources == ["cold", "verbose", "attuned"]
    assert len(found.topics) == 6
    ranked = found.ranking.filter(pl.col("topic") == "all").sort("rank")["source"].to_list()
    assert ranked[0] == "attuned"
    assert ranked[-1] == "verbose"
    # Four questions a topic can show nothing: 2 ** -3 is the smallest p that a sign pattern has.
    assert {r["kind"] for r in found.recommendations[1:]} == {"undecided"}
    answers = {r["source"]: r for r in found.answers.to_dicts()}
    assert answers["verbose"]["refusals"] == 1
    assert answers["attuned"]["disclaimers"] == 0


@pytest.fixture(scope="module")
def counselchat(shared):
    return load("counselchat", path=shared / "data" / "counsel-chat" / "20200325_counsel_chat.csv")


@pytest.mark.shared
def test_therapists_refuse_as_often_as_the_documentation_says(shared):
    file = shared / "data" / "counsel-chat" / "20200325_counsel_chat.csv"
    texts = pl.read_csv(file, infer_schema=False)["answerText"].drop_nulls()
    table = pl.DataFrame({"item_id": [str(i) for i in range(texts.len())], "text": texts})
    (row,) = describe(table.with_columns(source=pl.lit("therapist")))
    assert (row["n"], row["refusals"], row["disclaimers"]) == (2129, 4, 56)


@pytest.mark.shared
@pytest.mark.slow
def test_answers_to_other_questions_are_equivalent_on_average_and_yet_farther(counselchat):
    gold = counselchat.responses.filter(pl.col("source") == "reference")
    other = gold.with_columns(
        text=pl.col("text").shift(-1).fill_null(pl.col("text").first()),
        source=pl.lit("other question"),
        response_id=pl.col("item_id") + "/other/0",
    )
    responses = pl.concat([counselchat.responses, other])
    ratings = score(responses, counselchat.items, metrics=METRICS)
    found = analyze(counselchat.items, responses, ratings)
    passed = found.equivalence.filter(pl.col("equivalent"))["metric"].to_list()
    assert passed == ["sentiment_change", "sentiment_slope", "simplicity"]
    assert found.recommendations[0]["kind"] == "none_good_enough"
