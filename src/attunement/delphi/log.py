"""The decision log: what was added, modified and dropped, and why, for a paper's appendix.

Laid out like Appendices A.3 and B.2 of Bolpagni and Gabrielli (2025).
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from attunement.delphi._model import MOTIVATIONS, Decision, Item, Outcome, Reason
from attunement.delphi.outcome import priorities
from attunement.tables.files import for_spreadsheet

NOTHING = "Nothing"


def motivation(reasons: Iterable[Reason]) -> str:
    """Return the words for why, each once: ``% Agree Relevance, QL Feedback``.

    The owner's decision is named where no threshold and no comment is.
    """
    rules = list(dict.fromkeys(r.rule for r in reasons))
    named = [MOTIVATIONS[r] for r in rules if r not in ("owner", "passed")]
    return ", ".join(named) or ", ".join(MOTIVATIONS[r] for r in rules)


def decisions_table(outcome: Outcome) -> pl.DataFrame:
    """Return one row an item of the round and one an addition, fit for a spreadsheet.

    The columns are ``round``, ``dimension``, ``item``, ``wording``, ``action`` (keep, drop,
    undecided, modify, split, add), ``by`` (rule or owner), ``by_rule`` (what the thresholds alone
    say), ``motivation``, ``reasons``, ``into``, ``priority``.
    """
    place = priorities(outcome)
    rows = [
        {
            "round": outcome.round.number,
            "dimension": d.item.dimension,
            "item": d.item.id,
            "wording": d.item.text,
            "action": action_of(d),
            "by": d.by,
            "by_rule": d.by_rule,
            "motivation": motivation(d.reasons),
            "reasons": "; ".join(r.text for r in d.reasons),
            "into": " | ".join(i.text for i in d.into),
            "priority": _place(d, place),
        }
        for d in outcome.decisions
    ]
    rows += [
        {
            "round": outcome.round.number,
            "dimension": a.item.dimension,
            "item": a.item.id,
            "wording": a.item.text,
            "action": "add",
            "by": "owner",
            "by_rule": None,
            "motivation": motivation(a.reasons),
            "reasons": "; ".join(r.text for r in a.reasons),
            "into": "",
            "priority": None,
        }
        for a in outcome.additions
    ]
    kinds = {"round": pl.Int64, "priority": pl.Int64}
    names = list(rows[0]) if rows else []
    schema = {name: kinds.get(name, pl.String) for name in names}
    return for_spreadsheet(pl.DataFrame(rows, schema=schema))


def statistics_table(outcome: Outcome) -> pl.DataFrame:
    """Return one row a statistic of an item, with its interval, fit for a spreadsheet."""
    rows = [
        {
            "item": s.item.id,
            "dimension": s.item.dimension,
            "statistic": name,
            "estimate": r.estimate,
            "ci_low": r.ci_low,
            "ci_high": r.ci_high,
            "n": r.n,
            "n_missing": r.n_missing,
            "method": r.method,
            "reason": r.reason,
        }
        for s in outcome.round.summaries
        for name, r in s.results.items()
    ]
    texts = ("item", "dimension", "statistic", "method", "reason")
    schema = {
        key: pl.String if key in texts else pl.Int64 if key.startswith("n") else pl.Float64
        for key in rows[0]
    }
    return for_spreadsheet(
        pl.DataFrame(rows, schema=schema).with_columns(pl.col(pl.Float64).fill_nan(None))
    )


def as_markdown(outcome: Outcome) -> str:
    """Return the log as a page: what changed by dimension, then every item with its reasons."""
    number = outcome.round.number
    lines = [f"# Round {number}: decisions", "", _rule(outcome), ""]
    lines += ["| Dim | Add (Motivation) | Modify (Motivation) | Drop (Motivation) |"]
    lines += ["| --- | --- | --- | --- |"]
    names = dict.fromkeys([*outcome.round.dimensions, *(i.dimension for i in outcome.items)])
    for dimension in names:
        new = "" if dimension in outcome.round.dimensions else " [New]"
        cells = (
            _added(outcome, dimension),
            _modified(outcome, dimension),
            _dropped(outcome, dimension),
        )
        said = " | ".join("<br>".join(f"- {c}" for c in cell) or NOTHING for cell in cells)
        lines.append(f"| {_cell(dimension)}{new} | {said} |")
    departures = [d for d in outcome.decisions if d.departs]
    if departures:
        lines += ["", "## Where the owner departs from the thresholds", ""]
        lines += [
            f"- {_line(d.item)}: the thresholds say {d.by_rule}, the owner {action_of(d)}. "
            + _cell("; ".join(r.text for r in d.reasons))
            for d in departures
        ]
    warnings = [*outcome.round.warnings, *outcome.warnings]
    if warnings:
        lines += ["", "## To look at", "", *(f"- {_cell(w)}" for w in warnings)]
    lines += [
        "",
        "## Every item",
        "",
        "| item | wording | decision | why |",
        "| --- | --- | --- | --- |",
    ]
    lines += [
        f"| {_cell(d.item.id)} | {_cell(d.item.text)} | {action_of(d)} | "
        f"{_cell('; '.join(r.text for r in d.reasons))} |"
        for d in outcome.decisions
    ]
    return "\n".join(lines) + "\n"


def _rule(outcome: Outcome) -> str:
    t = outcome.thresholds
    said = (
        f"An item stays with an agreement of at least {t.agreement:g} %, a mean relevance of at "
        f"least {t.mean:g} and an interquartile range below {t.iqr:g}."
    )
    if outcome.redundancy is not None:
        said += (
            f" More than {outcome.redundancy.estimate:g} flags of redundancy "
            f"({outcome.redundancy.method}) drop it"
        )
        said += (
            f", unless its dimension would have fewer than {outcome.minimum} items."
            if outcome.minimum
            else "."
        )
    return f"{said} {tally(outcome)}."


def tally(outcome: Outcome) -> str:
    """Return how many items stay and go, and how many the refined scale has, as one sentence."""
    kept, gone, undecided = (len(outcome.with_action(a)) for a in ("keep", "drop", "undecided"))
    said = f"Of {_items(len(outcome.decisions))} {kept} {_verb(kept, 'stay')} and "
    said += f"{gone} {_verb(gone, 'go')}"
    said += f", and {undecided} {_verb(undecided, 'are')} undecided" if undecided else ""
    return f"{said}; the refined scale has {_items(len(outcome.items))}"


def _items(n: int) -> str:
    return f"{n} item" if n == 1 else f"{n} items"


def _verb(n: int, plural: str) -> str:
    return {"stay": "stays", "go": "goes", "are": "is"}[plural] if n == 1 else plural


def action_of(decision: Decision) -> str:
    """Return what became of an item: keep, drop, undecided, modify or split."""
    if decision.action == "drop" or not decision.into:
        return decision.action
    return "modify" if len(decision.into) == 1 else "split"


def _place(decision: Decision, place: dict[str, int]) -> int | None:
    if decision.action == "drop" or len(decision.into) > 1:
        return None
    (item,) = decision.into or (decision.item,)
    return place.get(item.id)


def _added(outcome: Outcome, dimension: str) -> list[str]:
    return [
        f"{_line(a.item)} ({motivation(a.reasons)})"
        for a in outcome.additions
        if a.item.dimension == dimension
    ]


def _modified(outcome: Outcome, dimension: str) -> list[str]:
    found = []
    for d in outcome.decisions:
        if d.item.dimension != dimension or d.action == "drop" or not d.into:
            continue
        verb = "Modify" if len(d.into) == 1 else "Split"
        into = " and ".join(_line(i) for i in d.into)
        found.append(f"{verb} {_line(d.item)} into {into} ({motivation(d.reasons)})")
    return found


def _dropped(outcome: Outcome, dimension: str) -> list[str]:
    gone = [d for d in outcome.decisions if d.item.dimension == dimension and d.action == "drop"]
    if gone and dimension in outcome.lost_dimensions:
        return [f"The entire dimension ({motivation(r for d in gone for r in d.reasons)})"]
    return [f"{_line(d.item)} ({motivation(d.reasons)})" for d in gone]


def _line(item: Item) -> str:
    return f"“{_cell(item.text)}”"


def _line_of(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    """Return text that stays in its cell of a Markdown table and is not taken for markup."""
    one_line = _line_of(text).replace("\\", "\\\\").replace("|", "\\|")
    return one_line.replace("<", "&lt;").replace("[", "\\[").replace("`", "\\`")
