"""Ratings in the wide layout that statistics packages read: a row a unit and rater."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from attunement import tables
from attunement.instruments._columns import KEYS, columns_of
from attunement.instruments._scales import ChoiceScale, SpansScale, TextScale
from attunement.instruments.schema import Dimension, Instrument

if TYPE_CHECKING:
    from attunement.tables.conform import Frame


def export_columns(instrument: Instrument) -> list[str]:
    """Return the columns of `to_wide` in their order: the keys, then those of each dimension."""
    return [*KEYS, *(name for d in instrument.dimensions for name in columns_of(d))]


def to_wide(ratings: Frame, instrument: Instrument) -> pl.DataFrame:
    """Return the ratings on an instrument, one row for each unit, rater, replicate and round.

    A dimension has a column for its value (of a ``choice`` or ``text`` the label, of a ``multi`` a
    column an option with 1 and 0, of ``spans`` the labels joined by ``;``), one for its status,
    and one for the rationale and the passages where they are asked for, the passages joined by
    `` ; ``. Where there was no rating, all are null; where there was one that has no value, the
    status says why.

    Raises
    ------
    UserError
        Where the table is not a valid ratings table.

    """
    long = tables.require(ratings, "ratings", where="ratings").filter(
        pl.col("instrument") == instrument.name
    )
    wide = long.select(KEYS).unique(maintain_order=True)
    for dimension in instrument.dimensions:
        rated = long.filter(pl.col("dimension") == dimension.id)
        part = rated.select(*KEYS, *_expressions(dimension))
        wide = wide.join(part, on=KEYS, how="left", nulls_equal=True, maintain_order="left")
    return wide.select(export_columns(instrument))


def _expressions(dimension: Dimension) -> list[pl.Expr]:
    id, scale = dimension.id, dimension.scale
    is_ok = pl.col("status") == "ok"
    said = [pl.col("status").alias(f"{id}_status")]
    if isinstance(scale, ChoiceScale) and scale.type == "multi":
        said += [
            pl.when(is_ok)
            .then(pl.col("labels").list.contains(o.id).cast(pl.Int8))
            .alias(f"{id}_{o.id}")
            for o in scale.options
        ]
    elif isinstance(scale, ChoiceScale | TextScale | SpansScale):
        said.append(pl.when(is_ok).then(pl.col("labels").list.join(";")).alias(id))
    else:
        said.append(pl.when(is_ok).then(pl.col("value")).alias(id))
    if "rationale" in dimension.evidence:
        said.append(pl.col("rationale").alias(f"{id}_rationale"))
    if "spans" in dimension.evidence or isinstance(scale, SpansScale):
        texts = pl.col("spans").list.eval(pl.element().struct.field("text"))
        said.append(texts.list.join(" ; ").alias(f"{id}_spans"))
    return said
