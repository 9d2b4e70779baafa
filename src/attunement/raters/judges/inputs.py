"""Questions that stand in the table of answers itself."""

from __future__ import annotations

import polars as pl

from attunement.errors import UserError

QUESTION = "question"
ABOUT = ("topic", "failure_mode")
"""What else of an item may stand in the table of answers."""


def items_from_answers(answers: pl.DataFrame, *, where: str | None = None) -> pl.DataFrame:
    """Return the items table of a table of answers that has a column ``question``.

    Parameters
    ----------
    answers
        With ``item_id`` and ``question``, and ``topic`` and ``failure_mode`` where there are any.
    where
        The file, for errors.

    Raises
    ------
    UserError
        Where there is no such column, or one item has two questions.

    """
    for column in ("item_id", QUESTION):
        if column not in answers.columns:
            raise UserError(
                f"the table has no column {column!r}, and no items were given.",
                where=where,
                fix="Name the items table with --items, or add a column 'question'.",
            )
    asked = answers.select(
        pl.col("item_id").cast(pl.String),
        pl.col(QUESTION).cast(pl.String).fill_null(""),
        *(
            (pl.col(name) if name in answers.columns else pl.lit(None)).cast(pl.String).alias(name)
            for name in ABOUT
        ),
    ).unique(["item_id", QUESTION], maintain_order=True)
    twice = asked.filter(pl.col("item_id").is_duplicated())
    if twice.height:
        raise UserError(
            f"the item {twice['item_id'][0]!r} stands there with two different questions.",
            where=where,
        )
    turn = pl.struct(role=pl.lit("user"), text=pl.col(QUESTION))
    return asked.select("item_id", *ABOUT, turns=pl.concat_list(turn))
