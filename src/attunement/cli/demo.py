"""``attunement demo``: the main job on the bundled sample, with no key and no network."""

from __future__ import annotations

from pathlib import Path

import typer

from attunement.cli._common import console, friendly, progress


@friendly
def demo(
    out: Path = typer.Option(Path("demo-run"), "--out", help="The run folder."),
) -> None:
    """Evaluate the bundled sample with the embedded language model, to an HTML report.

    Takes a few minutes on two cores. The sample is the project's own writing and the model is tiny:
    it shows how the tool works and says nothing about any product.
    """
    from importlib.resources import as_file, files

    from attunement.pipeline import load_study, run_study
    from attunement.runs import Run

    show = console()
    with as_file(files("attunement.sample").joinpath("demo.yaml")) as file:
        study = load_study(file)
    done = run_study(
        study, Run(out), progress=progress, say=lambda text: show.print(text, markup=False)
    )
    show.print(f"Report: {done.page}\nIt is one file: open it in any browser.", markup=False)
