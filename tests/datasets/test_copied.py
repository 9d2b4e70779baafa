"""Passages that annotators copied, as the cells of a published file have them."""

import pytest

from attunement.datasets.copied import NO_TEXT, NOT_FOUND, WHOLE, spans_of

TEXT = "I hear you — it’s hard.\nTry “deep breathing” every day… Dr. Lee can help; ask him! 😊 Bye."


def test_the_first_of_several_places_is_meant():
    (span,) = spans_of("you", "Your day, you say, you")
    assert (span["start"], span["end"]) == (10, 13)


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
