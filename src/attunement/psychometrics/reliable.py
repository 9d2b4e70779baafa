"""How reliable a scale and its subscales are, and which items make them weak."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attunement.psychometrics.answers import Answers
from attunement.psychometrics.reasons import why_undefined, with_name
from attunement.psychometrics.scale import OVERALL
from attunement.stats.factor import Factors, factors
from attunement.stats.item_analysis import Item, item_analysis
from attunement.stats.item_moments import Missing, answered, moments, resampled
from attunement.stats.omega import Hierarchy, schmid_leiman
from attunement.stats.proportion import wilson
from attunement.stats.reliability import Reliability, reliability
from attunement.stats.result import Result, input_hash, signature
from attunement.stats.threads import one_thread

Floats = NDArray[np.float64]

HIERARCHY_REPLICATES = 200
"""At most so many resamples for the omegas of several factors, each of which is a rotation."""


@dataclass(frozen=True)
class Part:
    """One subscale, or the whole.

    Parameters
    ----------
    id, label
        Its name, in tables and to show.
    items
        The ids of its items.
    reliability
        Alpha and the rest.
    analysis
        What each item does, in the order of ``items``.
    floor, ceiling
        Share of complete respondents with the lowest and the highest score there is.

    """

    id: str
    label: str
    items: tuple[str, ...]
    reliability: Reliability
    analysis: tuple[Item, ...]
    floor: Result
    ceiling: Result

    def results(self) -> list[Result]:
        """Return every estimate, with the part, and the item where it is about one."""
        whole = [*self.reliability.results(), self.floor, self.ceiling]
        found = [replace(r, group={"scale": self.id}) for r in whole]
        for item, one in zip(self.items, self.analysis, strict=True):
            group = {"scale": self.id, "item": item}
            found += [replace(r, group=group) for r in one.results()]
        return found


@dataclass(frozen=True)
class Report:
    """The reliability of a scale.

    Parameters
    ----------
    parts
        Subscales in their order, and the whole last.
    hierarchy
        Omega hierarchical and omega total of the group factors, for the whole scale.
    missing
        How missing answers were treated.
    n_respondents
        With any answer.
    notes
        How the table was read, and what to be careful with.

    """

    parts: tuple[Part, ...]
    hierarchy: tuple[Result, ...]
    missing: Missing
    n_respondents: int
    notes: tuple[str, ...]

    def results(self) -> list[Result]:
        """Return every estimate of the report."""
        return [r for part in self.parts for r in part.results()] + list(self.hierarchy)


@one_thread()
def report(
    answers: Answers,
    *,
    by: Sequence[str] | None = None,
    missing: Missing = "pairwise",
    n_factors: int | None = None,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 1,
) -> Report:
    """Return the reliability of a scale and of its subscales.

    Parameters
    ----------
    answers
        As `read_answers` returns them, reversed items turned.
    by
        Parts to look at; by default every subscale and the whole.
    missing
        ``pairwise`` or ``listwise``; listwise drops, for each part, who left out one of its items.
    n_factors
        Group factors for omega hierarchical: by default as many as there are subscales, or three.
    level, replicates, seed
        Of the intervals.

    """
    wanted = answers.scale.parts()
    parts = tuple(
        _part(answers, part, items, missing, level, replicates, seed)
        for part, items in wanted.items()
        if by is None or part in by
    )
    found: tuple[Result, ...] = ()
    doubts: list[str] = []
    if by is None or OVERALL in by:
        m = n_factors or max(3, len(answers.scale.subscales))
        found, doubts = _hierarchy(
            answers, m, missing, level, min(replicates, HIERARCHY_REPLICATES), seed
        )
    if len(set(answers.sources)) > 1:
        doubts.append(
            "The answers are about several chatbots: differences between these count as "
            "differences between respondents, which raises reliability. --source looks at one."
        )
    return Report(
        parts=parts,
        hierarchy=found,
        missing=missing,
        n_respondents=len(answers.values),
        notes=(*answers.notes, *doubts),
    )


def _part(
    answers: Answers,
    part: str,
    items: tuple[str, ...],
    missing: Missing,
    level: float,
    replicates: int,
    seed: int,
) -> Part:
    x, ends = answers.of(items)
    found = reliability(x, missing=missing, level=level, replicates=replicates, seed=seed)
    return Part(
        id=part,
        label=answers.scale.label(part),
        items=items,
        reliability=_named(found, items),
        analysis=tuple(item_analysis(x, ends=ends, missing=missing, level=level)),
        floor=_extreme("floor", x, ends[:, 0], level),
        ceiling=_extreme("ceiling", x, ends[:, 1], level),
    )


def _named(found: Reliability, items: tuple[str, ...]) -> Reliability:
    """Return the results with the item's name where a reason has its number."""
    change = {}
    for result in found.results():
        if result.reason:
            change[result.name] = replace(result, reason=with_name(result.reason, items))
    return replace(found, **change)  # type: ignore[arg-type]


def _extreme(name: str, x: Floats, end: Floats, level: float) -> Result:
    whole = ~np.isnan(x).any(axis=1)
    hit = int((x[whole] == end).all(axis=1).sum())
    n = int(whole.sum())
    return replace(wilson(hit, n, level=level, n_missing=len(x) - n), name=name)


def _hierarchy(
    answers: Answers, m: int, missing: Missing, level: float, replicates: int, seed: int
) -> tuple[tuple[Result, ...], list[str]]:
    x = answers.values
    known = moments(x, missing)
    reason = why_undefined(x, answers.items, missing)
    one: Hierarchy | None = None
    if reason is None:
        try:
            found = factors(known.correlation, m)
            one = schmid_leiman(found.loadings, found.correlations, known.correlation)
        except ValueError as error:
            reason = str(error)
    drawn = np.full((0, 2), np.nan)
    if one is not None and replicates:
        drawn = _resamples(x, found, missing, replicates, seed)
    doubts = []
    if one is not None and one.improper:
        doubts.append(
            f"The {m} factors behind omega hierarchical leave an item no variance of its own: "
            "read it with care, or choose fewer with --factors."
        )
    results = []
    for place, (name, words) in enumerate(
        (("omega_hierarchical", "omega hierarchical"), ("omega_group_total", "omega total"))
    ):
        estimate = math.nan if one is None else (one.hierarchical, one.total)[place]
        low, high = math.nan, math.nan
        usable = drawn[np.isfinite(drawn).all(axis=1), place]
        if usable.size > 0.5 * replicates > 0:
            low, high = np.quantile(usable, [(1 - level) / 2, (1 + level) / 2])
        results.append(
            Result(
                name=name,
                estimate=estimate,
                ci_low=float(low),
                ci_high=float(high),
                ci_level=level,
                n=known.n,
                n_missing=known.n_missing,
                method=f"{words}, Schmid-Leiman of {m} factors (minres, oblimin), {missing}, "
                f"percentile interval of {replicates} resamples",
                group={"scale": OVERALL},
                signature=signature(
                    name,
                    factors=m,
                    missing=missing,
                    replicates=replicates,
                    seed=seed,
                    inputs=input_hash(x),
                ),
                reason=reason,
            )
        )
    return tuple(results), doubts


def _resamples(x: Floats, found: Factors, missing: Missing, replicates: int, seed: int) -> Floats:
    m = found.loadings.shape[1]
    _, stack = resampled(answered(x, missing), missing, replicates=replicates, seed=seed)
    drawn = np.full((len(stack), 2), np.nan)
    for i, correlation in enumerate(stack):
        try:
            again = factors(correlation, m, start=found.turned)
            one = schmid_leiman(again.loadings, again.correlations, correlation)
        except (ValueError, np.linalg.LinAlgError):
            continue
        drawn[i] = one.hierarchical, one.total
    return drawn
