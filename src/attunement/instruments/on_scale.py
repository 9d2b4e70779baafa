"""Whether the numbers of a ratings table can be what the instrument asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from attunement.errors import UserError
from attunement.instruments._fields import number_text
from attunement.instruments._scales import BooleanScale, NumberScale, Scale

if TYPE_CHECKING:
    from attunement.instruments.schema import Instrument


def refuse_off_scale(ratings: pl.DataFrame, instrument: Instrument) -> None:
    """Refuse values that a rater could not have given: one such number moves every mean.

    Parameters
    ----------
    ratings
        A ratings table; ratings on other instruments or versions are not looked at.
    instrument
        What was asked.

    Raises
    ------
    UserError
        Where a value is outside the ends of its scale, or neither 0 nor 1 on a scale of yes and no;
        it names the first.
    """
    own = ratings.filter(pl.col("instrument") == instrument.name, pl.col("value").is_not_null())
    for dimension in instrument.dimensions:
        allowed = _allowed(dimension.scale)
        if allowed is None:
            continue
        test, words = allowed
        wrong = own.filter(pl.col("dimension") == dimension.id).filter(~test)
        if wrong.height:
            row = wrong.row(0, named=True)
            more = f" ({wrong.height} such ratings)" if wrong.height > 1 else ""
            raise UserError(
                f"the value {number_text(row['value'])} is not on the scale of "
                f"{instrument.name} {dimension.id}, {words}{more}.",
                where=f"ratings table, rater {row['rater']!r}, {row['unit']} {row['unit_id']!r}",
                fix="Correct it, or leave the value empty and give the status unparsed.",
            )


def _allowed(scale: Scale) -> tuple[pl.Expr, str] | None:
    value = pl.col("value")
    if isinstance(scale, NumberScale):
        ends = f"{number_text(scale.min)} to {number_text(scale.max)}"
        return value.is_between(scale.min, scale.max), ends
    if isinstance(scale, BooleanScale):
        return value.is_in([0.0, 1.0]), "1 for yes and 0 for no"
    return None
