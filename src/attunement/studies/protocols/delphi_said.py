"""What the panel said of an item in the round before, and what one said oneself."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attunement.studies.models import Answer, Participant, Stage
from attunement.studies.opened import instrument_of
from attunement.studies.protocols import delphi_questions as ask
from attunement.studies.protocols import delphi_rounds as rounds

WIDTH, HEIGHT, TOP, FOOT, SPACE = 34, 84, 16, 16, 8
"""Of a picture's bars: each bar's width, all of their height with the numbers above and below."""


@dataclass(frozen=True)
class Bar:
    """A column of a picture: how many gave this value, and whether one did so oneself."""

    value: int
    count: int
    own: bool
    x: float
    y: float
    height: float
    middle: float


@dataclass(frozen=True)
class Bars:
    """How often each value was given.

    Parameters
    ----------
    kind
        ``relevance``, ``priority`` or ``rank``.
    bars
        One a value, lowest first.
    n
        Who answered.
    median
        Of them; NaN where nobody did.
    agree
        Of them, who gave 4 or 5.
    own
        One's own answer, if any.

    """

    kind: str
    bars: tuple[Bar, ...]
    n: int
    median: float
    agree: int
    own: int | None = None

    @property
    def width(self) -> int:
        """Of the picture."""
        return len(self.bars) * (WIDTH + SPACE) + SPACE

    @property
    def height(self) -> int:
        """Of the picture."""
        return HEIGHT

    @property
    def base(self) -> int:
        """Where the bars stand."""
        return HEIGHT - FOOT


@dataclass(frozen=True)
class Said:
    """What the panel said last time of the item that this one comes from.

    Parameters
    ----------
    before
        Its wording then, where it was another.
    shown
        The distributions of relevance, and of priority or rank.
    comments
        In an order that tells nothing of who wrote them; what the owner hid is left out.
    own_comment
        One's own.
    answered
        Whether one rated it oneself.

    """

    before: str | None
    shown: tuple[Bars, ...]
    comments: tuple[str, ...]
    own_comment: str | None
    answered: bool


def bars(kind: str, values: Sequence[float], most: int, own: float | None = None) -> Bars:
    """Return the picture of how often each whole number from 1 to ``most`` was given."""
    counts = Counter(int(v) for v in values)
    top = max(counts.values(), default=0) or 1
    room = HEIGHT - TOP - FOOT
    made = []
    for place, value in enumerate(range(ask.LOW, most + 1)):
        height = round(room * counts[value] / top, 2)
        x = SPACE + place * (WIDTH + SPACE)
        y = round(HEIGHT - FOOT - height, 2)
        made.append(Bar(value, counts[value], own == value, x, y, height, x + WIDTH / 2))
    median = float(np.median(list(values))) if len(values) else float("nan")
    agree = sum(v >= ask.AGREES_FROM for v in values)
    return Bars(kind, tuple(made), len(values), median, agree, None if own is None else int(own))


def said_before(stage: Stage, id: str, participant: Participant, language: str) -> Said | None:
    """Return what was said of an item in the round before; None where it is new."""
    earlier = rounds.before(stage)
    origin = rounds.ancestors(stage).get(id)
    if earlier is None or origin is None:
        return None
    answers = list(
        Answer.objects.filter(assignment__in=rounds.complete(earlier), unit_id=origin)
        .select_related("assignment", "coding")
        .order_by("pk")
    )
    own = {a.dimension: a for a in answers if a.assignment.participant_id == participant.pk}
    old, now = instrument_of(earlier), instrument_of(stage)
    then = old.dimension(origin).wording[language]
    part = next(p for p in rounds.parts_of(old) if origin in p.items)
    ends = {ask.RELEVANCE: ask.HIGH, ask.PRIORITY: ask.HIGH, ask.RANK: len(part.items)}
    shown = []
    for kind, most in ends.items():
        values = [a.value for a in answers if a.dimension == kind and a.value is not None]
        if values:
            shown.append(bars(kind, values, most, own[kind].value if kind in own else None))
    mine = own.get(ask.COMMENT)
    return Said(
        before=then if then != now.dimension(id).wording[language] else None,
        shown=tuple(shown),
        comments=tuple(
            text_of(a)
            for a in sorted(answers, key=_shuffled)
            if a.dimension == ask.COMMENT and not _is_hidden(a) and text_of(a)
        ),
        own_comment=None if mine is None else text_of(mine) or None,
        answered=ask.RELEVANCE in own,
    )


def text_of(answer: Answer) -> str:
    """Return what was written, empty where nothing was."""
    return str(answer.labels[0]) if answer.labels else ""


def _is_hidden(answer: Answer) -> bool:
    coding = getattr(answer, "coding", None)
    return coding is not None and coding.hidden


def _shuffled(answer: Answer) -> str:
    return hashlib.sha256(text_of(answer).encode()).hexdigest()
