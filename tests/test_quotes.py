"""Where quotes, a judge's and a person's, stand in a text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attunement.quotes import NOT_FOUND, Quote, Span, locate, places

ANSWER = "You should see a doctor.  She said: “It’s fine…”\nYou should rest — really."
COPIED = (
    "I hear you — it’s hard.\nTry “deep breathing” every day… Dr. Lee can help; ask him! 😊 Bye."
)


def words(quote: str, answer: str = ANSWER) -> list[str]:
    return [s.text for s in locate([Quote(quote)], answer) if s.start is not None]


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("You should see a doctor.", "You should see a doctor."),
        ("doctor. She said", "doctor.  She said"),
        ('She said: "It\'s fine..."', "She said: “It’s fine…”"),
        ("FINE…”\n\nyou should rest", "fine…”\nYou should rest"),
        ("rest - really", "rest — really"),
        ("rest\u00a0—\u2009really.", "rest — really."),
        ('"see a doctor"', "see a doctor"),
        ("...see a doctor...", "see a doctor"),
        ("[...] see a doctor (...)", "see a doctor"),
        ("said: 'It's fine", "said: “It’s fine"),
    ],
)
def test_the_answers_own_words_are_found(quote: str, text: str) -> None:
    assert words(quote) == [text]


@pytest.mark.parametrize(
    "quote",
    [
        "You should see a lawyer.",
        "see ... doctor",
        "see a doctor and rest",
        "you shouldn't see a doctor",
        "se a doctor",
    ],
)
def test_a_quote_that_is_not_there_is_kept_and_flagged(quote: str) -> None:
    assert locate([Quote(quote)], ANSWER) == [Span(None, None, quote, NOT_FOUND)]


def test_a_quote_that_occurs_several_times_is_marked_everywhere() -> None:
    spans = locate([Quote("you should")], ANSWER)
    assert [(s.start, s.end) for s in spans] == [(0, 10), (49, 59)]
    assert [ANSWER[s.start : s.end] for s in spans] == [s.text for s in spans]


def test_whole_words_come_first_and_parts_only_where_there_are_none() -> None:
    assert locate([Quote("art")], "Start with art.")[0].start == 11
    assert locate([Quote("tart")], "Start with art.")[0].start == 1
    assert locate([Quote("你好")], "说你好吗")[0].start == 1


def test_equal_spans_are_given_once_and_nothing_is_no_quote() -> None:
    assert len(locate([Quote("rest"), Quote("REST"), Quote(" "), Quote("")], ANSWER)) == 1
    assert locate([Quote("—"), Quote("...")], ANSWER) == [
        Span(None, None, "—", NOT_FOUND),
        Span(None, None, "...", NOT_FOUND),
    ]
    assert locate([], ANSWER) == []


def test_offsets_count_code_points() -> None:
    answer = "\U0001f600 caf\u00e9 \u0130stanbul stra\u00dfe"
    assert [(s.start, s.end) for s in locate([Quote("cafe\u0301")], answer)] == [(2, 6)]
    assert [s.text for s in locate([Quote("STRASSE")], answer)] == ["stra\u00dfe"]
    assert [s.text for s in locate([Quote("\u0130stanbul")], answer)] == ["\u0130stanbul"]
    assert words("caf\u00e9", "one cafe\u0301 more") == ["cafe\u0301"]


def test_a_label_stays_whether_the_quote_is_found_or_not() -> None:
    spans = locate([Quote("see a doctor", "advice"), Quote("nowhere", "advice")], ANSWER)
    assert [(s.start, s.label) for s in spans] == [(11, "advice"), (None, "advice")]


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.text(max_size=40), st.data())
def test_every_part_of_a_text_is_found_where_it_stands(answer: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(answer)))
    end = data.draw(st.integers(start, len(answer)))
    quote = answer[start:end]
    spans = locate([Quote(quote)], answer)
    for span in spans:
        if span.start is not None:
            assert span.text == answer[span.start : span.end]
    if any(c.isascii() and c.isalnum() for c in quote):
        assert spans
        assert all(s.start is not None for s in spans)


@pytest.mark.parametrize(
    "quote",
    [
        "Try “deep breathing”",
        'try "deep  breathing"',
        "it's hard. Try",
        "it's hard.Try",
        "every day...",
        "hear you - it's",
        "deep breath",  # a fragment that ends inside a word
        '"every day"',  # in marks that the text does not have
        "Dr. Lee can help; ask him",
        "ask him",
        "ask him! 😊",
    ],
)
def test_a_copy_is_found_whatever_its_spaces_marks_and_case(quote: str) -> None:
    ((start, end),) = places(quote, COPIED, by_hand=True)

    def plain(text: str) -> str:
        return "".join(c for c in text.lower() if c.isalnum())

    assert plain(COPIED[start:end]) == plain(quote)


@pytest.mark.parametrize("quote", ["", "  ", "...", "deep sleeping", "ear", "elp", "brea"])
def test_what_is_not_there_is_not_guessed(quote: str) -> None:
    assert not places(quote, COPIED, by_hand=True)


@pytest.mark.parametrize("quote", ["it's hard.Try", "help; ask him?", "every day;", "him!😊"])
def test_only_a_copy_by_hand_may_lack_white_space_or_end_in_another_mark(quote: str) -> None:
    assert places(quote, COPIED) == []


def test_offsets_of_a_copy_by_hand_count_code_points() -> None:
    assert places("Bye", "😊😊 Bye", by_hand=True) == [(3, 6)]
    assert places("STRASSE", "Die Straße hier", by_hand=True) == [(4, 10)]


def test_a_copy_by_hand_means_whole_words_where_there_are_any() -> None:
    text = "Deep breathing helps, so take a deep breath."
    assert places("deep breath", text, by_hand=True) == [(32, 43)]
