"""Table 2: how well annotators agree, by question and pooled, and what that means for a study."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from attunement.counselbench.scores import CATEGORICAL, Scores
from attunement.stats.agreement import alpha, from_long, grouped, study_size
from attunement.stats.planning import raters_for_reliability
from attunement.stats.result import Result

EXAMPLES = (0.2, 0.3, 0.4, 0.5)
"""The range of agreement that experts reach on these dimensions."""
WANTED = 0.8


def agreement(
    given: Scores, *, replicates: int = 1000, seed: int = 1, ci_level: float = 0.95
) -> list[Result]:
    """Return Krippendorff's alpha of each dimension: by question and averaged, and pooled.

    By question, alpha says whether raters tell the answers to one question apart; pooled, whether
    they tell any two answers apart, differences between questions included. Medical advice has two
    values and so the nominal alpha, which the paper leaves out.

    Returns
    -------
    list
        Two results a dimension, ``group["over"]`` being ``question`` or ``pooled``. The first has
        ``n`` questions and as ``n_missing`` those whose alpha is undefined; the second ``n``
        answers. Intervals are by bootstrap over questions.
    """
    found = []
    for dimension in given.dimensions:
        rows = given.of(dimension)
        matrix, answers, _ = from_long(
            rows["answer"].to_list(), rows["rater"].to_list(), rows["value"].to_numpy()
        )
        question_of = dict(rows.select("answer", "question").iter_rows())
        level = "nominal" if dimension == CATEGORICAL else "ordinal"
        result = grouped(
            matrix,
            [question_of[answer] for answer in answers],
            partial(_alpha, level=level, everything=len(answers)),
            over="question",
            replicates=replicates,
            ci_level=ci_level,
            seed=seed,
        )
        for over, one in (("question", result.mean), ("pooled", result.pooled)):
            found.append(replace(one, group={"dimension": dimension, "over": over}))
    return found


def _alpha(ratings: Any, *, level: Any, everything: int, **bootstrap: Any) -> Result:
    # The questions' own intervals are not asked for, and 100 of them take as long as all the rest.
    if len(ratings) < everything:
        bootstrap["replicates"] = 0
    return alpha(ratings, level, **bootstrap)


def reliability_of_mean(single: float, raters: float) -> float:
    """Return the reliability of the mean of several raters (Spearman 1910, Brown 1910).

    k a / (1 + (k - 1) a), NaN where the agreement of one rating is not above 0.

    >>> round(reliability_of_mean(0.4, 5), 3)
    0.769
    """
    if not single > 0:
        return math.nan
    return raters * single / (1 + (raters - 1) * single)


def size_table(wanted: float = WANTED) -> pl.DataFrame:
    """Return what an agreement of 0.2 to 0.5 means for a study's size.

    Returns
    -------
    polars.DataFrame
        ``agreement``; ``of_3`` and ``of_5``, the reliability of the mean of three and five raters;
        ``raters``, the fewest whose mean reaches ``wanted``; ``answers``, how many times as many
        answers a comparison of means takes with one rater an answer as ratings without error would
        take.
    """
    return pl.DataFrame(
        {
            "agreement": list(EXAMPLES),
            "of_3": [reliability_of_mean(a, 3) for a in EXAMPLES],
            "of_5": [reliability_of_mean(a, 5) for a in EXAMPLES],
            "raters": [raters_for_reliability(wanted, icc=a).n for a in EXAMPLES],
            "answers": [1 / a for a in EXAMPLES],
        }
    )


def raters_per_answer(given: Scores) -> float:
    """Return the median number of raters of an answer, over answers and dimensions."""
    sizes = given.frame.group_by("answer", "dimension").agg(pl.col("rater").n_unique())["rater"]
    return float(np.median(sizes.to_numpy())) if sizes.len() else math.nan


def meaning(given: Scores, results: list[Result]) -> dict[str, str]:
    """Say for each dimension what its agreement means for the size of a study.

    Parameters
    ----------
    given
        The ratings, for the number of raters an answer.
    results
        As `agreement` returns them; the pooled ones are read as the reliability of one rating.
    """
    k = raters_per_answer(given)
    said = {}
    for one in results:
        if one.group["over"] != "pooled":
            continue
        text = study_size(one)
        here = reliability_of_mean(one.estimate, k)
        if math.isfinite(here) and k > 1:
            text = f"The mean of the {k:g} raters here has a reliability of {here:.2f}. {text}"
        said[one.group["dimension"]] = text
    return said
