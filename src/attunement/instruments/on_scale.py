"""Whether the numbers of a ratings table can be what the instrument asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from attunement.errors import UserError
from attunement.instruments._fields import number_text
from attunement.instruments._scales import (
    BooleanScale,
    ChoiceScale,
    NumberScale,
    Scale,
    SpansScale,
)

if TYPE_CHECKING:
    from attunement.instruments.schema import Dimension, Instrument


def refuse_off_scale(ratings: pl.DataFrame, instrument: Instrument) -> None:
    """Refuse values and labels that a rater could not have given: one such number moves every mean.

    Parameters
    ----------
    ratings
        A ratings table; ratings on other instruments or versions are not looked at.
    instrument
        What was asked.

    Raises
    ------
    UserError
        Where a value is outside the ends of its scale, or neither 0 nor 1 on a scale of yes and no,
        or a label is not among the options; it names the first.
    """
    rated = ratings.filter(pl.col("instrument") == instrument.name)
    own = rated.filter(pl.col("value").is_not_null())
    for dimension in instrument.dimensions:
        _refuse_labels(rated, instrument, dimension)
        allowed = _allowed(dimension.scale)
        if allowed is None:
            continue
        test, words = allowed
        wrong = own.filter(pl.col("dimension") == dimension.id).filter(~test)
        if wrong.height:
            row = wrong.row(0, named=True)
            raise UserError(
                f"the value {number_text(row['value'])} is not on the scale of "
                f"{instrument.name} {dimension.id}, {words}{_more(wrong)}.",
                where=_place(row),
                fix="Correct it, or leave the value empty and give the status unparsed.",
            )


def _refuse_labels(rated: pl.DataFrame, instrument: Instrument, dimension: Dimension) -> None:
    if not isinstance(dimension.scale, ChoiceScale | SpansScale):
        return
    options = [option.id for option in dimension.scale.options]
    given = rated.filter(pl.col("dimension") == dimension.id).explode("labels")
    wrong = given.filter(pl.col("labels").is_not_null() & ~pl.col("labels").is_in(options))
    if wrong.height:
        row = wrong.row(0, named=True)
        raise UserError(
            f"the label {row['labels']!r} is not among the options of {instrument.name} "
            f"{dimension.id}{_more(wrong)}.",
            where=_place(row),
            fix=f"Use {', '.join(options)}.",
        )


def _more(wrong: pl.DataFrame) -> str:
    return f" ({wrong.height} such ratings)" if wrong.height > 1 else ""


def _place(row: dict[str, Any]) -> str:
    return f"ratings table, rater {row['rater']!r}, {row['unit']} {row['unit_id']!r}"


def _allowed(scale: Scale) -> tuple[pl.Expr, str] | None:
    value = pl.col("value")
    if isinstance(scale, NumberScale):
        ends = f"{number_text(scale.min)} to {number_text(scale.max)}"
        return value.is_between(scale.min, scale.max), ends
    if isinstance(scale, BooleanScale):
        return value.is_in([0.0, 1.0]), "1 for yes and 0 for no"
    return None
