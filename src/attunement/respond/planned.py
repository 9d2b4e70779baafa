"""Responses that keep to a plan: candidates are made, tagged and compared, and one is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

import polars as pl

from attunement import tables
from attunement.errors import UserError
from attunement.inspect_bridge import ModelSpec
from attunement.planning.labels import LabelSet
from attunement.planning.planner import Plan
from attunement.planning.tagging import NO_TEXT, Tagger
from attunement.respond import candidates, conditioning, rerank
from attunement.respond.candidates import Pool
from attunement.respond.generate import RESERVED, Estimate, estimate, generate
from attunement.respond.generator import Generator
from attunement.respond.plans import Plans
from attunement.respond.presets import Preset
from attunement.respond.rerank import Choice

Strategy = Literal["none", "rerank", "prompt"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)

CANDIDATES = 10
"""As in the paper."""

LOCAL_TURN_TOKENS = 50
"""Where none are set, the embedded model's longest turn."""

Track = Callable[[str, int | None], AbstractContextManager[Callable[[int], None]]]
"""Shows how far something is: ``with track(what, total) as advance``."""


class Source(Protocol):
    """Where candidates come from."""

    def pools(
        self, items: pl.DataFrame, plans: Sequence[Plan] | None, n: int, track: Track
    ) -> list[Pool]:
        """Return each item's candidates; ``plans`` are told to the model, None tells it nothing."""
        ...


@dataclass(frozen=True)
class Model:
    """Candidates of a model that is asked.

    Parameters
    ----------
    spec
        The model.
    preset
        The system prompt of the framing ``chat``.
    framing
        ``chat`` or ``paper``; see `attunement.respond.conditioning`.
    numbered
        Ask for all candidates in one call, by the paper's prompt, rather than one by one.
    journal_folder, seed
        As for `attunement.respond.generate`.
    """

    spec: ModelSpec
    preset: Preset
    framing: str = "chat"
    numbered: bool = False
    journal_folder: Path | None = None
    seed: int = 1

    def pools(
        self, items: pl.DataFrame, plans: Sequence[Plan] | None, n: int, track: Track
    ) -> list[Pool]:
        """Ask for the candidates of each item."""
        asked, how = self._asked(items, plans, n)
        calls = items.height * how["candidates"]
        with track(f"Candidates of {self.spec.name}", calls) as advance:
            made = generate(asked, [self._spec(n)], **how, on_progress=advance)
        ids = items["item_id"].to_list()
        if self.numbered:
            return candidates.from_numbered(made, ids, n)
        return candidates.from_responses(made, ids)

    def estimate(self, items: pl.DataFrame, plans: Sequence[Plan] | None, n: int) -> Estimate:
        """Say what `pools` would take, without making a call."""
        asked, how = self._asked(items, plans, n)
        return estimate(asked, [self._spec(n)], **how)[0]

    def _asked(
        self, items: pl.DataFrame, plans: Sequence[Plan] | None, n: int
    ) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the items as they are put to the model, and how it is asked."""
        told = [p.labels if p.status == "ok" else () for p in plans] if plans is not None else None
        asked = conditioning.framed(
            items, lambda row, turns: self._turns(turns, told[row] if told is not None else (), n)
        )
        sent = conditioning.sent_as(
            self.preset,
            framing=self.framing,
            numbered=n if self.numbered else 0,
            planned=plans is not None,
        )
        return asked, {
            "preset": sent,
            "candidates": 1 if self.numbered else n,
            "journal_folder": self.journal_folder,
            "seed": self.seed,
        }

    def _turns(
        self, turns: list[dict[str, str]], labels: Sequence[str], n: int
    ) -> list[dict[str, str]]:
        if self.numbered:
            return conditioning.paper_numbered(turns, n)
        if self.framing == "paper":
            return conditioning.paper(turns, labels)
        return conditioning.chat(turns, self.preset.text, labels)

    def _spec(self, n: int) -> ModelSpec:
        settings = self.spec.settings
        if not self.spec.demonstration or settings.max_tokens is not None:
            return self.spec
        most = LOCAL_TURN_TOKENS * (n if self.numbered else 1)
        return replace(self.spec, settings=replace(settings, max_tokens=most))


@dataclass(frozen=True)
class Trained:
    """Candidates of a trained generator, the most probable first."""

    generator: Generator

    def pools(
        self, items: pl.DataFrame, plans: Sequence[Plan] | None, n: int, track: Track
    ) -> list[Pool]:
        """Search for the candidates of each item."""
        _refuse_told(plans, "a trained generator")
        with track("Candidates", items.height) as advance:
            return candidates.from_generator(self.generator, items, n, advance=advance)


@dataclass(frozen=True)
class Existing:
    """Candidates that a responses table has already, of one source."""

    responses: pl.DataFrame

    def pools(
        self, items: pl.DataFrame, plans: Sequence[Plan] | None, n: int, track: Track
    ) -> list[Pool]:
        """Return the first ``n`` candidates of each item."""
        _refuse_told(plans, "a table of responses")
        found = candidates.from_responses(self.responses, items["item_id"].to_list())
        return [replace(pool, candidates=pool.candidates[:n]) for pool in found]


def _refuse_told(plans: Sequence[Plan] | None, what: str) -> None:
    if plans is not None:
        raise UserError(
            f"{what} cannot be told a plan.",
            fix="Use the strategy rerank, or ask a model.",
        )


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
    if name in RESERVED:
        raise UserError(
            f"responses cannot be called {name!r}, which means people's answers.",
            fix="Give them another name.",
        )
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
