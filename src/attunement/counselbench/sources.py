"""Table 1 and what goes with it: means by source, their differences, and who is not sure."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from attunement.counselbench.scores import CATEGORICAL, Scores, counts, question_means
from attunement.stats.bootstrap import bootstrap_mean
from attunement.stats.comparison import PairedComparison, compare, holm
from attunement.stats.proportion import wilson
from attunement.stats.result import Result

OFFERED = ("medical_advice", "factual_consistency")
"""Dimensions on which raters may say that they are not sure."""


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
        dimension. Medical advice is the share of yes, 0 to 1.
    """
    found = []
    for dimension in given.dimensions:
        means = question_means(given, dimension)
        for place, source in enumerate(given.sources):
            result = bootstrap_mean(means[:, place], replicates=replicates, seed=seed, level=level)
            what = "share of yes" if dimension == CATEGORICAL else "rating"
            found.append(
                replace(
                    result,
                    name="mean_of_question_means",
                    group={"source": source, "dimension": dimension},
                    method=f"mean {what} by question, then over questions; "
                    + result.method.partition(", ")[2].replace("over items", "over questions"),
                )
            )
    return found


def pairwise(
    given: Scores, *, replicates: int = 2000, seed: int = 1, level: float = 0.95
) -> list[PairedComparison]:
    """Compare every two sources on each dimension, question by question.

    Returns
    -------
    list
        Mean difference of question means with its interval, and the Wilcoxon signed-rank test with
        the rank-biserial correlation; ``p_adjusted`` is Holm's over the pairs of one dimension.
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
            family.append(
                PairedComparison(
                    replace(pair.difference, name="mean_difference", group=group),
                    replace(pair.test, group=group),
                )
            )
        adjusted = holm([pair.test.p_value for pair in family])
        found += [
            PairedComparison(pair.difference, replace(pair.test, p_adjusted=float(p)))
            for pair, p in zip(family, adjusted, strict=True)
        ]
    return found


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
