"""From the tables to an `Analysis`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attunement import tables
from attunement.analysis._cube import Cube, build_cube
from attunement.analysis._distance import (
    Setting,
    comparison_rows,
    distance_rows,
    equivalence_rows,
    ranking_rows,
)
from attunement.analysis._model import Analysis, build
from attunement.analysis._profile import (
    Profiles,
    correlation_test_rows,
    profile_rows,
    similarity_rows,
)
from attunement.analysis._words import methods_text, recommend, summarize
from attunement.answers import describe
from attunement.errors import UserError

if TYPE_CHECKING:
    from attunement.tables.conform import Frame

SIGNATURES_SHOWN = 20
"""Ratings' own signatures that the methods paragraph names at most."""


def analyze(
    items: Frame | None,
    responses: Frame | None,
    ratings: Frame,
    *,
    raters: Frame | None = None,
    variant: str = "standard",
    reference: str = tables.REFERENCE,
    seed: int = 1,
    replicates: int = 2000,
    ci_level: float = 0.95,
) -> Analysis:
    """Say how close each source comes to the reference, on which metric and topic.

    Parameters
    ----------
    items
        Items table, for the topics; None where there is none: then everything is one topic.
    responses
        Responses table, for refusals, length, time and cost and for what was never rated; None
        where there is none.
    ratings
        Ratings table. Ratings of other units than responses are not used.
    raters
        Raters table; an attribute ``demonstration`` that is true marks a rater's scores.
    variant
        ``standard``, or ``paper`` to use paper ratings where there are some, the paper's
        normalization and its formula for differences of correlations.
    reference
        The source that the others are held against.
    seed, replicates
        Of the bootstrap over items.
    ci_level
        Coverage of the intervals, between 0.5 and 1; tests decide at 1 - ``ci_level``.

    Returns
    -------
    Analysis
        Deterministic for the same tables, seed and replicates.

    Raises
    ------
    UserError
        Where a table is not valid, or there is nothing to compare.

    """
    if not 0.5 <= ci_level < 1:
        raise UserError(f"the level of an interval cannot be {ci_level:g}.", fix="Use 0.95.")
    if replicates < 100:
        raise UserError(f"{replicates} replicates are too few.", fix="Use at least 100.")
    cube = build_cube(items, responses, ratings, raters, variant=variant, reference=reference)
    setting = Setting(cube, replicates, seed, ci_level)
    profiles = Profiles(cube, variant)
    answers = build("answers", [] if responses is None else describe(responses, level=ci_level))
    distance = build("distance", distance_rows(cube, setting))
    comparisons = build("comparisons", comparison_rows(cube, setting))
    ranking = build("ranking", ranking_rows(cube, setting))
    ranked, compared = ranking.to_dicts(), comparisons.to_dicts()
    return Analysis(
        variant=variant,
        reference=reference,
        sources=cube.compared,
        metrics=cube.metrics,
        topics=cube.named_topics,
        demonstration=cube.demonstration,
        profile=build("profile", profile_rows(cube, level=ci_level)),
        normalized=build("normalized", profiles.rows()),
        similarity=build("similarity", similarity_rows(profiles, reference, level=ci_level)),
        correlation_tests=build(
            "correlation_tests", correlation_test_rows(profiles, reference, variant)
        ),
        distance=distance,
        comparisons=comparisons,
        equivalence=build("equivalence", equivalence_rows(cube, alpha=1 - ci_level)),
        ranking=ranking,
        answers=answers,
        coverage=build("coverage", cube.coverage),
        recommendations=recommend(cube, ranked, compared, distance.to_dicts(), answers.to_dicts()),
        summary=summarize(cube, ranked, compared),
        methods=methods_text(
            cube,
            variant,
            level=ci_level,
            seed=seed,
            replicates=replicates,
            signatures=_signatures(cube, setting),
        ),
        ci_level=ci_level,
        seed=seed,
        replicates=replicates,
    )


def _signatures(cube: Cube, setting: Setting) -> list[str]:
    return [setting.sign("distance", "bca"), *cube.instruments[:SIGNATURES_SHOWN]]
