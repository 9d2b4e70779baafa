"""What came of a judge's run: replies that could not be read, and calls that failed."""

from __future__ import annotations

import polars as pl

from attunement.raters.judges.plan import Plan

_UNREAD = ("unparsed", "refused")


def unread(plan: Plan, ratings: pl.DataFrame) -> str | None:
    """Return what to know where replies came that could not be read; None where all could."""
    lost = ratings.filter(pl.col("status").is_in(_UNREAD))
    if not lost.height:
        return None
    came = _asked(plan, ratings).filter(pl.col("status") != "error").height
    if lost.height < came:
        start = f"{lost.height:,} of {came:,} ratings of {plan.rater} could not be read and have "
        start += "no value"
    else:
        start = f"not one rating of {plan.rater} could be read: none has a value"
    first = " ".join(str(lost["rationale"][0] or "nothing").split())
    first = first if len(first) <= 100 else f"{first[:99]}…"
    return f"{start}. The first such reply: {first!r}."


def failed(plan: Plan, ratings: pl.DataFrame) -> bool:
    """Return whether calls failed, or replies came and not one rating could be read."""
    statuses = _asked(plan, ratings)["status"]
    lost = statuses.is_in([*_UNREAD, "error"])
    return "error" in statuses or (len(statuses) > 0 and bool(lost.all()))


def _asked(plan: Plan, ratings: pl.DataFrame) -> pl.DataFrame:
    """Return the ratings that were asked for: those of an empty answer were not."""
    skipped = [task.unit_id for task in plan.tasks if task.skip is not None]
    return ratings.filter(~pl.col("unit_id").is_in(skipped))
