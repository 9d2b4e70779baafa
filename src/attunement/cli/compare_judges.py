"""``attunement compare-judges``: hold judges against the people who rated the same answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from attunement.cli._common import console, friendly, out, print_json
from attunement.cli._options import CI_LEVEL, JSON, SEED, refuse_level, resamples
from attunement.cli._plain import plain

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table
    from rich.text import Text

    from attunement.judges_vs_people import Held, JudgesVsPeople
    from attunement.stats.result import Result


_SUFFIXES = (".csv", ".parquet", ".jsonl")


@friendly
def compare_judges(
    ratings: Path = typer.Argument(
        ..., help="Table of ratings with those of judges and of people, or a run folder."
    ),
    responses: Path | None = typer.Option(
        None,
        "--responses",
        help="Table of the answers, for the sentences that were flagged; a run folder has its own.",
    ),
    judge: list[str] = typer.Option(
        [],
        "--judge",
        help="A rater to hold against the people, by name; by default every judge. A person named "
        "here is held against the others.",
    ),
    instrument: list[Path] = typer.Option(
        [], "--instrument", help="YAML file of an instrument that is not in the library."
    ),
    epsilon: float = typer.Option(
        0.2,
        "--epsilon",
        help="What a judge's convenience is worth in the alternative-annotator test: 0.2 where the "
        "people are experts, 0.15 skilled raters, 0.1 crowd workers.",
    ),
    min_items: int = typer.Option(
        30, "--min-items", min=2, help="Answers that a person must have rated to be tested."
    ),
    replicates: int = resamples(2000, of="the bootstrap over items"),
    ci_level: float = CI_LEVEL,
    seed: int = SEED,
    save: Path | None = typer.Option(
        None, "--out", help="Also write every number to this table: .csv, .parquet or .jsonl."
    ),
    as_json: bool = JSON,
) -> None:
    """Hold judges against people: bias, agreement, rankings, what they find, and a verdict.

    The verdict is one line a judge: for what it may replace one of several people, for what not,
    and what the data leave open.
    """
    from attunement.errors import UserError
    from attunement.instruments import load_instrument
    from attunement.judges_vs_people import compare_judges as compare

    if not 0 <= epsilon < 1:
        raise UserError(f"--epsilon lies between 0 and 1, not {epsilon:g}.")
    refuse_level(ci_level)
    if save is not None:
        _refuse_name(save)  # before minutes of resampling
    rated, answers = _tables(ratings, responses)
    try:
        compared = compare(
            rated,
            answers,
            judges=judge or None,
            instruments=[load_instrument(file) for file in instrument],
            epsilon=epsilon,
            min_items=min_items,
            replicates=replicates,
            ci_level=ci_level,
            seed=seed,
        )
    except ValueError as error:
        fix = "Check the values of the ratings."
        raise UserError(f"{error}.", where=str(ratings), fix=fix) from None
    results = compared.results()
    if save is not None:
        _save(results, save)
    if as_json:
        print_json(results, **_beside(compared))
        return
    for said in compared.verdicts:
        _print(compared, said.judge)
        out().print(plain(said.text), soft_wrap=True)
    if answers is None:
        console().print("Without --responses nothing is said of the sentences that were flagged.")


def _tables(ratings: Path, responses: Path | None) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    from attunement import tables
    from attunement.cli._run_folder import ratings_file, table_beside

    answers = table_beside(ratings, "responses", responses)
    return (
        tables.read_table(ratings_file(ratings), "ratings"),
        None if answers is None else tables.read_table(answers, "responses"),
    )


def _beside(compared: JudgesVsPeople) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "verdicts": [asdict(said) for said in compared.verdicts],
        "pairs": compared.pairs().to_dicts(),
        "people": compared.people().to_dicts(),
        "coverage": compared.coverage().to_dicts(),
        "flagged": [
            {
                "judge": held.judge,
                "dimension": held.dimension,
                **{k: v for k, v in vars(held.flagged).items() if k != "found"},
            }
            for held in compared.held
            if held.flagged is not None
        ],
        "settings": asdict(compared.settings),
    }


def _save(results: list[Result], file: Path) -> None:
    import polars as pl

    from attunement.errors import UserError
    from attunement.tables import write_frame

    rows = []
    for result in results:
        said = result.as_json()
        group = said.pop("group")
        names = ("judge", "instrument", "dimension", "option")
        rows.append({**{name: group.get(name) for name in names}, **said})
    frame = pl.DataFrame(rows, infer_schema_length=None)
    try:
        write_frame(frame, file, spreadsheet=True)
    except OSError as error:
        why = error.strerror or error
        fix = "Give another --out."
        raise UserError(f"cannot be written: {why}.", where=str(file), fix=fix) from None


def _refuse_name(file: Path) -> None:
    from attunement.errors import UserError

    if file.suffix.lower() not in _SUFFIXES:
        raise UserError(
            f"a table's name does not end in {file.suffix!r}.",
            where=str(file),
            fix=f"Use {', '.join(_SUFFIXES)}.",
        )
    if not file.parent.is_dir():
        raise UserError("there is no such folder.", where=str(file.parent), fix="Make it first.")


def _print(compared: JudgesVsPeople, judge: str) -> None:
    """Print a judge's two tables: how close it is to people, and what it can be used for."""
    held = [one for one in compared.held if one.judge == judge]
    show = out()
    show.print(_table(plain(judge, "table.title"), held, _CLOSE, _close))
    show.print(
        plain(
            "bias, MAE: against people's mean. kappa: with each person, beside that among people. "
            "Below an estimate, its interval.",
            "dim",
        )
    )
    show.print(_table(None, held, _USE, _use))
    show.print(
        plain(
            "rho: Spearman over answers. order: pairs of sources put the other way. wins: people "
            "against whom the judge wins. finds: recall of what most people call yes, or of "
            "flagged sentences.",
            "dim",
        )
    )
    unusable = sum(one.flagged.unusable for one in held if one.flagged is not None)
    if unusable:
        show.print(f"Spans that are no place in a text, and mark nothing: {unusable}.")


_CLOSE = ("bias", "MAE", "kappa", "people's")
_USE = ("rho", "order", "wins", "finds")


def _table(
    title: Text | None,
    held: Sequence[Held],
    names: Sequence[str],
    cells: Callable[[Held], list[str]],
) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1))
    table.add_column("dimension", overflow="fold")
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for one in held:
        table.add_row(plain(one.dimension), *cells(one))
    return table


def _close(held: Held) -> list[str]:
    return [
        _cell(held.bias, sign=True),
        _cell(held.mae),
        _cell(held.kappa),
        _cell(held.kappa_among_people),
    ]


def _use(held: Held) -> list[str]:
    test, order = held.alt_test, held.order
    wins = "-"
    if test is not None and test.tested:
        wins = f"{test.winning_rate:.2f} of {test.tested}"
    elif test is not None:
        wins = "too few"
    found = held.yes.recall if held.yes is not None else None
    if held.flagged is not None:
        found = held.flagged.found.recall
    return [
        _cell(held.spearman),
        _cell(None if order is None else order.discordant),
        wins,
        _cell(found),
    ]


def _cell(result: Result | None, *, sign: bool = False) -> str:
    """Return an estimate, and below it the interval: side by side they do not fit 80 columns."""
    from math import isnan

    if result is None or isnan(result.estimate):
        return "-"
    said = f"{result.estimate:+.2f}" if sign else f"{result.estimate:.2f}"
    if isnan(result.ci_low):
        return said
    return f"{said}\n({result.ci_low:.2f}, {result.ci_high:.2f})"
