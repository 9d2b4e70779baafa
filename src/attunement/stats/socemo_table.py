"""The ratings of the socio-emotional protocol, sorted by context, answer and rater."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import polars as pl

KEEP, CHOICE = "keep", "choice"
_T = TypeVar("_T")


@dataclass(frozen=True)
class Annotations:
    """What raters said, by context, answer and rater.

    Parameters
    ----------
    answers
        Of each source: the answers of each context that are credited to it.
    contexts
        All contexts with an answer, in order of appearance.
    keep
        Of each answer: each rater's 1 (kept) or 0, NaN where the rating is missing.
    choices
        Of each context: the answers that each rater chose, None where the choice is missing.
    rated
        Of each answer and question: each rater's value, NaN where missing.
    """

    answers: dict[str, dict[str, list[str]]]
    contexts: list[str]
    keep: dict[str, dict[str, float]] = field(default_factory=dict)
    choices: dict[str, dict[str, frozenset[str] | None]] = field(default_factory=dict)
    rated: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)

    def raters(self) -> list[str]:
        """Return who kept or chose anything, sorted."""
        kept = {rater for row in self.keep.values() for rater in row}
        return sorted(kept.union(*self.choices.values()))


def sort_ratings(
    ratings: pl.DataFrame,
    responses: pl.DataFrame,
    questions: Collection[str],
    *,
    credited: Mapping[str, Sequence[str]] | None = None,
) -> Annotations:
    """Sort the protocol's ratings by context, answer and rater.

    Parameters
    ----------
    ratings
        Rows of the ratings table, of one instrument and one round: ``keep`` and the questions by
        response, ``choice`` by item with the chosen responses as ``labels``. A choice of nothing
        has status ok and no labels, and a value, such as 0. Replicates after the first are left
        out: they tell of the rater.
    responses
        ``response_id``, ``item_id`` and ``source``; an answer without text is none.
    questions
        The dimensions of step 3.
    credited
        The sources of every response that was shown, where equal answers of several sources were
        merged; responses that are not in it were not shown. By default each was, for its own.

    Raises
    ------
    ValueError
        Where a rating or a choice is of an unknown response, or a rater has two of the same.
    """
    if "text" in responses.columns:
        responses = responses.filter(pl.col("text").is_not_null())
    place = dict(responses.select("response_id", "item_id").iter_rows())
    own = dict(responses.select("response_id", "source").iter_rows())
    sources = credited or {response: [source] for response, source in own.items()}
    answers: dict[str, dict[str, list[str]]] = {source: {} for source in own.values()}
    for response, names in sources.items():
        for source in names:
            _known(response, place)
            answers.setdefault(source, {}).setdefault(place[response], []).append(response)
    found = Annotations(answers, list(dict.fromkeys(place.values())))
    if "replicate" in ratings.columns:
        ratings = ratings.filter(pl.col("replicate").fill_null(0) == 0)
    columns = ("unit", "unit_id", "rater", "dimension", "value", "labels", "status")
    for unit, about, rater, dimension, value, labels, status in ratings.select(columns).iter_rows():
        ok = status == "ok"
        if unit == "item" and dimension == CHOICE:
            said = ok and (labels is not None or value is not None)
            chosen = frozenset(labels or ()) if said else None
            for response in chosen or ():
                _known(response, place)
            _put(found.choices.setdefault(about, {}), rater, chosen, f"choice in {about!r}")
        elif unit == "response" and (dimension == KEEP or dimension in questions):
            _known(about, place)
            row = (
                found.keep.setdefault(about, {})
                if dimension == KEEP
                else found.rated.setdefault(about, {}).setdefault(dimension, {})
            )
            number = float(value) if ok and value is not None else np.nan
            _put(row, rater, number, f"{dimension} of {about!r}")
    return found


def _known(response: str, place: Mapping[str, str]) -> None:
    if response not in place:
        raise ValueError(f"{response!r} is no response with a text")


def _put(row: dict[str, _T], rater: str, value: _T, what: str) -> None:
    if rater in row:
        raise ValueError(f"rater {rater!r} gave {what} more than once")
    row[rater] = value
