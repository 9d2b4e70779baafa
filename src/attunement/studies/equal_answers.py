"""Which answers to one item are equal, and a study's tables with each of these once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

_KEY = ("unit", "unit_id", "rater", "instrument", "dimension", "replicate", "round")


def plain(text: str) -> str:
    r"""Return what two texts have in common where they count as equal: all but white space.

    >>> plain("I see.  How\nlong?") == plain(" I see. How long? ")
    True
    """
    return " ".join(text.split())


def representatives(answers: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """Return for each response the first that is equal to it, itself where there is none.

    Parameters
    ----------
    answers
        Response id, item id and text of each.

    >>> representatives([("a", "q1", "Yes."), ("b", "q1", "Yes. "), ("c", "q2", "Yes.")])
    {'a': 'a', 'b': 'a', 'c': 'c'}
    """
    first: dict[tuple[str, str], str] = {}
    return {id: first.setdefault((item, plain(text)), id) for id, item, text in answers}


def shown_once(
    ratings: pl.DataFrame, responses: pl.DataFrame
) -> tuple[pl.DataFrame, dict[str, list[str]]]:
    """Return ratings with each shown answer once, and the sources of each.

    A study shows equal answers once, and its tables have a row for each of their sources; counted
    so, agreement would weigh an answer by how many gave it. Equal answers that a rater rated
    differently were shown one by one, and stay as they are.

    Parameters
    ----------
    ratings, responses
        Tables with all their columns; answers without a text are left out.

    Returns
    -------
    The ratings, in which the first of equal answers stands for all, in choices as well; and the
    sources of every answer that was shown, by response id.
    """
    told = responses.filter(pl.col("text").is_not_null()).select("response_id", "item_id", "text")
    first = representatives(told.iter_rows())
    differing = _differing(ratings, first)
    first = {id: id if to in differing else to for id, to in first.items()}
    credited: dict[str, list[str]] = {}
    for id, source in responses.select("response_id", "source").iter_rows():
        if id in first and source not in credited.setdefault(first[id], []):
            credited[first[id]].append(source)
    named = ratings.with_columns(
        unit_id=_named(first),
        labels=pl.Series(
            [
                labels if unit != "item" or labels is None else _choice(labels, first)
                for unit, labels in ratings.select("unit", "labels").iter_rows()
            ],
            dtype=ratings.schema["labels"],
        ),
    )
    return named.unique(_KEY, keep="first", maintain_order=True), credited


def _named(first: Mapping[str, str]) -> pl.Expr:
    """Return the ids of units, those of responses replaced by the first that is equal."""
    ids = pl.col("unit_id")
    return pl.when(pl.col("unit") == "response").then(ids.replace(first)).otherwise(ids)


def _choice(labels: list[str], first: Mapping[str, str]) -> list[str]:
    return list(dict.fromkeys(first.get(label, label) for label in labels))


def _differing(ratings: pl.DataFrame, first: Mapping[str, str]) -> set[str]:
    """Return the answers that somebody rated otherwise than one that is equal to them."""
    rated = ratings.filter(pl.col("unit") == "response").with_columns(unit_id=_named(first))
    said = rated.select(*_KEY, said=pl.struct("value", "labels", "status").hash())
    spread = said.group_by(_KEY).agg(pl.col("said").n_unique())
    return set(spread.filter(pl.col("said") > 1)["unit_id"])
