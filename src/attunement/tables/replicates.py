"""Which of several ratings of one thing by one rater counts."""

from __future__ import annotations

import polars as pl

_ASKED = ("unit", "unit_id", "rater", "instrument", "round")


def of_first_replicate() -> pl.Expr:
    """Return whether a rating is of the first time that its rater was asked.

    The first time counts for all questions of an instrument together: one that was skipped then and
    answered in a later replicate stays unanswered.

    >>> same = {"unit": "response", "unit_id": "r1", "rater": "ann", "instrument": "x@1"}
    >>> first = {**same, "round": 1, "replicate": 0, "dimension": "a"}
    >>> later = {**same, "round": 1, "replicate": 1, "dimension": "b"}
    >>> pl.DataFrame([first, later]).filter(of_first_replicate())["dimension"].to_list()
    ['a']
    """
    return pl.col("replicate") == pl.col("replicate").min().over(_ASKED)
