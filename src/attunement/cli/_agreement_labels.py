"""Ratings that are sets of labels, for ``attunement agreement``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from attunement.cli._agreement_cells import labels_of
from attunement.cli._agreement_types import ROW, Ratings
from attunement.errors import UserError

_SETS = "Ratings are sets of labels: alpha by the distances Jaccard and MASI."
_CATEGORIES = "Each rating is one label: they are compared as categories, whatever --level says."
_NUMBERS = (
    "Labels are not compared: some ratings have several, whose value is not how many these are."
)


def with_labels(
    ratings: Ratings,
    frame: pl.DataFrame,
    items: Sequence[str],
    order: Sequence[str],
    ok: Sequence[bool],
    numbers: Sequence[float],
    path: Path,
) -> Ratings:
    """Return the ratings as sets of labels, or as categories, where they are that.

    They are where somebody gave labels, and no value says more than how many these are: a choice
    whose options have numbers of their own is compared by these. Where every rating is one label
    they are categories.

    Parameters
    ----------
    ratings
        The numbers as a matrix.
    frame, items, ok, numbers
        The rows: the table, each one's item, whether it is a rating, and its value.
    order
        The matrix's items.
    path
        For errors.

    Raises
    ------
    UserError
        Where a cell of labels is no list of words.
    """
    given = [
        _labels_of(row, cell, path)
        for row, cell in zip(frame[ROW], frame["labels"].to_list(), strict=True)
    ]
    # "None of these" may come as a value of 0 without labels.
    given = [
        [] if labels is None and value == 0 else labels
        for labels, value in zip(given, numbers, strict=True)
    ]
    rated = [(labels, v) for labels, v, known in zip(given, numbers, ok, strict=True) if known]
    if not any(labels for labels, _ in rated):
        return ratings
    if not all(v != v or _is_count(v, labels) for labels, v in rated):
        several = any(labels is not None and len(labels) > 1 for labels, _ in rated)
        return replace(ratings, notes=[*ratings.notes, *([_NUMBERS] if several else [])])
    rows = {item: i for i, item in enumerate(order)}
    columns = {rater: j for j, rater in enumerate(ratings.raters)}
    sets: dict[frozenset[str], int] = {}
    matrix = np.full(ratings.matrix.shape, np.nan)
    for item, rater, labels, known in zip(items, frame["rater"], given, ok, strict=True):
        if known and labels is not None:
            place = sets.setdefault(frozenset(labels), len(sets))
            matrix[rows[item], columns[rater]] = place
    if all(len(labels) == 1 for labels in sets):
        notes = [*ratings.notes, _CATEGORIES]
        return replace(ratings, matrix=matrix, categories=True, notes=notes)
    return replace(ratings, matrix=matrix, sets=list(sets), notes=[*ratings.notes, _SETS])


def _is_count(value: float, labels: list[str] | None) -> bool:
    """Return whether a value is how many labels were chosen.

    Among several labels some may be of equal answers, chosen as one.
    """
    if labels is None:
        return False
    return value == len(labels) or 1 <= value < len(labels)


def _labels_of(row: int, cell: object, path: Path) -> list[str] | None:
    try:
        return None if cell is None else labels_of(cell)
    except ValueError as error:
        raise UserError(
            f"{error}.",
            where=f"{path}, row {row}, column 'labels'",
            fix='Write labels as a JSON list of words, ["a", "b"], or as a;b.',
        ) from None
