"""Showing choices to people: each item's plan, its candidates, and why one was chosen."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import polars as pl

from attunement.errors import UserError, did_you_mean

SPEAKERS = {"user": "Person", "assistant": "Answer", "system": "Instruction"}


@dataclass(frozen=True)
class Part:
    """What one source made of an item.

    Parameters
    ----------
    source, strategy
        Whose answer it is, and how it came about.
    plan
        In words, such as "question, sadness"; why there is none where there is none.
    plan_kind
        ``predicted``, ``gold`` or ``chosen``; None where nobody planned.
    rows
        The candidates, as the candidates table has them.
    """

    source: str
    strategy: str
    plan: str
    plan_kind: str | None
    rows: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Shown:
    """An item with what every source made of it.

    Parameters
    ----------
    item_id
        The item.
    turns
        Speaker and text of each turn.
    parts
        By source.
    """

    item_id: str
    turns: tuple[tuple[str, str], ...]
    parts: tuple[Part, ...]


def of_items(
    candidates: pl.DataFrame,
    items: pl.DataFrame,
    *,
    source: str | None = None,
    item: str | None = None,
    limit: int | None = None,
) -> list[Shown]:
    """Return what is to be shown, in the order of the items.

    Parameters
    ----------
    candidates, items
        The tables of a run.
    source, item
        Only this one.
    limit
        The first so many items.

    Raises
    ------
    UserError
        Where there is no such source or item.
    """
    for column, word in (("source", source), ("item_id", item)):
        known = candidates[column].unique(maintain_order=True).to_list()
        if word is not None and word not in known:
            raise UserError(
                f"there are no candidates of {column} {word!r}{did_you_mean(word, known)}"
            )
    wanted = [pl.col(c) == w for c, w in (("source", source), ("item_id", item)) if w is not None]
    found = candidates.filter(*wanted) if wanted else candidates
    by_item: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for row in found.sort("source", "candidate", maintain_order=True).iter_rows(named=True):
        by_item.setdefault(row["item_id"], {}).setdefault(row["source"], []).append(row)
    turns = dict(zip(items["item_id"].to_list(), items["turns"].to_list(), strict=True))
    order = [id for id in turns if id in by_item] + [id for id in by_item if id not in turns]
    return [
        Shown(
            id,
            tuple(map(_turn, turns.get(id) or ())),
            tuple(_part(rows) for rows in by_item[id].values()),
        )
        for id in order[:limit]
    ]


def _turn(turn: dict[str, str | None]) -> tuple[str, str]:
    role = turn["role"] or ""
    return SPEAKERS.get(role, role), turn["text"] or ""


def _part(rows: list[dict[str, Any]]) -> Part:
    first = rows[0]
    if first["plan_status"] is None:
        plan = "none was made"
    elif first["plan_status"] != "ok":
        plan = f"none: {(first['plan_reason'] or first['plan_status']).rstrip('.')}"
    else:
        plan = said(first["plan"])
    return Part(first["source"], first["strategy"], plan, first["plan_kind"], tuple(rows))


def said(labels: Sequence[str] | None) -> str:
    """Return labels in words.

    >>> said(["question", "sadness"]), said([]), said(None)
    ('question, sadness', 'no label', '')
    """
    if labels is None:
        return ""
    return ", ".join(labels) or "no label"


def lines(shown: Sequence[Shown], width: int = 100) -> Iterator[str]:
    """Yield lines of plain text."""
    for one in shown:
        yield one.item_id
        for speaker, text in one.turns[-3:]:
            yield from _wrapped(f"{speaker}: {text}", width, "  ")
        for part in one.parts:
            kind = f" ({part.plan_kind})" if part.plan_kind else ""
            yield f"  {part.source}, {part.strategy}; plan{kind}: {part.plan}"
            for row in part.rows:
                yield from _row(row, width)
        yield ""


def _row(row: dict[str, Any], width: int) -> Iterator[str]:
    alike = "    " if row["similarity"] is None else f"{row['similarity']:.2f}"
    mark = "*" if row["chosen"] else " "
    yield f"  {mark} {row['candidate'] + 1:>2}  {alike}  {_shows(row)}: {row['why']}"
    yield from _wrapped(row["text"] or row["reason"] or "", width, " " * 7)


def _shows(row: dict[str, Any]) -> str:
    if row["labels"] is not None:
        return said(row["labels"])
    status = row["labels_status"] or row["status"]
    return "not tagged" if status == "ok" else status.replace("_", " ")


def _wrapped(text: str, width: int, indent: str) -> Iterator[str]:
    return iter(
        textwrap.wrap(
            " ".join(text.split()), width, initial_indent=indent, subsequent_indent=indent
        )
    )


def page(shown: Sequence[Shown], *, title: str, items: int, facts: Sequence[str] = ()) -> str:
    """Return one HTML page without scripts; everything that somebody wrote is escaped.

    Parameters
    ----------
    shown
        What `of_items` gave.
    title
        Of the page.
    items
        How many items there are, shown or not.
    facts
        Sentences about all of them.
    """
    from jinja2 import Environment

    folder = files("attunement.respond").joinpath("assets")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["labels"] = said
    template = environment.from_string(
        folder.joinpath("candidates.html.j2").read_text(encoding="utf-8")
    )
    return template.render(shown=shown, title=title, items=items, facts=facts)
