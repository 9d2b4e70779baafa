"""The polarity of a text: TextBlob's lexicon and rules, applied directly.

TextBlob looks every word up in a lexicon of scored adjectives and adverbs, lets the word before it
intensify or negate it, and averages. Its own code does that at some hundreds of answers a second,
and importing it imports all of NLTK. Here the same lexicon file and the same rules are applied to
words that are split and looked up once; the result is ``TextBlob(text).sentiment.polarity``.

Sources: TextBlob's ``PatternAnalyzer`` (Loria), which is Pattern's sentiment analyzer (De Smedt and
Daelemans 2012, "Pattern for Python", JMLR 13). The lexicon, abbreviations and emoticons are read
from the installed package, so that they are always its own.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Protocol, runtime_checkable


@runtime_checkable
class SentimentModel(Protocol):
    """What the sentiment metrics need of a model.

    ``name`` goes into the signatures: it says which model and version made the numbers.
    """

    @property
    def name(self) -> str:
        """The model and its version."""
        ...

    def polarity(self, texts: Sequence[str]) -> list[float]:
        """Return one polarity a text, -1 (negative) to 1 (positive), 0 where nothing says."""
        ...


# One token's meaning to the rules:
# (known polarity or None, intensity, is adverb, ends with -ly, is negation, resets negation,
#  resets modifier, is "!", polarity of an emoticon or of "(!)" or None).
_Step = tuple[float | None, float, bool, bool, bool, bool, bool, bool, float | None]

_RESET: tuple[_Step, ...] = ()
"""The program of a word that says nothing: it ends a negation and a modifier. The common case."""

_CACHED = 32_768
_LONGEST = 40


class PatternSentiment:
    """TextBlob's default analyzer: polarity only, one pass, words cached.

    Equal to ``TextBlob(text).sentiment.polarity``; linear in the length of the text. Not safe to
    share between threads.
    """

    def __init__(self) -> None:
        rules = _textblob_rules()
        self._lexicon = _lexicon(rules)
        self._tokens = _Tokens(rules)
        self._emoticons: dict[str, float] = {}
        for (_, polarity), faces in rules.EMOTICONS.items():
            for face in faces:
                # The first mood that has the face wins, as in the original's loop.
                self._emoticons.setdefault(face.lower(), float(polarity))
        self._punctuation: str = rules.PUNCTUATION
        self._programs = _Cache(self._program)
        self._singles = _Cache(self._single)

    @property
    def name(self) -> str:
        """The analyzer and the version of TextBlob whose lexicon it reads."""
        return f"textblob-{version('textblob')}"

    def polarity(self, texts: Sequence[str]) -> list[float]:
        """Return one polarity a text, -1 to 1; 0 where no word is in the lexicon."""
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> float:
        chunks = self._tokens.chunks(text)
        if self._tokens.may_join(text):
            return _average(map(self._singles.__getitem__, self._tokens.joined(chunks)))
        return _average(map(self._programs.__getitem__, chunks))

    def _program(self, chunk: str) -> tuple[_Step, ...]:
        steps = [self._step(token) for token in self._tokens.split(chunk)]
        if steps and all(step is None for step in steps):
            return _RESET
        return tuple(step or _PLAIN for step in steps) or (_NOTHING,)

    def _single(self, token: str) -> tuple[_Step, ...]:
        step = self._step(token)
        return _RESET if step is None else (step,)

    def _step(self, token: str) -> _Step | None:
        """Return what a token does, or None where it only ends negation and modifier."""
        word = token.lower()
        negates = word in _NEGATIONS
        ends_ly = word.endswith("ly")
        if word in self._lexicon:
            polarity, intensity, adverb = self._lexicon[word]
            return (polarity, intensity, adverb, ends_ly, negates, False, False, False, None)
        face: float | None = None
        if word == "(!)":
            face = 0.0
        if not word.isalpha() and len(word) <= 5 and word not in self._punctuation:
            face = self._emoticons.get(word, face)
        ends_negation = len(word.strip("'")) > 1
        ends_modifier = len(word) > 2
        if ends_negation and ends_modifier and not negates and face is None:
            return None
        return (
            None,
            1.0,
            False,
            ends_ly,
            negates,
            ends_negation,
            ends_modifier,
            word == "!",
            face,
        )


_NEGATIONS = frozenset({"no", "not", "n't", "never"})
_PLAIN: _Step = (None, 1.0, False, False, False, True, True, False, None)
_NOTHING: _Step = (None, 1.0, False, False, False, False, False, False, None)


def _average(programs: Iterable[tuple[_Step, ...]]) -> float:
    """Run the rules over the steps and return the mean polarity of what was assessed.

    The order of every operation is that of the original, so that the sums agree to the last bit.
    """
    total = 0.0
    count = 0
    polarity = intensity = 0.0  # of the assessment that later words may still change
    sign = 0  # 0: none yet; -1: negated
    modifier = modifier_ly = negated = False
    for program in programs:
        if not program:
            modifier = negated = False
            continue
        for known, strength, adverb, ends_ly, negates, ends_n, ends_m, exclaims, face in program:
            if known is not None:
                if modifier:
                    polarity = max(-1.0, min(known * intensity, 1.0))
                    intensity = strength
                else:
                    if sign:
                        total += polarity * -0.5 if sign < 0 else polarity
                        count += 1
                    polarity, intensity, sign = known, strength, 1
                if negated:
                    intensity = 1.0 / intensity
                    sign = -1
                modifier, modifier_ly = adverb, ends_ly
                negated = negates
                continue
            if negates:
                negated = True
            elif negated and ends_n:
                negated = False
            if negated and modifier and modifier_ly:
                sign = -1
                negated = False
            elif modifier and ends_m:
                modifier = False
            if exclaims and sign:
                polarity = max(-1.0, min(polarity * 1.25, 1.0))
            if face is not None:
                if sign:
                    total += polarity * -0.5 if sign < 0 else polarity
                    count += 1
                polarity, intensity, sign = face, 1.0, 1
    if sign:
        total += polarity * -0.5 if sign < 0 else polarity
        count += 1
    return total / count if count else 0.0


class _Cache(dict[str, tuple[_Step, ...]]):
    """Chunk -> program, made when first asked for; bounded, so that memory is too."""

    def __init__(self, make: Callable[[str], tuple[_Step, ...]]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, chunk: str) -> tuple[_Step, ...]:
        program = self._make(chunk)
        if len(chunk) <= _LONGEST:
            if len(self) >= _CACHED:
                self.clear()
            self[chunk] = program
        return program


class _Tokens:
    """TextBlob's tokenizer, in time linear in the text."""

    def __init__(self, rules: ModuleType) -> None:
        self._eos: str = rules.EOS
        self._sarcasm: re.Pattern[str] = rules.RE_SARCASM
        self._emoticon: re.Pattern[str] = rules.RE_EMOTICONS
        self._abbreviations = frozenset(rules.ABBREVIATIONS)
        self._abbreviation_rules = (rules.RE_ABBR1, rules.RE_ABBR2, rules.RE_ABBR3)
        self._edges = frozenset(rules.PUNCTUATION) - {"."}
        faces = {face for group in rules.EMOTICONS.values() for face in group}
        # A face whose parts stand apart is put together again, which changes the tokens.
        edges = re.escape(rules.PUNCTUATION)
        # After a letter or a slash a token ends only where something splits it off.
        ended = rf"(?=n't|[\s‘’“”{edges}]|$)"
        apart = [
            r"\s*".join(map(re.escape, face)) + ("" if face[-1] in rules.PUNCTUATION else ended)
            for face in sorted(faces)
        ]
        self._apart = re.compile("|".join([*apart, r"\(\s*!\s*\)"]))

    def chunks(self, text: str) -> list[str]:
        """Return the runs between spaces, quotation marks and line breaks set apart."""
        if "n't" in text:
            text = text.replace("n't", " n't")
        for quote in ("'", "’", '"', "“", "”", "‘"):
            if quote in text:
                text = text.replace(quote, f" {quote} ")
        if "\n" in text:
            text = _BREAK.sub(f" {self._eos} ", text.replace("\r\n", "\n"))
        return text.split()

    def may_join(self, text: str) -> bool:
        """Say whether there may be a face, or "(!)", whose parts the splitting sets apart."""
        return self._apart.search(text) is not None or self._eos in text

    def split(self, chunk: str) -> list[str]:
        """Split punctuation from both ends of one chunk; a period of an abbreviation stays."""
        if chunk == self._eos:
            return []
        start, end = 0, len(chunk)
        edges = self._edges
        while start < end and chunk[start] in edges:
            start += 1
        head = list(chunk[:start])
        tail: list[str] = []
        while end > start and (chunk[end - 1] in edges or chunk[end - 1] == "."):
            if chunk[end - 1] in edges:
                tail.append(chunk[end - 1])
                end -= 1
            if chunk.endswith("...", start, end):
                tail.append("...")
                end -= 3
                while end > start and chunk[end - 1] == ".":
                    end -= 1
            if end > start and chunk[end - 1] == ".":
                if self._is_abbreviation(chunk[start:end]):
                    break
                tail.append(".")
                end -= 1
        middle = [chunk[start:end]] if end > start else []
        return head + middle + tail[::-1]

    def _is_abbreviation(self, word: str) -> bool:
        return word in self._abbreviations or any(r.match(word) for r in self._abbreviation_rules)

    def joined(self, chunks: list[str]) -> list[str]:
        """Return the tokens of a text with the faces that were split put together again."""
        tokens = [
            token
            for chunk in chunks
            for token in ([self._eos] if chunk == self._eos else self.split(chunk))
        ]
        out: list[str] = []
        for sentence in self._sentences(tokens):
            text = self._sarcasm.sub("(!)", " ".join(sentence))
            text = self._emoticon.sub(lambda m: m.group(1).replace(" ", "") + m.group(2), text)
            out += text.split()
        return out

    def _sentences(self, tokens: list[str]) -> list[list[str]]:
        """Split where the original does: after a run of sentence ends and what closes them."""
        found: list[list[str]] = []
        start = at = 0
        while at < len(tokens):
            if tokens[at] in _ENDS or tokens[at] == self._eos:
                # A quotation mark always begins the next sentence: the original means to ask
                # whether it closes one, but asks before the sentence has any words.
                while at < len(tokens) and (tokens[at] in _CLOSES or tokens[at] == self._eos):
                    at += 1
                found.append([t for t in tokens[start:at] if t != self._eos])
                start = at
            at += 1
        found.append(tokens[start:])
        return [sentence for sentence in found if sentence]


_ENDS = frozenset({"...", ".", "!", "?"})
_CLOSES = _ENDS | {"”", "’", ")"}
_BREAK = re.compile(r"\n{2,}")


def _lexicon(rules: ModuleType) -> dict[str, tuple[float, float, bool]]:
    """Return word -> (polarity, intensity, is an adverb), as TextBlob's analyzer loads it."""
    loaded = rules.Sentiment(path=str(_home() / "en" / "en-sentiment.xml"), synset="wordnet_id")
    loaded.load()
    entries: dict[str, dict[str | None, Sequence[float]]] = dict(loaded)
    for word, senses in list(entries.items()):
        # "terrible" scores "terribly" too.
        if "JJ" in senses:
            stem = f"{word[:-1]}i" if word.endswith("y") else word
            stem = stem[:-2] if stem.endswith("le") else stem
            adverb = entries.setdefault(f"{stem}ly", {})
            adverb["RB"] = adverb[None] = tuple(senses["JJ"])
    return {w: (s[None][0], s[None][2], "RB" in s) for w, s in entries.items()}


def _home() -> Path:
    spec = importlib.util.find_spec("textblob")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("the package 'textblob' is not installed", name="textblob")
    return Path(spec.submodule_search_locations[0])


@cache
def _textblob_rules() -> ModuleType:
    """Load TextBlob's rule file without the package around it, which would import NLTK."""
    loaded = sys.modules.get("textblob._text")
    if loaded is not None:
        return loaded
    spec = importlib.util.spec_from_file_location(
        "attunement._textblob_rules", _home() / "_text.py"
    )
    if not isinstance(spec, ModuleSpec) or spec.loader is None:
        raise ModuleNotFoundError("textblob has no _text.py", name="textblob._text")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def default_sentiment_model() -> SentimentModel:
    """Return the analyzer the sentiment metrics use unless told otherwise."""
    return PatternSentiment()
