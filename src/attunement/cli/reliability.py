"""``attunement reliability``: how far the items of a scale measure one thing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from attunement.cli import _scale_input as o
from attunement.cli._common import console, friendly, out, print_json
from attunement.cli._options import CI_LEVEL, JSON, REPORT, SEED, choose, refuse_level, resamples

if TYPE_CHECKING:
    from attunement.psychometrics import Answers, Report
    from attunement.stats.item_moments import Missing


@friendly
def reliability(
    answers: Path = o.ANSWERS,
    instrument: str | None = o.INSTRUMENT,
    items: list[str] = o.ITEMS,
    reverse: str | None = o.REVERSE,
    ends: str | None = o.ENDS,
    by: str = typer.Option(
        "subscale", "--by", help="subscale: each subscale and the whole; whole: the whole only."
    ),
    missing: str = o.MISSING,
    source: str | None = o.SOURCE,
    id_column: str | None = o.ID,
    missing_word: list[str] = o.MISSING_WORD,
    factors: int | None = typer.Option(
        None,
        "--factors",
        min=3,
        help="Group factors for omega hierarchical: by default one a subscale, at least three.",
    ),
    replicates: int = resamples(1000, without="Feldt's and Fisher's intervals only"),
    ci_level: float = CI_LEVEL,
    seed: int = SEED,
    report_folder: Path | None = REPORT,
    as_json: bool = JSON,
) -> None:
    """Say how reliable a scale is (alpha, omega, item-total), and which item makes it weak."""
    from attunement.cli._scale_text import show_reliability
    from attunement.psychometrics import OVERALL, layout, report, sentences

    choose(missing, "--missing", ("pairwise", "listwise"))
    choose(by, "--by", ("subscale", "whole"))
    refuse_level(ci_level)
    scale = o.scale_of(instrument, items, reverse, ends)
    given = o.read(answers, scale, id_column, source, missing_word)
    found = report(
        given,
        by=None if by == "subscale" else list(scale.parts())[-1:] or [OVERALL],
        missing=cast("Missing", missing),
        n_factors=factors,
        level=ci_level,
        replicates=replicates,
        seed=seed,
    )
    said = sentences(found, scale)
    page = None if report_folder is None else _drawn(report_folder, found, given, seed)
    if as_json:
        print_json(
            found.results(),
            n_respondents=found.n_respondents,
            missing=missing,
            table=layout(found),
            sentences=said,
            notes=list(found.notes),
            **({} if page is None else {"report": str(page)}),
        )
        return
    show_reliability(found, said)
    if page is not None:
        out().print(str(page), soft_wrap=True, markup=False)


def _drawn(folder: Path, found: Report, given: Answers, seed: int) -> Path:
    from attunement.report import write_scale_report

    with console().status("Drawing the report"):
        return write_scale_report(folder, found, given, seed=seed)
