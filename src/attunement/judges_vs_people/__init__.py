"""Judges held against people: how far off, how much agreement, and for what they may stand in.

The paper behind it: Li et al. (2025), CounselBench, section 4.6, which holds language models
against mental-health experts by means, rankings and flagged sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from attunement.judges_vs_people._compare import Held, hold
from attunement.judges_vs_people._sentences import AGREED, Flagged
from attunement.judges_vs_people._settings import REPLICATES, Settings
from attunement.judges_vs_people._words import SCREEN, Verdict, verdict
from attunement.stats.alt_test import EPSILON, FDR, MIN_ITEMS, MIN_PEOPLE
from attunement.stats.result import Result, number

if TYPE_CHECKING:
    from attunement.instruments import Instrument
    from attunement.tables.conform import Frame

__all__ = [
    "AGREED",
    "SCREEN",
    "Flagged",
    "Held",
    "JudgesVsPeople",
    "Verdict",
    "compare_judges",
]


@dataclass(frozen=True)
class JudgesVsPeople:
    """Every judge on every dimension, and a verdict on each judge.

    Parameters
    ----------
    held
        By judge, then dimension.
    verdicts
        One for each judge.
    settings
        What the numbers rest on.

    """

    held: tuple[Held, ...]
    verdicts: tuple[Verdict, ...]
    settings: Settings

    def results(self) -> list[Result]:
        """Return every number, its group naming judge, instrument and dimension."""
        return [result for one in self.held for result in one.results()]

    def pairs(self) -> pl.DataFrame:
        """Return each pair of sources as people and as the judges tell them apart."""
        rows = [
            {
                "judge": one.judge,
                "dimension": one.dimension,
                "source_a": pair.a,
                "source_b": pair.b,
                **_estimate("people", pair.people),
                **_estimate("judge", pair.judge),
                "ci_level": pair.judge.ci_level,
                "order": pair.order,
            }
            for one in self.held
            if one.order is not None
            for pair in one.order.pairs
        ]
        return pl.DataFrame(rows, schema=_PAIRS)

    def people(self) -> pl.DataFrame:
        """Return the single comparisons of the alternative-annotator test."""
        rows = [
            {
                "judge": one.judge,
                "dimension": one.dimension,
                "person": person.name,
                "n": person.n,
                "judge_share": number(person.judge),
                "person_share": number(person.person),
                "p_value": number(person.p_value),
                "p_adjusted": number(person.p_adjusted),
                "won": person.won,
            }
            for one in self.held
            if one.alt_test is not None
            for person in one.alt_test.people
        ]
        return pl.DataFrame(rows, schema=_PEOPLE)

    def coverage(self) -> pl.DataFrame:
        """Return how many ratings of judges and people have which status."""
        rows = [
            (one.judge, one.instrument, one.dimension, who, status, count)
            for one in self.held
            for who, counts in (("judge", one.statuses), ("people", one.people_statuses))
            for status, count in counts.items()
        ]
        return pl.DataFrame(rows, schema=_COVERAGE, orient="row")


_TEXT, _NUMBER = pl.String(), pl.Float64()
_PAIRS: dict[str, Any] = {
    **dict.fromkeys(("judge", "dimension", "source_a", "source_b"), _TEXT),
    **dict.fromkeys(("people_difference", "people_ci_low", "people_ci_high"), _NUMBER),
    **dict.fromkeys(("judge_difference", "judge_ci_low", "judge_ci_high", "ci_level"), _NUMBER),
    "order": _TEXT,
}
_PEOPLE: dict[str, Any] = {
    **dict.fromkeys(("judge", "dimension", "person"), _TEXT),
    "n": pl.Int64(),
    **dict.fromkeys(("judge_share", "person_share", "p_value", "p_adjusted"), _NUMBER),
    "won": pl.Boolean(),
}
_COVERAGE: dict[str, Any] = {
    **dict.fromkeys(("judge", "instrument", "dimension", "who", "status"), _TEXT),
    "count": pl.Int64(),
}


def _estimate(who: str, result: Result) -> dict[str, float | None]:
    return {
        f"{who}_difference": number(result.estimate),
        f"{who}_ci_low": number(result.ci_low),
        f"{who}_ci_high": number(result.ci_high),
    }


def compare_judges(
    ratings: Frame,
    responses: Frame | None = None,
    *,
    judges: Sequence[str] | None = None,
    instruments: Sequence[Instrument] = (),
    epsilon: float = EPSILON,
    fdr: float = FDR,
    min_items: int = MIN_ITEMS,
    min_people: int = MIN_PEOPLE,
    replicates: int = REPLICATES,
    ci_level: float = 0.95,
    seed: int = 1,
) -> JudgesVsPeople:
    """Hold judges against the people who rated the same units on the same instrument.

    Parameters
    ----------
    ratings
        A ratings table with judges' and people's ratings.
    responses
        The answers, for the sentences that were flagged; without them these are left out.
    judges
        Names of raters; by default every rater of kind ``judge``. A person named here is held
        against the other people like a judge.
    instruments
        Instruments that are not in the library. Where one is not known, what its dimensions are is
        read off the ratings.
    epsilon, fdr, min_items, min_people
        Of the alternative-annotator test; see `attunement.stats.alt_test`.
    replicates, ci_level, seed
        Of the bootstrap over items: the answers to one question are drawn together.

    Raises
    ------
    UserError
        Where a table is not valid, there are no judges or no people, or a judge and people share
        no dimension.
    ValueError
        Where a setting is out of range.

    """
    settings = Settings(
        epsilon=epsilon,
        fdr=fdr,
        min_items=min_items,
        min_people=min_people,
        replicates=replicates,
        ci_level=ci_level,
        seed=seed,
    )
    held = hold(ratings, responses, judges, instruments, settings)
    names = dict.fromkeys(one.judge for one in held)
    verdicts = [verdict(name, [one for one in held if one.judge == name]) for name in names]
    return JudgesVsPeople(tuple(held), tuple(verdicts), settings)
