"""Where the candidates of items come from: a model, a trained generator, or a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from attunement import tables
from attunement.errors import UserError
from attunement.inspect_bridge import ModelSpec
from attunement.planning.planner import Plan
from attunement.respond import candidates, conditioning
from attunement.respond.candidates import Pool
from attunement.respond.generate import Estimate, estimate, generate
from attunement.respond.generator import Generator
from attunement.respond.presets import Preset

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
        found = candidates.from_responses(made, ids)
        if plans is None:
            return found
        plain = conditioning.sent_as(self.preset, framing=self.framing).id
        return [
            pool if _told(plan) else replace(pool, made={**pool.made, "prompt_id": plain})
            for pool, plan in zip(found, plans, strict=True)
        ]

    def estimate(self, items: pl.DataFrame, n: int) -> Estimate:
        """Say what `pools` would take where no plan is told, without making a call."""
        asked, how = self._asked(items, None, n)
        return estimate(asked, [self._spec(n)], **how)[0]

    def _asked(
        self, items: pl.DataFrame, plans: Sequence[Plan] | None, n: int
    ) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the items as they are put to the model, and how it is asked."""
        told = [_told(plan) for plan in plans] if plans is not None else None
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


def _told(plan: Plan) -> tuple[str, ...]:
    """Return the labels of which a model is told; none where there is no plan."""
    return tuple(plan.labels) if plan.status == "ok" else ()


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
        table = tables.conform(self.responses, "responses").sort("candidate", maintain_order=True)
        first = table.group_by("item_id", maintain_order=True).head(n)
        return candidates.from_responses(first, items["item_id"].to_list())


def _refuse_told(plans: Sequence[Plan] | None, what: str) -> None:
    if plans is not None:
        raise UserError(
            f"{what} cannot be told a plan.",
            fix="Use the strategy rerank, or ask a model.",
        )
