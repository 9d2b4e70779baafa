"""Sentences, words and lemmas: what several metrics need to know about a text."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

_WORD = re.compile(r"[^\W_]+(?:['\-][^\W_]+)*")
_CLITIC = re.compile(r"(?:n't|'(?:s|m|re|ve|ll|d))$")
_IRREGULAR = {"can't": "can", "won't": "will", "shan't": "shall", "ain't": "be"}
_LETTER = re.compile(r"[^\W\d_]")
_NOT_LATIN = re.compile(r"[^\W\d_a-zA-Z\u00aa-\u024f\u1e00-\u1eff]")
_LONGEST_WORD = 64
_CACHED = 16_384


def sentences(text: str, lang: str = "en") -> list[str]:
    r"""Return the sentences of ``text``, each on one line, white space collapsed.

    Parameters
    ----------
    text
        Any text; may be empty.
    lang
        ISO 639-1 code; it decides which abbreviations do not end a sentence.

    Returns
    -------
    Sentences in order, none of them empty. A text of white space has none.

    Source: the segmenter of the ``sentencex`` package.

    >>> sentences("I hear you.  Dr. Lee is\nkind!\n\nGood")
    ['I hear you.', 'Dr. Lee is kind!', 'Good']

    """
    import sentencex

    pieces = (" ".join(piece.split()) for piece in sentencex.segment(lang, text))
    return [piece for piece in pieces if piece]


def words(text: str) -> list[str]:
    """Return the words of ``text`` in lower case, without punctuation and without clitics.

    A word is a run of letters and digits, hyphens and apostrophes inside it kept. A contraction
    gives the word it begins with, so that "I'm" is counted as the "I" it is.

    >>> words("Don't worry: I’m here, well-rested!")
    ['do', 'worry', 'i', 'here', 'well-rested']

    """
    found: list[str] = _WORD.findall(text.lower().replace("’", "'"))
    return [_without_clitic(word) if "'" in word else word for word in found]


def _without_clitic(word: str) -> str:
    return _IRREGULAR.get(word) or _CLITIC.sub("", word) or word


@lru_cache(maxsize=_CACHED)
def lemma(word: str, lang: str = "en") -> str:
    """Return the dictionary form of a lower-case word, or the word where it is not known.

    Source: the ``simplemma`` package.

    Raises
    ------
    ValueError
        Where simplemma has no dictionary for ``lang``.

    >>> lemma("feelings"), lemma("was")
    ('feeling', 'be')

    """
    # Longer than any word: a run without spaces, which the dictionary search would only copy.
    if len(word) > _LONGEST_WORD:
        return word
    return str(_lemmatizer().lemmatize(word, lang=lang)).lower()


@cache
def _lemmatizer() -> Any:
    from simplemma import Lemmatizer

    # What is asked twice is kept by `lemma` already.
    return Lemmatizer(cache_max_size=1)


@lru_cache(maxsize=_CACHED)
def is_known(word: str, lang: str = "en") -> bool:
    """Say whether a lower-case word is in the dictionary of ``lang``, inflected or not.

    Source: the ``simplemma`` package.

    >>> is_known("feelings"), is_known("gefühle")
    (True, False)
    """
    if len(word) > _LONGEST_WORD:
        return False
    import simplemma

    return bool(simplemma.is_known(word, lang=lang))


def has_letters(text: str) -> bool:
    """Say whether the text has a letter of any script; emoji and digits are none."""
    return _LETTER.search(text) is not None


def latin_share(text: str) -> float:
    """Return the share of letters that are Latin, 0 to 1; 0 where there are no letters."""
    if text.isascii():
        return 1.0 if has_letters(text) else 0.0
    letters = len(_LETTER.findall(text))
    return 1 - len(_NOT_LATIN.findall(text)) / letters if letters else 0.0
