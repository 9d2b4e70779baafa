"""How often a tagger names the label that people gave, group by group."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attunement.planning.labels import LabelGroup, LabelSet
from attunement.planning.planner import Plan
from attunement.planning.windows import Window
from attunement.stats.bootstrap import counts, percentile_interval
from attunement.stats.result import Result, input_hash, signature

NO_TURNS = "No turn has both a label of this kind and an answer of the tagger."
ONE_DIALOGUE = "One dialogue has no interval."
NO_BOOTSTRAP = "No bootstrap was asked for."


def accuracies(
    tags: Sequence[Plan],
    windows: Sequence[Window],
    labels: LabelSet,
    *,
    replicates: int = 2000,
    level: float = 0.95,
    seed: int = 1,
    tagger: str = "",
) -> list[Result]:
    """Return the accuracy for each group of labels, and that of the best constant beside it.

    A turn is right where the tagger names just the labels of the group that people gave; the silent
    label (neutral) is what a sequence without any label of the group says. Turns that people gave
    no label of the group, and those that the tagger did not answer, are left out and counted.

    Parameters
    ----------
    tags, windows
        Pairs, in the same order.
    labels
        The label set.
    replicates, level, seed
        Of the percentile bootstrap over dialogues; 0 replicates for no intervals.
    tagger
        Its name, for the results' groups.

    Returns
    -------
    list of Result
        ``accuracy`` and ``accuracy_of_most_frequent`` of each group, named in ``group["labels"]``.
        The most frequent label is that of these very turns: no constant does better.

    Raises
    ------
    ValueError
        Where the numbers of tags and windows differ.
    """
    if len(tags) != len(windows):
        raise ValueError(f"{len(tags)} tags for {len(windows)} windows")
    found = []
    for group in labels.groups:
        rows = [
            (w.dialogue, _of(group, w.target), _of(group, tag.labels))
            for tag, w in zip(tags, windows, strict=True)
            if tag.status == "ok" and _of(group, w.target)
        ]
        gold = [row[1] for row in rows]
        most = Counter(gold).most_common(1)[0][0] if rows else ()
        for name, right, what in (
            ("accuracy", [g == s for _, g, s in rows], "the labels that people gave"),
            ("accuracy_of_most_frequent", [g == most for g in gold], f"always {'+'.join(most)}"),
        ):
            made = _share([r[0] for r in rows], right, replicates, level, seed)
            found.append(
                Result(
                    name=name,
                    estimate=made[0],
                    ci_low=made[1],
                    ci_high=made[2],
                    ci_level=level,
                    n=len(rows),
                    n_missing=len(tags) - len(rows),
                    method=f"share of turns, {what}; percentile bootstrap over dialogues",
                    group={**({"tagger": tagger} if tagger else {}), "labels": group.name},
                    signature=signature(
                        "tag-accuracy",
                        labels=labels.name,
                        group=group.name,
                        replicates=replicates,
                        level=level,
                        seed=seed,
                        inputs=input_hash(repr(rows)),
                    ),
                    reason=_why(rows, made, replicates),
                )
            )
    return found


def _of(group: LabelGroup, sequence: Sequence[str]) -> tuple[str, ...]:
    """Return a sequence's labels of a group, in the group's order."""
    said = tuple(label for label in group.labels if label in sequence)
    return said or ((group.silent,) if group.silent is not None else ())


def _share(
    dialogues: Sequence[str], right: Sequence[bool], replicates: int, level: float, seed: int
) -> tuple[float, float, float]:
    if not right:
        return math.nan, math.nan, math.nan
    hits = np.array(right, dtype=np.float64)
    _, member = np.unique(np.array(dialogues), return_inverse=True)
    sums: NDArray[np.float64] = np.zeros((member.max() + 1, 2))
    np.add.at(sums, member, np.stack([hits, np.ones_like(hits)], axis=1))
    if not replicates or len(sums) < 2:
        return float(hits.mean()), math.nan, math.nan
    drawn = [weight @ sums for weight in counts(len(sums), replicates, seed)]
    total = np.concatenate(drawn)
    low, high = percentile_interval(total[:, :1] / total[:, 1:], level=level)
    return float(hits.mean()), float(low[0]), float(high[0])


def _why(rows: Sequence[object], made: tuple[float, float, float], replicates: int) -> str | None:
    if not rows:
        return NO_TURNS
    if math.isnan(made[1]):
        return ONE_DIALOGUE if replicates else NO_BOOTSTRAP
    return None
