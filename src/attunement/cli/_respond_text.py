"""What ``attunement respond`` says of what came out."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attunement.respond.record import Account
    from attunement.stats.result import Result

NAMES = {
    "nls_chosen": "chosen",
    "nls_first": "first",
    "nls_chosen_minus_first": "chosen minus first",
}


def counts(said: Account) -> list[str]:
    """Return sentences about candidates and plans; nothing is left out that is not zero."""
    lines = [
        f"{said.items:,} items, {said.candidates:,} candidates: {_each(said.statuses)}; "
        f"{said.identical:,} say what an earlier one said."
    ]
    if said.untagged:
        lines.append(f"{said.untagged:,} candidates with words got no labels.")
    if said.plans:
        empty = f"; {said.empty_plans:,} name no label" if said.empty_plans else ""
        lines.append(f"Plans: {_each(said.plans)}{empty}.")
    if said.unknown:
        named = ", ".join(f"{label} ({n:,})" for label, n in list(said.unknown.items())[:5])
        lines.append(f"Labels that no candidate can have: {named}.")
    lines.append(f"Of {said.changed:,} items another than the first was chosen.")
    if said.unanswered:
        lines.append(f"Of {said.unanswered:,} items no candidate can be used.")
    return lines


def _each(found: dict[str, int]) -> str:
    return ", ".join(f"{n:,} {status.replace('_', ' ')}" for status, n in found.items()) or "none"


def table(results: list[Result]) -> Any:
    """Return the similarities as a table."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from attunement.reproduce.text import cell

    made = Table(
        title="similarity to the plan (NLS, 0 to 1), as the tagger sees it",
        title_justify="left",
        box=SIMPLE_HEAD,
    )
    made.add_column("answers", overflow="fold")
    made.add_column("mean of", no_wrap=True)
    for head in ("estimate", "interval", "items"):
        made.add_column(head, justify="right", no_wrap=True)
    for r in results:
        low, high = (cell(x, short=True) for x in (r.ci_low, r.ci_high))
        made.add_row(
            r.group["source"],
            NAMES[r.name],
            cell(r.estimate, short=True),
            "-" if low == "-" else f"{low} to {high}",
            f"{r.n:,}" if not r.n_missing else f"{r.n:,} of {r.n + r.n_missing:,}",
        )
    return made


def facts(results: list[Result]) -> list[str]:
    """Return the same as sentences, one a source."""
    from attunement.reproduce.text import cell

    said: dict[str, list[str]] = {}
    for r in results:
        low, high = (cell(x, short=True) for x in (r.ci_low, r.ci_high))
        interval = "" if low == "-" else f" ({low} to {high})"
        said.setdefault(r.group["source"], []).append(
            f"{NAMES[r.name]} {cell(r.estimate, short=True)}{interval}, n = {r.n:,}"
        )
    return [f"Mean similarity, {source}: {'; '.join(parts)}." for source, parts in said.items()]


CAUTION = (
    "The tagger that chose is the one that measures: the difference says how much room the "
    "candidates left, not that people would find the chosen answers better."
)


def as_json(said: Account) -> dict[str, Any]:
    """Return the counts for ``--json``."""
    return asdict(said)
