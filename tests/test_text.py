"""Sentences, words and lemmas."""

import pytest

from attunement import text


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", []),
        (" \n\t ", []),
        ("Hi", ["Hi"]),
        ("I hear you. Dr. Lee is kind!", ["I hear you.", "Dr. Lee is kind!"]),
        ("One line\nbroken in two. And\u00a0more.", ["One line broken in two.", "And more."]),
        ("A paragraph\n\nAnd another", ["A paragraph", "And another"]),
        ("שלום לך. מה שלומך?", ["שלום לך.", "מה שלומך?"]),
    ],
)
def test_sentences_are_whole_and_on_one_line(given: str, expected: list[str]) -> None:
    assert text.sentences(given) == expected


def test_words_lose_punctuation_case_and_clitics() -> None:
    assert text.words("“Don't,” she said: I’ve been well-rested (mostly)…") == [
        *("do", "she", "said", "i", "been", "well-rested", "mostly")
    ]
    assert text.words("Can't won't shan't; it's, they'd") == ["can", "will", "shall", "it", "they"]
    assert text.words("😀 ... !!") == []


def test_lemmas_are_dictionary_forms_and_unknown_words_stay() -> None:
    assert [text.lemma(w) for w in ("children", "feelings", "went", "xqzt")] == [
        *("child", "feeling", "go", "xqzt")
    ]


def test_a_run_without_spaces_is_no_word_to_look_up() -> None:
    assert text.lemma("a" * 1_000_000) == "a" * 1_000_000
    assert not text.is_known("a" * 1_000_000)


@pytest.mark.parametrize(
    ("given", "share"),
    [("plain", 1.0), ("naïve café", 1.0), ("дом", 0.0), ("ab дом", 0.4), ("12 😀", 0.0), ("", 0.0)],
)
def test_the_latin_share_counts_letters_only(given: str, share: float) -> None:
    assert text.latin_share(given) == pytest.approx(share)


def test_letters_of_any_script_count_as_words() -> None:
    assert text.has_letters("你好")
    assert not text.has_letters("😀 12 ;-)")
