"""Signs that somebody may not have read: for a person to look at, never grounds by themselves.

Curran (2016), Methods for the detection of carelessly invalid responses in survey data, Journal of
Experimental Social Psychology 66, 4-19, discusses all of them: response time, bogus items,
long strings of one answer, and consistency on items that come twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from attunement.instruments import Dimension, NumberScale
from attunement.studies.config import StudyFile
from attunement.studies.known import agrees
from attunement.studies.models import Answer, Assignment, Response
from attunement.studies.timing import by_part, part_of

FEWEST_RATERS = 5
"""To compare with; with fewer, nobody is too fast unless the study says so."""
FRACTION = 0.2
LONGEST_SHARE, FEWEST_ANSWERS, FEWEST_POINTS = 0.5, 10, 4
"""A run of one answer is flagged from this share of at least so many, on such a scale."""


@dataclass(frozen=True)
class Flags:
    """What was seen of one rater.

    Parameters
    ----------
    code
        Of the rater.
    pages
        Complete ones.
    fast
        Of these, visible for too short.
    checks, failed
        Questions with a known answer, and those answered otherwise.
    run, run_of
        The longest run of the same number, of so many answers on scales of four points or more.
    again, same
        Questions answered twice, and those answered alike.

    """

    code: str
    pages: int
    fast: int
    checks: int
    failed: int
    run: int
    run_of: int
    again: int
    same: int

    @property
    def straight(self) -> bool:
        """Whether the run is long enough to be looked at."""
        return self.run_of >= FEWEST_ANSWERS and self.run >= LONGEST_SHARE * self.run_of

    @property
    def any(self) -> bool:
        """Whether there is anything to look at: consistency is a number, not a flag."""
        return bool(self.fast or self.failed or self.straight)


def limits_of(pages: Sequence[Assignment], study: StudyFile) -> dict[str, float | None]:
    """Return, for each part, the visible seconds under which a page is too fast.

    The study's own, or a fifth of the median of the part's complete pages where five raters have
    some; None where nothing tells.
    """
    return {part: _limit_of(own, study) for part, own in by_part(pages).items()}


def _limit_of(pages: Sequence[Assignment], study: StudyFile) -> float | None:
    if study.too_fast_s is not None:
        return study.too_fast_s
    if len({page.participant_id for page in pages}) < FEWEST_RATERS:
        return None
    return FRACTION * float(np.median([page.seconds for page in pages]))


def _is_fast(page: Assignment, limits: Mapping[str, float | None]) -> bool:
    limit = limits[part_of(page)]
    return limit is not None and page.seconds < limit


def flags(
    pages: Sequence[Assignment],
    study: StudyFile,
    dimensions: Mapping[int, Mapping[str, Dimension]],
) -> list[Flags]:
    """Return the flags of every rater with a complete page.

    Parameters
    ----------
    pages
        Complete ones, sorted by participant and place, as `timing.done_pages` returns them.
    study
        For its own limit of time.
    dimensions
        The questions of each stage, by the stage's key in the database.

    """
    limits = limits_of(pages, study)
    answers: dict[int, list[Answer]] = {}
    for answer in Answer.objects.filter(assignment__in=[p.pk for p in pages]).order_by("pk"):
        answers.setdefault(answer.assignment_id, []).append(answer)
    told_apart = Response.objects.filter(item__kind="attention").exclude(known=None)
    known = {r.response_id: r.known or {} for r in told_apart}
    found = []
    for code, group in groupby(pages, key=lambda page: page.participant.code):
        own = list(group)
        checks = [
            is_right(answer, told)
            for page in own
            if page.kind == "attention"
            for answer in answers.get(page.pk, [])
            if answer.dimension in (told := known.get(answer.unit_id, {})).get("expected", {})
        ]
        values = _numbers(own, answers, dimensions)
        again = _twice(own, answers)
        found.append(
            Flags(
                code=code,
                pages=len(own),
                fast=sum(_is_fast(page, limits) for page in own),
                checks=len(checks),
                failed=sum(not right for right in checks),
                run=longest_run(values),
                run_of=len(values),
                again=len(again),
                same=sum(again),
            )
        )
    return found


def is_right(answer: Answer, known: Mapping[str, Any]) -> bool:
    """Return whether an answer is the one that a response is known by, in its tolerance."""
    return agrees(answer, known["expected"][answer.dimension], known.get("tolerance", 0.0))


def longest_run(values: Iterable[Any]) -> int:
    """Return how often the same value comes one after the other at most; 0 of nothing.

    >>> longest_run([1, 2, 2, 2, 1])
    3
    """
    return max((sum(1 for _ in run) for _, run in groupby(values)), default=0)


def _numbers(
    pages: Sequence[Assignment],
    answers: Mapping[int, Sequence[Answer]],
    dimensions: Mapping[int, Mapping[str, Dimension]],
) -> list[float]:
    """Return a rater's numbers in the order of the pages, on scales with enough points."""
    values = []
    for page in pages:
        asked = dimensions.get(page.stage_id or 0, {})
        given = answers.get(page.pk, [])
        place = {
            (unit, d): (i, j) for i, unit in enumerate(page.order) for j, d in enumerate(asked)
        }
        for answer in sorted(given, key=lambda a: place.get((a.unit_id, a.dimension), (0, 0))):
            dimension = asked.get(answer.dimension)
            if answer.value is not None and dimension is not None and _is_long(dimension):
                values.append(answer.value)
    return values


def _is_long(dimension: Dimension) -> bool:
    scale = dimension.scale
    return isinstance(scale, NumberScale) and scale.max - scale.min + 1 >= FEWEST_POINTS


def _twice(pages: Sequence[Assignment], answers: Mapping[int, Sequence[Answer]]) -> list[bool]:
    """Return, for each question that was answered twice, whether it was answered alike."""
    first: dict[tuple[Any, ...], Answer] = {}
    for page in pages:
        if page.kind == "main":
            first |= {(page.stage_id, a.unit_id, a.dimension): a for a in answers.get(page.pk, [])}
    return [
        _same(first[key], answer)
        for page in pages
        if page.kind == "repeat"
        for answer in answers.get(page.pk, [])
        if (key := (page.stage_id, answer.unit_id, answer.dimension)) in first
    ]


def _same(one: Answer, other: Answer) -> bool:
    return (one.status, one.value, set(one.labels or [])) == (
        other.status,
        other.value,
        set(other.labels or []),
    )
