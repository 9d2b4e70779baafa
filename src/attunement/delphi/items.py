"""Which items a round is about: from an instrument, a table of items, or the round itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from attunement.delphi._model import Item
from attunement.errors import UserError
from attunement.instruments import Instrument, load_instrument
from attunement.tables import read_frame
from attunement.tables.schema import SUFFIXES

_WORDING = re.compile(r"^(?:item|text|wording)_([a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)$")
_TRUE, _FALSE = ("1", "1.0", "true", "yes"), ("", "0", "0.0", "false", "no")
ALONE = "items"
"""The dimension of all items where the table names none."""


def items_from(source: str | Path) -> tuple[list[Item], Instrument | None]:
    """Return the items of an instrument or of a table, and the instrument.

    Parameters
    ----------
    source
        A table's file, with the columns ``item`` (id or wording), ``dimension``, ``item_en`` or
        ``text_en`` for a wording in English, and ``reversed``; or an instrument by name or file,
        whose subscales are the dimensions.

    Raises
    ------
    UserError
        Where there is no such table or instrument, or two items have one id.

    """
    if Path(source).suffix.lower() in SUFFIXES:
        return items_of_table(read_frame(source), str(source)), None
    instrument = load_instrument(source)
    return items_of_instrument(instrument), instrument


def items_of_instrument(instrument: Instrument) -> list[Item]:
    """Return an instrument's dimensions as items; its subscales are the Delphi's dimensions."""
    scales = {d: s.id for s in instrument.subscales for d in s.dimensions}
    return [
        Item(d.id, scales.get(d.id, instrument.id), dict(d.wording), d.reversed)
        for d in instrument.dimensions
    ]


def items_of_table(frame: pl.DataFrame, where: str) -> list[Item]:
    """Return one item a row.

    An ``item`` with a space in it is the item's wording. Its id is then the dimension's letters
    and its number in the dimension: ``UR2``.

    Raises
    ------
    UserError
        Where a row names no item, or two items have one id.

    """
    languages = wordings(frame)
    plain = next((c for c in ("item", "text", "wording") if c in frame.columns), None)
    if plain is None and not languages:
        raise UserError(
            f"no column names the items; there is {', '.join(frame.columns)}.",
            where=where,
            fix="Name it 'item' (an id or the wording), or 'item_en' for a wording in English.",
        )
    items: list[Item] = []
    count: Counter[str] = Counter()
    for number, row in enumerate(frame.iter_rows(named=True), start=1):
        dimension = _text(row.get("dimension")) or ALONE
        count[dimension] += 1
        named = _text(row.get("item"))
        texts = {code: said for column, code in languages.items() if (said := _text(row[column]))}
        other = _text(row.get(plain)) if plain else ""
        if not named and not texts and not other:
            raise UserError("the row names no item.", where=f"{where}, row {number}")
        is_wording = " " in named or not named
        if not texts and (" " in other or plain != "item"):
            texts = {"en": other}
        id = f"{dimension}{count[dimension]}" if is_wording else named
        items.append(Item(id, dimension, texts, _is_reversed(row, where, number)))
    refuse_twice(items, where)
    return items


def wordings(frame: pl.DataFrame) -> dict[str, str]:
    """Return the columns that hold a wording, with their language."""
    found = {c: _WORDING.match(c) for c in frame.columns}
    return {c: m[1] for c, m in found.items() if m is not None}


def refuse_twice(items: list[Item], where: str) -> None:
    """Raise where two items have one id."""
    for id, n in Counter(item.id for item in items).items():
        if n > 1:
            raise UserError(f"the item {id!r} stands there {n} times.", where=where)


def _is_reversed(row: Mapping[str, object], where: str, number: int) -> bool:
    said = _text(row.get("reversed")).lower()
    if said not in (*_TRUE, *_FALSE):
        raise UserError(
            f"{said!r} is neither yes nor no.", where=f"{where}, row {number}, column 'reversed'"
        )
    return said in _TRUE


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()
