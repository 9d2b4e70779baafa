"""Table 1 and what goes with it: means by source, their differences, and who is not sure."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

from attunement.counselbench.scores import CATEGORICAL, Scores, counts, question_means
from attunement.datasets.counselbench import RANGES
from attunement.stats.bootstrap import bootstrap_mean
from attunement.stats.comparison import PairedComparison, compare, holm
from attunement.stats.proportion import wilson
from attunement.stats.result import Result, TestResult

OFFERED = ("medical_advice", "factual_consistency")
"""Dimensions on which raters may say that they are not sure."""
FEWEST_PAIRS = 6
"""Questions from which on a signed-rank test can reach 0.05: with five its least p is 2 / 2^5."""


def source_means(
    given: Scores, *, replicates: int = 2000, seed: int = 1, level: float = 0.95
) -> list[Result]:
    """Return the mean of question means of each source on each dimension (Table 1).

    Parameters
    ----------
    given
        Ratings; those without a value are left out of a question's mean.
    replicates, seed, level
        Of the bootstrap over questions.

    Returns
    -------
    list
        ``n`` questions with a value and ``n_missing`` without; ``group`` has the source and the
        dimension. Medical advice is the share of yes, 0 to 1. The interval is BCa bootstrap from
        ten questions on, Student's t below, which is cut to the scale.
    """
    found = []
    for dimension in given.dimensions:
        means = question_means(given, dimension)
        for place, source in enumerate(given.sources):
            result = bootstrap_mean(means[:, place], replicates=replicates, seed=seed, level=level)
            result = _on_scale(result, *RANGES[dimension])
            what = "share of yes" if dimension == CATEGORICAL else "rating"
            made = result.method.partition(", ")[2].replace("over items", "over questions")
            found.append(
                replace(
                    result,
                    name="mean_of_question_means",
                    group={"source": source, "dimension": dimension},
                    method=f"mean {what} by question, then over questions; {made}",
                )
            )
    return found


def _on_scale(result: Result, low: float, high: float) -> Result:
    """Cut Student's interval to where a mean can lie; a bootstrap never leaves the scale."""
    if "Student" not in result.method or math.isnan(result.ci_low):
        return result
    return replace(
        result,
        ci_low=max(result.ci_low, low),
        ci_high=min(result.ci_high, high),
        method=f"{result.method}, cut to the scale, {low:g} to {high:g}",
    )


def pairwise(
    given: Scores, *, replicates: int = 2000, seed: int = 1, level: float = 0.95
) -> list[PairedComparison]:
    """Compare every two sources on each dimension, question by question.

    Returns
    -------
    list
        Mean difference of question means with its interval, and the Wilcoxon signed-rank test with
        the rank-biserial correlation; ``p_adjusted`` is Holm's over the pairs of one dimension. A
        test of fewer than `FEWEST_PAIRS` questions is NaN with a reason.
    """
    found = []
    for dimension in given.dimensions:
        means = question_means(given, dimension)
        family = []
        for a, b in combinations(range(len(given.sources)), 2):
            pair = compare(means[:, a], means[:, b], replicates=replicates, seed=seed, level=level)
            group = {
                "source_a": given.sources[a],
                "source_b": given.sources[b],
                "dimension": dimension,
            }
            low, high = RANGES[dimension]
            difference = _on_scale(pair.difference, low - high, high - low)
            family.append(
                PairedComparison(
                    replace(difference, name="mean_difference", group=group),
                    replace(_large_enough(pair.test), group=group),
                )
            )
        adjusted = holm([pair.test.p_value for pair in family])
        found += [
            PairedComparison(pair.difference, replace(pair.test, p_adjusted=float(p)))
            for pair, p in zip(family, adjusted, strict=True)
        ]
    return found


def _large_enough(test: TestResult) -> TestResult:
    """Take back p and effect of so few questions that no p value could be below 0.05."""
    if not 0 < test.n < FEWEST_PAIRS:
        return test
    return replace(
        test,
        p_value=math.nan,
        effect_size=math.nan,
        reason=f"{test.n} questions: from fewer than {FEWEST_PAIRS} no p value can be below 0.05",
    )


def not_sure_rates(given: Scores, *, level: float = 0.95) -> list[Result]:
    """Return how often raters said that they were not sure, by source and dimension.

    The share is of ratings with a value or "not sure"; others are counted as missing. Dimensions
    that do not offer it are left out unless somebody said it all the same.
    """
    found = []
    for row in counts(given).iter_rows(named=True):
        if row["dimension"] not in OFFERED and not row["not_sure"]:
            continue
        share = wilson(
            row["not_sure"], row["ok"] + row["not_sure"], level=level, n_missing=row["other"]
        )
        found.append(
            replace(
                share,
                name="not_sure_rate",
                group={"source": row["source"], "dimension": row["dimension"]},
                method="share of ratings, Wilson score interval, ratings taken as independent",
            )
        )
    return found
