"""What is added up turn by turn, so that a bootstrap only has to weigh and add again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attunement.planning.labels import LabelSet
from attunement.planning.nls import similarities

Floats = NDArray[np.float64]
Labels = Sequence[tuple[str, ...]]

SCORES = ("jaccard", "precision", "recall", "f1")
TURN_SCORES = ("jaccard", "precision", "recall", "f1", "exact_match", "nls", "mean_length")


@dataclass(frozen=True)
class Counts:
    """Columns whose sums over turns give every score.

    Parameters
    ----------
    values
        Shape (turns, columns): one, the scores of the turn, then for each label whether both have
        it, whether the side taken as prediction has it, and whether the side taken as truth does.
    turn_scores
        The names of the scores by turn.
    labels
        How many labels there are.
    present
        The labels that either side has at all: macro averages are over these.
    paper
        Whether the sides change places.
    """

    values: Floats
    turn_scores: tuple[str, ...]
    labels: int
    present: NDArray[np.bool_]
    paper: bool

    @property
    def names(self) -> list[tuple[str, str, str]]:
        """Name, average and method of each score, in the order of `derived`."""
        found = []
        for name in self.turn_scores:
            average = "sample" if name in SCORES else "turn"
            found.append((name, average, _METHODS[average].format(name=_WORDS[name])))
        for average in ("weighted",) if self.paper else ("macro", "weighted"):
            key = "paper" if self.paper else average
            found += [(n, average, _METHODS[key].format(name=_WORDS[n])) for n in SCORES]
        return found


_WORDS = {
    "jaccard": "Jaccard index",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "exact_match": "share of turns with exactly the sequence that was said",
    "nls": "normalized Levenshtein similarity of the two sequences",
    "mean_length": "number of labels",
}
_ZERO = "0 where there is nothing to divide by"
_METHODS = {
    "turn": "{name}, mean over turns",
    "sample": f"{{name}} of a turn's two sets, mean over turns, {_ZERO}",
    "macro": f"{{name}} of each label, mean over the labels that plans or turns have, {_ZERO}",
    "weighted": f"{{name}} of each label, weighted by the turns that have it, {_ZERO}",
    "paper": "{name} of each label, weighted by the plans that have it: last labels only, the "
    "plans taken as truth",
}


def count(said: Labels, truth: Labels, labels: LabelSet, *, paper: bool) -> Counts:
    """Return the columns for plans and what people said.

    Parameters
    ----------
    said, truth
        Pairs of label sequences.
    labels
        The label set; labels outside it count in the scores by turn only.
    paper
        Keep each turn's last label only, and take the plans as truth.
    """
    plan = membership([p[-1:] for p in said] if paper else said, labels)
    gold = membership([t[-1:] for t in truth] if paper else truth, labels)
    predicted, real = (gold, plan) if paper else (plan, gold)
    both = predicted & real
    length = np.array([len(p) for p in said], dtype=np.float64)
    names = ("mean_length",) if paper else TURN_SCORES
    columns = [np.ones(len(said))]
    if not paper:
        extra = np.array([len(set(p) - set(labels.labels)) for p in said], dtype=np.float64)
        exact = np.array([a == b for a, b in zip(said, truth, strict=True)], dtype=np.float64)
        sets = by_turn(both.sum(1), predicted.sum(1) + extra, real.sum(1))
        columns += [*sets, exact, similarities(said, truth)]
    columns.append(length)
    by_label = [both, predicted, real]
    values = np.hstack([np.stack(columns, axis=1), *(m.astype(np.float64) for m in by_label)])
    present = np.asarray((predicted | real).any(axis=0))
    return Counts(values, names, len(labels.labels), present, paper)


def by_turn(common: Floats, predicted: Floats, real: Floats) -> list[Floats]:
    """Return Jaccard index, precision, recall and F1 of each turn's two sets."""
    return [
        _share(common, predicted + real - common),
        _share(common, predicted),
        _share(common, real),
        _share(2 * common, predicted + real),
    ]


def derived(table: Counts, sums: Floats) -> Floats:
    """Return every score from sums over turns.

    Parameters
    ----------
    table
        What the columns are.
    sums
        Shape (draws, columns).

    Returns
    -------
    numpy.ndarray
        Shape (draws, scores), in the order of ``table.names``; NaN where no turn was drawn, and
        precision where nothing was predicted at all, and weighted scores where no turn has a label.
    """
    k, first = table.labels, 1 + len(table.turn_scores)
    n = sums[:, :1]
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = [sums[:, 1:first] / n]
    both, predicted, real = (sums[:, first + i * k : first + (i + 1) * k] for i in range(3))
    each = np.stack(by_turn(both, predicted, real), axis=2)
    # Plans are the side that may be empty: the predictions, or the truth where they changed places.
    silent = (real if table.paper else predicted).sum(axis=1) == 0
    if not table.paper:
        scores.append(each[:, table.present].mean(axis=1) if table.present.any() else each[:, 0])
    support = real.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        scores.append((each * real[:, :, None]).sum(axis=1) / support)
    found = np.concatenate(scores, axis=1)
    found[n[:, 0] == 0] = np.nan
    undefined = [i for i, (name, _, _) in enumerate(table.names) if name == "precision"]
    found[np.ix_(silent, undefined)] = np.nan
    return found


def membership(sequences: Labels, labels: LabelSet) -> NDArray[np.bool_]:
    """Return which labels each sequence has, shape (sequences, labels); unknown ones nowhere."""
    place = {label: i for i, label in enumerate(labels.labels)}
    found = np.zeros((len(sequences), len(place)), dtype=np.bool_)
    for i, sequence in enumerate(sequences):
        for label in sequence:
            if label in place:
                found[i, place[label]] = True
    return found


def _share(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros(np.shape(whole)), where=np.asarray(whole) > 0)
