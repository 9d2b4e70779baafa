"""The numbers of whole systems, collected batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Unpack

from attunement.raters.metrics.base import Batch, Metric, Score, Variant
from attunement.raters.metrics.whole import Answers, Whole

if TYPE_CHECKING:
    import polars as pl

    from attunement.stats.agreement.resampling import Bootstrap
    from attunement.stats.result import Result


@dataclass
class _Kept:
    """Of one metric and source: the parts of the answers that have a value, and their items."""

    parts: list[Any] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    missing: int = 0


@dataclass
class _Said:
    """What is the same for all sources of a metric."""

    whole: Whole
    variant: Variant
    parameters: dict[str, object]


@dataclass
class Systems:
    """What the numbers of systems are made of, for metrics that are no means of answers."""

    _kept: dict[tuple[str, str], _Kept] = field(default_factory=dict)
    _said: dict[str, _Said] = field(default_factory=dict)

    def add(
        self,
        metric: Metric,
        batch: Batch,
        variant: Variant,
        responses: pl.DataFrame,
        scores: Sequence[Score],
    ) -> None:
        """Keep what a metric needs of a batch; ``scores`` say which answers have a value."""
        whole = metric.whole
        if whole is None:
            return
        used = metric.used(variant)
        if metric.name not in self._said:
            parameters = {"variant": variant, **whole.parameters(batch, used)}
            self._said[metric.name] = _Said(whole, used, parameters)
        parts = whole.parts(batch, used)
        sources, items = responses["source"], responses["item_id"]
        for source, item, part, score in zip(sources, items, parts, scores, strict=True):
            kept = self._kept.setdefault((source, metric.name), _Kept())
            if score.value is None:
                kept.missing += 1
            else:
                kept.parts.append(part)
                kept.items.append(item)

    def results(self, **bootstrap: Unpack[Bootstrap]) -> list[Result]:
        """Return a number for each source and metric, named ``corpus``.

        Parameters
        ----------
        bootstrap
            ``replicates``, ``ci_level``, ``seed``; see `Bootstrap`.

        """
        found = []
        for (source, name), kept in self._kept.items():
            said = self._said[name]
            result = said.whole.combine(
                Answers(kept.parts, kept.items), said.variant, said.parameters, bootstrap
            )
            found.append(
                replace(
                    result,
                    name="corpus",
                    group={"source": source, "metric": name},
                    n_missing=kept.missing,
                )
            )
        return found
