"""What was answered to training and attention items, held against the known ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attunement.instruments import Dimension, NumberScale
from attunement.studies.asking import Unit
from attunement.studies.models import Answer, Assignment, Response


@dataclass(frozen=True)
class Check:
    """One question with a known answer.

    Parameters
    ----------
    place
        Of the unit on the page, from 0.
    dimension
        The question.
    answer
        What was answered; None where nothing was.
    expected
        The known value, option or options.
    right
        Whether the two agree, within the item's tolerance where they are numbers.

    """

    place: int
    dimension: Dimension
    answer: Answer | None
    expected: float | str | tuple[str, ...]
    right: bool


def checks(assignment: Assignment, units: Sequence[Unit]) -> list[Check]:
    """Return the questions of a page whose answers are known, in the page's order."""
    known = known_of(assignment)
    answers = {(a.unit_id, a.dimension): a for a in assignment.answers.all()}
    found = []
    for place, unit in enumerate(units):
        told = known.get(unit.unit_id, {})
        for dimension in unit.instrument.dimensions:
            if dimension.id not in told.get("expected", {}):
                continue
            expected = told["expected"][dimension.id]
            answer = answers.get((unit.unit_id, dimension.id))
            # Yes and no are stored as numbers, but nothing is nearly yes
            graded = isinstance(dimension.scale, NumberScale)
            tolerance = told.get("tolerance", 0.0) if graded else 0.0
            found.append(
                Check(
                    place,
                    dimension,
                    answer,
                    tuple(expected) if isinstance(expected, list) else expected,
                    answer is not None and agrees(answer, expected, tolerance),
                )
            )
    return found


def known_of(assignment: Assignment) -> dict[str, dict[str, Any]]:
    """Return what is known of a page's answers, by response id."""
    found = Response.objects.filter(response_id__in=assignment.order).exclude(known=None)
    return {response.response_id: response.known or {} for response in found}


def agrees(answer: Answer, expected: float | str | Sequence[str], tolerance: float = 0.0) -> bool:
    """Return whether an answer is the known one; "I am not sure" never is."""
    if answer.status != "ok":
        return False
    if isinstance(expected, int | float):
        return answer.value is not None and abs(answer.value - expected) <= tolerance
    return set(answer.labels or []) == ({expected} if isinstance(expected, str) else {*expected})
