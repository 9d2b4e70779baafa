"""``attunement respond show``: the candidates of a run, and why one was chosen."""

from __future__ import annotations

from pathlib import Path

import typer

from attunement.cli import _respond_text as text
from attunement.cli._common import console, friendly, out
from attunement.errors import UserError


@friendly
def show(
    run: Path = typer.Argument(..., help="Run folder of attunement respond."),
    source: str | None = typer.Option(None, "--source", help="Only the answers of this source."),
    item: str | None = typer.Option(None, "--item", help="Only this item."),
    limit: int = typer.Option(20, "--limit", min=1, help="The first so many items."),
    page: Path | None = typer.Option(
        None, "--page", help="Write an HTML page to this file instead of printing."
    ),
) -> None:
    """Show each item's plan and candidates, their labels and similarity, and why one was chosen."""
    import polars as pl

    from attunement.models.local import MODEL_NAME
    from attunement.respond import record, show
    from attunement.runs import Run

    folder = Run(run)
    candidates = record.read(folder)
    found = show.of_items(candidates, folder.read("items"), source=source, item=item, limit=limit)
    items = candidates["item_id"].n_unique() if item is None else 1
    if source is not None:
        candidates = candidates.filter(pl.col("source") == source)
    results = record.results(candidates)
    answers = folder.read("responses").filter(pl.col("source").is_in(candidates["source"].unique()))
    cautions = text.cautions(results)
    cautions += [text.DEMONSTRATION] if MODEL_NAME in answers["model"] else []
    if page is None:
        for line in show.lines(found):
            out().print(line, soft_wrap=True)
        if results:
            out().print(*text.tables(results))
        for line in cautions:
            console().print(line)
        if len(found) < items:
            console().print(f"{len(found):,} of {items:,} items; --limit shows more.")
        return
    if page.suffix.lower() not in (".html", ".htm") or page.is_dir():
        raise UserError(
            "this is no name of a page.", where=f"--page {page}", fix="End it in .html."
        )
    page.parent.mkdir(parents=True, exist_ok=True)
    title = f"Candidates and plans: {run.resolve().name}"
    facts = [*text.facts(results), *cautions]
    made = show.page(found, title=title, items=items, facts=facts)
    page.write_text(made, encoding="utf-8")
    console().print(f"{len(found):,} of {items:,} items in {page}.")
