"""``attunement check``: say what is wrong with a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from attunement.cli._common import EXIT_PROBLEMS, console, friendly, out, print_json
from attunement.cli._options import JSON
from attunement.errors import UserError

if TYPE_CHECKING:
    import polars as pl

    from attunement.tables import Kind, Problem

SHOWN = 50
"""Problems that are printed for people; ``--json`` has them all."""


@friendly
def check(
    file: Path = typer.Argument(help="A table: Parquet, CSV, TSV or JSONL."),
    kind: str | None = typer.Option(
        None, "--kind", help="items, responses, ratings or raters; guessed from the columns."
    ),
    as_json: bool = JSON,
) -> None:
    """Say what is wrong with a table: row, column and reason.

    Exit code 0 when nothing is, 1 when something is, 2 when there is no such file or kind. A column
    that no table has is a warning: it is left out when the table is read.
    """
    from attunement import tables

    if kind is not None and kind not in tables.KINDS:
        raise UserError(
            f"unknown kind {kind!r}.", where="--kind", fix=f"Use one of {', '.join(tables.KINDS)}."
        )
    if not file.is_file():
        raise UserError("no such file.", where=str(file), fix="Check the path.")
    found: Kind | None = next((k for k in tables.KINDS if k == kind), None)
    try:
        frame = tables.read_frame(file)
        found = found or _guess(frame.columns)
    except UserError as error:
        said = f"{error.what} {error.fix}" if error.fix else error.what
        _report(file, found, None, [tables.Problem(None, None, said)], [], as_json)
        raise typer.Exit(EXIT_PROBLEMS) from None
    problems = tables.check(frame, found)
    warnings = [p for p in problems if p.reason.startswith("unknown column")]
    # An id that is made from other columns is empty because they are; that is said already.
    made = {c for c in tables.KEYS[found] if c not in frame.columns}
    problems = [
        p for p in problems if p not in warnings and not (p.reason == "empty" and p.column in made)
    ]
    _report(file, found, frame, problems, warnings, as_json)
    if problems:
        raise typer.Exit(EXIT_PROBLEMS)


def _guess(columns: list[str]) -> Kind:
    """Return the kind whose columns the file has most of; all that it needs weighs most.

    Raises
    ------
    UserError
        Where the file has no column that tells the kinds apart.

    """
    from attunement import tables

    def fit(kind: Kind) -> tuple[bool, float, int]:
        needed = set(tables.REQUIRED[kind])
        there = needed & set(columns)
        return (
            there == needed,
            len(there) / len(needed),
            len(set(columns) & set(tables.SCHEMAS[kind])),
        )

    best = max(tables.KINDS, key=fit)
    telling = {c for c in tables.SCHEMAS[best] if c != "item_id"}
    if not telling & set(columns):
        raise UserError(
            f"cannot tell which table this is; its columns are {', '.join(columns)}.",
            fix=f"Say so with --kind {'|'.join(tables.KINDS)}, "
            "or turn it into tables with: attunement data load.",
        )
    return best


def _report(
    file: Path,
    kind: Kind | None,
    frame: pl.DataFrame | None,
    problems: list[Problem],
    warnings: list[Problem],
    as_json: bool,
) -> None:
    rows = None if frame is None else frame.height
    if as_json:
        print_json(
            [],
            file=str(file),
            kind=kind,
            rows=rows,
            ok=not problems,
            problems=[_plain(p) for p in problems],
            warnings=[_plain(p) for p in warnings],
        )
        return
    from rich.text import Text

    for problem in [*problems[:SHOWN], *warnings]:
        style = "yellow" if problem in warnings else "red"
        label = "warning" if problem in warnings else "problem"
        out().print(Text.assemble((f"{label}: ", style), str(problem)), soft_wrap=True)
    if len(problems) > SHOWN:
        out().print(f"... and {len(problems) - SHOWN} more; --json has them all.")
    what = "not a table that can be read" if rows is None else f"{kind}, {rows} rows"
    verdict = f"{len(problems)} problems" if len(problems) != 1 else "1 problem"
    console().print(Text(f"{file}: {what}: {verdict if problems else 'nothing wrong'}."))


def _plain(problem: Problem) -> dict[str, str | int | None]:
    row = None if problem.row is None else problem.row + 1
    return {"row": row, "column": problem.column, "reason": problem.reason}
