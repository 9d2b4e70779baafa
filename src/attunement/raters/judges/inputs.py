"""What is judged: questions that stand in the table of answers, answers that were rated low."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from attunement import tables
from attunement.errors import UserError

if TYPE_CHECKING:
    from attunement.tables.conform import Frame

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


def rated_low(
    items: Frame,
    responses: Frame,
    ratings: Frame,
    *,
    dimension: str = "overall",
    at_most: float = 2.0,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return what it takes to judge only answers that somebody rated low.

    Parameters
    ----------
    items, responses
        As `judge` takes them; an item's reference is an answer too.
    ratings
        A ratings table. A rater's latest round counts.
    dimension
        The dimension whose value is looked at.
    at_most
        The highest value that is low.

    Returns
    -------
    The items, without references, and the answers with a rating of ``at_most`` or less.

    Raises
    ------
    UserError
        Where nothing was rated on the dimension, ratings and answers do not belong together, or no
        rating is low.

    """
    questions = tables.require(items, "items", where="items")
    answers = tables.require(responses, "responses", where="responses")
    gold = dict(questions.select("item_id", "reference").iter_rows())
    known = answers.select("item_id", "source").iter_rows()
    answers = pl.concat([answers, tables.missing_references(gold, known)])
    rated = tables.conform(ratings, "ratings").filter(pl.col("unit") == "response")
    chosen = rated.filter(pl.col("dimension") == dimension)
    if not chosen["value"].count():
        names = ", ".join(rated["dimension"].drop_nulls().unique(maintain_order=True)) or "none"
        raise UserError(
            f"no answer has a value on the dimension {dimension!r}.",
            where="ratings of --rated-low",
            fix=f"Name another with --rated-on; there are {names}.",
        )
    latest = pl.col("round") == pl.col("round").max().over("unit_id", "rater")
    low = chosen.filter(latest & (pl.col("value") <= at_most))
    if not low.height:
        raise UserError(
            f"no answer was rated {at_most:g} or less on {dimension!r}, so there is nothing to "
            "judge.",
            where="ratings of --rated-low",
        )
    kept = answers.filter(pl.col("response_id").is_in(low["unit_id"].implode()))
    if not kept.height:
        raise UserError(
            f"none of the answers that were rated low is in the table, such as "
            f"{low['unit_id'][0]!r}.",
            where="ratings of --rated-low",
            fix="Give the answers that were rated, with the same response_id.",
        )
    return questions.with_columns(reference=pl.lit(None, pl.String)), kept
