"""What a study asks of people, counted in the database where its first stage is open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from attunement.studies.asking import units_of
from attunement.studies.models import Assignment, Participant, Stage

WORDS_A_MINUTE = 238
"""Silent reading of English non-fiction (Brysbaert 2019, Journal of Memory and Language 109)."""
SECONDS_A_QUESTION = 8
"""Our own assumption."""

Range = tuple[float, float]
"""The least and the most."""


@dataclass(frozen=True)
class Design:
    """What the first stage asks, with the pages around it.

    Parameters
    ----------
    participants
        People who are needed.
    stages
        Names of all stages; the later ones depend on what is answered in the first.
    items, answers
        Main items, and answers to them that are shown.
    raters_an_item
        Different people who get an item.
    items_a_rater, pages, questions
        Of one participant.
    screens
        Of one participant, who reads them as pages: a page has several where an item's answers come
        one a screen.
    minutes
        Of one participant: reading at 238 words a minute and 8 seconds a question. Conversations
        and texts that are written come on top.

    """

    participants: int
    stages: tuple[str, ...]
    items: int
    answers: int
    raters_an_item: Range
    items_a_rater: Range
    pages: Range
    screens: Range
    questions: Range
    minutes: Range

    def as_json(self) -> dict[str, Any]:
        """Return it as ``study check --json`` prints it."""
        return asdict(self)


def design_of_study() -> Design:
    """Count what the study of this database asks."""
    from attunement.studies.views.showing import screens_of

    pages: dict[int, int] = defaultdict(int)
    screens: dict[int, int] = defaultdict(int)
    questions: dict[int, int] = defaultdict(int)
    seconds: dict[int, float] = defaultdict(float)
    items: dict[int, set[int | str]] = defaultdict(set)
    raters: dict[int | str, set[int]] = defaultdict(set)
    answers: set[str] = set()
    every = Assignment.objects.select_related("stage", "item", "participant")
    for page in every.iterator(chunk_size=100):  # each brings its stage's whole instrument
        person = page.participant_id
        units = units_of(page)
        asked = sum(len(unit.instrument.dimensions) for unit in units)
        turns = [] if page.item is None else page.item.turns
        words = sum(len(t["text"].split()) for t in turns)
        words += sum(len((unit.text or "").split()) for unit in units)
        pages[person] += 1
        screens[person] += len(screens_of(page))
        questions[person] += asked
        seconds[person] += words / WORDS_A_MINUTE * 60 + asked * SECONDS_A_QUESTION
        if page.kind == "main" and page.item_id is not None:
            items[person].add(page.item_id)
            raters[page.item_id].add(person)
            answers.update(page.order)
        for unit in units if page.kind == "main" and page.item_id is None else ():
            if unit.kind == "item":  # of a panel: an item has no page of its own
                items[person].add(unit.unit_id)
                raters[unit.unit_id].add(person)
    return Design(
        participants=Participant.objects.count(),
        stages=tuple(Stage.objects.order_by("position").values_list("key", flat=True)),
        items=len(raters),
        answers=len(answers),
        raters_an_item=_range(len(r) for r in raters.values()),
        items_a_rater=_range(len(i) for i in items.values()),
        pages=_range(pages.values()),
        screens=_range(screens.values()),
        questions=_range(questions.values()),
        minutes=_range(s / 60 for s in seconds.values()),
    )


def _range(numbers: Iterable[float]) -> Range:
    found = list(numbers)
    return (min(found), max(found)) if found else (0, 0)
