"""Responses that keep to a plan: candidates are made, tagged and compared, and one is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Literal, get_args

import polars as pl

from attunement import tables
from attunement.errors import UserError
from attunement.planning.labels import LabelSet
from attunement.planning.planner import Plan
from attunement.planning.tagging import NO_TEXT, Tagger
from attunement.respond import candidates, rerank
from attunement.respond.candidates import Pool
from attunement.respond.generate import RESERVED
from attunement.respond.plans import Plans
from attunement.respond.rerank import Choice
from attunement.respond.sources import Source, Track

Strategy = Literal["none", "rerank", "prompt"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)

CANDIDATES = 10
"""As in the paper."""


@dataclass(frozen=True)
class Outcome:
    """What came of it, item by item.

    Parameters
    ----------
    name
        The ``source`` of the responses.
    strategy
        How they came about.
    items
        The items table.
    plans
        What the turns should show; None where nobody planned.
    pools, tags, choices
        Each item's candidates, what they show, and which was chosen; no tags where there was no
        plan to compare them with.
    label_set
        The tagger's; None where there was none.
    tagger
        Its signature.
    """

    name: str
    strategy: Strategy
    items: pl.DataFrame
    plans: Plans | None
    pools: tuple[Pool, ...]
    tags: tuple[tuple[Plan, ...], ...]
    choices: tuple[Choice, ...]
    label_set: LabelSet | None
    tagger: str | None


def respond(
    items: pl.DataFrame,
    source: Source,
    strategy: Strategy,
    *,
    name: str,
    plans: Plans | None = None,
    tagger: Tagger | None = None,
    n: int = CANDIDATES,
    track: Track = lambda what, total: nullcontext(lambda done: None),
) -> Outcome:
    """Make candidates for the next turn of each item, and choose one of them.

    Parameters
    ----------
    items
        An items table.
    source
        Where candidates come from.
    strategy
        ``none``: the first candidate; ``rerank``: the one whose labels are most like the plan;
        ``prompt``: the model is told the plan, and its first answer is taken.
    name
        The responses' ``source``.
    plans
        One for each item; ``none`` needs none.
    tagger
        Says what candidates show; ``rerank`` needs it, the others use it to say how far the first
        candidate keeps to the plan.
    n
        Candidates of each item.
    track
        Shows how far it is.

    Raises
    ------
    UserError
        Where what a strategy needs is missing, names are taken, or a model cannot be asked.
    """
    _check(items, strategy, name, plans, tagger, n)
    items = tables.conform(items, "items")
    told = plans.plans if strategy == "prompt" and plans is not None else None
    pools = source.pools(items, told, n, track)
    tags = _tags(items, pools, tagger, track) if tagger is not None and plans is not None else None
    choices = []
    for k, pool in enumerate(pools):
        plan = plans.plans[k] if plans is not None else None
        shown = tags[k] if tags is not None else (NO_TEXT,) * len(pool.candidates)
        if strategy == "rerank" and plan is not None:
            choices.append(rerank.choose(plan, pool.candidates, shown))
        else:
            choices.append(rerank.first(plan, pool.candidates, shown))
    return Outcome(
        name=name,
        strategy=strategy,
        items=items,
        plans=plans,
        pools=tuple(pools),
        tags=tuple(tags) if tags is not None else (),
        choices=tuple(choices),
        label_set=tagger.labels if tagger is not None else None,
        tagger=tagger.signature if tagger is not None else None,
    )


def refuse_name(name: str) -> None:
    """Refuse a source that responses cannot have.

    Raises
    ------
    UserError
        Where it is empty, or means people's answers.
    """
    if not name.strip():
        raise UserError("the responses have no name.", fix="Give them one.")
    if name in RESERVED:
        raise UserError(
            f"responses cannot be called {name!r}, which means people's answers.",
            fix="Give them another name.",
        )


def refuse_other_labels(planner: LabelSet, tagger: LabelSet) -> None:
    """Refuse a planner and a tagger that do not speak of the same labels.

    Raises
    ------
    UserError
        Where their label sets differ.
    """
    if planner.labels != tagger.labels or planner.silent != tagger.silent:
        raise UserError(
            f"the plans have the labels of {planner.name} ({', '.join(planner.labels)}), the "
            f"tagger those of {tagger.name} ({', '.join(tagger.labels)}).",
            fix="Use a tagger that was trained with the planner's label set.",
        )


def _check(
    items: pl.DataFrame,
    strategy: Strategy,
    name: str,
    plans: Plans | None,
    tagger: Tagger | None,
    n: int,
) -> None:
    if n < 1:
        raise UserError(f"there is at least one candidate, not {n}.")
    refuse_name(name)
    if strategy != "none" and plans is None:
        raise UserError(
            f"the strategy {strategy!r} needs a plan.", fix="Name a planner or a table of labels."
        )
    if strategy == "rerank" and tagger is None:
        raise UserError("the strategy 'rerank' needs a tagger.")
    twice = items.filter(pl.col("item_id").is_duplicated())
    if twice.height:
        raise UserError(f"two items have the id {twice['item_id'][0]!r}.", where="items table")


def _tags(
    items: pl.DataFrame, pools: Sequence[Pool], tagger: Tagger, track: Track
) -> list[tuple[Plan, ...]]:
    """Return what each candidate shows; words that stand twice in a pool are tagged once."""
    before = [context[-1] if context else None for context in candidates.contexts_of(items)]
    new: dict[tuple[int, str], int] = {}
    for k, pool in enumerate(pools):
        for candidate in pool.candidates:
            if candidate.status == "ok":
                new.setdefault((k, candidate.text), len(new))
    texts, after = [text for _, text in new], [before[k] for k, _ in new]
    with track("Labels of candidates", len(texts)) as advance:
        found = tagger.tag(texts, after=after, advance=advance)
    return [
        tuple(found[new[k, c.text]] if c.status == "ok" else NO_TEXT for c in pool.candidates)
        for k, pool in enumerate(pools)
    ]
