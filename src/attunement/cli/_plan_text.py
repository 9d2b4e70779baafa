"""What ``attunement plan`` says: faults of the data, scores, and what became of a table's rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attunement.cli._common import console, out

if TYPE_CHECKING:
    from attunement.planning import Plan, Split
    from attunement.planning.evaluation import Evaluation
    from attunement.stats.result import Result


def say_faults(split: Split) -> None:
    """Say what is wrong with the data, the first three places of each kind."""
    show = console()
    if split.left_out:
        show.print(
            f"{split.name}: {split.left_out:,} dialogues that stand in another split left out"
        )
    for kind, times in split.fault_counts().items():
        first = [fault for fault in split.faults if fault.kind == kind][:3]
        show.print(f"{split.name}: {kind} ({times:,})")
        for fault in first:
            show.print(f"  {fault.where}: {fault.detail}")


def say_counts(plans: Sequence[Plan], what: str, where: object) -> None:
    """Say how many plans or tags there are, by status."""
    counts = Counter(plan.status for plan in plans)
    said = ", ".join(f"{n:,} {status}" for status, n in counts.most_common()) or "no rows"
    empty = sum(plan.status == "ok" and not plan.labels for plan in plans)
    nothing = f"; {empty:,} without a label" if empty else ""
    console().print(f"{len(plans):,} {what}: {said}{nothing}; written to {where}.")


def show_scores(
    name: str, scored: Evaluation, title: str, accuracies: Sequence[Result] = ()
) -> None:
    """Print every score with its interval and n, and what is to be known of them."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from attunement.planning.table_ii import HEADS
    from attunement.reproduce.text import cell

    table = Table(
        title=f"{name}, {title}, {scored.scoring} scoring", title_justify="left", box=SIMPLE_HEAD
    )
    table.add_column("score")
    table.add_column("average")
    for head in ("estimate", "interval", "n"):
        table.add_column(head, justify="right", no_wrap=True)
    for r in (*accuracies, *scored.results):
        low, high = (cell(x, short=True) for x in (r.ci_low, r.ci_high))
        table.add_row(
            HEADS.get(r.name, r.name.replace("_", " ")),
            r.group.get("average") or r.group["labels"],
            cell(r.estimate, short=True),
            "-" if low == "-" else f"{low} to {high}",
            f"{r.n:,}",
        )
    out().print(table)
    said = ", ".join(f"{n:,} {status}" for status, n in scored.statuses.items())
    notes = [f"{said}; {scored.empty:,} of them without a label"]
    if scored.unknown:
        names = ", ".join(f"{label} ({n:,})" for label, n in list(scored.unknown.items())[:5])
        notes.append(f"labels outside the label set: {names}")
    for reason in dict.fromkeys(r.reason for r in (*accuracies, *scored.results) if r.reason):
        notes.append(reason)
    for note in notes:
        console().print(f"  {note}")
