"""``attunement score``: rate answers with the automatic metrics."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from attunement.cli._common import EXIT_PROBLEMS, console, friendly, out, print_json, progress
from attunement.cli._options import CI_LEVEL, SEED, refuse_level, resamples
from attunement.cli._plain import plain
from attunement.cli._result_cells import interval

if TYPE_CHECKING:
    from attunement.raters.metrics import Plan, Summary
    from attunement.stats.result import Result


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
        help="Names with commas between, of metrics or of sets: nuance, response, neural. By "
        "default those of nuance that can be computed from what is given.",
    ),
    variant: str = typer.Option(
        "standard", "--variant", help="'standard', or 'paper' to repeat published numbers."
    ),
    items: Path | None = typer.Option(
        None, "--items", help="Table of the items that the answers belong to."
    ),
    systems: Path | None = typer.Option(
        None,
        "--systems",
        help="Where a table with one number for each source and metric goes, with its interval: "
        ".csv, .tsv, .jsonl or .parquet.",
    ),
    bert_model: str | None = typer.Option(
        None,
        "--bert-model",
        help="Encoder behind BERTScore, NAME or NAME@REVISION of the hub, or a folder; by default "
        "roberta-large.",
    ),
    bert_layer: int | None = typer.Option(
        None, "--bert-layer", min=0, help="Its layer, where that is not known of the model."
    ),
    perplexity_model: str | None = typer.Option(
        None,
        "--perplexity-model",
        help="Causal language model behind perplexity, NAME or NAME@REVISION of the hub, a folder, "
        "or 'local', the embedded one (default).",
    ),
    replicates: int = resamples(1000, of="the bootstrap of a system's corpus scores"),
    ci_level: float = CI_LEVEL,
    seed: int = SEED,
    force: bool = typer.Option(
        False, "--force", help="Write over --out also where it holds ratings of people or judges."
    ),
    as_json: bool = typer.Option(
        False, "--json", help="Print the numbers of each metric and source, with interval, as JSON."
    ),
) -> None:
    """Rate every answer with the text metrics; each gets a value or a status that says why not.

    Then one number for each source and metric: of all its answers together where the metric has
    one (corpus BLEU, chrF, distinct-n, perplexity), else the mean.
    """
    from contextlib import ExitStack

    from attunement.cli import _score_models as models
    from attunement.cli._existing import refuse_clash, refuse_loss, refuse_other_table
    from attunement.raters.metrics import score_file
    from attunement.raters.metrics.files import refuse_suffix
    from attunement.raters.metrics.scoring import check_variant
    from attunement.raters.metrics.system_table import system_table
    from attunement.tables import write_frame

    names = None
    if metrics is not None:
        names = [name for part in metrics.split(",") if (name := part.strip())]
    refuse_level(ci_level)
    bert = ("bert_score", "bert_score_context")
    models.refuse_unused("--bert-model", bert_model, bert, metrics)
    models.refuse_unused("--bert-layer", bert_layer, bert, metrics)
    models.refuse_unused("--perplexity-model", perplexity_model, ("perplexity",), metrics)
    refuse_clash({"--out": ratings, "--systems": systems}, [responses, items])
    if systems is not None:
        refuse_suffix(systems)
        refuse_other_table(systems, "--systems", ("source", "metric", "estimate"))
    made: Plan | None = None
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
            embeddings=models.token_model(bert_model, bert_layer),
            language_model=models.language_model(perplexity_model),
            on_plan=start,
            on_rows=rated,
        )
    left_out = dict(made.left_out) if made else {}
    found = summary.by_system(replicates=replicates, ci_level=ci_level, seed=seed)
    if systems is not None:
        write_frame(system_table(found), systems, spreadsheet=True)
    if as_json:
        print_json(
            found,
            statuses={m: summary.status_counts(m) for m in summary.metrics},
            reasons={m: dict(summary.reasons[m]) for m in summary.reasons},
            left_out=left_out,
        )
    else:
        _show(summary)
        out().print(_by_system(found))
    notes = console()
    if not as_json:
        for why, of in _cautions(found).items():
            notes.print(f"Intervals of {', '.join(of)}: {why}.")
    for metric, why in left_out.items():
        notes.print(f"Left out: {metric} ({why}).")
    notes.print(f"Ratings: {ratings}")
    if systems is not None:
        notes.print(f"Systems: {systems}")
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


def _cautions(results: list[Result]) -> dict[str, list[str]]:
    """Return what is to be known of intervals that are there, and the metrics that it is of."""
    from math import isnan

    found: dict[str, list[str]] = {}
    for result in results:
        if result.reason and not isnan(result.ci_low):
            of = found.setdefault(result.reason.rstrip("."), [])
            if result.group["metric"] not in of:
                of.append(result.group["metric"])
    return found


def _by_system(results: list[Result]) -> Any:
    """Return a table with a row for each metric and source, metric by metric."""
    from rich.table import Table

    table = Table("Metric", box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("Source", overflow="fold")  # cut, two sources would have one name
    table.add_column("Number")
    for name in ("Estimate", "n", "Missing"):
        table.add_column(name, justify="right", no_wrap=True)
    last = None
    for metric in dict.fromkeys(r.group["metric"] for r in results):
        for result in (r for r in results if r.group["metric"] == metric):
            table.add_row(
                "" if metric == last else metric,
                plain(result.group["source"]),
                result.name,
                interval(result, decimals=3),
                str(result.n),
                str(result.n_missing),
            )
            last = metric
    return table
