"""``attunement run``: a whole study from one file."""

from __future__ import annotations

from pathlib import Path

import typer

from attunement.cli._common import console, friendly, progress


@friendly
def run(
    study: Path = typer.Argument(..., help="The study file (YAML); see docs/study-file.md."),
    out: Path | None = typer.Option(
        None, "--out", help="The run folder. Default: runs/ and the name of the study file."
    ),
) -> None:
    """Do every stage of a study: load, generate, score, judge, analyze, report.

    Stopped and started again, it goes on: no model is asked twice for an answer that had arrived.
    """
    from attunement.pipeline import load_study, run_study
    from attunement.runs import Run

    show = console()
    page = run_study(
        load_study(study),
        Run(out or Path("runs") / study.stem),
        progress=progress,
        say=lambda text: show.print(text),
    )
    show.print(f"Report: {page}")
