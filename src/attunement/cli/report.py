"""``attunement report``: make the page of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from attunement.cli._common import console, friendly, out

if TYPE_CHECKING:
    from attunement.analysis import Analysis
    from attunement.runs import Run


@friendly
def report(
    run: Path = typer.Argument(
        ..., help="Run folder with items, responses and ratings (and analysis.json, if made)."
    ),
    folder: Path | None = typer.Option(
        None, "--out", help="Where the page and its files go; by default RUN/report."
    ),
    open_page: bool = typer.Option(False, "--open", help="Open the page in a browser."),
    title: str | None = typer.Option(
        None, "--title", help="Heading of the page; by default the run's own."
    ),
) -> None:
    """Write the report of a run: one HTML page, every table as CSV, every figure as SVG and PNG.

    The analysis is read from the run; it is made, and kept there, where there is none or the
    ratings are newer.
    """
    from attunement.errors import UserError
    from attunement.report import write_report
    from attunement.runs import Run

    found = Run(run)
    if not run.is_dir():
        raise UserError(
            "there is no such run folder.",
            where=str(run),
            fix="Give the folder that 'attunement run' or 'attunement demo' wrote.",
        )
    items, responses, ratings = (found.read(k) for k in ("items", "responses", "ratings"))
    analysis = _analysis(found)
    with console().status("Drawing the report"):
        page = write_report(
            folder or run / "report",
            analysis=analysis,
            items=items,
            responses=responses,
            ratings=ratings,
            manifest=found.manifest(),
            title=title,
        )
    out().print(str(page), soft_wrap=True)
    if open_page:
        import webbrowser

        webbrowser.open(page.resolve().as_uri())


def _analysis(run: Run) -> Analysis:
    """Return the run's analysis, made anew where a table is newer than the one kept."""
    from attunement.analysis import Analysis, analyze
    from attunement.tables import KINDS

    kept = run.folder / "analysis.json"
    changed = max(run.table_path(k).stat().st_mtime for k in KINDS if run.has(k))
    if kept.exists() and kept.stat().st_mtime >= changed:
        return Analysis.read(kept)
    configuration = run.manifest().get("configuration") or {}
    settings = configuration.get("analyze") or {}
    with console().status("Analyzing"):
        made = analyze(
            run.read("items"),
            run.read("responses"),
            run.read("ratings"),
            raters=run.read("raters") if run.has("raters") else None,
            variant=configuration.get("variant", "standard"),
            seed=settings.get("seed", 1),
            replicates=settings.get("replicates", 2000),
        )
    made.write(run.folder)
    return made
