"""What ``attunement judge`` says: what a run will take, what came of it, what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from attunement.cli._common import console, print_json
from attunement.raters.judges import Plan

_UNREAD = ("unparsed", "refused")


def tell_estimates(plans: Sequence[Plan], warnings: list[str], as_json: bool) -> None:
    """Say what each judge would take."""
    estimates = [(plan, plan.estimate()) for plan in plans]
    if as_json:
        told = [{"rater": plan.rater, "estimate": asdict(said)} for plan, said in estimates]
        print_json([], judges=told, warnings=warnings)
        return
    for plan, said in estimates:
        cost = "cost unknown (give --price-in and --price-out)"
        if said.cost_usd is not None:
            cost = f"${said.cost_usd:,.2f}"
        console().print(
            f"{plan.rater} on {plan.instrument.name}: {said.calls:,} calls for "
            f"{sum(t.skip is None for t in plan.tasks):,} {_unit(plan)}s, about "
            f"{said.tokens_in:,} tokens in, at most {said.tokens_out:,} out, {cost}. "
            f"{_aimed(plan)}No call was made."
        )


def _aimed(plan: Plan) -> str:
    if not plan.aimed:
        return ""
    return (
        f"{plan.aimed:,} {_unit(plan)}s are asked only about the failure mode that the question "
        "aims at; --all-modes asks about all. "
    )


def _unit(plan: Plan) -> str:
    unit = plan.instrument.unit
    return "answer" if unit == "response" else unit


def _counts(ratings: pl.DataFrame) -> dict[str, int]:
    return dict(ratings.group_by("status").len().sort("status").iter_rows())


def facts(plan: Plan, ratings: pl.DataFrame, journal: Path) -> dict[str, Any]:
    """Return what ``--json`` says of one judge."""
    return {
        "rater": plan.rater,
        "instrument": plan.instrument.name,
        "ratings": ratings.height,
        "statuses": _counts(ratings),
        "demonstration": plan.spec.demonstration,
        "journal": str(journal),
        "signature": plan.signature,
    }


def tell(plan: Plan, ratings: pl.DataFrame, out: Path, journal: Path) -> None:
    """Say what came of one judge's run."""
    said = ", ".join(f"{n:,} {status}" for status, n in _counts(ratings).items()) or "none"
    lines = [f"{plan.rater} on {plan.instrument.name}: {ratings.height:,} ratings ({said})."]
    if plan.spec.demonstration:
        lines.append("These scores are of demonstration quality: the model is too small to judge.")
    errors = ratings.filter(status="error")
    if errors.height:
        lines.append(f"The first failure: {errors['rationale'][0]}")
        lines.append("Run the same command again to repeat only the calls that failed.")
    if aimed := _aimed(plan):
        lines.append(aimed.strip())
    lines.append(f"Ratings in {out}, replies in {journal}.")
    for line in lines:
        console().print(line)


def unread(plan: Plan, ratings: pl.DataFrame) -> str | None:
    """Return what to know where replies came that could not be read; None where all could."""
    lost = ratings.filter(pl.col("status").is_in(_UNREAD))
    if not lost.height:
        return None
    came = _asked(plan, ratings).filter(pl.col("status") != "error").height
    how_many = f"{lost.height:,} of {came:,} ratings" if lost.height < came else "not one rating"
    if lost.height < came:
        start = f"{how_many} of {plan.rater} could not be read and have no value"
    else:
        start = f"{how_many} of {plan.rater} could be read: none has a value"
    first = " ".join(str(lost["rationale"][0] or "nothing").split())
    first = first if len(first) <= 100 else f"{first[:99]}…"
    return (
        f"{start}. The first such reply: {first!r}. With --attempts {2 * plan.attempts} the same "
        f"command asks for them again (each was asked for {plan.attempts} times at most)."
    )


def failed(plan: Plan, ratings: pl.DataFrame) -> bool:
    """Return whether calls failed, or replies came and not one rating could be read."""
    statuses = _asked(plan, ratings)["status"]
    lost = statuses.is_in([*_UNREAD, "error"])
    return "error" in statuses or (len(statuses) > 0 and bool(lost.all()))


def _asked(plan: Plan, ratings: pl.DataFrame) -> pl.DataFrame:
    """Return the ratings that were asked for: those of an empty answer were not."""
    skipped = [task.unit_id for task in plan.tasks if task.skip is not None]
    return ratings.filter(~pl.col("unit_id").is_in(skipped))
