"""Judges held against people, dimension by dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from attunement import tables
from attunement.errors import UserError
from attunement.instruments import Instrument
from attunement.judges_vs_people._panel import Panel, choose, panels
from attunement.judges_vs_people._rarity import HALF, interval_of_enough, unlike_most, usual
from attunement.judges_vs_people._sentences import Flagged, flagged
from attunement.judges_vs_people._settings import Settings
from attunement.stats.agreement import Bootstrap, cohen_kappa
from attunement.stats.alt_test import (
    AltTest,
    adjust_together,
    alignment,
    alt_test_of,
)
from attunement.stats.bootstrap import FEW
from attunement.stats.detection import Detection, detection
from attunement.stats.judge_agreement import (
    absolute_error,
    bias,
    kappa_with_people,
    people_mean,
    spearman_by_item,
)
from attunement.stats.result import Result
from attunement.stats.source_order import SourceOrder, source_order

if TYPE_CHECKING:
    from attunement.tables.conform import Frame

_NOTHING_ALIKE = 1.0
"""Overlap of two empty sets: both say that nothing applies."""


@dataclass(frozen=True)
class Held:
    """One judge on one dimension.

    Parameters
    ----------
    judge, instrument, dimension
        Names in the ratings table.
    kind
        ``number``, ``boolean``, ``category``, ``set`` or ``none`` (spans only).
    units, items, people
        Units that the judge and at least one person rated, the items that they belong to (what is
        drawn for the intervals), and the people among them.
    statuses, people_statuses
        How many of the judge's ratings, and of the people's, have which status.
    bias, mae, spearman
        Against the people's mean; numbers, and the first for yes and no too.
    bias_shown
        1 or -1 where the bias is above or below 0 by an interval that holds for all dimensions of
        the judge together (Bonferroni), else 0.
    kappa, kappa_among_people
        The judge's with each person on average, and that of pairs of people on the same units;
        quadratic weights for numbers, none for categories and yes and no. Not for sets.
    unlike
        Units that people rated otherwise than most of their units: the fewer, the less an
        agreement says. For sets, units on which people's usual choice is not the most frequent one.
    order
        The order of sources; numbers, and yes and no.
    alt_test
        The alternative-annotator test.
    yes
        For yes and no: finding what most people call yes; ties are left out.
    options
        For sets: finding what most people chose, by option.
    flagged
        Sentences, where people marked any and the answers are at hand.

    """

    judge: str
    instrument: str
    dimension: str
    kind: str
    units: int
    items: int
    people: int
    statuses: Mapping[str, int]
    people_statuses: Mapping[str, int]
    alt_test: AltTest | None = None
    bias: Result | None = None
    bias_shown: int = 0
    mae: Result | None = None
    kappa: Result | None = None
    kappa_among_people: Result | None = None
    unlike: int = 0
    spearman: Result | None = None
    order: SourceOrder | None = None
    yes: Detection | None = None
    options: Mapping[str, Detection] = field(default_factory=dict)
    flagged: Flagged | None = None

    def results(self) -> list[Result]:
        """Return every number with its interval; the group names judge and dimension."""
        group = {
            "judge": self.judge,
            "instrument": self.instrument,
            "dimension": self.dimension,
        }
        found = [self.bias, self.mae, self.kappa, self.kappa_among_people, self.spearman]
        if self.order is not None:
            found += [self.order.spearman, self.order.discordant]
        found += _of_test(self.alt_test)
        if self.yes is not None:
            found += [self.yes.recall, self.yes.precision, self.yes.f1]
        if self.flagged is not None:
            made = self.flagged.found
            found += [made.recall, made.precision, made.f1]
        named = [replace(r, group={**group, **r.group}) for r in found if r is not None]
        for option, made in self.options.items():
            for result in (made.recall, made.precision, made.f1):
                named.append(replace(result, group={**group, "option": option}))
        return named


def _of_test(test: AltTest | None) -> list[Result | None]:
    if test is None:
        return []
    about: dict[str, Any] = {
        "n_missing": test.n_missing,
        "method": test.method,
        "signature": test.signature,
        "reason": test.reason,
    }
    return [
        Result("winning_rate", test.winning_rate, test.tested, **about),
        Result("advantage", test.advantage, test.n, **about),
    ]


def hold(
    ratings: Frame,
    responses: Frame | None,
    judges: Sequence[str] | None,
    instruments: Sequence[Instrument],
    settings: Settings,
) -> list[Held]:
    """Hold judges against people on every dimension that both rated; see `compare_judges`."""
    table = tables.require(ratings, "ratings", where="ratings")
    texts: dict[str, str] = {}
    if responses is not None:
        answers = tables.require(responses, "responses", where="responses")
        texts = dict(answers.drop_nulls("text").select("response_id", "text").iter_rows())
    chosen, people = choose(table, judges)
    every = list(panels(table, chosen, people, instruments))
    found: list[Held] = []
    for judge in chosen:
        own = [panel for panel in every if judge in panel.statuses]
        held = [_one(panel, judge, texts, settings, together=len(own)) for panel in own]
        if not held:
            raise UserError(
                f"{judge} and people rated no dimension of the same instrument.",
                fix="Use ratings that were made on one instrument and version.",
            )
        # One judge, several dimensions: the test's errors are kept small over all of them.
        tested = [one for one in held if one.alt_test is not None]
        adjusted = adjust_together([one.alt_test for one in tested if one.alt_test is not None])
        tests = dict(zip((id(one) for one in tested), adjusted, strict=True))
        found += [replace(one, alt_test=tests.get(id(one))) for one in held]
    return found


def _one(
    panel: Panel, judge: str, texts: dict[str, str], settings: Settings, *, together: int
) -> Held:
    bootstrap: Bootstrap = {
        "replicates": settings.replicates,
        "ci_level": settings.ci_level,
        "seed": settings.seed,
    }
    held = Held(
        judge=judge,
        instrument=panel.instrument,
        dimension=panel.dimension,
        kind=panel.kind,
        units=0,
        items=0,
        people=0,
        statuses=panel.statuses[judge],
        people_statuses=_sum(panel.statuses[p] for p in panel.people),
        flagged=flagged(panel, judge, texts, **bootstrap) if texts else None,
    )
    if panel.kind == "none":
        return held
    if panel.kind == "set":
        return _sets(held, panel, settings, bootstrap)
    own, matrix = panel.values[judge], panel.matrix
    both = np.asarray(np.isfinite(own) & np.isfinite(matrix).any(axis=1), dtype=np.bool_)
    own, matrix = own[both], matrix[both]
    clusters = np.array(panel.items)[both]
    bootstrap["clusters"] = clusters
    seen = np.asarray(np.isfinite(matrix).any(axis=0), dtype=np.bool_)
    matrix, people = matrix[:, seen], [p for p, s in zip(panel.people, seen, strict=True) if s]
    ordered = panel.kind == "number"
    score = "rmse" if ordered else "accuracy"
    unlike = unlike_most(usual(matrix, panel.kind))
    held = replace(
        held,
        units=int(both.sum()),
        items=len(set(clusters)),
        people=len(people),
        unlike=unlike,
        kappa=interval_of_enough(
            kappa_with_people(own, matrix, "quadratic" if ordered else "identity", **bootstrap),
            unlike,
        ),
        kappa_among_people=interval_of_enough(
            cohen_kappa(matrix, "quadratic" if ordered else "identity", **bootstrap), unlike
        ),
        alt_test=_test(
            *alignment(own, matrix, "rmse" if ordered else "accuracy"), people, score, settings
        ),
    )
    if panel.kind == "category":
        return held
    sources = np.array(panel.sources, dtype=object)[both]
    stricter: Bootstrap = {**bootstrap, "ci_level": 1 - (1 - settings.ci_level) / together}
    held = replace(
        held,
        bias=bias(own, matrix, **bootstrap),
        bias_shown=_side(bias(own, matrix, **stricter)) if held.items >= FEW else 0,
        order=source_order(own, matrix, list(sources), **bootstrap),
    )
    if panel.kind == "boolean":
        truth = people_mean(matrix)
        decided = np.abs(truth - 0.5) > 1e-9
        return replace(
            held,
            yes=_found(
                own[decided] > 0,
                truth[decided] > 0.5,
                clusters[decided],
                "yes_",
                bootstrap,
                n_missing=int((~decided).sum()),
            ),
        )
    return replace(
        held,
        mae=absolute_error(own, matrix, **bootstrap),
        spearman=spearman_by_item(own, matrix, **bootstrap),
    )


def _side(result: Result) -> int:
    if result.ci_low > 0:
        return 1
    return -1 if result.ci_high < 0 else 0


def _test(
    own: NDArray[np.float64],
    theirs: NDArray[np.float64],
    people: Sequence[str],
    closeness: str,
    settings: Settings,
) -> AltTest:
    return alt_test_of(
        own,
        theirs,
        names=people,
        epsilon=settings.epsilon,
        fdr=settings.fdr,
        min_items=settings.min_items,
        min_people=settings.min_people,
        closeness=closeness,
    )


def _found(
    said: NDArray[np.bool_],
    true: NDArray[np.bool_],
    clusters: NDArray[Any],
    prefix: str,
    bootstrap: Bootstrap,
    n_missing: int = 0,
) -> Detection:
    settings: Bootstrap = {**bootstrap, "clusters": clusters}
    return detection(
        said & true, said & ~true, ~said & true, prefix=prefix, n_missing=n_missing, **settings
    )


def _sets(held: Held, panel: Panel, settings: Settings, bootstrap: Bootstrap) -> Held:
    """Sets of labels: the test on their overlap (Jaccard), and each option found or not."""
    mine = panel.sets[held.judge]
    people = [p for p in panel.people if not mine.keys().isdisjoint(panel.sets[p])]
    units = [n for n in mine if any(n in panel.sets[p] for p in people)]
    own = np.full((len(units), len(people)), np.nan)
    theirs = own.copy()
    for row, n in enumerate(units):
        there = [j for j, p in enumerate(people) if n in panel.sets[p]]
        for j in there:
            others = [panel.sets[people[k]][n] for k in there if k != j]
            if others:
                own[row, j] = np.mean([_overlap(mine[n], o) for o in others])
                theirs[row, j] = np.mean([_overlap(panel.sets[people[j]][n], o) for o in others])
    clusters = np.array([panel.items[n] for n in units])
    options = {}
    chosen: list[list[str]] = [[] for _ in units]
    for option in panel.options:
        said = np.array([option in mine[n] for n in units], dtype=np.bool_)
        share = np.array(
            [
                np.mean([option in panel.sets[p][n] for p in people if n in panel.sets[p]])
                for n in units
            ]
        )
        for place in np.flatnonzero(share > HALF):
            chosen[place].append(option)
        decided = np.abs(share - 0.5) > 1e-9
        options[option] = _found(
            said[decided],
            share[decided] > 0.5,
            clusters[decided],
            "option_",
            bootstrap,
            n_missing=int((~decided).sum()),
        )
    return replace(
        held,
        units=len(units),
        items=len(set(clusters)),
        people=len(people),
        options=options,
        unlike=unlike_most([tuple(one) for one in chosen]),
        alt_test=_test(own, theirs, people, "jaccard", settings),
    )


def _overlap(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a | b else _NOTHING_ALIKE


def _sum(counts: Any) -> dict[str, int]:
    total: dict[str, int] = {}
    for one in counts:
        for status, n in one.items():
            total[status] = total.get(status, 0) + n
    return total
