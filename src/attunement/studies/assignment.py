"""Who rates what in a study, and in which order it is shown.

Answers to one item are always rated together, by the same raters. Loads are equal to within one
item; which raters meet over an item, and so which items share a rater, is spread as evenly as a
greedy search and exchanges find; answers and items change places from rater to rater.

Cochran and Cox (1957), Experimental Designs, chapters 4 and 11, for Latin squares and incomplete
blocks; Williams (1949), Australian Journal of Scientific Research A 2, 149-168, for squares in
which each answer also follows each other one equally often.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np

from attunement.errors import UserError

Kind = Literal["main", "attention", "repeat"]
Answers = Mapping[str, Sequence[str]]
_NONE: Answers = MappingProxyType({})
_LOAD = 1e9
"""More than any number of meetings."""
_TRIES = 40_000
"""Exchanges tried; more would take seconds."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One item in one rater's session.

    Parameters
    ----------
    rater
        From 0.
    position
        In the rater's session, from 0.
    item_id
        What is rated.
    kind
        ``main``; ``attention``, an item that tells whether the rater reads; or ``repeat``, a main
        item of this rater once more, which tells how steady the rater is.
    order
        Ids of the item's responses in the order shown.
    """

    rater: int
    position: int
    item_id: str
    kind: Kind
    order: tuple[str, ...]


def assign(
    answers: Answers,
    *,
    raters_per_item: int,
    items_per_rater: int | None = None,
    raters: int | None = None,
    attention: Answers = _NONE,
    repeats: int = 0,
    seed: int = 1,
) -> list[Slot]:
    """Return who rates what, sorted by rater and position.

    Parameters
    ----------
    answers
        Response ids of each item; an item may have none, where the item itself is rated.
    raters_per_item
        Each item is rated by exactly so many different raters.
    items_per_rater
        The most main items that a rater is given.
    raters
        How many there are. Where only one of ``items_per_rater`` and ``raters`` is given the other
        follows, as small as it can be; where neither is, every rater rates every item.
    attention
        Items that every rater is given besides, at places spread over the session, never first.
    repeats
        So many of each rater's main items come again: those shown first, at the very end, each
        answer in another place than before.
    seed
        The same seed and input give the same plan.

    Raises
    ------
    UserError
        Where the numbers do not go together, or an id stands twice.

    >>> plan = assign({"q1": ["a", "b"], "q2": ["c", "d"]}, raters_per_item=2)
    >>> sorted({(slot.rater, slot.item_id) for slot in plan})
    [(0, 'q1'), (0, 'q2'), (1, 'q1'), (1, 'q2')]
    """
    _check(answers, attention, raters_per_item, repeats)
    n_raters = _panel(len(answers), raters_per_item, items_per_rater, raters)
    least = len(answers) * raters_per_item // n_raters
    if repeats > least:
        raise UserError(
            f"{repeats} items cannot come again where a rater has {least}.",
            where="repeats",
            fix=f"Ask for at most {least}.",
        )
    rng = np.random.default_rng(seed)
    panels = _panels(len(answers), raters_per_item, n_raters, rng)
    sessions = _sessions(list(answers), panels, n_raters, rng)
    orders = {
        (rater, item): order
        for (item, responses), panel in zip(answers.items(), panels, strict=True)
        for rater, order in zip(panel, _orders(responses, len(panel), rng), strict=True)
    }
    checks = {item: _orders(responses, n_raters, rng) for item, responses in attention.items()}
    slots = []
    for rater, items in enumerate(sessions):
        main = [Slot(rater, 0, item, "main", orders[rater, item]) for item in items]
        again = [Slot(rater, 0, s.item_id, "repeat", _moved(s.order, rng)) for s in main[:repeats]]
        extra = [Slot(rater, 0, item, "attention", checks[item][rater]) for item in checks]
        shown = [*_spread(main, extra, rng), *again]
        slots += [Slot(rater, place, s.item_id, s.kind, s.order) for place, s in enumerate(shown)]
    return slots


def _check(answers: Answers, attention: Answers, raters_per_item: int, repeats: int) -> None:
    if not answers:
        raise UserError("There is nothing to rate.", where="answers", fix="Give at least one item.")
    if raters_per_item < 1:
        raise UserError("An item needs at least one rater.", where="raters_per_item")
    if repeats < 0:
        raise UserError("There cannot be fewer than no repeats.", where="repeats")
    both = sorted(answers.keys() & attention.keys())
    if both:
        raise UserError(f"{both[0]!r} is both a main and an attention item.", where="attention")
    for item, responses in [*answers.items(), *attention.items()]:
        twice = [r for r, times in Counter(responses).items() if times > 1]
        if twice:
            raise UserError(f"The response {twice[0]!r} stands twice.", where=f"item {item!r}")


def _panel(n_items: int, per_item: int, per_rater: int | None, raters: int | None) -> int:
    """Return how many raters there are."""
    needed = n_items * per_item
    if per_rater is not None and per_rater < 1:
        raise UserError("A rater needs at least one item.", where="items_per_rater")
    if raters is None:
        return per_item if per_rater is None else max(per_item, math.ceil(needed / per_rater))
    if raters < per_item:
        raise UserError(
            f"{raters} raters cannot give each item {per_item} different ones.",
            where="raters",
            fix=f"Take at least {per_item} raters, or at most {raters} raters an item.",
        )
    if raters > needed:
        raise UserError(
            f"{raters} raters are more than the {needed} ratings of an item to hand out.",
            where="raters",
            fix=f"Take at most {needed} raters, or more raters an item.",
        )
    if per_rater is not None and raters * per_rater < needed:
        raise UserError(
            f"{n_items} items with {per_item} raters each are {needed} to hand out, but {raters} "
            f"raters of at most {per_rater} items take {raters * per_rater}.",
            where="raters, items_per_rater",
            fix=f"Take {max(per_item, math.ceil(needed / per_rater))} raters, or "
            f"{math.ceil(needed / raters)} items a rater.",
        )
    return raters


def _panels(
    n_items: int, per_item: int, n_raters: int, rng: np.random.Generator
) -> list[list[int]]:
    """Return the raters of each item.

    Each item takes raters of the least load, so that loads never differ by more than one; among
    these the one that has met the others of the panel least. That is the steepest step down the sum
    of squares of how often two raters meet, which is, up to a constant, the sum of squares of how
    many raters two items share: both are the squared entries of a matrix and of its transpose
    multiplied the other way round.
    """
    load = np.zeros(n_raters)
    met: list[Counter[int]] = [Counter() for _ in range(n_raters)]
    panels: list[list[int]] = [[] for _ in range(n_items)]
    for item in rng.permutation(n_items):
        # The load decides, then meetings, then chance.
        cost = (load - load.min()) * _LOAD + rng.random(n_raters)
        panel: list[int] = []
        for _ in range(per_item):
            chosen = int(np.argmin(cost))
            panel.append(chosen)
            cost[chosen] = np.inf
            if met[chosen]:
                cost[list(met[chosen])] += list(met[chosen].values())
        for rater in panel:
            met[rater].update(other for other in panel if other != rater)
        load[panel] += 1
        panels[int(item)] = panel
    _exchange(panels, met, rng)
    return panels


def _exchange(panels: list[list[int]], met: list[Counter[int]], rng: np.random.Generator) -> None:
    """Let two raters of two items change places where pairs then meet more evenly.

    No load changes. Exchanges that change nothing are made too: they lead out of dead ends.
    """
    n, k = len(panels), len(panels[0])
    tries = min(_TRIES, 100 * n * k) if k > 1 else 0
    drawn = zip(*(rng.integers(top, size=tries).tolist() for top in (n, n, k, k)), strict=True)
    for i, j, at_i, at_j in drawn:
        a, b = panels[i][at_i], panels[j][at_j]
        if a in panels[j] or b in panels[i]:
            continue
        # Who sits on both panels meets a and b before and after.
        with_i = [r for r in panels[i] if r != a and r not in panels[j]]
        with_j = [r for r in panels[j] if r != b and r not in panels[i]]
        more = sum(met[b][r] - met[a][r] for r in with_i)
        more += sum(met[a][r] - met[b][r] for r in with_j)
        # The sum of squares grows by twice this.
        if more + len(with_i) + len(with_j) > 0:
            continue
        for gone, come, others in ((a, b, with_i), (b, a, with_j)):
            for r in others:
                met[gone][r] -= 1
                met[r][gone] -= 1
                met[come][r] += 1
                met[r][come] += 1
        panels[i][at_i], panels[j][at_j] = b, a


def _sessions(
    items: Sequence[str], panels: Sequence[Sequence[int]], n_raters: int, rng: np.random.Generator
) -> list[list[str]]:
    """Return each rater's main items in the order shown.

    An item comes early for some of its raters and late for others: each of its k raters meets it in
    another k-th of the session, and a rater's items are spread over the k-ths as well.
    """
    per_item = len(panels[0])
    used = np.zeros((n_raters, per_item), dtype=np.int64)
    keyed: list[list[tuple[float, str]]] = [[] for _ in range(n_raters)]
    for at in rng.permutation(len(items)):
        left = [panels[at][i] for i in rng.permutation(per_item)]
        for part in rng.permutation(per_item):
            rater = min(left, key=lambda r: used[r, part])
            left.remove(rater)
            used[rater, part] += 1
            keyed[rater].append((float(part + rng.random()), items[at]))
    return [[item for _, item in sorted(session)] for session in keyed]


def _orders(responses: Sequence[str], n: int, rng: np.random.Generator) -> list[tuple[str, ...]]:
    """Return ``n`` orders in which no answer stands in a place more than once oftener than another.

    Rows of one Latin square after the other, each with its answers and its rows shuffled.
    """
    m = len(responses)
    if m == 0:
        return [()] * n
    # 0, 1, m-1, 2, m-2, ...: neighbors differ by another step each time.
    first = np.array([(i + 1) // 2 if i % 2 else -(i // 2) for i in range(m)])
    orders: list[tuple[str, ...]] = []
    while len(orders) < n:
        label = rng.permutation(m)
        for shift in rng.permutation(m):
            orders.append(tuple(responses[label[i]] for i in (first + shift) % m))
    return orders[:n]


def _moved(order: tuple[str, ...], rng: np.random.Generator) -> tuple[str, ...]:
    """Return the answers in another order, none of them in its place."""
    if len(order) < 2:
        return order
    by = int(rng.integers(1, len(order)))
    return order[by:] + order[:by]


def _spread(main: Sequence[Slot], extra: Sequence[Slot], rng: np.random.Generator) -> list[Slot]:
    """Return the main slots with one extra slot in each of equal parts, at any place but the first.

    All stand before the repeats, so that these come as late as they can.
    """
    shown = list(main)
    part = len(main) / max(len(extra), 1)
    after = [1 + int((i + rng.random()) * part) for i in range(len(extra))]
    for i, which in reversed(list(enumerate(rng.permutation(len(extra))))):
        shown.insert(after[i], extra[which])
    return shown
