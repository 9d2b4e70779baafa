"""The fast analyzer gives TextBlob's polarity; the expected values are TextBlob's own."""

import csv
import random
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textblob import TextBlob

from attunement.models.sentiment import (
    PatternSentiment,
    SentimentModel,
    default_sentiment_model,
)

MODEL = PatternSentiment()


def textblob(text: str) -> float:
    return float(TextBlob(text).sentiment.polarity)


def same(text: str) -> None:
    assert MODEL.polarity([text])[0] == pytest.approx(textblob(text), abs=1e-12), repr(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n ",
        "A horrible movie",
        "not good",
        "not very good",
        "really not good",
        "hardly ever good",
        "not a good day",
        "not the best",
        "very very good",
        "great!",
        "great!!!!!!",
        "good (!)",
        "good ( ! )",
        "I'm sad :( but ;-) ok",
        ": ) : - D <3",
        "maxD great",
        "don't be good",
        "don’t be good",
        "e.g. good etc. bad.",
        "Mr. Good is good... bad",
        "good.... bad",
        "terribly kind",
        "can't isn't shouldn't",
        "http://x.y/good :/ :P",
        "bad\n\ngood",
        "bad\r\n\r\n:\r\n)",
        ': END-OF-SENTENCE ) "good"',
        "“Good,” she said. ‘Bad.’",
        "العافية good 😀",
        "GOOD Bad hApPy",
    ],
)
def test_every_rule_gives_what_textblob_gives(text: str) -> None:
    same(text)


# Between bars: words that the rules treat in different ways, and line breaks.
VOCABULARY = """\
good|bad|not|very|really|no|never|n't|don't|great!|awful...|:)|:-(|;|)|:|(|!|(!)|<3|x|D|maxD|-|"|'|’|“
Mr.|U.S.|e.g.|Xbbb.|....|...|.|?|!?|terribly|extremely|slightly|a|of|o_O|o|O|END-OF-SENTENCE|w/|8|3
:/|/|s|P|=|[bad]|{nice};|'tis|''|\u00a0""".replace("\n", "|").split("|")
VOCABULARY += ["\n\n", "\r\n\r\n", "\n"]
PIECES = st.lists(
    st.tuples(st.sampled_from(VOCABULARY), st.sampled_from(["", " ", " ", "\n"])), max_size=14
)


@given(PIECES)
@settings(max_examples=400, deadline=None)
def test_any_mix_of_what_the_rules_look_at_gives_what_textblob_gives(
    pieces: list[tuple[str, str]],
) -> None:
    same("".join(word + gap for word, gap in pieces))


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_text_gives_what_textblob_gives(text: str) -> None:
    same(text)


def test_what_was_seen_before_does_not_matter() -> None:
    texts = ["not good. very bad!", "good :) bad", "not good. very bad!"]
    first = PatternSentiment().polarity(texts)
    assert first == PatternSentiment().polarity(texts[::-1])[::-1]
    assert first[0] == first[2]


@pytest.mark.parametrize("text", ["!" * 1_000_000, "good" * 250_000, ".,'\":)" * 170_000])
def test_a_megabyte_takes_time_in_proportion(text: str) -> None:
    start = time.process_time()
    assert -1 <= MODEL.polarity([text])[0] <= 1
    # A quadratic rule would take hours.
    assert time.process_time() - start < 30


def test_the_cache_is_bounded() -> None:
    model = PatternSentiment()
    rng = random.Random(1)
    for _ in range(12):
        model.polarity([" ".join(f"w{rng.random()}" for _ in range(5000))])
    assert len(model._programs) <= 32_768


def test_the_default_is_a_model_that_names_its_version() -> None:
    model = default_sentiment_model()
    assert isinstance(model, SentimentModel)
    assert model.name.startswith("textblob-0.")


@pytest.mark.shared
@pytest.mark.parametrize("file", ["20200325_counsel_chat.csv", "counselchat-data.csv"])
def test_all_real_answers_and_questions_give_what_textblob_gives(shared: Path, file: str) -> None:
    csv.field_size_limit(sys.maxsize)
    with (shared / "data" / "counsel-chat" / file).open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    texts = [r["answerText"] for r in rows] + [q for q in {r["questionText"] for r in rows} if q]
    found = MODEL.polarity(texts)
    assert max(abs(a - textblob(t)) for a, t in zip(found, texts, strict=True)) <= 1e-12
