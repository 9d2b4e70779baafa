"""``attunement analyze``: how close each source comes to the reference, and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from attunement.cli._common import console, friendly, out, print_json
from attunement.cli._options import JSON, SEED, TOPICS
from attunement.errors import UserError

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from attunement.analysis import Analysis


@friendly
def analyze(
    ratings: Path | None = typer.Argument(
        None, help="Table of ratings; left out where --run names a run folder."
    ),
    responses: Path | None = typer.Option(
        None, "--responses", help="Table of the answers that were rated."
    ),
    items: Path | None = TOPICS,
    raters: Path | None = typer.Option(
        None, "--raters", help="Table of the raters; marks those of demonstration quality."
    ),
    run: Path | None = typer.Option(
        None, "--run", help="Take every table from this run folder and put the analysis there."
    ),
    folder: Path | None = typer.Option(
        None, "--out", help="Folder for analysis.json and every table as CSV."
    ),
    variant: str = typer.Option(
        "standard", "--variant", help="standard, or paper to repeat the published formulas."
    ),
    reference: str = typer.Option(
        "reference", "--reference", help="The source that the others are held against."
    ),
    seed: int = SEED,
    replicates: int = typer.Option(
        2000, "--replicates", min=100, help="Resamples of the bootstrap."
    ),
    plan: bool = typer.Option(
        False,
        "--plan",
        help="Say how many items and raters an interval of --width takes, and stop.",
    ),
    width: float = typer.Option(
        0.2, "--width", help="Wanted width of an interval, in standard deviations of the reference."
    ),
    as_json: bool = JSON,
) -> None:
    """Compare sources with the reference answers: distances, ranks, tests, recommendations."""
    from attunement import analysis

    given = _tables(ratings, responses, items, raters, run)
    if plan:
        planned = analysis.plan(
            given["items"],
            given["responses"],
            given["ratings"],
            width=width,
            variant=variant,
            reference=reference,
        )
        _show_plan(planned, as_json)
        return
    found = analysis.analyze(
        given["items"],
        given["responses"],
        given["ratings"],
        raters=given["raters"],
        variant=variant,
        reference=reference,
        seed=seed,
        replicates=replicates,
    )
    _write(found, run, folder)
    if as_json:
        print_json(
            found.results(),
            tests=[t.as_json() for t in found.tests()],
            summary=found.summary,
            recommendations=found.recommendations,
            coverage=found.coverage.to_dicts(),
            answers=found.answers.to_dicts(),
            ranking=found.ranking.to_dicts(),
            equivalence=found.equivalence.to_dicts(),
            demonstration=found.demonstration,
            methods=found.methods,
        )
        return
    _show(found)


def _tables(
    ratings: Path | None,
    responses: Path | None,
    items: Path | None,
    raters: Path | None,
    run: Path | None,
) -> dict[str, Any]:
    from attunement import tables
    from attunement.runs import Run

    paths = {"ratings": ratings, "responses": responses, "items": items, "raters": raters}
    if run is not None:
        if not run.is_dir():
            raise UserError("no such run folder.", where=str(run))
        kept = Run(run)
        for kind in tables.KINDS:
            if paths[kind] is None and kept.has(kind):
                paths[kind] = kept.table_path(kind)
    if paths["ratings"] is None:
        raise UserError(
            "there are no ratings to analyze.",
            where=str(run) if run else None,
            fix="Name a table of ratings, or a run folder with --run.",
        )
    return {
        kind: None if paths[kind] is None else tables.read_table(paths[kind] or "", kind)
        for kind in tables.KINDS
    }


def _write(found: Analysis, run: Path | None, folder: Path | None) -> None:
    from attunement.runs import Run

    if run is not None:
        path = found.write(run)
        Run(run).record("analyze", variant=found.variant, seed=found.seed)
        console().print(f"Wrote {path}", markup=False)
    if folder is not None:
        found.write(folder)
        found.write_tables(folder)
        console().print(f"Wrote analysis.json and every table as CSV to {folder}", markup=False)


def _show(found: Analysis) -> None:
    show = out()
    show.print(_ranking(found))
    show.print(_distances(found))
    show.print(_coverage(found), markup=False)
    show.print()
    for sentence in found.summary:
        show.print(sentence, markup=False)
    by_topic = found.recommendations[1:]
    for said in by_topic:
        if said["kind"] != "undecided":
            show.print(f"- {said['text']}", markup=False)
    open_topics = [said["topic"] for said in by_topic if said["kind"] == "undecided"]
    if open_topics:
        show.print(f"- The data do not decide for {', '.join(open_topics)}.", markup=False)


def _ranking(found: Analysis) -> Table:
    from rich.table import Table

    table = Table(title="Distance from the reference over all metrics", title_justify="left")
    for heading in ("rank", "95 %", "source", "mean distance", "chance of being closest", "n"):
        table.add_column(heading, justify="left" if heading == "source" else "right")
    rows = found.ranking.filter(found.ranking["topic"] == "all").sort("rank", nulls_last=True)
    for row in rows.iter_rows(named=True):
        table.add_row(
            _count(row["rank"]),
            "" if row["rank_low"] is None else f"{row['rank_low']}-{row['rank_high']}",
            row["source"],
            _span(row),
            "" if row["p_best"] is None else f"{row['p_best']:.0%}",
            _count(row["n"]),
        )
    yardstick = found.distance.filter(
        (found.distance["source"] == "therapist")
        & (found.distance["topic"] == "all")
        & (found.distance["metric"] == "all")
    )
    for row in yardstick.iter_rows(named=True):
        table.add_row("", "", "another therapist", _span(row), "yardstick", _count(row["n"]))
    return table


def _distances(found: Analysis) -> Table:
    from rich.table import Table

    here = found.distance.filter(found.distance["topic"] == "all")
    sources = here["source"].unique(maintain_order=True).to_list()
    sources.sort(key="therapist".__eq__)
    table = Table(
        title="Distance by metric (n items) and 95 % interval",
        title_justify="left",
        show_lines=True,
    )
    table.add_column("metric")
    for source in sources:
        table.add_column("another therapist" if source == "therapist" else source, justify="right")
    cells = {(r["metric"], r["source"]): r for r in here.iter_rows(named=True)}
    for metric in found.metrics:
        texts = []
        for source in sources:
            row = cells[metric, source]
            value, *limits = _span(row).split(" ", 1)
            lines = [f"{value} (n {row['n']})", *limits] if row["n"] else [value, row["reason"]]
            texts.append("\n".join(lines))
        table.add_row(metric, *texts)
    return table


def _coverage(found: Analysis) -> str:
    counts: dict[str, int] = {}
    for row in found.coverage.iter_rows(named=True):
        counts[row["status"]] = counts.get(row["status"], 0) + row["count"]
    left = [f"{c:,} {s.replace('_', ' ')}" for s, c in counts.items() if s != "ok"]
    return f"Ratings: {counts.get('ok', 0):,} used; {', '.join(left) or 'none missing'}."


def _span(row: dict[str, Any]) -> str:
    if row["estimate"] is None:
        return "–"
    text = f"{row['estimate']:.3g}"
    if row["ci_low"] is None:
        return text
    return f"{text} [{row['ci_low']:.3g}, {row['ci_high']:.3g}]"


def _count(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def _show_plan(planned: pl.DataFrame, as_json: bool) -> None:
    if as_json:
        print_json([], plan=planned.to_dicts())
        return
    from rich.table import Table

    width = planned["width_wanted"][0] if planned.height else 0
    table = Table(
        title=f"For intervals {width:g} standard deviations of the reference wide",
        title_justify="left",
    )
    for heading in ("metric", "of the mean", "spread", "now", "width now", "needed"):
        table.add_column(
            heading, justify="left" if heading in ("metric", "of the mean") else "right"
        )
    for row in planned.iter_rows(named=True):
        known = row["sd"] is not None
        table.add_row(
            row["metric"],
            row["quantity"],
            f"{row['sd']:.2f}" if known else "–",
            f"{row['n_now']:,} {row['counted']}" if known else "–",
            f"{row['width_now']:.2f}" if known else "–",
            f"{row['n_needed']:,} {row['counted']}" if known else row["reason"],
        )
    out().print(table)
