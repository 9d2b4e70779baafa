"""What ``attunement judge`` says: what a run will take, what came of it, what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from attunement.cli._common import console, print_json
from attunement.raters.judges import Plan


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


def ask_again(plan: Plan) -> str:
    """Return how to have replies that could not be read once more."""
    return (
        f"With --attempts {2 * plan.attempts} the same command asks for them again (each was asked "
        f"for {plan.attempts} times at most)."
    )
