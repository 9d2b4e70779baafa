"""Which items of two rounds are the same sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attunement.delphi._model import Item, PanelRound


def aligned(before: PanelRound, after: PanelRound) -> tuple[PanelRound, tuple[str, ...]]:
    """Return the round before with the ids of the round after, and the ids that cannot be compared.

    Where the wording is known it decides: ids made of a place in a table move up when an item
    before them is dropped. Without wording the ids decide.

    Parameters
    ----------
    before, after
        Two rounds.

    Returns
    -------
    tuple
        The round before, without the items whose id means another sentence in the round after; and
        the ids of the round after for which that leaves none.

    """
    by_id = {item.id: item for item in after.items}
    by_text = {(code, _plain(t)): i.id for i in after.items for code, t in i.wording.items()}
    named: list[str | None] = []
    for item in before.items:
        same = [by_text.get((code, _plain(t))) for code, t in item.wording.items()]
        found = next((id for id in same if id is not None and id not in named), None)
        if found is None and (item.id not in by_id or not _both_worded(item, by_id[item.id])):
            found = item.id
        named.append(found)
    places = [p for p, id in enumerate(named) if id is not None and id not in named[:p]]
    summaries = tuple(
        replace(
            before.summaries[p],
            item=replace(before.items[p], id=named[p] or before.items[p].id),
        )
        for p in places
    )
    relevance = before.relevance
    if relevance is not None:
        relevance = np.asarray(relevance, dtype=np.float64)[:, places]
    lost = tuple(i.id for i in before.items if i.id in by_id and i.id not in named)
    return replace(before, summaries=summaries, relevance=relevance), lost


def _both_worded(one: Item, other: Item) -> bool:
    return bool(set(one.wording) & set(other.wording))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
