"""Scores of respondents on the subscales and the whole, with a minimum of answered items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from attunement.errors import UserError
from attunement.psychometrics.answers import Answers
from attunement.psychometrics.scale import OVERALL, Scale, short_form
from attunement.stats.correlation import pearson
from attunement.stats.descriptive import mean
from attunement.stats.reliability import reliability, spearman_brown
from attunement.stats.result import Result

Floats = NDArray[np.float64]
Kind = Literal["mean", "sum"]

ENOUGH_ANSWERED = 2 / 3
"""The share of a scale's items that has to be answered for a score, unless a number is given."""


def least_answered(n_items: int, wanted: int | None = None) -> int:
    """Return how many of ``n_items`` have to be answered: ``wanted``, or two thirds rounded up.

    >>> least_answered(3), least_answered(27), least_answered(2, 5)
    (2, 18, 2)

    """
    # The share of a number of items is a whole number more often than binary fractions say so.
    least = math.ceil(n_items * ENOUGH_ANSWERED - 1e-9) if wanted is None else wanted
    return min(n_items, max(1, least))


@dataclass(frozen=True)
class Scores:
    """Scores of every respondent.

    Parameters
    ----------
    values
        For each part, shape (n,): NaN where too few items were answered.
    answered
        For each part, how many of its items each respondent answered.
    least
        For each part, how many have to be.
    kind
        ``mean`` of the answered items; or ``sum``, which is the mean times the items, so that a
        missing answer counts as the mean of the others.
    answers
        What the scores are of.

    """

    values: Mapping[str, Floats]
    answered: Mapping[str, NDArray[np.int64]]
    least: Mapping[str, int]
    kind: Kind
    answers: Answers

    def table(self) -> pl.DataFrame:
        """Return one row a respondent and part: score, null where there is none, and answered."""
        rows = []
        for part, values in self.values.items():
            for i, value in enumerate(values):
                row = {"respondent": self.answers.respondents[i]}
                if self.answers.sources:
                    row["source"] = self.answers.sources[i]
                rows.append(
                    {
                        **row,
                        "scale": part,
                        "score": float(value) if math.isfinite(value) else None,
                        "answered": int(self.answered[part][i]),
                    }
                )
        return pl.DataFrame(rows, infer_schema_length=None)

    def results(self, *, level: float = 0.95) -> list[Result]:
        """Return the mean score of each part, and of each chatbot where there are several."""
        found = []
        for part, values in self.values.items():
            found.append(_mean(values, {"scale": part}, level))
            known = sorted(set(self.answers.sources))
            for source in known if len(known) > 1 else []:
                own = values[np.array(self.answers.sources) == source]
                found.append(_mean(own, {"scale": part, "source": source}, level))
        return found


def _mean(values: Floats, group: dict[str, str], level: float) -> Result:
    return replace(mean(values, level=level), name="score", group=group)


def score(
    answers: Answers,
    *,
    kind: Kind = "mean",
    min_items: int | None = None,
    parts: Mapping[str, tuple[str, ...]] | None = None,
) -> Scores:
    """Return the scores of every respondent on every part of the scale.

    Parameters
    ----------
    answers
        As `read_answers` returns them, reversed items turned.
    kind
        ``mean`` or ``sum``.
    min_items
        How many items of a subscale have to be answered, at most all; by default two thirds. The
        whole always takes two thirds of its items.
    parts
        What to score, by default the scale's subscales and the whole.

    Raises
    ------
    UserError
        Where ``min_items`` is below 1.

    """
    if min_items is not None and min_items < 1:
        raise UserError("a score takes at least one answered item.", where="--min-items")
    values, counted, least = {}, {}, {}
    for part, items in (parts or answers.scale.parts()).items():
        x, _ = answers.of(items)
        there = ~np.isnan(x)
        counted[part] = there.sum(axis=1)
        least[part] = least_answered(len(items), None if part == OVERALL else min_items)
        total = np.where(there, x, 0.0).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            own = np.where(counted[part] >= least[part], total / counted[part], np.nan)
        values[part] = own * len(items) if kind == "sum" else own
    return Scores(values, counted, least, kind, answers)


@dataclass(frozen=True)
class Short:
    """A short form beside the full scale, for one part.

    Parameters
    ----------
    part
        The subscale, or the whole.
    items
        Of the short form.
    full
        Standardized alpha of the full form.
    expected
        What Spearman and Brown expect of as many items as the short form has: of a single item, the
        mean correlation between items. It takes items to be alike.
    observed
        Alpha of the short form's own items in these answers; NaN for one item.
    with_full
        Correlation of the short with the full score; too high, as they share items.

    """

    part: str
    items: tuple[str, ...]
    full: Result
    expected: Result
    observed: Result
    with_full: Result

    def results(self) -> list[Result]:
        """Return every estimate."""
        group = {"scale": self.part}
        found = [self.full, self.expected, self.observed, self.with_full]
        return [replace(r, group=group) for r in found]


def shortened(
    answers: Answers,
    each: int,
    *,
    min_items: int | None = None,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 1,
) -> tuple[Scale, list[Short]]:
    """Return a short form by the authors' priorities, and what to expect of it.

    Parameters
    ----------
    answers
        To the full form.
    each
        Items a subscale.
    min_items, level, replicates, seed
        Of the scores and of the intervals.

    Raises
    ------
    UserError
        Where the items have no priority, or the form would not be shorter.

    """
    form = short_form(answers.scale, each)
    full_scores = score(answers, min_items=min_items)
    short_scores = score(answers, min_items=min_items, parts=form.parts())
    found = []
    for part, items in answers.scale.parts().items():
        own = form.parts()[part]
        full = reliability(
            answers.of(items)[0], level=level, replicates=replicates, seed=seed
        ).standardized_alpha
        observed = reliability(answers.of(own)[0], level=level, replicates=0).alpha
        together = pearson(short_scores.values[part], full_scores.values[part], level=level)
        found.append(
            Short(
                part=part,
                items=own,
                full=full,
                expected=_expected(full, len(own) / len(items)),
                observed=replace(observed, name="short_form_alpha"),
                with_full=replace(together, name="short_with_full"),
            )
        )
    return form, found


def _expected(full: Result, length: float) -> Result:
    def step(value: float) -> float:
        return spearman_brown(value, length) if math.isfinite(value) else math.nan

    return replace(
        full,
        name="expected_alpha",
        estimate=step(full.estimate),
        ci_low=step(full.ci_low),
        ci_high=step(full.ci_high),
        method=f"{full.method}, stepped down by Spearman and Brown to {length:.3g} of its length",
        signature=full.signature.replace("standardized_alpha", "expected_alpha", 1),
    )


def described(shorts: Sequence[Short]) -> list[str]:
    """Return in words what the short form costs."""
    weak = [s.part for s in shorts if s.part != OVERALL and s.expected.estimate < 0.7]
    said = [
        "Expected alpha takes the items to be alike; the items that come first by priority need "
        "not be the most reliable ones, which the observed alpha shows."
    ]
    whole = next((s for s in shorts if s.part == OVERALL), None)
    if whole is not None and math.isfinite(whole.expected.estimate):
        said.insert(
            0,
            f"With {len(whole.items)} items the whole scale is expected to have an alpha of "
            f"{whole.expected.estimate:.2f}, in place of {whole.full.estimate:.2f}.",
        )
    if weak:
        said.append(
            f"Expected below 0.7, and so too short to be read by themselves: {', '.join(weak)}."
        )
    return said
