"""What a metric is, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from attunement import text
from attunement.models.sentiment import SentimentModel, default_sentiment_model

if TYPE_CHECKING:
    from attunement.models.emotion import EmotionModel
    from attunement.models.language_model import LanguageModel, Surprise
    from attunement.models.token_embeddings import TokenModel, TokenVectors
    from attunement.raters.metrics.whole import Whole

Variant = Literal["standard", "paper"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)
Need = Literal["question", "reference"]

INSTRUMENT = "nuance@1"
"""What the ratings of a metric name as their instrument, where it does not say another."""

RESPONSE_METRICS = "response-metrics@1"
"""What metrics name that compare systems (BLEU, length, ...), whose values are no distance."""

ENGLISH_SHARE = 0.5
"""Below this share of known words an answer is not English; GoEmotions has 2 such in 3,423."""
ENGLISH_WORDS = 10
"""With fewer words the share says too little, and only the script is looked at."""
_READ = 200


class Score(NamedTuple):
    """One rating of one answer: a value, or None and the reason why there is none."""

    value: float | None
    reason: str | None = None


@dataclass(frozen=True)
class Batch:
    """Answers to rate, with what they answer; row by row, an empty text where there is none.

    Parameters
    ----------
    answers
        The texts to rate.
    questions
        What the person said last.
    contexts
        All that was said before the answer; by default the questions.
    references
        The gold-standard answers.
    languages
        ISO 639-1 codes of the items, or None where not known.
    gold
        Whether the answer is the item's reference itself.
    sentiment
        The model behind the sentiment metrics.
    emotion
        The model behind emotion consistency; by default the one that comes with the package.
    embeddings
        The model behind BERTScore; by default RoBERTa large (extra ``train``).
    language_model
        The model behind perplexity; by default the embedded one (extras ``train`` and ``local``).

    What several metrics need of the answers (sentences, words) is made once, when first asked for.

    """

    answers: Sequence[str]
    questions: Sequence[str] = ()
    references: Sequence[str] = ()
    languages: Sequence[str | None] = ()
    gold: Sequence[bool] = ()
    sentiment: SentimentModel = field(default_factory=default_sentiment_model)
    emotion: EmotionModel | None = None
    contexts: Sequence[str] = ()
    embeddings: TokenModel | None = None
    language_model: LanguageModel | None = None

    def __len__(self) -> int:
        return len(self.answers)

    @cached_property
    def sentences(self) -> list[list[str]]:
        """The sentences of each answer."""
        return [text.sentences(answer) for answer in self.answers]

    @cached_property
    def words(self) -> list[list[str]]:
        """The words of each answer: lower case, no punctuation, no clitics."""
        return [text.words(answer) for answer in self.answers]

    @cached_property
    def emotions(self) -> EmotionModel:
        """The emotion model, loaded when first asked for."""
        if self.emotion is not None:
            return self.emotion
        from attunement.models.emotion import default_emotion_model

        return default_emotion_model()

    @cached_property
    def token_model(self) -> TokenModel:
        """The model behind BERTScore, loaded when first asked for."""
        if self.embeddings is not None:
            return self.embeddings
        from attunement.models.token_embeddings import default_token_model

        return default_token_model()

    @cached_property
    def token_vectors(self) -> list[TokenVectors]:
        """The vectors of each answer's tokens."""
        return self.token_model.embed(self.answers)

    @cached_property
    def language(self) -> LanguageModel:
        """The model behind perplexity, loaded when first asked for."""
        if self.language_model is not None:
            return self.language_model
        from attunement.models.language_model import default_language_model

        return default_language_model()

    @cached_property
    def surprises(self) -> list[Surprise]:
        """How much each answer surprises the language model."""
        return self.language.surprises(self.answers)

    @cached_property
    def not_english(self) -> list[str | None]:
        """For each answer why a metric made for English cannot read it, or None."""
        languages = self.languages or [None] * len(self)
        return [
            _why_not_english(answer, words, language)
            for answer, words, language in zip(self.answers, self.words, languages, strict=True)
        ]


def _why_not_english(answer: str, words: Sequence[str], language: str | None) -> str | None:
    if language and language.lower().split("-")[0].split("_")[0] not in ("en", "eng"):
        return f"the metric reads English, and the item is marked {language!r}"
    if not text.has_letters(answer):
        return "the answer has no words"
    if text.latin_share(answer) < 0.5:
        return "the metric reads English, and the answer is in another script"
    read = words[:_READ]
    if len(read) >= ENGLISH_WORDS and sum(map(text.is_known, read)) < ENGLISH_SHARE * len(read):
        return "the metric reads English, and most of the answer's words are not"
    return None


@dataclass(frozen=True)
class Metric:
    """A metric: a name, what it needs, and the function that rates a batch.

    Parameters
    ----------
    name
        The dimension it writes, such as ``sentiment_change``.
    summary
        What it says, one sentence, with unit and range.
    rate
        Called with a `Batch` and a variant; returns one `Score` a row. Rows that lack an answer or
        something the metric needs are overruled by the caller, so it need only not fail on them.
    needs
        Of ``question`` and ``reference``, what it cannot do without.
    variants
        ``standard``, and ``paper`` where a published number came from another formula. A metric
        that has only ``standard`` gives that under ``paper`` too.
    category
        1 where the reference is part of the metric, 2 where the value is compared with the
        reference's own.
    english
        Whether ``standard`` reads English only; answers in other languages are then not
        applicable. ``paper`` never asks.
    parameters
        Called with a batch and a variant; returns what the signature has to say beside name and
        variant.
    instrument
        What its ratings name as their instrument.
    by_default
        Whether it is computed where no metric is named.
    whole
        How a system's number is made, where it is not the mean of its answers' values.

    """

    name: str
    summary: str
    rate: Callable[[Batch, Variant], Sequence[Score]]
    needs: tuple[Need, ...] = ()
    variants: tuple[Variant, ...] = ("standard",)
    category: Literal[1, 2] = 2
    english: bool = False
    parameters: Callable[[Batch, Variant], Mapping[str, object]] | None = None
    instrument: str = INSTRUMENT
    by_default: bool = True
    whole: Whole | None = None

    def used(self, variant: Variant) -> Variant:
        """Return the variant that it has: ``standard`` where it has no other."""
        return variant if variant in self.variants else "standard"

    def signature(self, batch: Batch, variant: Variant) -> str:
        """Return the text that says how the metric's values were made."""
        from attunement.stats.result import signature

        said = dict(self.parameters(batch, variant)) if self.parameters else {}
        return signature(self.name, inputs=None, variant=variant, **said)

    def scores(self, batch: Batch, variant: Variant) -> list[Score]:
        """Rate a batch, with a reason wherever there is no value.

        Raises
        ------
        ValueError
            Where the metric does not return one score a row.

        """
        used = self.used(variant)
        found = list(self.rate(batch, used))
        if len(found) != len(batch):
            raise ValueError(f"{self.name} returned {len(found)} scores for {len(batch)} answers")
        others = batch.not_english if self.english and used == "standard" else [None] * len(batch)
        asked = {"question": batch.questions, "reference": batch.references}
        missing = {need: asked[need] or [""] * len(batch) for need in self.needs}
        for row, answer in enumerate(batch.answers):
            if self.category == 1 and batch.gold and batch.gold[row]:
                found[row] = Score(None, "the reference is not compared with itself")
                continue
            lacks = next((need for need, there in missing.items() if not there[row].strip()), None)
            if not answer.strip():
                found[row] = Score(None, "the answer is empty")
            elif lacks:
                found[row] = Score(None, f"the item has no {lacks}")
            elif (why := others[row]) is not None:
                found[row] = Score(None, why)
        return found
