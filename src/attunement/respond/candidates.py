"""Candidates: the answers to an item from which one is chosen, wherever they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import polars as pl

from attunement import tables
from attunement.errors import UserError, first_of
from attunement.planning.planner import Advance
from attunement.respond import numbered
from attunement.respond.generate import OVER_LIMIT, known_sum
from attunement.respond.generator import Generator

Status = Literal["ok", "empty", "unparsed", "refused", "error", "not_applicable"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One answer that may be chosen.

    Parameters
    ----------
    text
        Empty where the status is not ``ok``.
    status
        ``ok``; ``empty``: the model said nothing; ``unparsed``: it cannot be found in a numbered
        reply; ``refused``: a content filter stopped it; ``error``: no answer came;
        ``not_applicable``: nobody was asked.
    reason
        One sentence, where there is something to say.
    logprob
        The natural logarithm of its probability, where the generator knows it.
    """

    text: str
    status: Status = "ok"
    reason: str | None = None
    logprob: float | None = None


NO_RESPONSE = Candidate("", "not_applicable", "There is no response to this item.")


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates of one item.

    Parameters
    ----------
    item_id
        The item.
    candidates
        In the order of the model: the first is what it says where nobody chooses.
    made
        What the responses table says of how they were made, added up over them: ``model``,
        ``prompt_id``, ``attempts``, ``latency_s``, ``tokens_in``, ``tokens_out``, ``cost_usd``.
    """

    item_id: str
    candidates: tuple[Candidate, ...]
    made: Mapping[str, Any]

    def same_as(self) -> list[int | None]:
        """Return for each candidate the first one with the same words, None where it is new."""
        seen: dict[str, int] = {}
        out: list[int | None] = []
        for place, candidate in enumerate(self.candidates):
            words = " ".join(candidate.text.split())
            first = seen.setdefault(words, place) if words else place
            out.append(first if first != place else None)
        return out


def from_responses(responses: pl.DataFrame, ids: Sequence[str]) -> list[Pool]:
    """Return the pools of items from a responses table, their candidates in order.

    An item without a row has one candidate that says so.
    """
    table = tables.conform(responses, "responses").sort("candidate", maintain_order=True)
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in table.iter_rows(named=True):
        rows.setdefault(row["item_id"], []).append(row)
    return [
        Pool(id, tuple(_candidate(r) for r in rows[id]), _made(rows[id]))
        if id in rows
        else Pool(id, (NO_RESPONSE,), {})
        for id in ids
    ]


def from_numbered(responses: pl.DataFrame, ids: Sequence[str], n: int) -> list[Pool]:
    """Return the pools of items for which one reply holds ``n`` numbered answers."""
    return [_unnumbered(pool, n) for pool in from_responses(responses, ids)]


def _unnumbered(pool: Pool, n: int) -> Pool:
    (reply,) = pool.candidates
    if reply.status != "ok":
        return replace(pool, candidates=(replace(reply, text=""),) * n)
    found = numbered.split(reply.text, n)
    if not any(found):
        kept = Candidate(
            reply.text, "unparsed", "The reply numbers no answers; it is kept here whole."
        )
        none = Candidate("", "unparsed", "The reply numbers no answers.")
        return replace(pool, candidates=(kept, *[none] * (n - 1)))
    return replace(pool, candidates=tuple(_found(text, k) for k, text in enumerate(found, 1)))


def _found(text: str | None, number: int) -> Candidate:
    if text is None:
        return Candidate("", "unparsed", f"The reply has no number {number}.")
    return Candidate(text) if text else Candidate("", "empty", "There is nothing after its number.")


def from_generator(
    generator: Generator, items: pl.DataFrame, n: int, *, advance: Advance | None = None
) -> list[Pool]:
    """Return what a generator answers to items, the most probable first.

    Where it finds fewer than ``n`` different answers, there are fewer.
    """
    contexts = contexts_of(items)
    answers = generator.answer(contexts, n=n, advance=advance)
    made = {"model": generator.signature, "prompt_id": None, "attempts": 1}
    pools = []
    for id, context, found in zip(items["item_id"].to_list(), contexts, answers, strict=True):
        candidates = tuple(
            Candidate(g.text.strip(), logprob=g.logprob)
            if g.text.strip()
            else Candidate("", "empty", "The generator said nothing.", g.logprob)
            for g in found
        )
        if not candidates:
            why = "The generator found no answer." if any(context) else "The item has no text."
            candidates = (Candidate("", "empty" if any(context) else "not_applicable", why),)
        pools.append(Pool(id, candidates, made))
    return pools


def of_source(responses: pl.DataFrame, source: str | None, where: str) -> pl.DataFrame:
    """Return the rows of one source; None means the only one.

    Raises
    ------
    UserError
        Where there is no such source, or several and none was named.
    """
    known = responses["source"].unique(maintain_order=True).to_list()
    if source is None and len(known) == 1:
        return responses
    if source not in known:
        raise UserError(
            f"the table has no source {source!r}."
            if source is not None
            else f"the table has {len(known)} sources.",
            where=where,
            fix=f"Name one with --source: {first_of(known, 5)}.",
        )
    return responses.filter(pl.col("source") == source)


def contexts_of(items: pl.DataFrame) -> list[tuple[str, ...]]:
    """Return the texts of each item's turns, those of a system left out."""
    return [
        tuple(t["text"] or "" for t in turns or () if t["role"] != "system")
        for turns in items["turns"].to_list()
    ]


def _candidate(row: dict[str, Any]) -> Candidate:
    text, error = (row["text"] or "").strip(), row["error"]
    if error is not None and not error.startswith(OVER_LIMIT):
        if error.startswith("refused"):
            return Candidate("", "refused", error)
        return Candidate("", "not_applicable" if error.startswith("not asked") else "error", error)
    if not text:
        return Candidate("", "empty", "The model said nothing.")
    return Candidate(text, reason=error)


_SUMMED = ("attempts", "tokens_in", "tokens_out", "cost_usd", "latency_s")


def _made(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    made = {name: rows[0][name] for name in ("model", "prompt_id")}
    return made | {name: known_sum([row[name] for row in rows]) for name in _SUMMED}
