"""Eliminate answers that do not fit, choose the best of the rest, annotate what anyone chose.

Vanel et al. (2024), arXiv:2412.04492, section IV-C. The first stage asks of every answer whether it
stays, and of every item which of those kept are best. The second is opened when the first is over:
it asks the finer questions of the answers that at least one rater chose, with dialogue acts marked
beforehand for the rater to correct.
"""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
from django.utils import timezone

from attunement.errors import UserError
from attunement.instruments import BooleanScale, Instrument, parse_instrument
from attunement.studies.asking import Unit, response_units
from attunement.studies.assignment import assign
from attunement.studies.audit import log
from attunement.studies.config import FilterChooseAnnotate, StudyFile
from attunement.studies.holding import hold_pages
from attunement.studies.merging import merge_duplicates
from attunement.studies.models import Assignment, Item, Response, Stage, Study
from attunement.studies.opened import described, instrument_of
from attunement.studies.protocols import ProtocolParts
from attunement.studies.protocols.filtering_choice import (
    KEEP,
    choosing,
    faults_of,
    follow_up,
    option,
    said_on,
)
from attunement.studies.protocols.filtering_marks import propose
from attunement.studies.protocols.staging import refuse_unfinished, write_slots

FILTER, ANNOTATE = "filter", "annotate"
"""The stages, and the steps of the instrument that they ask."""
DRAWN = "annotate"
"""The key of an item's ``meta`` that says that the item was drawn for annotation."""


def make_stages(study: Study, file: StudyFile) -> None:
    """Merge equal answers and make the two stages.

    Raises
    ------
    UserError
        Where the numbers do not go together.

    """
    protocol = _protocol(file)
    items = Item.objects.filter(kind="main").count()
    for key in ("raters_per_item", "annotators_per_item"):
        wanted = getattr(protocol, key)
        if wanted > protocol.raters:
            raise UserError(
                f"{protocol.raters} raters cannot give each item {wanted} different ones.",
                where=f"protocol.{key}",
                fix=f"Take at least {wanted} raters, or fewer an item.",
            )
    if protocol.annotate_items is not None and protocol.annotate_items > items:
        raise UserError(
            f"{protocol.annotate_items} items cannot be drawn from {items}.",
            where="protocol.annotate_items",
            fix="Leave it out to annotate all items.",
        )
    merged = merge_duplicates()
    log("study new", "equal answers merged", count=merged)
    for place, key in enumerate((FILTER, ANNOTATE)):
        Stage.objects.create(study=study, key=key, step=key, position=place, seed=file.seed + place)


def open_stage(stage: Stage, file: StudyFile) -> None:
    """Write who filters what, or who annotates what was chosen.

    Raises
    ------
    UserError
        Where the instrument has not the steps, or somebody has yet to finish filtering.

    """
    if stage.key == FILTER:
        _open_filter(stage, file)
    else:
        _open_annotate(stage, file)


def _open_filter(stage: Stage, file: StudyFile) -> None:
    protocol = _protocol(file)
    _refuse_unfit(parse_instrument(stage.instrument, where="stage"))
    answers: dict[str, list[str]] = {}
    rows = Response.objects.filter(item__kind="main").order_by("pk")
    for item_id, response_id in rows.values_list("item__item_id", "response_id"):
        answers.setdefault(item_id, []).append(response_id)
    _write(stage, file, answers, protocol.raters_per_item)


def _refuse_unfit(instrument: Instrument) -> None:
    lacking = {FILTER, ANNOTATE} - {step.id for step in instrument.steps}
    if lacking:
        raise UserError(
            f"{instrument.name} has no step {min(lacking)!r}.",
            where="protocol.instrument",
            fix="Use socio-emotional, or an instrument with the steps filter and annotate.",
        )
    asked = instrument.step(FILTER).dimensions
    keep = next((d for d in asked if d.id == KEEP), None)
    if keep is None or not keep.required or not isinstance(keep.scale, BooleanScale):
        raise UserError(
            f"the step {FILTER!r} of {instrument.name} does not ask {KEEP!r} as a required yes or "
            "no.",
            where="protocol.instrument",
        )
    if keep.scale.missing:
        raise UserError(
            f"{KEEP!r} of {instrument.name} can be left open, and an answer either stays or goes.",
            where="protocol.instrument",
            fix="Take not_sure and not_applicable out of its scale.",
        )


def _open_annotate(stage: Stage, file: StudyFile) -> None:
    protocol = _protocol(file)
    before = Stage.objects.get(study=stage.study, key=FILTER)
    # Saves that are under way count; from now on the choices cannot change under those who
    # annotate them
    hold_pages(Assignment.objects.filter(stage=before).values_list("pk", flat=True))
    refuse_unfinished(before, "raters")
    drawn = _draw(stage, before, protocol.annotate_items)
    chosen = {id: rows for id, rows in _union(before, drawn).items() if rows}
    Stage.objects.filter(pk=before.pk, closed_at=None).update(closed_at=timezone.now())
    log("study", "items drawn for annotation", items=drawn, answers=sum(map(len, chosen.values())))
    if not chosen:
        return
    pages = _write(stage, file, chosen, protocol.annotators_per_item)
    propose(pages, instrument_of(stage), file.language)


def _draw(stage: Stage, before: Stage, count: int | None) -> list[str]:
    """Return the items to annotate and mark them as drawn: all contexts of the scores."""
    asked = Item.objects.filter(assignment__stage=before).distinct().order_by("pk")
    items = list(asked)
    if count is not None and count < len(items):
        places = np.random.default_rng(stage.seed).choice(len(items), count, replace=False)
        items = [items[place] for place in sorted(places)]
    for item in items:
        item.meta = {**item.meta, DRAWN: True}
    Item.objects.bulk_update(items, ["meta"])
    return [item.item_id for item in items]


def _union(stage: Stage, items: list[str]) -> dict[str, list[str]]:
    """Return the answers of each item that anyone chose, on a page that was finished."""
    pages = (
        Assignment.objects.filter(stage=stage, item__item_id__in=items)
        .exclude(done_at=None)
        .prefetch_related("answers")
    )
    picked: set[str] = set()
    for page in pages:
        kept, chosen = said_on(page)
        picked |= kept & set(chosen or ())
    found: dict[str, list[str]] = {item: [] for item in items}
    rows = Response.objects.filter(response_id__in=picked).order_by("pk")
    for item_id, response_id in rows.values_list("item__item_id", "response_id"):
        found[item_id].append(response_id)
    return found


def _write(
    stage: Stage, file: StudyFile, answers: dict[str, list[str]], per_item: int
) -> list[Assignment]:
    """Write the stage's pages; where items are few, some raters have none."""
    raters = _protocol(file).raters
    busy = min(raters, len(answers) * per_item)
    slots = assign(answers, raters_per_item=per_item, raters=busy, seed=stage.seed)
    return write_slots(stage, file, slots, raters)


def units(assignment: Assignment) -> list[Unit]:
    """Return the answers of a page, and behind those to filter the choice among them."""
    stage = assignment.stage
    assert stage is not None, "pages of this protocol belong to its stages"
    asked = instrument_of(stage)
    answers = response_units(assignment, asked)
    if stage.key == ANNOTATE:
        return [_prefilled(unit, assignment) for unit in answers]
    assert assignment.item is not None, "pages of this protocol are about an item"
    most = _protocol(described()).choose
    return [
        *answers,
        Unit(
            "item",
            assignment.item.item_id,
            choosing(asked, most, len(answers)),
            item_id=assignment.item.item_id,
            aliases={option(place): unit.unit_id for place, unit in enumerate(answers)},
        ),
    ]


def _prefilled(unit: Unit, assignment: Assignment) -> Unit:
    marks = assignment.prefill.get(unit.unit_id, {})
    values = {f"{id}.offsets": [json.dumps(rows)] for id, rows in marks.items()}
    return replace(unit, prefill=values)


def faults(assignment: Assignment) -> list[str]:
    """Return what is wrong with a page on which nothing is missing."""
    if assignment.stage is None or assignment.stage.key != FILTER:
        return []
    return faults_of(assignment, _protocol(described()).choose)


def _protocol(file: StudyFile) -> FilterChooseAnnotate:
    assert isinstance(file.protocol, FilterChooseAnnotate)
    return file.protocol


def _one_a_screen(assignment: Assignment) -> bool:
    return assignment.stage is not None and assignment.stage.key == ANNOTATE


PARTS = ProtocolParts(
    make_stages,
    open_stage,
    units,
    "studies/filter.html",
    faults=faults,
    saved=follow_up,
    paged=_one_a_screen,
)
