"""Free texts of a study as items and responses of another, in which people code them.

Whoever codes sees the text and what it was written about, never who wrote it: ids are drawn anew,
in an order that tells nothing, and a key that stays with the researcher leads back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from attunement import tables
from attunement.errors import UserError, nearest

TEXT = "text"


@dataclass(frozen=True)
class Texts:
    """Texts to code.

    Parameters
    ----------
    items
        One a text: what was rated, as context.
    responses
        The text itself; its source is the one whose answer it is about.
    key
        ``item_id`` and where the text stands in the ratings: ``unit``, ``unit_id``, ``rater``,
        ``instrument``, ``dimension``, ``replicate``, ``round``, ``value``.

    """

    items: pl.DataFrame
    responses: pl.DataFrame
    key: pl.DataFrame


def texts_of(
    ratings: pl.DataFrame,
    items: pl.DataFrame,
    responses: pl.DataFrame,
    *,
    dimensions: Sequence[str] = (),
    at_most: float | None = None,
    seed: int = 1,
) -> Texts:
    """Return rationales and free answers as texts to code.

    Parameters
    ----------
    ratings, items, responses
        Of the first study.
    dimensions
        Those whose texts are wanted; all.
    at_most
        Only of ratings with at most this value, such as the reasons for low ratings.
    seed
        Of the new order.

    Raises
    ------
    UserError
        Where there is no such dimension, or no text.

    """
    known = ratings["dimension"].unique(maintain_order=True).to_list()
    for name in dimensions:
        if name not in known:
            guess = nearest(name, known)
            raise UserError(
                f"no rating on a dimension {name!r}.",
                where="--dimensions",
                fix=f"Did you mean {guess!r}?" if guess else f"There are {', '.join(known)}.",
            )
    chosen = ratings.filter(pl.col("dimension").is_in(list(dimensions) or known))
    if at_most is not None:
        chosen = chosen.filter(pl.col("value") <= at_most)
    # A free answer is the one label of a rating that has no value
    free = pl.when(pl.col("value").is_null()).then(pl.col("labels").list.join("\n"))
    chosen = chosen.with_columns(said=pl.coalesce("rationale", free).str.strip_chars()).filter(
        (pl.col("said") != "") & (pl.col("status") == "ok")
    )
    # What somebody said of an answer that several sources share is one text
    author = ["rater", "item_id", "instrument", "dimension", "replicate", "round", "said"]
    chosen = chosen.unique(author, keep="first", maintain_order=True)
    if not chosen.height:
        raise UserError("no rating has a text.", fix="Ask for another dimension.")
    return _tables(chosen, items, responses, seed)


def _tables(chosen: pl.DataFrame, items: pl.DataFrame, responses: pl.DataFrame, seed: int) -> Texts:
    order = np.random.default_rng(seed).permutation(chosen.height)
    width = max(3, len(str(chosen.height)))
    ids = [f"text-{n:0{width}}" for n in range(1, chosen.height + 1)]
    drawn = chosen[order.tolist()].with_columns(text_id=pl.Series(ids))
    turns = dict(items.select("item_id", "turns").iter_rows())
    answers = dict(responses.select("response_id", "text").iter_rows())
    about = [
        [*(turns.get(row["item_id"]) or []), *_answer(answers.get(row["unit_id"]))]
        or [{"role": "user", "text": row["dimension"]}]
        for row in drawn.iter_rows(named=True)
    ]
    context = pl.DataFrame(
        {"item_id": ids, "turns": pl.Series(about, dtype=tables.SCHEMAS["items"]["turns"])}
    ).with_columns(topic=drawn["dimension"])
    texts = drawn.select(
        response_id=pl.col("text_id") + f":{TEXT}",
        item_id="text_id",
        source=pl.col("source").fill_null(TEXT),
        text="said",
    )
    columns = ("unit", "unit_id", "rater", "instrument", "dimension", "replicate", "round", "value")
    return Texts(
        tables.conform(context, "items"),
        tables.conform(texts, "responses"),
        drawn.select(pl.col("text_id").alias("item_id"), *columns),
    )


def _answer(text: str | None) -> list[dict[str, str]]:
    return [] if text is None else [{"role": "assistant", "text": text}]
