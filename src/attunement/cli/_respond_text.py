"""What ``attunement respond`` says of what came out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attunement.respond.record import Account
    from attunement.stats.result import Result

NAMES = {
    "nls_chosen": "answers",
    "nls_first": "first candidates",
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
    if said.not_asked:
        lines.append(
            f"The table has labels of {said.not_asked:,} other items, which are not answered here."
        )
    if said.strategy == "rerank":
        lines.append(
            f"Another candidate than the first was chosen for {said.changed:,} of {said.items:,} "
            "items."
        )
    if said.unanswered:
        lines.append(f"No candidate can be used for {said.unanswered:,} of {said.items:,} items.")
    return lines


def replaced(name: str, gone: int) -> str:
    """Return what is to be said where earlier answers of the same name are gone."""
    return (
        f"{gone:,} earlier answers of {name}, by another plan or tagger or to other items, were "
        "replaced; --name keeps both."
    )


def _each(found: dict[str, int]) -> str:
    return ", ".join(f"{n:,} {status.replace('_', ' ')}" for status, n in found.items()) or "none"


def tables(results: list[Result]) -> Iterator[Any]:
    """Yield the similarities of each source as a table."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    for source, part in _by_source(results).items():
        made = Table(
            title=f"{source}: similarity to the plan (0 to 1)",
            title_justify="left",
            box=SIMPLE_HEAD,
        )
        made.add_column("mean of")
        for head in ("estimate", "interval", "items"):
            made.add_column(head, justify="right", no_wrap=True)
        for r in part:
            estimate, low, high = _cells(r)
            made.add_row(
                NAMES[r.name],
                estimate,
                "-" if low == "-" else f"{low} to {high}",
                f"{r.n:,}" if not r.n_missing else f"{r.n:,} of {r.n + r.n_missing:,}",
            )
        yield made


def _by_source(results: list[Result]) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = {}
    for r in results:
        found.setdefault(r.group["source"], []).append(r)
    return found


def _cells(r: Result) -> tuple[str, str, str]:
    from attunement.reproduce.text import cell

    estimate, low, high = (cell(x, short=True) for x in (r.estimate, r.ci_low, r.ci_high))
    return estimate, low, high


def facts(results: list[Result]) -> list[str]:
    """Return the same as sentences, one a source."""
    return [
        f"Mean similarity, {source}: {'; '.join(map(_fact, part))}."
        for source, part in _by_source(results).items()
    ]


def _fact(r: Result) -> str:
    estimate, low, high = _cells(r)
    interval = "" if low == "-" else f" ({low} to {high})"
    return f"{NAMES[r.name]} {estimate}{interval}, n = {r.n:,}"


DEMONSTRATION = (
    "Answers of the embedded model are of demonstration quality: it is very small. Never show them "
    "to a person in distress."
)
CAUTION = (
    "The tagger that chose is the one that measures: the difference says how much room the "
    "candidates left, not that people would find the chosen answers better."
)


def cautions(results: list[Result]) -> list[str]:
    """Return what is to be said beside similarities."""
    return [CAUTION] if any(r.name == "nls_chosen_minus_first" for r in results) else []


def as_json(said: Account) -> dict[str, Any]:
    """Return the counts for ``--json``."""
    return asdict(said)
