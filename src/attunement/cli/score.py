"""``attunement score``: rate answers with the automatic metrics."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from attunement.cli._common import EXIT_PROBLEMS, console, friendly, out, print_json, progress

if TYPE_CHECKING:
    from attunement.raters.metrics import Plan, Summary


@friendly
def score(
    responses: Path = typer.Argument(
        ..., help="Table of answers: item_id, source, text, and question where --items is left out."
    ),
    ratings: Path = typer.Option(
        ..., "--out", help="Where the ratings go: .parquet, .csv, .tsv or .jsonl."
    ),
    metrics: str | None = typer.Option(
        None,
        "--metrics",
        help="Names with commas between; by default every text metric that can be computed from "
        "what is given.",
    ),
    variant: str = typer.Option(
        "standard", "--variant", help="'standard', or 'paper' to repeat published numbers."
    ),
    items: Path | None = typer.Option(
        None, "--items", help="Table of the items that the answers belong to."
    ),
    force: bool = typer.Option(
        False, "--force", help="Write over --out also where it holds ratings of people or judges."
    ),
    as_json: bool = typer.Option(
        False, "--json", help="Print the mean of each metric by source, with interval, as JSON."
    ),
) -> None:
    """Rate every answer with the text metrics; each gets a value or a status that says why not."""
    from contextlib import ExitStack

    from attunement.cli._existing import refuse_loss
    from attunement.raters.metrics import score_file
    from attunement.raters.metrics.scoring import check_variant

    names = None
    if metrics is not None:
        names = [name for part in metrics.split(",") if (name := part.strip())]
    made: Plan | None = None
    if ratings.resolve() != responses.resolve():  # which has an error of its own
        refuse_loss(ratings, {"rater_kind": ["metric"]}, force=force)

    with ExitStack() as stack:
        advance = None

        def start(plan: Plan) -> None:
            nonlocal advance, made
            made = plan
            advance = stack.enter_context(progress("Rating", plan.rows))

        def rated(n: int) -> None:
            if advance is not None:
                advance(n)

        summary = score_file(
            responses,
            ratings,
            items,
            metrics=names,
            variant=check_variant(variant),
            on_plan=start,
            on_rows=rated,
        )
    left_out = dict(made.left_out) if made else {}
    if as_json:
        print_json(
            summary.means(),
            statuses={m: summary.status_counts(m) for m in summary.metrics},
            reasons={m: dict(summary.reasons[m]) for m in summary.reasons},
            left_out=left_out,
        )
    else:
        _show(summary)
    notes = console()
    for metric, why in left_out.items():
        notes.print(f"Left out: {metric} ({why}).")
    notes.print(f"Ratings: {ratings}")
    if summary.failed:
        raise typer.Exit(EXIT_PROBLEMS)


def _show(summary: Summary) -> None:
    """Print counts by status and the mean of each metric, and why values are missing."""
    import math

    from rich.table import Table

    table = Table("Metric", "Status", box=None, pad_edge=False)
    table.add_column("Mean", justify="right")
    for metric in summary.metrics:
        counts = ", ".join(f"{n:,} {status}" for status, n in summary.status_counts(metric).items())
        mean = summary.mean(metric)
        table.add_row(metric, counts, "-" if math.isnan(mean) else f"{mean:.4f}")
    show = out()
    show.print(table)
    for metric, reasons in summary.reasons.items():
        for reason, n in reasons.most_common(3):
            show.print(f"{metric}: {n:,} without a value: {reason}", soft_wrap=True)
