"""Free texts of an exported study as tables of a new one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attunement.errors import UserError


def write_texts(
    exported: Path, folder: Path, dimensions: Sequence[str], at_most: float | None, seed: int
) -> list[str]:
    """Write the tables of texts to code, and return what was written.

    Raises
    ------
    UserError
        Where the export is not there, has no such texts, or the folder has such tables already.

    """
    from attunement import tables
    from attunement.cli._study_text import write_private
    from attunement.runs import Run
    from attunement.studies.texts import texts_of

    run = Run(exported)
    if not exported.is_dir():
        raise UserError("there is no such folder.", where=str(exported), fix="Export first.")
    targets = {name: folder / name for name in ("items.parquet", "responses.parquet", "key.csv")}
    for path in targets.values():
        if path.exists():
            raise UserError("there is a file already.", where=str(path), fix="Name a new --out.")
    found = texts_of(
        run.read("ratings"),
        run.read("items"),
        run.read("responses"),
        dimensions=dimensions,
        at_most=at_most,
        seed=seed,
    )
    tables.write_table(found.items, targets["items.parquet"], "items")
    tables.write_table(found.responses, targets["responses.parquet"], "responses")
    write_private(targets["key.csv"], tables.for_spreadsheet(found.key).write_csv())
    return [f"{found.key.height} texts", *(f"wrote {path}" for path in targets.values())]
