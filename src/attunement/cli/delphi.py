"""``attunement delphi``: what a panel said, what stays, and the instrument that comes out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from attunement.cli._common import console, friendly, out, print_json
from attunement.cli._options import CI_LEVEL, JSON, REPORT, SEED, refuse_level, resamples

if TYPE_CHECKING:
    import polars as pl

    from attunement.delphi import Outcome, PanelRound
    from attunement.instruments import Instrument

app = typer.Typer(
    help="Analyze the rounds of an eDelphi: statistics, Add-Modify-Drop, the instrument.",
    no_args_is_help=True,
)
FILES = ("instrument.yaml", "decisions.md", "decisions.csv", "statistics.csv")


@app.callback()
def _group() -> None:
    pass


@app.command()
@friendly
def analyze(
    table: Path = typer.Argument(
        ...,
        metavar="ROUND.csv",
        help="The round. Raw: one row an expert and item, with expert, item, relevance and what "
        "else was asked (dimension, round, priority, rank, redundant_with, translation, comment, "
        "suggestion). Or summarized as papers print it: one row an item, with "
        "relevance_agree_pct, relevance_mean, relevance_iqr and so on.",
    ),
    round_: int | None = typer.Option(
        None,
        "--round",
        min=1,
        max=99,
        help="Which round; by default the last in the table. Flags of redundancy count from 2 on.",
    ),
    thresholds: str = typer.Option(
        "agreement=75,mean=3,iqr=2",
        "--thresholds",
        help="When an item stays: per cent agreement and mean at least, interquartile range below. "
        "redundancy=N drops items with more than N flags (default q3, the third quartile; none "
        "drops none).",
    ),
    items: str | None = typer.Option(
        None,
        "--items",
        help="An instrument, or a table with item, dimension and item_en, item_it, ... for the "
        "wording.",
    ),
    minimum: int = typer.Option(
        3,
        "--minimum",
        min=0,
        help="Items that a dimension keeps where redundancy would take them; 0 for none.",
    ),
    decisions: Path | None = typer.Option(
        None,
        "--decisions",
        help="The owner's decisions, a YAML file: keep, drop, modify, split, add, with the reason.",
    ),
    previous: Path | None = typer.Option(
        None,
        "--previous",
        help="The round before; not needed where the table has both rounds. How far single "
        "experts moved takes raw tables; of a summarized one only the items' statistics are "
        "compared.",
    ),
    panel: int | None = typer.Option(
        None, "--panel", min=1, help="How many rated, where a summarized table does not say."
    ),
    scale: str = typer.Option("1-5", "--scale", help="The ends of the scale of the ratings."),
    agree: int = typer.Option(4, "--agree", help="The lowest rating that counts as agreeing."),
    weights: str = typer.Option(
        "quadratic", "--weights", help="Of kappa between rounds: linear or quadratic."
    ),
    replicates: int = resamples(2000),
    seed: int = SEED,
    ci_level: float = CI_LEVEL,
    out_folder: Path | None = typer.Option(
        None,
        "--out",
        help="A folder for instrument.yaml, the decision log (decisions.md, decisions.csv) and "
        "statistics.csv.",
    ),
    name: str = typer.Option(
        "delphi-outcome", "--name", help="The id of the instrument that is written."
    ),
    force: bool = typer.Option(False, "--force", help="Write over files that --out has already."),
    report_folder: Path | None = REPORT,
    as_json: bool = JSON,
) -> None:
    """Say what a panel thinks of each item, and which items stay.

    Add-Modify-Drop as in Algorithm 1 of CES-LCC: every decision carries its reason, and what the
    owner decides over the thresholds is marked as the owner's.
    """
    from attunement.cli._delphi_options import scale_of, thresholds_of, weights_of
    from attunement.cli._delphi_text import payload, show
    from attunement.delphi import Drawing, decide, items_from, read_decisions, read_round
    from attunement.tables import read_frame

    refuse_level(ci_level)
    limits, points = thresholds_of(thresholds), scale_of(scale, agree)
    kappa = weights_of(weights)
    if out_folder is not None:
        _refuse_loss(out_folder, force=force)
    known, base = items_from(items) if items is not None else (None, None)
    frame = read_frame(table)
    drawing = Drawing(replicates=replicates, seed=seed, level=ci_level)
    current = read_round(
        frame,
        str(table),
        number=round_,
        scale=points,
        items=known,
        panel=panel,
        drawing=drawing,
    )
    owner = read_decisions(decisions) if decisions is not None else ()
    outcome = decide(current, thresholds=limits, minimum=minimum, owner=owner)
    before = _before(table, previous, current, panel)
    if before is not None:
        from attunement.delphi import compared

        outcome = compared(
            before, outcome, weights=kappa, replicates=replicates, seed=seed, level=ci_level
        )
    if out_folder is not None:
        _write(out_folder, outcome, name, base, table)
    page = None if report_folder is None else _drawn(report_folder, outcome, before)
    if as_json:
        said = payload(outcome) | ({} if page is None else {"report": str(page)})
        print_json(outcome.results(), **said)
        return
    show(outcome, out(), console())
    if page is not None:
        out().print(str(page), soft_wrap=True, markup=False)


def _drawn(folder: Path, outcome: Outcome, before: PanelRound | None) -> Path:
    from attunement.report import write_delphi_report

    with console().status("Drawing the report"):
        return write_delphi_report(folder, outcome, before=before)


def _before(
    table: Path, previous: Path | None, current: PanelRound, panel: int | None
) -> PanelRound | None:
    """Return the round before, from its own table or from the same."""
    from attunement.delphi import Drawing, read_round
    from attunement.tables import read_frame

    quick = Drawing(replicates=0)
    if previous is not None:
        frame = read_frame(previous)
        number = _earlier(frame, previous, current.number)
        return read_round(
            frame, str(previous), number=number, scale=current.scale, panel=panel, drawing=quick
        )
    frame = read_frame(table)
    number = current.number - 1
    if number not in _rounds(frame):
        return None
    return read_round(
        frame, str(table), number=number, scale=current.scale, panel=panel, drawing=quick
    )


def _earlier(frame: pl.DataFrame, previous: Path, now: int) -> int:
    """Return which round of the table of the round before is meant: the last one before now."""
    from attunement.errors import UserError

    if now < 2:
        raise UserError(
            "the table counts as round 1, which has none before it.",
            where=f"--previous {previous}",
            fix="Name the later round with --round 2, or leave --previous out.",
        )
    if "round" not in frame.columns:
        return now - 1
    there = _rounds(frame)
    if there and min(there) >= now:
        raise UserError(
            f"it has no round before round {now}.",
            where=f"--previous {previous}",
            fix="Give the table of an earlier round.",
        )
    return max((n for n in there if n < now), default=now - 1)


def _rounds(frame: pl.DataFrame) -> set[int]:
    """Return the rounds that a table names; what is none is refused where it is read."""
    from attunement.delphi.cells import texts

    there = (text.removesuffix(".0") for text in texts(frame, "round"))
    return {int(text) for text in there if text.isascii() and text.isdigit()}


def _refuse_loss(folder: Path, *, force: bool) -> None:
    from attunement.errors import UserError

    there = [name for name in FILES if (folder / name).exists()]
    if there and not force:
        raise UserError(
            f"there is already {', '.join(there)}.",
            where=f"--out {folder}",
            fix="Give another folder, or write over them with --force.",
        )


def _write(folder: Path, outcome: Outcome, name: str, base: Instrument | None, table: Path) -> None:
    from attunement.cli._plain import shown
    from attunement.delphi import as_markdown, decisions_table, instrument_of, statistics_table
    from attunement.errors import UserError
    from attunement.instruments.writing import to_yaml

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "decisions.md").write_text(as_markdown(outcome), encoding="utf-8")
    decisions_table(outcome).write_csv(folder / "decisions.csv")
    statistics_table(outcome).write_csv(folder / "statistics.csv")
    say = console()
    target = folder / "instrument.yaml"
    try:
        citation = f"The Delphi panel of {table.name}."
        made = instrument_of(outcome, id=name, base=base, citation=citation)
    except UserError as error:
        # The log is of use without the instrument, whose words may come later. One of an earlier
        # analysis would pass for the outcome of this one.
        target.unlink(missing_ok=True)
        say.print(shown(f"No instrument was written: {error}"), markup=False)
        return
    target.write_text(to_yaml(made.instrument), encoding="utf-8")
    for warning in made.warnings:
        say.print(shown(warning), markup=False)
    say.print(shown(f"Wrote {', '.join(FILES)} to {folder}."), markup=False)
