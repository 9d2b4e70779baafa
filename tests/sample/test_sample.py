"""The bundled sample keeps the shape and the manner that the demo and the docs rely on."""

import json
import re
from collections import Counter
from importlib.resources import files
from statistics import mean
from typing import Any

import pytest

TOPICS = {"depression", "anxiety", "relationships", "parenting", "grief", "self-worth"}
WORDS = {
    "reference": (110, 170),
    "therapist": (105, 160),
    "cold": (60, 130),
    "verbose": (180, 240),
    "attuned": (110, 160),
}
SOURCES = list(WORDS)
SYSTEMS = ["cold", "verbose", "attuned"]


def n_words(text: str) -> int:
    return len(text.split())


def words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())


def sentences(text: str) -> list[str]:
    return [
        sentence
        for line in text.splitlines()
        for sentence in re.split(r"(?<=[.!?])[\"”]?\s+", line)
        if words(sentence)
    ]


@pytest.fixture(scope="module")
def raw() -> bytes:
    return (files("attunement.sample") / "sample.jsonl").read_bytes()


@pytest.fixture(scope="module")
def items(raw: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in raw.decode("utf-8").splitlines()]


@pytest.fixture(scope="module")
def answers(items: list[dict[str, Any]]) -> dict[str, list[str]]:
    return {
        source: [a["text"] for item in items for a in item["answers"] if a["source"] == source]
        for source in SOURCES
    }


@pytest.fixture(scope="module")
def texts(items: list[dict[str, Any]]) -> list[str]:
    return [
        text
        for item in items
        for text in (item["title"], item["question"], *(a["text"] for a in item["answers"]))
    ]


def test_one_object_a_line_with_exactly_the_documented_keys(raw, items):
    assert raw.endswith(b"\n")
    assert not raw.startswith(b"\xef\xbb\xbf")
    for item in items:
        assert list(item) == ["item_id", "topic", "title", "question", "answers"]
        assert all(list(answer) == ["source", "text"] for answer in item["answers"])


def test_at_least_four_questions_on_each_of_six_topics(items):
    counts = Counter(item["topic"] for item in items)
    assert set(counts) == TOPICS
    assert min(counts.values()) >= 4
    assert len(items) >= 24


def test_ids_are_unique_and_begin_with_the_topic(items):
    ids = [item["item_id"] for item in items]
    assert len(set(ids)) == len(ids)
    for item in items:
        assert re.fullmatch(rf"{item['topic']}-\d\d", item["item_id"])


def test_every_question_has_the_five_sources_in_order(items):
    for item in items:
        assert [answer["source"] for answer in item["answers"]] == SOURCES


def test_questions_are_of_the_promised_length(items):
    lengths = {item["item_id"]: n_words(item["question"]) for item in items}
    assert {k: n for k, n in lengths.items() if not 50 <= n <= 110} == {}


@pytest.mark.parametrize("source", SOURCES)
def test_answers_are_of_the_promised_length(answers, source):
    low, high = WORDS[source]
    assert [n for n in map(n_words, answers[source]) if not low <= n <= high] == []


def test_reading_ease_applies_to_most_cold_answers_but_not_to_all(answers):
    # Simplicity is defined over 100 words only, so the sample shows both cases.
    lengths = [n_words(text) for text in answers["cold"]]
    assert sum(n > 105 for n in lengths) > len(lengths) / 2
    assert any(n <= 100 for n in lengths)


def test_no_long_sentence_occurs_twice(texts):
    seen = Counter(
        " ".join(words(sentence))
        for text in texts
        for sentence in sentences(text)
        if len(words(sentence)) > 6
    )
    assert [sentence for sentence, n in seen.items() if n > 1] == []


def test_no_two_answers_open_alike(answers):
    openings = Counter(tuple(words(text)[:3]) for source in SOURCES for text in answers[source])
    assert [opening for opening, n in openings.items() if n > 1] == []


def test_no_phone_numbers_links_or_addresses(texts):
    forbidden = re.compile(r"\d{3}[\s.\-]?\d{3,4}|\b(?:911|988|112|999)\b|https?:|www\.|@")
    assert [text for text in texts if forbidden.search(text)] == []


def test_text_is_plain(texts):
    for text in texts:
        assert text == text.strip()
        assert not re.search(r"[<>\t\r\u00a0\u200b]|  |\n{3}", text)


def test_passive_thoughts_of_death_always_meet_a_pointer_to_help(items):
    # These questions speak of not waking up or of being ready to go; every answer must say where
    # to turn, whatever its manner.
    touching = [
        item for item in items if re.search(r"didn't wake up|I'm ready whenever", item["question"])
    ]
    assert len(touching) == 2
    for item in touching:
        for answer in item["answers"]:
            assert re.search(r"crisis line", answer["text"]), (item["item_id"], answer["source"])
            assert re.search(r"doctor|physician|professional", answer["text"])


def test_exactly_one_answer_declines(answers):
    declining = [(s, t) for s in SOURCES for t in answers[s] if t.startswith("I can't help")]
    assert [source for source, _ in declining] == ["verbose"]


def test_only_the_verbose_system_calls_itself_an_ai(answers):
    said = {s: sum(bool(re.search(r"\bAI\b", t)) for t in answers[s]) for s in SOURCES}
    assert 0 < said.pop("verbose") < len(answers["verbose"])
    assert set(said.values()) == {0}


def test_the_systems_differ_in_manner(items, answers):
    def recycled(source: str) -> float:
        shares = []
        for item in items:
            asked = {word for word in words(item["question"]) if len(word) > 3}
            (text,) = [a["text"] for a in item["answers"] if a["source"] == source]
            shares.append(mean(word in asked for word in words(text)))
        return mean(shares)

    def per_text(measure):
        return {source: mean(map(measure, answers[source])) for source in SYSTEMS}

    again = {source: recycled(source) for source in SYSTEMS}
    assert again["attuned"] > 2 * again["cold"] > 2 * again["verbose"]

    word_length = per_text(lambda text: mean(map(len, words(text))))
    assert word_length["verbose"] > word_length["cold"] + 0.5 > word_length["attuned"] + 1

    sentence_length = per_text(lambda text: mean(n_words(s) for s in sentences(text)))
    assert sentence_length["verbose"] > 2 * sentence_length["attuned"]

    questions = per_text(lambda text: text.count("?"))
    assert questions["attuned"] >= 1
    assert questions["cold"] == questions["verbose"] == 0

    feeling = re.compile(r"\b(?:feel|sad|scared|hurt|lonely|sorry|love|ashamed|tired)", re.I)
    feelings = per_text(lambda text: len(feeling.findall(text)))
    assert feelings["attuned"] > 10 * max(feelings["cold"], feelings["verbose"])


def test_the_readme_says_what_the_sample_is_not():
    text = (files("attunement.sample") / "README.md").read_text(encoding="utf-8")
    for phrase in (
        "Not outputs of real products",
        "Not clinical advice",
        "Not written or validated by clinicians",
        "Apache-2.0",
    ):
        assert phrase in text
