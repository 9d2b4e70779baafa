"""How well plans meet what people said: set scores, sequence scores, and the paper's own scoring.

``standard``: what people said is the truth, and all labels of a turn count. ``paper`` repeats the
published code of Table II: only the last label of a turn counts, scikit-learn is given the plans as
truth, so that precision and recall change places, and one distance is taken over the whole list.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from attunement.planning._counts import Counts, count, derived
from attunement.planning.labels import LabelSet
from attunement.planning.nls import similarity
from attunement.planning.planner import Plan
from attunement.planning.windows import Window
from attunement.stats.bootstrap import counts as draws_of
from attunement.stats.bootstrap import percentile_interval
from attunement.stats.result import Result, input_hash, signature

Scoring = Literal["standard", "paper"]
SCORINGS: tuple[Scoring, ...] = get_args(Scoring)
Resample = Literal["dialogues", "windows"]
RESAMPLES: tuple[Resample, ...] = get_args(Resample)

UNSAID = "No plan has a label of the label set."
UNMARKED = "No turn has a label of the label set."
ONE_LIST = (
    "NLS has no interval here: it is one distance over the whole list of turns, and no turn has a "
    "value of its own that could be drawn again."
)


@dataclass(frozen=True)
class Evaluation:
    """What became of a planner's plans.

    Parameters
    ----------
    results
        One a score; ``group`` has the average and the scoring.
    statuses
        How many plans have each status.
    empty
        Plans without a label.
    unknown
        Labels that are not in the label set, and how often each was planned.
    scoring
        ``standard`` or ``paper``.
    """

    results: tuple[Result, ...]
    statuses: dict[str, int]
    empty: int
    unknown: dict[str, int]
    scoring: Scoring

    def get(self, name: str, average: str | None = None) -> Result:
        """Return a score by name and, where there are several, its average.

        Raises
        ------
        KeyError
            Where there is none.
        """
        for result in self.results:
            if result.name == name and average in (None, result.group.get("average")):
                return result
        raise KeyError((name, average))

    def as_json(self) -> dict[str, object]:
        """Return what ``--json`` says beside the results."""
        return {
            "scoring": self.scoring,
            "statuses": self.statuses,
            "empty_plans": self.empty,
            "unknown_labels": self.unknown,
        }


def evaluate(
    plans: Sequence[Plan],
    windows: Sequence[Window],
    labels: LabelSet,
    *,
    scoring: Scoring = "standard",
    resample: Resample = "dialogues",
    replicates: int = 2000,
    level: float = 0.95,
    seed: int = 1,
    planner: str = "",
) -> Evaluation:
    """Return every score of plans against the windows' targets, with bootstrap intervals.

    Turns without a plan (a status other than ``ok``) are left out and counted as missing. A plan
    without labels counts, and meets nothing. A label outside the label set counts as planned and
    wrong in the scores by turn and in the sequence scores; scores by label have no row for it.

    Parameters
    ----------
    plans, windows
        Pairs, in the same order.
    labels
        The label set.
    scoring
        ``standard``, or ``paper`` to compare with Table II.
    resample
        What the bootstrap draws again: whole dialogues, whose turns belong together, or turns.
    replicates, level, seed
        Of the percentile bootstrap; 0 replicates for no intervals.
    planner
        Its name, for the results' groups.

    Raises
    ------
    ValueError
        Where the numbers of plans and windows differ, or an option is unknown.
    """
    if len(plans) != len(windows):
        raise ValueError(f"{len(plans)} plans for {len(windows)} windows")
    if scoring not in SCORINGS or resample not in RESAMPLES:
        raise ValueError(f"scoring is one of {SCORINGS}, resample one of {RESAMPLES}")
    pairs = [(p, w) for p, w in zip(plans, windows, strict=True) if p.status == "ok"]
    said = [p.labels for p, _ in pairs]
    truth = [w.target for _, w in pairs]
    known = set(labels.labels)
    unknown = Counter(label for plan in said for label in plan if label not in known)
    table = count(said, truth, labels, paper=scoring == "paper")
    clusters = [w.dialogue for _, w in pairs] if resample == "dialogues" else None
    drawn = len(pairs) if clusters is None else len(set(clusters))
    planned = any(known.intersection(p[-1:] if scoring == "paper" else p) for p in said)
    estimates, lows, highs = _scores(table, clusters, replicates, level, seed)
    how = f"95 % percentile bootstrap interval over {resample}".replace("95", f"{level * 100:g}")
    made = signature(
        "plan-evaluation",
        labels=labels.name,
        scoring=scoring,
        resample=resample,
        replicates=replicates,
        level=level,
        seed=seed,
        inputs=input_hash(repr((said, truth))),
    )
    group = {"planner": planner} if planner else {}
    results = []
    for i, (name, average, method) in enumerate(table.names):
        estimate = float(estimates[i])
        results.append(
            Result(
                name=name,
                estimate=estimate,
                ci_low=float(lows[i]),
                ci_high=float(highs[i]),
                ci_level=level,
                n=len(pairs),
                n_missing=len(plans) - len(pairs),
                method=f"{method}, {how}" if replicates else method,
                group={**group, "scoring": scoring, "average": average},
                signature=made,
                reason=_why(estimate, drawn, replicates, planned=planned),
            )
        )
    if scoring == "paper":
        results.append(_whole_list(said, truth, results[0]))
    return Evaluation(
        tuple(results),
        dict(Counter(p.status for p in plans)),
        sum(not plan for plan in said),
        dict(unknown.most_common()),
        scoring,
    )


def _scores(
    table: Counts, clusters: Sequence[str] | None, replicates: int, level: float, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the scores and their limits, shape (scores,) each."""
    values = table.values
    if clusters is not None and len(clusters):
        _, member = np.unique(np.array(clusters), return_inverse=True)
        summed = np.zeros((member.max() + 1, values.shape[1]))
        np.add.at(summed, member, values)
        values = summed
    estimates = derived(table, table.values.sum(axis=0)[None, :])[0]
    if not replicates or len(values) < 2:
        nothing = np.full(len(estimates), np.nan)
        return estimates, nothing, nothing
    drawn = [derived(table, weight @ values) for weight in draws_of(len(values), replicates, seed)]
    low, high = percentile_interval(np.concatenate(drawn), level=level)
    undefined = np.isnan(estimates)
    return estimates, np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)


def _why(estimate: float, drawn: int, replicates: int, *, planned: bool) -> str | None:
    """Return why a score or its interval is not there; ``drawn`` is what is drawn again."""
    if not drawn:
        return "There is no plan to score."
    if math.isnan(estimate):
        return UNMARKED if planned else UNSAID
    if not replicates:
        return "No bootstrap was asked for."
    return "One dialogue or turn has no interval." if drawn < 2 else None


def _whole_list(
    said: Sequence[tuple[str, ...]], truth: Sequence[tuple[str, ...]], like: Result
) -> Result:
    """Return the paper's similarity: one distance over the list of turns, each one symbol."""
    return Result(
        name="nls",
        estimate=similarity(said, truth) if said else math.nan,
        n=like.n,
        n_missing=like.n_missing,
        method="normalized Levenshtein similarity, one distance over the whole list of turns",
        ci_level=like.ci_level,
        group={**like.group, "average": "whole list"},
        signature=like.signature,
        reason=ONE_LIST if said else "There is no plan to score.",
    )
