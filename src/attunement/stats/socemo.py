"""Scores of the socio-emotional protocol: which system's answers are kept, chosen and rated well.

Vanel et al. (2024), arXiv:2412.04492, section IV-C and appendix E: step 1 keeps or eliminates each
answer, step 2 chooses the best of a context, step 3 rates what anyone chose on questions of three
axes. N contexts are what a bootstrap draws.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Unpack

import numpy as np

from attunement.stats.agreement import alpha, alpha_of_sets, set_distances
from attunement.stats.agreement.resampling import Bootstrap, Floats, Statistic, estimate, ratio
from attunement.stats.descriptive import NO_SPREAD
from attunement.stats.result import Result, input_hash
from attunement.stats.socemo_table import CHOICE, KEEP, Annotations

Scales = Mapping[str, tuple[float, float]]
"""Worst and best value of each question; the best may be the smaller number."""
Axes = Mapping[str, Sequence[str]]
"""The questions of each axis."""


def filter_scores(given: Annotations, **bootstrap: Unpack[Bootstrap]) -> list[Result]:
    """Return, of each source, the share of its answers that raters kept.

    The mean over raters of each one's share, among the contexts that this rater saw and the source
    answered; several answers of a source to one context count as their mean. A rating that is
    missing is left out.

    Parameters
    ----------
    given
        As `sort_ratings` returns them.
    bootstrap
        ``replicates``, ``ci_level``, ``seed``; see `Bootstrap`.

    Returns
    -------
    One result a source, 0 to 1; ``n`` contexts, ``n_missing`` those that it answered and nobody
    rated.
    """

    def said(response: str, _context: str) -> Mapping[str, float]:
        return given.keep.get(response, {})

    return [_share("filter", "kept", given, source, said, bootstrap) for source in given.answers]


def top3_scores(given: Annotations, **bootstrap: Unpack[Bootstrap]) -> list[Result]:
    """Return, of each source, the share of its answers that raters chose, as `filter_scores`."""

    def said(response: str, context: str) -> Mapping[str, float]:
        return {
            rater: np.nan if chosen is None else float(response in chosen)
            for rater, chosen in given.choices.get(context, {}).items()
        }

    return [_share("top3", "chosen", given, source, said, bootstrap) for source in given.answers]


def _share(
    name: str,
    done: str,
    given: Annotations,
    source: str,
    said: Callable[[str, str], Mapping[str, float]],
    bootstrap: Bootstrap,
) -> Result:
    columns = {rater: j for j, rater in enumerate(given.raters())}
    rows, lost = [], 0
    for context, responses in given.answers[source].items():
        row: list[list[float]] = [[] for _ in columns]
        for response in responses:
            for rater, value in said(response, context).items():
                row[columns[rater]].append(value)
        if any(row):
            lost += sum(bool(np.isnan(v)) for cell in row for v in cell)
            rows.append([_mean(cell) for cell in row])
    shares = np.array(rows, dtype=np.float64).reshape(len(rows), len(columns))
    kept = np.asarray(np.isfinite(shares).any(axis=1), dtype=np.bool_)
    there = np.isfinite(shares[kept])
    filled, mask = np.where(there, shares[kept], 0.0), there.astype(np.float64)

    def statistic(weights: Floats) -> Floats:
        by_rater = ratio(weights @ filled, weights @ mask)
        known = np.isfinite(by_rater)
        return ratio(np.where(known, by_rater, 0.0).sum(axis=1), known.sum(axis=1).astype(float))

    result = estimate(
        name,
        statistic,
        kept,
        method=f"share of its answers {done}, of the contexts a rater saw, mean over raters",
        inputs=input_hash(shares),
        nothing="no rater judged an answer of it",
        unit="contexts",
        note=_lost(lost),
        **bootstrap,
    )
    return _of_source(result, source)


def axis_scores(
    given: Annotations, scales: Scales, axes: Axes, **bootstrap: Unpack[Bootstrap]
) -> list[Result]:
    """Return, of each source and axis, the mean rating of its annotated answers, 0 to 1.

    Each question is put on 0 (worst) to 1; the mean over questions, then over raters, then over
    annotated answers. How many answers were annotated does not count.

    Parameters
    ----------
    given
        As `sort_ratings` returns them.
    scales, axes
        The ends of each question, and the questions of each axis.
    bootstrap
        See `Bootstrap`.

    Returns
    -------
    A result a source and axis, named as the axis; ``n`` contexts with annotated answers.

    Raises
    ------
    ValueError
        Where a question has no scale.
    """
    _check(scales, axes)
    found = []
    for source, answers in given.answers.items():
        annotated = [[r for r in row if r in given.rated] for row in answers.values()]
        annotated = [row for row in annotated if row]
        for axis, questions in axes.items():
            scores = [[_score(given, r, questions, scales) for r in row] for row in annotated]
            totals = np.array([np.nansum(row) for row in scores], dtype=np.float64)
            sizes = np.array([np.isfinite(row).sum() for row in scores], dtype=np.float64)
            kept = np.asarray(sizes > 0, dtype=np.bool_)
            result = estimate(
                axis,
                _quotient(totals[kept], sizes[kept]),
                kept,
                method=f"mean of {', '.join(questions)}, each 0 to 1, over raters, over answers",
                inputs=input_hash(totals, sizes),
                nothing="none of its answers was annotated",
                unit="contexts",
                note=_lost(sum(_missing(given, r, questions) for row in annotated for r in row)),
                **bootstrap,
            )
            found.append(_of_source(result, source))
    return found


def socemo_scores(
    given: Annotations,
    scales: Scales,
    axes: Axes,
    *,
    contexts: Collection[str] | None = None,
    **bootstrap: Unpack[Bootstrap],
) -> list[Result]:
    """Return the socemo index of each source: how well it is rated, times how often it is chosen.

    In each context the mean of the axes of its annotated answer, and 0 where none was annotated,
    averaged over all contexts. The published formula sums the three axes; the published numbers,
    and these, are of their mean.

    Parameters
    ----------
    given, scales, axes, bootstrap
        As for `axis_scores`.
    contexts
        What step 3 was about: give it where only some contexts were to be annotated. By default
        those with an annotated answer, and those in which nobody chose any.

    Returns
    -------
    A result a source, 0 to 1; ``n`` contexts, ``n_missing`` those where an answer of the source was
    annotated but an axis has no rating.

    Raises
    ------
    ValueError
        Where a question has no scale, or a context no answer.
    """
    _check(scales, axes)

    def score(response: str) -> float:
        return float(np.mean([_score(given, response, q, scales) for q in axes.values()]))

    what = f"mean of the axes {', '.join(axes)}"
    return _weighted("socemo", what, given, score, contexts, bootstrap)


def weighted_scores(
    given: Annotations,
    scales: Scales,
    question: str = "fluency",
    *,
    contexts: Collection[str] | None = None,
    **bootstrap: Unpack[Bootstrap],
) -> list[Result]:
    """Return one question's ratings weighted as `socemo_scores`: ``weighted_fluency``."""
    _check(scales, {question: [question]})

    def score(response: str) -> float:
        return _score(given, response, [question], scales)

    return _weighted(f"weighted_{question}", question, given, score, contexts, bootstrap)


def _weighted(
    name: str,
    what: str,
    given: Annotations,
    score: Callable[[str], float],
    contexts: Collection[str] | None,
    bootstrap: Bootstrap,
) -> list[Result]:
    about = _annotated(given) if contexts is None else list(dict.fromkeys(contexts))
    unknown = set(about) - set(given.contexts)
    if unknown:
        raise ValueError(f"no answer to the context {min(unknown)!r}")
    found = []
    for source, answers in given.answers.items():
        rows = [[r for r in answers.get(context, []) if r in given.rated] for context in about]
        values = np.array([_mean([score(r) for r in row]) if row else 0.0 for row in rows])
        kept = np.asarray(np.isfinite(values), dtype=np.bool_)
        result = estimate(
            name,
            _quotient(values[kept], np.ones(int(kept.sum()))),
            kept,
            method=f"{what}, 0 to 1, 0 where no answer was annotated, over contexts",
            inputs=input_hash(values),
            nothing="no context was annotated",
            unit="contexts",
            note=None if any(rows) or not about else "none of its answers was annotated",
            **bootstrap,
        )
        found.append(_of_source(result, source))
    return found


def _annotated(given: Annotations) -> list[str]:
    """Return the contexts with an annotated answer, and those where nothing was chosen."""
    placed = {
        context
        for answers in given.answers.values()
        for context, row in answers.items()
        if any(response in given.rated for response in row)
    }
    for context, row in given.choices.items():
        known = [chosen for chosen in row.values() if chosen is not None]
        if known and not any(known):
            placed.add(context)
    return [context for context in given.contexts if context in placed]


def agreement(given: Annotations, **bootstrap: Unpack[Bootstrap]) -> list[Result]:
    """Return how far raters agree on what to keep and what to choose.

    Krippendorff's alpha (nominal) over answers for ``keep``, whole contexts drawn; alpha with
    Jaccard's distance over contexts for ``choice``; and the mean Jaccard index of pairs of raters,
    in each context and then over contexts, two empty choices being equal. The index is not
    corrected for chance.
    """
    raters = given.raters()
    place = {r: c for row in given.answers.values() for c, some in row.items() for r in some}
    kept = [response for response in place if response in given.keep]
    matrix = [[given.keep[response].get(rater, np.nan) for rater in raters] for response in kept]
    chosen = [[given.choices[c].get(rater) for rater in raters] for c in given.choices]
    shaped = np.array(matrix, dtype=np.float64).reshape(len(kept), len(raters))
    by_context = Bootstrap(**bootstrap)
    by_context["clusters"] = [place[response] for response in kept]
    keep = alpha(shaped, "nominal", **by_context)
    return [
        replace(
            keep,
            group={"dimension": KEEP},
            method=keep.method.replace("clusters", "contexts"),
            reason=keep.reason and keep.reason.replace("clusters", "contexts"),
        ),
        replace(alpha_of_sets(chosen, "jaccard", **bootstrap), group={"dimension": CHOICE}),
        replace(_pairwise_jaccard(chosen, bootstrap), group={"dimension": CHOICE}),
    ]


def _pairwise_jaccard(
    chosen: Sequence[Sequence[frozenset[str] | None]], bootstrap: Bootstrap
) -> Result:
    def index(pair: tuple[frozenset[str], frozenset[str]]) -> float:
        return 1 - float(set_distances(pair, "jaccard")[0, 1])

    rows = [[cell for cell in row if cell is not None] for row in chosen]
    values = np.array([_mean([index(pair) for pair in combinations(row, 2)]) for row in rows])
    there = np.asarray(np.isfinite(values), dtype=np.bool_)
    return estimate(
        "mean_pairwise_jaccard",
        _quotient(values[there], np.ones(int(there.sum()))),
        there,
        method="Jaccard index, mean over pairs of raters, over contexts",
        inputs=input_hash(values),
        nothing="no context has two choices",
        unit="contexts",
        **bootstrap,
    )


def _check(scales: Scales, axes: Axes) -> None:
    for axis, questions in axes.items():
        for question in questions:
            worst, best = scales.get(question, (np.nan, np.nan))
            if not np.isfinite(best - worst) or best == worst:
                raise ValueError(f"{question!r} of {axis!r} has no scale with two ends")


def _score(given: Annotations, response: str, questions: Sequence[str], scales: Scales) -> float:
    """Return an answer's mean over raters of each one's mean over questions, 0 to 1."""
    by_rater: dict[str, list[float]] = defaultdict(list)
    for question in questions:
        worst, best = scales[question]
        for rater, value in given.rated[response].get(question, {}).items():
            by_rater[rater].append((value - worst) / (best - worst))
    return _mean([_mean(values) for values in by_rater.values()])


def _missing(given: Annotations, response: str, questions: Sequence[str]) -> int:
    rows = (given.rated[response].get(question, {}) for question in questions)
    return sum(bool(np.isnan(value)) for row in rows for value in row.values())


def _of_source(result: Result, source: str) -> Result:
    """Return a source's result; without an interval where it would have no width.

    All resamples of contexts that are alike give one number, which is no certainty.
    """
    result = replace(result, group={"source": source})
    if result.ci_low != result.ci_high:
        return result
    reason = "; ".join(filter(None, (result.reason, NO_SPREAD)))
    return replace(result, ci_low=math.nan, ci_high=math.nan, reason=reason)


def _mean(values: Sequence[float]) -> float:
    """Return the mean of what is not missing, NaN where nothing is."""
    there = [value for value in values if np.isfinite(value)]
    return sum(there) / len(there) if there else np.nan


def _quotient(totals: Floats, sizes: Floats) -> Statistic:
    return lambda weights: ratio(weights @ totals, weights @ sizes)


def _lost(ratings: int) -> str | None:
    return f"{ratings} missing ratings left out" if ratings else None
