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


def as_sets(
    ratings: Ratings,
    frame: pl.DataFrame,
    items: Sequence[str],
    order: Sequence[str],
    ok: Sequence[bool],
    numbers: Sequence[float],
    path: Path,
) -> Ratings:
    """Return the ratings as sets of labels where they are sets, else as they are.

    They are where somebody gave labels, and no value says more than how many these are: a choice
    whose options have numbers of their own is compared by these.

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
        _set_of(row, cell, path)
        for row, cell in zip(frame[ROW], frame["labels"].to_list(), strict=True)
    ]
    # "None of these" may come as a value of 0 without labels.
    given = [
        frozenset[str]() if labels is None and value == 0 else labels
        for labels, value in zip(given, numbers, strict=True)
    ]
    rated = [(labels, v) for labels, v, known in zip(given, numbers, ok, strict=True) if known]
    counted = all(v != v or (labels is not None and v == len(labels)) for labels, v in rated)
    if not counted or not any(labels for labels, _ in rated):
        return ratings
    rows = {item: i for i, item in enumerate(order)}
    columns = {rater: j for j, rater in enumerate(ratings.raters)}
    sets: dict[frozenset[str], int] = {}
    matrix = np.full(ratings.matrix.shape, np.nan)
    for item, rater, labels, known in zip(items, frame["rater"], given, ok, strict=True):
        if known and labels is not None:
            matrix[rows[item], columns[rater]] = sets.setdefault(labels, len(sets))
    note = "Ratings are sets of labels: alpha by the distances Jaccard and MASI."
    return replace(ratings, matrix=matrix, sets=list(sets), notes=[*ratings.notes, note])


def _set_of(row: int, cell: object, path: Path) -> frozenset[str] | None:
    try:
        return None if cell is None else labels_of(cell)
    except ValueError as error:
        raise UserError(
            f"{error}.",
            where=f"{path}, row {row}, column 'labels'",
            fix='Write labels as a JSON list of words, ["a", "b"], or as a;b.',
        ) from None
