"""What the metrics need of the items that answers belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

import polars as pl

from attunement import tables
from attunement.errors import UserError
from attunement.raters.metrics.base import Need

if TYPE_CHECKING:
    from attunement.tables.conform import Frame


class Item(NamedTuple):
    """What is known of one item; None where there is none."""

    question: str | None
    reference: str | None
    language: str | None
    context: str | None


@dataclass(frozen=True)
class Items:
    """What the metrics need of the items, by item id.

    Parameters
    ----------
    given
        Which of ``question`` and ``reference`` the items have.
    by_id
        What is known of each.

    """

    given: tuple[Need, ...]
    by_id: Mapping[str, Item]

    @property
    def references(self) -> dict[str, str | None]:
        """Item id to gold-standard answer, None where there is none."""
        return {item_id: item.reference for item_id, item in self.by_id.items()}

    @classmethod
    def of(cls, items: Frame, *, where: str | None = None) -> Self:
        """Read an items table.

        Raises
        ------
        UserError
            Where it is not a valid items table.

        """
        table = tables.require(items, "items", where=where)
        columns = (table[c].to_list() for c in ("item_id", "turns", "reference", "lang"))
        by_id = {
            i: Item(tables.question(turns), reference, lang, _said(turns))
            for i, turns, reference, lang in zip(*columns, strict=True)
        }
        has_reference = any(item.reference for item in by_id.values())
        return cls(("question", "reference") if has_reference else ("question",), by_id)


def _said(turns: Sequence[Mapping[str, str]] | None) -> str:
    """Return all that was said, one turn after the other, without names of speakers."""
    return " ".join(turn["text"] for turn in turns or () if turn["text"])


def check_items(ids: pl.Series, items: Items, *, where: str | None = None) -> None:
    """Raise where none of the responses' items is in the items table: it is another study's."""
    if len(ids) and not any(i in items.by_id for i in ids.unique()):
        raise UserError(
            f"none of the responses' items is in the items table (such as {ids[0]!r}).",
            where=where,
            fix="Give the items table that the responses were made from.",
        )
