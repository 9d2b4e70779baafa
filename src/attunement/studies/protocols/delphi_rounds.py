"""The rounds of a panel as `attunement.delphi` has them: what was said, decided, and comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from attunement.delphi import (
    Drawing,
    Item,
    NewItem,
    Outcome,
    OwnerDecision,
    PanelRound,
    Thresholds,
    decide,
    instrument_of,
    read_round,
    stability,
)
from attunement.delphi.items import items_of_instrument
from attunement.errors import UserError
from attunement.instruments import Instrument, Words
from attunement.stats.stability import Stability
from attunement.studies.config_delphi import Delphi
from attunement.studies.models import Answer, Assignment, PanelDecision, Stage
from attunement.studies.opened import described
from attunement.studies.opened import instrument_of as asked_in
from attunement.studies.protocols import delphi_questions as ask

QUICK = Drawing(replicates=0)
"""Without bootstrap intervals, for pages that somebody waits for."""


@dataclass(frozen=True)
class Part:
    """A dimension of the round: its id, name, and items."""

    id: str
    label: Words
    items: tuple[str, ...]


def the_protocol() -> Delphi:
    """Return the study's protocol."""
    protocol = described().protocol
    assert isinstance(protocol, Delphi), "asked of a panel only"
    return protocol


def number_of(stage: Stage) -> int:
    """Return which round a stage is, from 1."""
    return stage.position + 1


def before(stage: Stage) -> Stage | None:
    """Return the round before."""
    return Stage.objects.filter(study_id=stage.study_id, position=stage.position - 1).first()


def after(stage: Stage) -> Stage | None:
    """Return the round after."""
    return Stage.objects.filter(study_id=stage.study_id, position=stage.position + 1).first()


def parts_of(instrument: Instrument) -> list[Part]:
    """Return the dimensions of an item list in their order; items of none make one of their own."""
    found = [Part(s.id, s.label, s.dimensions) for s in instrument.subscales]
    held = {id for part in found for id in part.items}
    rest = tuple(d.id for d in instrument.dimensions if d.id not in held)
    return [*found, Part(instrument.id, instrument.title, rest)] if rest else found


def complete(stage: Stage):  # type: ignore[no-untyped-def]
    """Return the round's pages that were finished: these count."""
    return Assignment.objects.filter(stage=stage, kind="main", done_at__isnull=False)


def round_table(stage: Stage) -> pl.DataFrame:
    """Return what the panel said as `attunement delphi analyze` reads it.

    One row an expert and item of the pages that were finished: ``expert``, ``item``, ``dimension``,
    ``round``, ``relevance``, ``priority``, ``rank``, ``redundant_with`` (``no`` where no overlap
    was named), ``translation``, ``comment``, ``suggestion``, and the wordings ``item_en``, ...
    """
    instrument = asked_in(stage)
    parts = {part.id: part for part in parts_of(instrument)}
    number = number_of(stage)
    flagged = number > 1 and len(instrument.dimensions) >= ask.FEWEST_TO_OVERLAP
    rows: list[dict[str, Any]] = []
    pages = complete(stage).select_related("participant").prefetch_related("answers")
    for page in pages.order_by("participant__code", "position"):
        part = parts.get(page.prefill.get("part", ""))
        said = {(a.unit_id, a.dimension): a for a in page.answers.all()}
        for id in part.items if part is not None else ():
            rows.append(
                {
                    "expert": page.participant.code,
                    "item": id,
                    "dimension": part.id if part is not None else "",
                    "round": number,
                    **_row(id, said, flagged=flagged),
                    **{f"item_{k}": v for k, v in instrument.dimension(id).wording.items()},
                }
            )
    numbers = ("round", ask.RELEVANCE, ask.PRIORITY, ask.RANK, ask.TRANSLATION)
    names = ["expert", "item", "dimension", "round", *_row("", {}, flagged=False)]
    names += [f"item_{code}" for code in instrument.languages]
    schema = {name: pl.Int64() if name in numbers else pl.String() for name in names}
    return pl.DataFrame(rows, schema=schema)


def _row(id: str, said: Mapping[tuple[str, str], Answer], *, flagged: bool) -> dict[str, Any]:
    def value(dimension: str) -> int | None:
        answer = said.get((id, dimension))
        return None if answer is None or answer.value is None else int(answer.value)

    def text(dimension: str) -> str | None:
        answer = said.get((id, dimension))
        return None if answer is None or not answer.labels else answer.labels[0]

    overlaps = said.get((id, ask.REDUNDANT))
    named = overlaps.labels if overlaps is not None and overlaps.labels else []
    return {
        ask.RELEVANCE: value(ask.RELEVANCE),
        ask.PRIORITY: value(ask.PRIORITY),
        ask.RANK: value(ask.RANK),
        "redundant_with": ";".join(named) or ("no" if flagged else None),
        ask.TRANSLATION: value(ask.TRANSLATION),
        ask.COMMENT: text(ask.COMMENT),
        ask.SUGGESTION: text(ask.SUGGESTION),
    }


def panel_round(stage: Stage, drawing: Drawing = QUICK) -> PanelRound:
    """Return the statistics of a round.

    Raises
    ------
    UserError
        Where nobody has finished a page of it.

    """
    table = round_table(stage)
    if not table.height:
        raise UserError(f"nobody has finished a page of {stage.key}.", where=stage.study.key)
    return read_round(
        table, stage.key, number=number_of(stage), items=items_of(stage), drawing=drawing
    )


def items_of(stage: Stage) -> list[Item]:
    """Return the items of a round, by dimension."""
    instrument = asked_in(stage)
    found = {item.id: item for item in items_of_instrument(instrument)}
    return [found[id] for part in parts_of(instrument) for id in part.items]


def thresholds() -> Thresholds:
    """Return when an item stays in this study."""
    given = the_protocol().thresholds
    return Thresholds(given.agreement, given.mean, given.iqr, given.redundancy)


def as_decision(row: PanelDecision) -> OwnerDecision:
    """Return a decision of the owner as `attunement.delphi` has it."""
    quoted = row.rests_on.labels[0] if row.rests_on is not None and row.rests_on.labels else None
    return OwnerDecision(
        action=row.action,
        item=row.item or None,
        dimension=row.dimension or None,
        label=row.label or None,
        reason=row.reason,
        comment=quoted,
        into=tuple(NewItem.model_validate(new) for new in row.into),
    )


def decided(stage: Stage) -> list[OwnerDecision]:
    """Return the owner's decisions after a round."""
    rows = PanelDecision.objects.filter(stage=stage).select_related("rests_on")
    return [as_decision(row) for row in rows]


def outcome_of(
    stage: Stage, *, drawing: Drawing = QUICK, owner: Sequence[OwnerDecision] | None = None
) -> Outcome:
    """Return what the thresholds and the owner make of a round, with the stability of the panel.

    Raises
    ------
    UserError
        Where nobody has finished a page, or the decisions do not go together.

    """
    found = decide(
        panel_round(stage, drawing),
        thresholds=thresholds(),
        minimum=the_protocol().minimum,
        owner=decided(stage) if owner is None else owner,
    )
    return replace(found, stability=stability_of(stage, found.round))


def revised(stage: Stage, outcome: Outcome) -> Instrument:
    """Return the item list that a round leaves, as an instrument that can be used at once.

    Raises
    ------
    UserError
        Where nothing is left, or the items do not make an instrument.

    """
    return instrument_of(outcome, base=asked_in(stage)).instrument


def ancestors(stage: Stage) -> dict[str, str]:
    """Return for each item of a round the item of the round before that it comes from.

    It is the same item, or the one that was reworded or split; new items are not there.
    """
    earlier = before(stage)
    if earlier is None:
        return {}
    old = {d.id for d in asked_in(earlier).dimensions}
    made = {
        new_id: own.item
        for own in decided(earlier)
        if own.item is not None
        for new_id in _new_ids(own)
    }
    now = [d.id for d in asked_in(stage).dimensions]
    found = {id: made.get(id, id if id in old else None) for id in now}
    return {id: origin for id, origin in found.items() if origin is not None}


def _new_ids(own: OwnerDecision) -> list[str]:
    # Ids that the owner left open are filled in when the decision is stored
    return [new.id or own.item or "" for new in own.into]


def stability_of(stage: Stage, now: PanelRound) -> Mapping[str, Stability]:
    """Return how far relevance moved since the round before, on items whose wording is the same.

    Empty for a first round, and where no item or expert is in both.
    """
    earlier = before(stage)
    if earlier is None:
        return {}
    wordings = {i.id: dict(i.wording) for i in items_of(earlier)}
    same = [i.id for i in now.items if wordings.get(i.id) == dict(i.wording)]
    try:
        return stability(panel_round(earlier), _only(now, same), replicates=0)
    except UserError:
        return {}


def _only(panel: PanelRound, ids: Sequence[str]) -> PanelRound:
    """Return a round with some of its items."""
    places = [place for place, item in enumerate(panel.items) if item.id in ids]
    relevance = None if panel.relevance is None else np.asarray(panel.relevance)[:, places]
    summaries = tuple(panel.summaries[place] for place in places)
    return replace(panel, summaries=summaries, relevance=relevance)
