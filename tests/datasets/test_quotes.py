import pytest

from attunement.datasets.quotes import NO_TEXT, NOT_FOUND, WHOLE, locate, spans_of

TEXT = "I hear you — it’s hard.\nTry “deep breathing” every day… Dr. Lee can help; ask him! 😊 Bye."


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
        "Bye",
        "😊 Bye",
    ],
)
def test_a_copy_is_found_whatever_its_spaces_marks_and_case(quote):
    found = locate(quote, TEXT)
    assert found is not None
    start, end = found

    def plain(text: str) -> str:
        return "".join(c for c in text.lower() if c.isalnum())

    assert plain(TEXT[start:end]) == plain(quote)


@pytest.mark.parametrize("quote", ["", "  ", "...", "deep sleeping", "ear", "elp", "brea"])
def test_what_is_not_there_is_not_guessed(quote):
    assert locate(quote, TEXT) is None


def test_offsets_are_code_points():
    assert locate("Bye", "😊😊 Bye") == (3, 6)


def test_letters_that_grow_when_folded_keep_their_place():
    assert locate("STRASSE", "Die Straße hier") == (4, 10)


def test_the_first_of_several_places_is_meant():
    assert locate("you", "Your day, you say, you") == (10, 13)


def test_joined_fragments_are_spans_of_their_own():
    spans = spans_of("deep breathing ; I hear you ; sleep more", TEXT, label="medical_advice")
    assert [s["text"] for s in spans] == ["deep breathing", "I hear you", "sleep more"]
    assert [s["label"] for s in spans] == ["medical_advice", "medical_advice", NOT_FOUND]
    assert spans[0]["start"] == TEXT.index("deep")
    assert spans[2]["start"] is None
    assert spans[2]["end"] is None


def test_a_copy_with_a_semicolon_of_the_texts_own_is_one_span():
    text = "Rest ; then walk."
    assert [s["text"] for s in spans_of("Rest ; then walk", text)] == ["Rest ; then walk"]


def test_a_span_has_the_words_of_the_text_not_of_the_copy():
    assert spans_of("TRY 'deep breathing'", 'I say:  try "deep  breathing"', label="x") == [
        {"start": 8, "end": 29, "text": 'try "deep  breathing"', "label": "x"}
    ]


@pytest.mark.parametrize("said", ["n/a", "N/A.", "None", "nothing", "", " ", None])
def test_words_for_nothing_give_no_span(said):
    assert spans_of(said, TEXT) == []


@pytest.mark.parametrize("said", ["All", "all of it.", "the entire response", "whole response"])
def test_words_for_everything_give_the_whole_text(said):
    (span,) = spans_of(said, TEXT)
    assert (span["start"], span["end"], span["label"]) == (0, len(TEXT), WHOLE)


def test_most_of_it_is_no_place():
    (span,) = spans_of("most of it", TEXT)
    assert span["label"] == NOT_FOUND


def test_without_a_text_copies_are_kept_and_marked():
    spans = spans_of("one thing ; another", None)
    assert [(s["text"], s["label"], s["start"]) for s in spans] == [
        ("one thing", NO_TEXT, None),
        ("another", NO_TEXT, None),
    ]
