"""A round as the panel gave it: one row for one expert and one item."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from attunement.delphi._model import Item, ItemSummary, PanelRound, Scale
from attunement.delphi.cells import is_missing, matrix, on_scale, texts
from attunement.delphi.items import items_of_table
from attunement.errors import UserError, nearest
from attunement.stats.bootstrap import FEW
from attunement.stats.borda import borda
from attunement.stats.delphi import agreement, describe, redundancy_flags
from attunement.stats.result import Result

Floats = NDArray[np.float64]
KNOWN = (
    *("expert", "item", "dimension", "round", "relevance", "priority", "rank", "redundant_with"),
    *("translation", "comment", "suggestion", "text", "wording", "reversed"),
)
_NOT_REDUNDANT = ("no", "0", "false")
_JUST_REDUNDANT = ("yes", "1", "true", "x")


@dataclass(frozen=True)
class Drawing:
    """How the bootstrap intervals are made."""

    replicates: int = 2000
    seed: int = 1
    level: float = 0.95


def read_raw(
    frame: pl.DataFrame,
    where: str,
    *,
    number: int,
    scale: Scale,
    items: Sequence[Item] | None = None,
    drawing: Drawing | None = None,
) -> PanelRound:
    """Summarize a table of one row an expert and item.

    Parameters
    ----------
    frame
        With ``expert``, ``item``, ``relevance`` and what else of `KNOWN` was asked.
    where
        The table's name, for errors.
    number
        Of the round.
    scale
        Of relevance, priority and translation.
    items
        The items with their wording; by default those of the table.
    drawing
        Of the intervals.

    Raises
    ------
    UserError
        Where a column is missing, a row names no expert or item, an expert rates an item twice, a
        value is not on the scale, or an item is none of ``items``.

    """
    frame, named = _cleaned(frame, where, items)
    asked = _Asked(frame, where, scale, named)
    silent = asked.silent()
    summaries = tuple(asked.summary(item, drawing or Drawing()) for item in named)
    warnings = []
    if silent:
        warnings.append(
            f"{len(silent)} of {len(asked.experts)} experts rated no item's relevance: "
            f"{', '.join(silent)}."
        )
    warnings += _few(asked)
    if len(named) < 3:
        warnings.append(f"The round has {len(named)} items: thresholds say little of so few.")
    extra = [c for c in frame.columns if c not in KNOWN and not c.startswith(("item_", "text_"))]
    notes = [f"Columns that were not used: {', '.join(extra)}."] if extra else []
    return PanelRound(
        number=number,
        summaries=summaries,
        scale=scale,
        experts=tuple(asked.experts),
        relevance=asked.relevance,
        notes=tuple(notes),
        warnings=(*warnings, *asked.warnings),
    )


def _few(asked: _Asked) -> list[str]:
    """Say where so few rated that the thresholds hang on one of them."""
    there = len(asked.experts) - len(asked.silent())
    rated = np.isfinite(asked.relevance).sum(axis=0).tolist()
    if 0 < there < FEW:
        words = "1 expert rated" if there == 1 else f"{there} experts rated"
        return [f"{words}, fewer than {FEW}: one more opinion can change what stays."]
    few = [item.id for item, n in zip(asked.items, rated, strict=True) if 0 < n < FEW]
    return [f"Rated by fewer than {FEW} of {there} experts: {', '.join(few)}."] if few else []


def _cleaned(
    frame: pl.DataFrame, where: str, items: Sequence[Item] | None
) -> tuple[pl.DataFrame, list[Item]]:
    """Return the table with the items' ids in ``item``, and the items."""
    for column in ("expert", "item", "relevance"):
        if column not in frame.columns:
            guess = nearest(column, frame.columns)
            raise UserError(
                f"the table has no column {column!r}" + (f"; is it {guess!r}?" if guess else "."),
                where=where,
                fix="One row for one expert and item: expert, item, relevance.",
            )
    experts, named = texts(frame, "expert"), texts(frame, "item")
    for what, cells in (("expert", experts), ("item", named)):
        if "" in cells:
            raise UserError(
                f"the row names no {what}.", where=f"{where}, row {cells.index('') + 1}"
            )
    pairs = Counter(zip(experts, named, strict=True))
    (expert, item), n = pairs.most_common(1)[0] if pairs else (("", ""), 0)
    if n > 1:
        rows = [
            str(i)
            for i, pair in enumerate(zip(experts, named, strict=True), start=1)
            if pair == (expert, item)
        ]
        raise UserError(
            f"expert {expert!r} answers item {item!r} {n} times.",
            where=f"{where}, rows {', '.join(rows[:3])}",
            fix="Keep one row an expert, item and round; two people need two names.",
        )
    _refuse_two_dimensions(named, texts(frame, "dimension"), where)
    first = frame.with_columns(pl.Series("item", named)).unique(
        "item", keep="first", maintain_order=True
    )
    if items is None:
        known = items_of_table(first, where)
        renamed = dict(zip(first["item"].to_list(), (i.id for i in known), strict=True))
    else:
        known = list(items)
        renamed = {i.id: i.id for i in known} | {w: i.id for i in known for w in i.wording.values()}
        for name in first["item"].to_list():
            if name not in renamed:
                guess = nearest(name, list(renamed))
                raise UserError(
                    f"the item {name!r} is none of those that were named.",
                    where=where,
                    fix=f"Did you mean {guess!r}?" if guess else None,
                )
    return frame.with_columns(pl.Series("item", [renamed[n] for n in named])), known


def _refuse_two_dimensions(items: list[str], dimensions: list[str], where: str) -> None:
    found: dict[str, str] = {}
    for row, (item, dimension) in enumerate(zip(items, dimensions, strict=True), start=1):
        if found.setdefault(item, dimension) != dimension:
            raise UserError(
                f"the item {item!r} is of {found[item]!r} in one row and of {dimension!r} here.",
                where=f"{where}, row {row}, column 'dimension'",
            )


class _Asked:
    """What was asked, as matrices of experts and items."""

    def __init__(
        self, frame: pl.DataFrame, where: str, scale: Scale, items: Sequence[Item]
    ) -> None:
        self.scale = scale
        self.items = items
        self.where = where
        self.experts = list(dict.fromkeys(texts(frame, "expert")))
        self.warnings: list[str] = []
        self._row = {e: i for i, e in enumerate(self.experts)}
        self._column = {item.id: i for i, item in enumerate(items)}
        self._frame = frame
        self.relevance = self._ratings("relevance")
        self.others = {c: self._ratings(c) for c in ("priority", "translation") if self._has(c)}
        self.points = self._points() if self._has("rank") else {}
        self.flags, self.overlaps = self._flags()

    def silent(self) -> list[str]:
        """Return the experts who rated no item's relevance."""
        rated = np.isfinite(self.relevance).sum(axis=1)
        return [e for e, n in zip(self.experts, rated.tolist(), strict=True) if not n]

    def summary(self, item: Item, drawing: Drawing) -> ItemSummary:
        """Return what the panel said of one item."""
        at = self._column[item.id]
        ends = (float(self.scale.low), float(self.scale.high))
        draws = {"replicates": drawing.replicates, "seed": drawing.seed}
        results: dict[str, Result] = {}
        columns = {"": self.relevance} | {f"{c}_": m for c, m in self.others.items()}
        for prefix, ratings in columns.items():
            found = describe(
                ratings[:, at],
                at_least=self.scale.agrees_from,
                ends=ends,
                **draws,
                level=drawing.level,
            )
            results |= {f"{prefix}{name}": result for name, result in found.items()}
        if "translation" in self.others:
            results["translation_agreement_of_panel"] = agreement(
                self.others["translation"][:, at],
                at_least=self.scale.agrees_from,
                panel=self._took_part(),
                variant="paper",
                level=drawing.level,
            )
        if item.id in self.points:
            results["borda_points"] = self.points[item.id]
        if self.flags is not None:
            results["redundancy_flags"] = redundancy_flags(self.flags[:, at], level=drawing.level)
        group = {"item": item.id, "dimension": item.dimension}
        return ItemSummary(
            item=item,
            results={k: replace(r, name=k, group=group) for k, r in results.items()},
            overlaps=self.overlaps.get(item.id, {}),
            comments=self._said("comment", item.id),
            suggestions=self._said("suggestion", item.id),
        )

    def _took_part(self) -> int:
        rated = [self.relevance, *self.others.values()]
        return int(np.isfinite(np.concatenate(rated, axis=1)).any(axis=1).sum())

    def _has(self, column: str) -> bool:
        return any(not is_missing(v) for v in texts(self._frame, column))

    def _ratings(self, column: str) -> Floats:
        low, high = self.scale.low, self.scale.high
        return self._matrix(on_scale(self._frame, column, self.where, low, high))

    def _matrix(self, values: list[float]) -> Floats:
        experts, items = texts(self._frame, "expert"), texts(self._frame, "item")
        return matrix(values, experts, items, self._row, self._column)

    def _points(self) -> dict[str, Result]:
        ranks = self._matrix(on_scale(self._frame, "rank", self.where, 1, math.inf))
        found: dict[str, Result] = {}
        for dimension in dict.fromkeys(i.dimension for i in self.items):
            own = [i.id for i in self.items if i.dimension == dimension]
            part = ranks[:, [self._column[i] for i in own]]
            worst = float(np.max(part, where=np.isfinite(part), initial=0))
            if worst > len(own):
                raise UserError(
                    f"rank {worst:g} is none in {dimension}, which has {len(own)} items.",
                    where=f"{self.where}, column 'rank'",
                    fix="Rank the items of each dimension on their own, from 1.",
                )
            found |= dict(zip(own, borda(part), strict=True))
            partial = int((np.isfinite(part).any(axis=1) & ~np.isfinite(part).all(axis=1)).sum())
            if partial:
                self.warnings.append(
                    f"{dimension}: {partial} experts ranked only some of the items; their rankings "
                    "are left out."
                )
        return found

    def _flags(self) -> tuple[Floats | None, dict[str, Mapping[str, int]]]:
        """Return who flagged what, and the items that were named as overlapping."""
        if not self._has("redundant_with"):
            return None, {}
        answered = np.isfinite(self.relevance)
        values, named = [], {i.id: Counter[str]() for i in self.items}
        unknown: Counter[str] = Counter()
        for text, item in zip(
            texts(self._frame, "redundant_with"), texts(self._frame, "item"), strict=True
        ):
            flagged = not is_missing(text) and text.lower() not in _NOT_REDUNDANT
            values.append(1.0 if flagged else 0.0)
            if not flagged or text.lower() in _JUST_REDUNDANT:
                continue
            for other in filter(None, (part.strip() for part in re.split(r"[;,|]", text))):
                if other == item:
                    raise UserError(
                        f"{item!r} is said to be redundant with itself.",
                        where=f"{self.where}, column 'redundant_with'",
                    )
                if other in self._column:
                    named[item][other] += 1
                else:
                    unknown[other] += 1
        if unknown:
            some = ", ".join(repr(u) for u in list(unknown)[:3])
            self.warnings.append(
                f"Said to overlap, and no item of the round: {some}. The flags count all the same."
            )
        flags = self._matrix(values)
        # Who did not see the item was not asked whether it is redundant.
        flags[~answered & ~(flags > 0)] = math.nan
        overlaps: dict[str, Mapping[str, int]] = {
            k: dict(v.most_common()) for k, v in named.items()
        }
        return flags, overlaps

    def _said(self, column: str, item: str) -> tuple[str, ...]:
        pairs = zip(texts(self._frame, "item"), texts(self._frame, column), strict=True)
        return tuple(text for named, text in pairs if named == item and not is_missing(text))
