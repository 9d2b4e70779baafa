"""What the owner's pages of a panel show of an item and of a round's outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attunement.delphi import Decision, Outcome, priorities
from attunement.stats.result import Result
from attunement.studies.asked import said
from attunement.studies.models import PanelDecision, Stage
from attunement.studies.opened import instrument_of
from attunement.studies.protocols import delphi_questions as ask
from attunement.studies.protocols import delphi_rounds as rounds
from attunement.studies.protocols.delphi_files import written
from attunement.studies.protocols.delphi_said import Bars, bars


@dataclass(frozen=True)
class Row:
    """An item as pages list it."""

    id: str
    label: str
    wording: str
    dimension: str
    decision: Decision
    pictures: tuple[Bars, ...]
    comments: int
    own: PanelDecision | None

    @property
    def proposed(self) -> str:
        """What the thresholds alone say."""
        return self.decision.by_rule

    @property
    def settled(self) -> str:
        """What becomes of it."""
        return self.own.action if self.own is not None else self.decision.action


_NAMES = {
    "agreement": "agree (4 or 5)",
    "mean": "mean relevance",
    "sd": "s.d. of relevance",
    "median": "median relevance",
    "iqr": "IQR of relevance",
    "priority_mean": "mean priority",
    "translation_mean": "mean translation",
    "redundancy_flags": "flags of redundancy",
    "borda_points": "Borda points",
}


def result(stage: Stage, outcome: Outcome | None) -> dict[str, Any]:
    """Return what the page says of the latest outcome."""
    assert outcome is not None
    instrument = instrument_of(stage)
    names = {part.id: said(part.label) for part in rounds.parts_of(instrument)}
    names.update(
        (row.dimension, said(row.label))
        for row in PanelDecision.objects.filter(stage=stage, item="")
        if row.label
    )
    place = priorities(outcome)
    parts: dict[str, list[tuple[str, str, int | None]]] = {}
    for one in outcome.items:
        name = names.get(one.dimension, one.dimension)
        parts.setdefault(name, []).append((one.id, said(one.wording), place.get(one.id)))
    moved = [
        (id or "all items", found.unchanged, found.kappa) for id, found in outcome.stability.items()
    ]
    return {
        "stage": stage,
        "number": rounds.number_of(stage),
        "parts": parts,
        "items": len(outcome.items),
        "moved": moved,
        "warnings": outcome.warnings,
    }


def rows_of(stage: Stage, outcome: Outcome) -> list[Row]:
    """Return the items of a round, each with its pictures and what is decided."""
    instrument = instrument_of(stage)
    parts = {part.id: part for part in rounds.parts_of(instrument)}
    own = {row.item: row for row in PanelDecision.objects.filter(stage=stage).exclude(item="")}
    texts = [a.unit_id for a in written(stage)]
    table = rounds.round_table(stage)
    rows = []
    for decision in outcome.decisions:
        one = decision.item
        given = table.filter(item=one.id)
        pictures = []
        for kind in (ask.RELEVANCE, ask.PRIORITY, ask.RANK, ask.TRANSLATION):
            values = given[kind].drop_nulls().to_list()
            most = ask.HIGH if kind != ask.RANK else len(parts[one.dimension].items)
            if values:
                pictures.append(bars(kind, values, most))
        rows.append(
            Row(
                one.id,
                said(instrument.dimension(one.id).label),
                said(one.wording),
                said(parts[one.dimension].label),
                decision,
                tuple(pictures),
                texts.count(one.id),
                own.get(one.id),
            )
        )
    return rows


def facts(decision: Decision) -> list[tuple[str, Result, float]]:
    """Return the statistics that pages show, shares as per cent."""
    results = decision.summary.results
    return [
        (words, results[name], results[name].estimate * (100 if name == "agreement" else 1))
        for name, words in _NAMES.items()
        if name in results
    ]
