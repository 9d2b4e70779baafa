"""Answers for a whole study, saved as raters save them, for tests that need a filled one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from django.utils import timezone

from attunement.instruments import BooleanScale, ChoiceScale, Dimension, NumberScale, SpansScale
from attunement.instruments.form import NONE_VALUE
from attunement.studies.asking import Unit, units_of
from attunement.studies.models import Assignment, Consent, Participant
from attunement.studies.saving import save

Choose = Callable[[Unit, Dimension, int], "list[str] | None"]
"""What to answer: form values of the question, from unit, question and a running number."""


def turn_by_turn(unit: Unit, dimension: Dimension, n: int) -> list[str] | None:
    """Go through the points of each scale in turn."""
    scale = dimension.scale
    if isinstance(scale, NumberScale):
        points = int(scale.max - scale.min) + 1
        return [f"{scale.min + n % points:g}"]
    if isinstance(scale, BooleanScale):
        return [str(n % 2)]
    if isinstance(scale, ChoiceScale):
        return [scale.options[n % len(scale.options)].id]
    if isinstance(scale, SpansScale):
        return [NONE_VALUE]
    return [f"answer {n}"]


def answer_page(page: Assignment, choose: Choose = turn_by_turn, seconds: float = 4.0) -> None:
    """Answer every question of a page and finish it; ``seconds`` pass before each save."""
    running = count(page.pk)
    for place, unit in enumerate(units_of(page)):
        for dimension in unit.instrument.dimensions:
            n = next(running)
            values = choose(unit, dimension, n)
            if values is None:
                continue
            posted = {dimension.id: values}
            if "rationale" in dimension.evidence:
                posted[f"{dimension.id}.rationale"] = [f"reason {n}"]
            save(page, place, dimension.id, posted, client=f"c{n}", seconds=seconds)
    Assignment.objects.filter(pk=page.pk).update(done_at=timezone.now())


def agree(participant: Participant) -> None:
    """Consent to the study's first version."""
    Consent.objects.create(participant=participant, version=1, language="en", text="Yes.")


def answer_all(choose: Choose = turn_by_turn) -> None:
    """Let everybody agree and answer everything they were given so far."""
    for participant in Participant.objects.all():
        agree(participant)
    for page in Assignment.objects.order_by("pk"):
        answer_page(page, choose)
