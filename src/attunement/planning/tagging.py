"""Taggers: which labels a text shows, in the words of a label set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from attunement.errors import UserError
from attunement.models.dialogue_act import dialogue_acts, turn_act
from attunement.models.emotion import EmotionModel, default_emotion_model
from attunement.planning.labels import DAILYDIALOG, LabelSet
from attunement.planning.planner import Advance, Plan, Planner
from attunement.planning.windows import Window
from attunement.stats.result import signature

NO_TEXT = Plan((), "not_applicable", "There is no text.")
"""What a tagger answers for a text with nothing but white space."""

READS = 2
"""The most turns that a tagger reads: the text, and the turn before it."""

EMBEDDED = "embedded"
"""The name of the tagger that comes with the package."""

EKMAN: dict[str, tuple[str, ...]] = {
    "anger": ("anger", "annoyance", "disapproval"),
    "disgust": ("disgust",),
    "fear": ("fear", "nervousness"),
    "happiness": (
        "joy", "amusement", "approval", "excitement", "gratitude", "love", "optimism", "relief",
        "pride", "admiration", "desire", "caring",
    ),
    "sadness": ("sadness", "disappointment", "embarrassment", "grief", "remorse"),
    "surprise": ("surprise", "realization", "confusion", "curiosity"),
}  # fmt: skip
"""GoEmotions' own grouping of its 27 emotions by Ekman's six (Demszky et al. 2020, section 5 and
the file ``ekman_mapping.json`` of its data), with *happiness* for its *joy* as DailyDialog says."""

_GROUP_OF = {emotion: group for group, emotions in EKMAN.items() for emotion in emotions}


@runtime_checkable
class Tagger(Protocol):
    """Says which labels a text shows."""

    @property
    def kind(self) -> str:
        """Its name."""
        ...

    @property
    def labels(self) -> LabelSet:
        """The label set it tags with."""
        ...

    @property
    def signature(self) -> str:
        """What makes it what it is."""
        ...

    def tag(
        self,
        texts: Sequence[str],
        *,
        after: Sequence[str | None] | None = None,
        advance: Advance | None = None,
    ) -> list[Plan]:
        """Return each text's label sequence, in order.

        Parameters
        ----------
        texts
            Turns.
        after
            The turn before each of them, None where there is none or it is not known.
        advance
            Is told how many texts were done.
        """
        ...


_AT_ONCE = 500


@dataclass(frozen=True)
class EmbeddedTagger:
    """Dialogue acts by rules and emotions by a classifier; needs no training and reads English.

    The act is that of the turn, see `turn_act`. The emotion is *neutral* where the classifier sees
    "neutral" or nothing at its thresholds, else the group (`EKMAN`) of the most probable emotion.

    Parameters
    ----------
    emotions
        A model with GoEmotions' labels; by default the one that comes with the package.
    """

    emotions: EmotionModel | None = None
    labels: LabelSet = DAILYDIALOG
    kind: str = EMBEDDED

    @property
    def signature(self) -> str:
        """What makes it what it is."""
        model = self.emotions or default_emotion_model()
        return signature("tag-embedded", labels=self.labels.name, acts="rules", emotions=model.name)

    def tag(
        self,
        texts: Sequence[str],
        *,
        after: Sequence[str | None] | None = None,
        advance: Advance | None = None,
    ) -> list[Plan]:
        """Return each text's act and, where it is not neutral, its emotion."""
        before = _before(texts, after)
        model = self.emotions or default_emotion_model()
        found = []
        for start in range(0, len(texts), _AT_ONCE):
            part = texts[start : start + _AT_ONCE]
            ranks = model.rank(part)
            for text, said, rank in zip(part, before[start:], ranks, strict=False):
                found.append(self._one(text, said, rank) if text.strip() else NO_TEXT)
            if advance is not None:
                advance(len(part))
        return found

    def _one(self, text: str, after: str | None, rank: list[tuple[str, float]]) -> Plan:
        act = turn_act(dialogue_acts(text, after=after))
        shown = [emotion for emotion, _ in rank]
        emotion = "neutral" if not shown or "neutral" in shown else _GROUP_OF[shown[0]]
        return Plan(self.labels.sequence((act, emotion)))


@dataclass(frozen=True)
class TrainedTagger:
    """A planner that was trained on the labels of the last turn it reads.

    Parameters
    ----------
    planner
        Reads the text and, where its ``context`` is 2, the turn before it.
    """

    planner: Planner

    @property
    def kind(self) -> str:
        """Its planner's name."""
        return self.planner.kind

    @property
    def labels(self) -> LabelSet:
        """The label set it tags with."""
        return self.planner.labels

    @property
    def signature(self) -> str:
        """What makes it what it is."""
        return self.planner.signature

    def tag(
        self,
        texts: Sequence[str],
        *,
        after: Sequence[str | None] | None = None,
        advance: Advance | None = None,
    ) -> list[Plan]:
        """Return each text's label sequence, in order."""
        pairs = zip(texts, _before(texts, after), strict=True)
        contexts = [(text,) if said is None else (said, text) for text, said in pairs]
        plans = self.planner.plan([c[-self.planner.context :] for c in contexts], advance=advance)
        return [plan if text.strip() else NO_TEXT for text, plan in zip(texts, plans, strict=True)]


def load_tagger(name_or_folder: str | Path) -> Tagger:
    """Return the tagger ``embedded``, or the one in a folder that ``plan train`` wrote.

    Raises
    ------
    UserError
        Where there is no such tagger, the folder is damaged, or it plans the next turn.
    """
    from attunement.planning import storage

    if str(name_or_folder) == EMBEDDED:
        return EmbeddedTagger()
    folder = Path(name_or_folder)
    if not folder.is_dir():
        raise UserError(
            f"no tagger {str(name_or_folder)!r}: it is no folder.",
            fix=f"Give {EMBEDDED}, or a folder that plan train --target current has written.",
        )
    return TrainedTagger(storage.read(folder, target="current"))


def tags_of(
    tagger: Tagger, windows: Sequence[Window], *, advance: Advance | None = None
) -> list[Plan]:
    """Return a tagger's labels for windows that end with the turn to be tagged."""
    after = [w.context[-2] if len(w.context) > 1 else None for w in windows]
    return tagger.tag([w.context[-1] for w in windows], after=after, advance=advance)


def _before(texts: Sequence[str], after: Sequence[str | None] | None) -> Sequence[str | None]:
    if after is not None and len(after) != len(texts):
        raise ValueError(f"{len(after)} turns before {len(texts)} texts")
    return after if after is not None else [None] * len(texts)
