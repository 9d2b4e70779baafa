"""Two chatbots on one scale, rated by the same people or by different ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from attunement.errors import UserError
from attunement.psychometrics.answers import Answers
from attunement.psychometrics.scale import OVERALL
from attunement.psychometrics.scores import Scores, score
from attunement.stats.comparison import holm
from attunement.stats.mean_difference import (
    MeanDifference,
    independent_difference,
    paired_difference,
)
from attunement.stats.result import Result, TestResult

Design = Literal["auto", "paired", "independent"]


@dataclass(frozen=True)
class Compared:
    """Two chatbots on one part of a scale.

    Parameters
    ----------
    part
        The subscale, or the whole.
    first, second
        The mean scores, each of all who rated that chatbot.
    between
        The difference first - second, its effect size and its test, whose p is corrected over the
        subscales (Holm); the whole is tested by itself.

    """

    part: str
    first: Result
    second: Result
    between: MeanDifference

    def results(self) -> list[Result]:
        """Return every estimate."""
        return [self.first, self.second, self.between.difference, self.between.effect]


@dataclass(frozen=True)
class Comparison:
    """Two chatbots on a scale.

    Parameters
    ----------
    first, second
        Their names.
    design
        ``paired`` or ``independent``.
    parts
        The subscales and the whole.
    notes
        Who was left out, and what to be careful with.

    """

    first: str
    second: str
    design: Literal["paired", "independent"]
    parts: tuple[Compared, ...]
    notes: tuple[str, ...]

    def results(self) -> list[Result]:
        """Return every estimate."""
        return [r for part in self.parts for r in part.results()]

    def tests(self) -> list[TestResult]:
        """Return every test."""
        return [part.between.test for part in self.parts]


def compare(
    answers: Answers,
    first: str,
    second: str,
    *,
    design: Design = "auto",
    min_items: int | None = None,
    level: float = 0.95,
) -> Comparison:
    """Compare two chatbots that respondents rated on the same scale.

    Parameters
    ----------
    answers
        With the chatbot of each row.
    first, second
        Which two.
    design
        ``paired`` compares each respondent's two scores, ``independent`` two groups of
        respondents; ``auto`` is paired if at least half of the respondents rated both.
    min_items, level
        Of the scores and of the intervals.

    Raises
    ------
    UserError
        Where the table does not say which chatbot a row is about, one has no answers, or nobody
        rated both for a paired comparison.

    """
    if not answers.sources:
        raise UserError(
            "the table does not say which chatbot a row is about.",
            fix="Add a column 'source' with the chatbot's name.",
        )
    if first == second:
        raise UserError("a chatbot is not compared with itself.")
    a, b = answers.about(first), answers.about(second)
    both = sorted(set(a.respondents) & set(b.respondents))
    all_of_them = set(a.respondents) | set(b.respondents)
    paired = design == "paired" or (design == "auto" and 2 * len(both) >= len(all_of_them))
    if paired and not both:
        raise UserError(
            f"nobody rated both {first!r} and {second!r}.", fix="Use --design independent."
        )
    scores = score(a, min_items=min_items), score(b, min_items=min_items)
    parts = [
        _compared(part, scores, (first, second), both if paired else None, level)
        for part in answers.scale.parts()
    ]
    return Comparison(
        first=first,
        second=second,
        design="paired" if paired else "independent",
        parts=tuple(_corrected(parts)),
        notes=(*answers.notes, *_notes(paired, len(both), len(all_of_them))),
    )


def _notes(paired: bool, both: int, everyone: int) -> list[str]:
    if paired and both < everyone:
        return [f"{everyone - both} respondents rated only one of the two: left out of the pairs."]
    if not paired and both:
        return [
            f"{both} respondents rated both and are taken as different people, which is cautious "
            "where their two scores go together."
        ]
    return []


def _compared(
    part: str,
    scores: tuple[Scores, Scores],
    names: tuple[str, str],
    both: Sequence[str] | None,
    level: float,
) -> Compared:
    values = [s.values[part] for s in scores]
    if both is None:
        between = independent_difference(*values, level=level)
    else:
        rows = [{who: i for i, who in enumerate(s.answers.respondents)} for s in scores]
        x, y = (v[[of[who] for who in both]] for v, of in zip(values, rows, strict=True))
        between = paired_difference(x, y, level=level)
    about = {"scale": part, "a": names[0], "b": names[1]}
    first, second = (
        replace(r, group={"scale": part, "source": name})
        for s, name in zip(scores, names, strict=True)
        for r in s.results(level=level)
        if r.group == {"scale": part}
    )
    return Compared(
        part=part,
        first=first,
        second=second,
        between=replace(
            between,
            difference=replace(between.difference, group=about),
            effect=replace(between.effect, group=about),
            test=replace(between.test, group=about),
        ),
    )


def _corrected(parts: list[Compared]) -> list[Compared]:
    family = [i for i, p in enumerate(parts) if p.part != OVERALL]
    p = np.array([part.between.test.p_value for part in parts])
    adjusted = p.copy()
    adjusted[family] = holm(p[family])
    return [
        replace(
            part,
            between=replace(
                part.between, test=replace(part.between.test, p_adjusted=float(adjusted[i]))
            ),
        )
        for i, part in enumerate(parts)
    ]


def described(found: Comparison, *, alpha: float = 0.05) -> list[str]:
    """Return in words which differences are shown."""
    said = []
    for part in found.parts:
        difference, effect, test = (
            part.between.difference,
            part.between.effect,
            part.between.test,
        )
        name = "On the whole scale" if part.part == OVERALL else f"On {part.part}"
        if not math.isfinite(test.p_value):
            said.append(f"{name} nothing can be said: {difference.reason}.")
        elif test.p_adjusted < alpha:
            higher = found.first if difference.estimate > 0 else found.second
            low, high = sorted((abs(difference.ci_low), abs(difference.ci_high)))
            same_side = difference.ci_low * difference.ci_high > 0
            reach = f" ({low:.2f} to {high:.2f})" if same_side else ""
            said.append(
                f"{name} {higher} scores higher by {abs(difference.estimate):.2f} points{reach}, "
                f"g = {abs(effect.estimate):.2f}."
            )
    undecided = [
        part.part
        for part in found.parts
        if math.isfinite(part.between.test.p_value) and not part.between.test.p_adjusted < alpha
    ]
    if undecided:
        said.append(
            f"No difference is shown on {', '.join(undecided)}; that is not to say that there is "
            "none: the intervals have what the data do not rule out."
        )
    return said
