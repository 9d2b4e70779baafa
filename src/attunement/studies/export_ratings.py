"""Answers as rows of the ratings table, in batches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from attunement import tables
from attunement.studies.asking import Unit, units_of
from attunement.studies.credit import Owner, all_owners, expanded
from attunement.studies.models import Adjudication, Answer, Assignment, Item, Response, Stage
from attunement.studies.opened import instrument_of
from attunement.studies.saving import PARTIAL

RATED = ("main", "repeat")
KNOWN = ("training", "attention")
ASKED = ("background", "closing")

BATCH = 200
"""Pages whose answers are in memory at a time."""

CONSENSUS = "consensus"
"""The ``rater`` of what was settled where raters differ."""

_SPANS = tables.SCHEMAS["ratings"]["spans"]
_ROUND = re.compile(r"-(\d{1,4})$")


def rating_batches(
    kinds: Sequence[str], study: str, *, finished: bool | None = None
) -> Iterator[pl.DataFrame]:
    """Return the ratings given on pages of some kinds, a frame a batch, by rater and place.

    Answers that were begun and never given have no row; what people withdrew is not there any more.
    A response that stands for equal ones of other sources has a row for each of these. The page's
    visible time is spread evenly over its rows of one source, so that they add up to it again.

    Parameters
    ----------
    kinds
        Of `Assignment`.
    study
        The study's id, for the signature.
    finished
        Only from pages that were finished, or only from others; by default from all.

    """
    owners = all_owners()
    wanted = Assignment.objects.filter(kind__in=kinds)
    if finished is not None:
        wanted = wanted.filter(done_at__isnull=not finished)
    pages = (
        wanted.select_related("stage", "item", "participant")
        .prefetch_related("answers")
        .order_by("participant__code", "position")
    )
    rows: list[dict[str, Any]] = []
    for count, page in enumerate(pages.iterator(chunk_size=BATCH), start=1):
        rows += _rows_of(page, owners, study)
        if count % BATCH == 0 and rows:
            yield _frame(rows)
            rows = []
    if rows:
        yield _frame(rows)


def adjudications(study: str) -> pl.DataFrame:
    """Return what was settled where raters differ, as ratings of the rater ``consensus``.

    It has the rows that the ratings it settles have: one for each source of an answer that stands
    for equal ones.
    """
    owners = all_owners()
    rows: list[dict[str, Any]] = []
    for settled in Adjudication.objects.select_related("stage").order_by("pk"):
        stored = Answer(
            dimension=settled.dimension,
            value=settled.value if settled.status == "ok" else None,
            labels=settled.labels,
            status=settled.status,
            rationale=settled.note or None,
            saved_at=settled.at,
        )
        shared = {
            "rater": CONSENSUS,
            "rater_kind": "human",
            "replicate": 0,
            "round": round_of(settled.stage),
            "signature": signature(study, settled.stage),
        }
        rows += _of_answer(stored, _settled_unit(settled), shared, owners)
    return _frame(rows) if rows else tables.empty("ratings")


def _settled_unit(settled: Adjudication) -> Unit:
    """Return what was settled on, as the pages have it that ask about it."""
    id, stage = settled.unit_id, settled.stage
    pages = Assignment.objects.filter(stage=stage)
    asked = pages.filter(answers__unit_id=id, answers__dimension=settled.dimension).first()
    if asked is not None:
        return next(unit for unit in units_of(asked) if unit.unit_id == id)
    # Whoever answered has withdrawn it since
    instrument = instrument_of(stage)
    of = Response.objects.filter(response_id=id).values_list("item__item_id", flat=True).first()
    if of is None and Item.objects.filter(item_id=id).exists():
        return Unit("item", id, instrument, item_id=id)
    return Unit(instrument.unit, id, instrument, item_id=of)


def round_of(stage: Stage | None) -> int:
    """Return the round of a stage: the number that its key ends in, as in ``rate-2``; else 1."""
    found = None if stage is None else _ROUND.search(stage.key)
    return 1 if found is None else int(found[1])


def signature(study: str, stage: Stage | None) -> str:
    """Return what tells where ratings come from: study, stage, and what the stage froze."""
    from importlib.metadata import version

    said = ["study", f"version:{version('attunement')}", f"study:{study}"]
    if stage is not None:
        said += [f"stage:{stage.key}", f"seed:{stage.seed}", f"digest:{stage.digest[:16]}"]
    return "|".join(said)


def _rows_of(
    page: Assignment, owners: Mapping[str, list[Owner]], study: str
) -> list[dict[str, Any]]:
    given = [a for a in page.answers.all() if a.status != PARTIAL]
    if not given:
        return []
    units = {unit.unit_id: unit for unit in units_of(page)}
    given = [a for a in given if a.unit_id in units]
    shared = {
        "rater": page.participant.code,
        "rater_kind": "human",
        "replicate": int(page.kind == "repeat"),
        "round": round_of(page.stage),
        "seconds": page.seconds / len(given) if given and page.seconds else None,
        "signature": signature(study, page.stage),
    }
    return [
        row
        for answer in sorted(given, key=lambda a: a.pk)
        for row in _of_answer(answer, units[answer.unit_id], shared, owners)
    ]


def _of_answer(
    answer: Answer, unit: Unit, shared: Mapping[str, Any], owners: Mapping[str, list[Owner]]
) -> Iterator[dict[str, Any]]:
    labels = answer.labels
    if labels is not None and unit.kind == "item":
        labels = expanded(labels, owners)  # of a choice the value stays how many were chosen
    same: Sequence[tuple[str, str | None]] = [(unit.unit_id, unit.source)]
    if unit.kind == "response":
        same = owners.get(unit.unit_id, same)
    for id, source in same:
        yield {
            **shared,
            "unit": unit.kind,
            "unit_id": id,
            "item_id": unit.item_id,
            "source": source,
            "instrument": unit.instrument.name,
            "dimension": answer.dimension,
            "value": answer.value,
            "labels": labels,
            "status": answer.status,
            "spans": answer.spans,
            "rationale": answer.rationale,
            "created_at": answer.saved_at,
        }


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=tables.SCHEMAS["ratings"])
