"""``attunement plan tag``: which labels texts show."""

from __future__ import annotations

from pathlib import Path

import typer

from attunement.cli._common import friendly, progress

OVER_OTHERS: bool = typer.Option(
    False, "--force", help="Write over --out also where it holds rows of another origin."
)


@friendly
def tag(
    table: Path = typer.Argument(..., help="Table of responses, or another with a column text."),
    out: Path = typer.Option(..., "--out", help="Table for the tags: Parquet, CSV, TSV or JSONL."),
    tagger: str = typer.Option(
        "embedded",
        "--tagger",
        help="embedded (dialogue acts by rules, emotions by a classifier; English), or a folder "
        "that plan train --target current has written.",
    ),
    items: Path | None = typer.Option(
        None,
        "--items",
        help="Table of the items that the texts answer, whose last turn tells more of the act; by "
        "default that of the row's own context, if it has one.",
    ),
    force: bool = OVER_OTHERS,
) -> None:
    """Say which labels each text of a table shows; a status says where there is no text."""
    from attunement.cli._existing import refuse_clash, refuse_loss, refuse_no_table
    from attunement.cli._plan_text import say_counts
    from attunement.planning import load_tagger, texts
    from attunement.tables import write_frame

    refuse_no_table(out)
    refuse_clash({"--out": out}, [table, items])
    chosen = load_tagger(tagger)
    given = texts.read(table, items)
    own = {"tagger": [chosen.kind], "signature": [chosen.signature], given.column: given.ids}
    refuse_loss(out, own, force=force)
    with progress("Tagging", len(given.texts)) as advance:
        tags = chosen.tag(given.texts, after=given.after, advance=advance)
    write_frame(texts.as_frame(given, tags, chosen), out)
    say_counts(tags, "tags", out)
