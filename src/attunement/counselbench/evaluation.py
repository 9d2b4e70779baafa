"""Everything that CounselBench-Eval asks of a table of ratings, in one call."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from attunement import tables
from attunement.counselbench.agreement import agreement, meaning
from attunement.counselbench.annotators import (
    Bands,
    band_analysis,
    rationale_words,
    words_by_band,
)
from attunement.counselbench.attributes import (
    experience_bands,
    time_quartiles,
    unread_experience,
)
from attunement.counselbench.issues import Issues, low_rating_issues
from attunement.counselbench.scores import Scores, counts, scores
from attunement.counselbench.sources import not_sure_rates, pairwise, source_means
from attunement.errors import UserError
from attunement.stats.comparison import PairedComparison
from attunement.stats.median import median
from attunement.stats.result import Result, TestResult

if TYPE_CHECKING:
    from attunement.tables.conform import Frame


@dataclass(frozen=True)
class Evaluation:
    """What experts (or judges) say about sources.

    Parameters
    ----------
    scores
        The ratings that were used.
    counts
        Ratings by source and dimension: ``ratings``, ``ok``, ``not_sure``, ``other``.
    means
        Table 1: means of question means, with intervals over questions.
    agreement
        Table 2: alpha by question and pooled.
    meaning
        Dimension to what its agreement means for a study's size, in words.
    pairs
        Every two sources compared, question by question.
    not_sure
        Shares of "not sure".
    issues
        Low ratings, and the issues of low-rated answers where they were sorted.
    words
        Words that annotators wrote: the median in all and by dimension.
    bands
        By time and by experience, where annotators have these attributes.
    band_words
        Whether bands differ in how much they wrote.
    notes
        What could not be done and why, a sentence each.
    """

    scores: Scores
    counts: pl.DataFrame
    means: list[Result]
    agreement: list[Result]
    meaning: dict[str, str]
    pairs: list[PairedComparison]
    not_sure: list[Result]
    issues: Issues
    words: list[Result]
    bands: list[Bands]
    band_words: list[TestResult]
    notes: list[str]

    def results(self) -> list[Result]:
        """Return every estimate."""
        differences = [pair.difference for pair in self.pairs]
        return [
            *self.means,
            *self.agreement,
            *differences,
            *self.not_sure,
            *self.issues.shares,
            *self.words,
        ]

    def tests(self) -> list[TestResult]:
        """Return every test."""
        of_bands = [test for bands in self.bands for test in bands.tests]
        return [*(pair.test for pair in self.pairs), *of_bands, *self.band_words]

    def beside(self) -> dict[str, Any]:
        """Return what ``--json`` prints beside ``results``."""
        return {
            "tests": [t.as_json() for t in self.tests()],
            "raters": self.scores.kind,
            "counts": self.counts.to_dicts(),
            "meaning": self.meaning,
            "low_ratings": self.issues.low.to_dicts(),
            "bands": [
                {"by": b.by, "answers": b.answers, "means": b.means.to_dicts(), "notes": b.notes}
                for b in self.bands
            ],
            "notes": self.notes,
        }


def evaluate(
    ratings: Frame,
    responses: Frame | None = None,
    raters: Frame | None = None,
    *,
    kind: str | None = None,
    seed: int = 1,
    replicates: int = 2000,
    level: float = 0.95,
) -> Evaluation:
    """Return Table 1, Table 2 and the analyses beside them.

    Parameters
    ----------
    ratings
        A ratings table with the instrument ``counselbench-eval``, and perhaps
        ``low-rating-issues``.
    responses
        Needed where ratings do not name their item and source.
    raters
        For the analysis of annotators: attributes ``minutes`` and ``experience``.
    kind
        Of raters: human, judge, metric or all; by default people where there are any.
    seed, replicates, level
        Of bootstrap and permutations, and of intervals.

    Raises
    ------
    UserError
        Where nothing is left to analyze.
    """
    given = scores(ratings, responses, kind=kind)
    found = agreement(given, seed=seed, ci_level=level)
    words = rationale_words(ratings)
    words = words.filter(pl.col("rater").is_in(given.frame["rater"].unique().to_list()))
    notes = list(given.notes)
    if not words.height:
        notes.append("No rating has a reason, so nothing is said about what annotators wrote.")
    bands, band_words = _bands(given, words, raters, replicates, seed, notes)
    return Evaluation(
        scores=given,
        counts=counts(given),
        means=source_means(given, replicates=replicates, seed=seed, level=level),
        agreement=found,
        meaning=meaning(given, found),
        pairs=pairwise(given, replicates=replicates, seed=seed, level=level),
        not_sure=not_sure_rates(given, level=level),
        issues=low_rating_issues(given, ratings, responses, level=level),
        words=[
            replace(
                median(own["words"].to_numpy(), level=level),
                name="median_words",
                group={"dimension": str(dimension)},
                method="median over annotators of the words in all reasons of one, interval "
                "between order statistics",
            )
            for (dimension,), own in words.group_by("dimension", maintain_order=True)
        ],
        bands=bands,
        band_words=band_words,
        notes=notes,
    )


def _bands(
    given: Scores,
    words: pl.DataFrame,
    raters: Frame | None,
    replicates: int,
    seed: int,
    notes: list[str],
) -> tuple[list[Bands], list[TestResult]]:
    bands: list[Bands] = []
    tests: list[TestResult] = []
    if raters is None:
        notes.append("No table of annotators, so they are not compared by time or experience.")
        return bands, tests
    people = tables.conform(raters, "raters")
    if unread := unread_experience(people):
        words_ = ", ".join(map(repr, dict.fromkeys(unread)))
        notes.append(
            f"Annotators whose experience names no number of years, and who have no band: "
            f"{len(unread)} ({words_})."
        )
    for by, of_rater in (
        ("time", time_quartiles(people)),
        ("experience", experience_bands(people)),
    ):
        if not of_rater:
            wanted = {"time": "minutes", "experience": "experience"}[by]
            notes.append(f"No annotator has the attribute {wanted!r}: no bands by {by}.")
            continue
        try:
            bands.append(band_analysis(given, of_rater, by, replicates=replicates, seed=seed))
        except UserError as error:
            notes.append(f"No bands by {by}: {error.what}")
            continue
        test = words_by_band(words, of_rater, by)
        tests += [test] if test is not None else []
    return bands, tests
