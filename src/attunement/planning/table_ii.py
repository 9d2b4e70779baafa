"""A table like the paper's Table II: one row a planner, six columns."""

from __future__ import annotations

from collections.abc import Mapping

from attunement.planning.evaluation import Evaluation
from attunement.stats.result import Result

COLUMNS = ("jaccard", "precision", "recall", "f1", "nls", "mean_length")
"""The columns of Table II."""

HEADS: Mapping[str, str] = {
    "jaccard": "Jaccard",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "nls": "NLS",
    "mean_length": "mean length",
}


def row(evaluation: Evaluation) -> dict[str, Result]:
    """Return a planner's row: set scores weighted by label, NLS and length as scored."""
    found = {c: evaluation.get(c, "weighted") for c in COLUMNS[:4]}
    return {**found, **{c: evaluation.get(c) for c in COLUMNS[4:]}}
