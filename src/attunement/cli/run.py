"""``attunement run``: a whole study from one file."""

from __future__ import annotations

from pathlib import Path

import typer

from attunement.cli._common import EXIT_PROBLEMS, console, friendly, progress


@friendly
def run(
    study: Path = typer.Argument(..., help="The study file (YAML); see docs/study-file.md."),
    out: Path | None = typer.Option(
        None, "--out", help="The run folder. Default: runs/ and the name of the study file."
    ),
) -> None:
    """Do every stage of a study: load, generate, score, judge, analyze, report.

    Stopped and started again, it goes on: no model is asked twice for an answer that had arrived.

    Exit code 1 where calls failed, or not one reply of a judge could be read; the report is written
    all the same.
    """
    from attunement.pipeline import load_study, run_study
    from attunement.runs import Run

    show = console()
    done = run_study(
        load_study(study),
        Run(out or Path("runs") / study.stem),
        progress=progress,
        say=lambda text: show.print(text),
    )
    show.print(f"Report: {done.page}")
    if done.failed:
        raise typer.Exit(EXIT_PROBLEMS)
