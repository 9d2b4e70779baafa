"""``attunement data``: load questions and answers from files, the hub or the bundled sample."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from attunement.cli._common import console, friendly, out, print_json, progress
from attunement.cli._options import JSON
from attunement.errors import UserError

if TYPE_CHECKING:
    from attunement.datasets import Loaded

app = typer.Typer(
    help="Load questions and answers into the tables that everything else reads.",
    no_args_is_help=True,
)


@app.command("load")
@friendly
def load(
    source: str = typer.Argument(
        help="A name from 'attunement data list', hub:OWNER/NAME, or a file."
    ),
    path: Path | None = typer.Argument(None, help="The file, for the sources that need one."),
    folder: Path | None = typer.Option(
        None, "--out", help="Folder for the tables; without it they are only counted."
    ),
    mapping: list[str] | None = typer.Option(
        None,
        "--map",
        help="OURS=THEIRS, a column of the file: question, title, answer, source, reference, "
        "topic, item_id, lang, upvotes or model. May be given several times.",
    ),
    topics: str | None = typer.Option(None, "--topics", help="Keep these topics: A,B,..."),
    limit: int | None = typer.Option(
        None, "--limit", help="Keep at most this many items, drawn by --seed."
    ),
    seed: int = typer.Option(
        1, "--seed", min=0, help="Breaks ties between equally upvoted answers and draws the items."
    ),
    answered_by: str | None = typer.Option(
        None, "--source", help="Name of the system that answered, where the file does not say."
    ),
    suffix: str = typer.Option("parquet", "--format", help="parquet, csv or jsonl."),
    as_json: bool = JSON,
) -> None:
    """Load a source, and show what was kept and what was left out, by reason."""
    from attunement import datasets

    if suffix not in datasets.FORMATS:
        raise UserError(
            f"unknown format {suffix!r}.",
            where="--format",
            fix=f"Use one of {', '.join(datasets.FORMATS)}.",
        )
    loaded = datasets.load(
        source,
        path,
        mapping=_mapping(mapping or []),
        topics=None if topics is None else [t for t in topics.split(",") if t.strip()],
        limit=limit,
        seed=seed,
        answered_by=answered_by,
        track=progress,
    )
    written = loaded.write(folder, suffix=suffix) if folder is not None else []
    if as_json:
        print_json([], loaded=loaded.account(), files=[str(p) for p in written])
        return
    _show(loaded)
    for file in written:
        console().print(f"wrote {file}")
    if not written:
        console().print("Nothing was written; --out FOLDER writes the tables.")


def _mapping(pairs: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs:
        ours, equals, theirs = pair.partition("=")
        if not (equals and ours.strip() and theirs.strip()):
            raise UserError(
                f"{pair!r} is not OURS=THEIRS.", where="--map", fix="For example: question=Frage."
            )
        if ours.strip() in found:
            raise UserError(f"{ours.strip()!r} is mapped twice.", where="--map")
        found[ours.strip()] = theirs.strip()
    return found


def _show(loaded: Loaded) -> None:
    from rich.table import Table
    from rich.text import Text

    unit = loaded.unit
    table = Table(title=Text(loaded.name), title_justify="left")
    table.add_column("what")
    table.add_column("count", justify="right")
    table.add_column(f"first {unit}s")
    table.add_row(f"{unit}s in the source", str(loaded.rows_read))
    table.add_row(f"{unit}s kept", str(loaded.kept.height), end_section=True)
    for reason, count, rows in loaded.dropped.iter_rows():
        table.add_row(Text(f"left out: {reason}"), str(count), ", ".join(map(str, rows)))
    if loaded.dropped.height:
        table.add_section()
    table.add_row("items", str(loaded.items.height))
    for source, count in loaded.responses["source"].value_counts(sort=True, name="n").iter_rows():
        table.add_row(Text(f"responses of {source}"), str(count))
    out().print(table)
    for note in loaded.notes:
        out().print(Text(f"- {note}"))


@app.command("list")
@friendly
def sources(
    as_json: bool = JSON,
) -> None:
    """List the sources that can be loaded."""
    from attunement import datasets

    if as_json:
        rows = [
            {"name": name, "needs": source.path, "about": source.about}
            for name, source in datasets.SOURCES.items()
        ]
        print_json([], sources=rows)
        return
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for heading in ("source", "needs", "what it is"):
        table.add_column(heading)
    for name, source in datasets.SOURCES.items():
        table.add_row(name, Text(source.path), Text(source.about))
    out().print(table)
