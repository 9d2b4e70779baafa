"""The outcome of a Delphi round for the terminal and for ``--json``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from attunement.cli._plain import plain, shown
from attunement.delphi import Item, Outcome, action_of, motivation, priorities, tally
from attunement.stats.result import Result, number

if TYPE_CHECKING:
    from rich.console import Console

NO_VALIDATION = (
    "These numbers say what a panel of experts thinks of the items. They are no validation of the "
    "scale, which needs people who used a chatbot."
)


def payload(outcome: Outcome) -> dict[str, Any]:
    """Return what stands beside ``results``."""
    t = outcome.thresholds
    place = priorities(outcome)
    flags = outcome.redundancy
    return {
        "round": outcome.round.number,
        "thresholds": {
            "agreement": t.agreement,
            "mean": t.mean,
            "iqr": t.iqr,
            "redundancy": number(flags.estimate) if flags is not None else None,
            "minimum": outcome.minimum,
        },
        "decisions": [
            {
                "item": d.item.id,
                "dimension": d.item.dimension,
                "action": d.action,
                "by": d.by,
                "by_rule": d.by_rule,
                "motivation": motivation(d.reasons),
                "reasons": [
                    {
                        "rule": r.rule,
                        "text": r.text,
                        "value": number(r.value),
                        "threshold": number(r.threshold),
                    }
                    for r in d.reasons
                ],
                "into": [_item(i) for i in d.into],
                "overlaps": dict(d.summary.overlaps),
                "comments": list(d.summary.comments),
                "suggestions": list(d.summary.suggestions),
            }
            for d in outcome.decisions
        ],
        "additions": [
            {**_item(a.item), "reasons": [r.text for r in a.reasons]} for a in outcome.additions
        ],
        "outcome": [{**_item(i), "priority": place.get(i.id)} for i in outcome.items],
        "lost_dimensions": list(outcome.lost_dimensions),
        "notes": list(outcome.round.notes),
        "warnings": [*outcome.round.warnings, *outcome.warnings],
    }


def _item(item: Item) -> dict[str, Any]:
    return {"item": item.id, "dimension": item.dimension, "wording": dict(item.wording)}


def show(outcome: Outcome, answer: Console, aside: Console) -> None:
    """Print the table of items, what is decided and why."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    place = priorities(outcome)
    table = Table(box=SIMPLE_HEAD, padding=(0, 0), title=f"Round {outcome.round.number}")
    table.add_column("item", overflow="fold")
    optional = {
        "flags": "redundancy_flags",
        "points": "borda_points",
    }
    asked = {
        label: name
        for label, name in optional.items()
        if any(name in s.results for s in outcome.round.summaries)
    }
    for label in ("agree %", "mean (sd)", "IQR", "n", *asked):
        table.add_column(label, justify="right", no_wrap=True)
    table.add_column("decision", overflow="fold")
    for d in outcome.decisions:
        s = d.summary
        said = action_of(d)
        if d.action != "keep":
            said += f": {motivation(d.reasons)}"
        if d.action == "keep" and d.item.id in place:
            said += f", priority {place[d.item.id]}"
        if d.by == "owner":
            said += f" (owner; the thresholds say {d.by_rule})"
        elif any(r.rule == "minimum" for r in d.reasons):
            said += " (minimum of items)"
        agreed = s.results.get("agreement")
        table.add_row(
            plain(d.item.id),
            _share(agreed),
            f"{_cell(s.value('mean'))} ({_cell(s.value('sd'))})",
            _cell(s.value("iqr")),
            str(agreed.n) if agreed is not None and agreed.n else "-",
            *(_cell(s.value(name), decimals=0) for name in asked.values()),
            plain(said),
        )
    answer.print(table)
    answer.print(f"{tally(outcome)}.", markup=False)
    _show_stability(outcome, answer)
    for line in (*outcome.round.notes, *outcome.round.warnings, *outcome.warnings, NO_VALIDATION):
        aside.print(shown(line), markup=False)


def _show_stability(outcome: Outcome, answer: Console) -> None:
    whole = outcome.stability.get("")
    if whole is None:
        return
    same, kappa = whole.unchanged, whole.kappa
    answer.print(
        f"Since the round before {_share(same)} % of {same.n} ratings are unchanged"
        f"{_interval(same, 100)}; weighted kappa {_cell(kappa.estimate)}{_interval(kappa, 1)}.",
        markup=False,
    )


def _interval(result: Result, times: float) -> str:
    if math.isnan(result.ci_low):
        return f" ({result.reason})" if result.reason else ""
    return f" ({_cell(times * result.ci_low)} to {_cell(times * result.ci_high)})"


def _share(result: Result | None) -> str:
    return "-" if result is None else _cell(100 * result.estimate)


def _cell(value: float, *, decimals: int = 2) -> str:
    return "-" if math.isnan(value) else f"{value:.{decimals}f}"
