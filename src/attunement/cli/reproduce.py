"""``attunement reproduce``: published numbers beside computed ones."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from attunement.cli._common import console, friendly, out, print_json
from attunement.cli._options import JSON
from attunement.cli._plain import plain

if TYPE_CHECKING:
    from attunement.reproduce import Comparison


@friendly
def reproduce(
    paper: str = typer.Argument("nuance", help="Which paper, by its short name."),
    data: Path | None = typer.Option(
        None,
        "--data",
        help="The folder with the public data: data/counsel-chat/20200325_counsel_chat.csv for "
        "nuance (CounselChat's file of March 2020), data/dailydialog for socio-emotional (the "
        "original files; a planner is trained, about a minute), data/counselbench/scores.csv for "
        "counselbench (the published annotations; ids and scores are enough), "
        "published/ces_lcc_round1.csv and ces_lcc_round2.csv for ces-lcc (its appendices' tables). "
        "Without it only what needs none is computed. Default: the environment variable "
        "ATTUNEMENT_SHARED.",
        show_default=False,
    ),
    as_json: bool = JSON,
) -> None:
    """Print each published number that can be computed again beside what this package computes."""
    from attunement.reproduce import TAKES, TITLES
    from attunement.reproduce import reproduce as compute

    if data is None and os.environ.get("ATTUNEMENT_SHARED"):
        data = Path(os.environ["ATTUNEMENT_SHARED"])
    if data is not None and paper in TAKES:
        console().print(f"{paper}: {TAKES[paper]}.")
    rows = compute(paper, data)
    if as_json:
        from attunement.reproduce.text import as_results, as_rows

        print_json(as_results(paper, rows), comparisons=as_rows(rows))
        return
    _show(paper, TITLES[paper], rows, with_data=data is not None)


def _show(paper: str, title: str, rows: list[Comparison], *, with_data: bool) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from attunement.reproduce.text import by_table, cell, has_intervals, interval, notes, verdict

    show = out()
    show.print(plain(f"{paper}: {title}", "bold"))
    for where, group in by_table(rows).items():
        with_intervals = has_intervals(group)
        # On 80 columns the interval takes the place of the difference.
        beside = "95 %" if with_intervals else "difference"
        table = Table(title=where, title_justify="left", box=SIMPLE_HEAD, padding=(0, 0))
        table.add_column("row", overflow="fold")
        table.add_column("column", overflow="fold")
        for name in ("published", "computed", beside, "n"):
            table.add_column(name, justify="right", no_wrap=True)
        table.add_column("", no_wrap=True)
        for r in group:
            mark = {True: "agrees", False: "differs", None: "-"}[r.agrees]
            table.add_row(
                r.row,
                r.column,
                cell(r.published, short=with_intervals),
                cell(r.computed, short=with_intervals),
                interval(r) if with_intervals else cell(r.difference, signed=True),
                str(r.n),
                mark,
            )
        show.print(table)
        for note in notes(group):
            show.print(f"  {note}", markup=False)
        show.print(f"  {verdict(group)}\n", markup=False)
    if not with_data:
        show.print("Numbers that need a paper's public data were left out; name it with --data.")
