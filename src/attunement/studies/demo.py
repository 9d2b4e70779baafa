"""A study on the bundled sample, for trying out: one for each protocol."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from attunement import tables
from attunement.errors import UserError, nearest

PROTOCOLS = ("rate", "filter-choose-annotate", "chat-then-rate", "write", "delphi")
ITEMS = 6
SOURCES = (tables.REFERENCE, "attuned", "cold", "verbose")
"""Of the sample's answers, those that are shown."""


def example(protocol: str) -> str:
    """Return an annotated study file of a protocol.

    Raises
    ------
    UserError
        Where there is no such protocol.

    """
    if protocol not in PROTOCOLS:
        guess = nearest(protocol, list(PROTOCOLS))
        raise UserError(
            f"there is no protocol {protocol!r}.",
            where="PROTOCOL",
            fix=f"Did you mean {guess!r}?" if guess else f"Use one of {', '.join(PROTOCOLS)}.",
        )
    return files("attunement.sample").joinpath(f"study-{protocol}.yaml").read_text("utf-8")


def write_tables(folder: Path) -> None:
    """Write items and responses of the bundled sample: six messages with four answers each."""
    from attunement import datasets

    sample = datasets.load("sample")
    step = max(1, sample.items.height // ITEMS)
    items = sample.items.gather_every(step).head(ITEMS)
    keep = sample.responses["item_id"].is_in(items["item_id"].to_list())
    keep &= sample.responses["source"].is_in(list(SOURCES))
    tables.write_table(items, folder / "items.parquet", "items")
    tables.write_table(sample.responses.filter(keep), folder / "responses.parquet", "responses")
