"""Making a study and opening its stages: from then on nothing under the raters changes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import polars as pl
from django.utils import timezone

from attunement import tables
from attunement.errors import UserError
from attunement.instruments.writing import to_yaml
from attunement.studies.audit import log
from attunement.studies.config import Known, StudyFile, read_study, study_instrument
from attunement.studies.holding import hold_people, writing
from attunement.studies.models import Assignment, Item, Response, Stage, Study
from attunement.studies.protocols import protocol_of


def make_study(source: str, folder: Path, *, demo: bool = False) -> Study:
    """Put a study into the empty database: items, answers, stages; and open the first stage.

    Parameters
    ----------
    source
        The study file's text.
    folder
        Where the study file lies; tables and instruments are looked for there.
    demo
        Whether pages say that this is a demonstration.

    Raises
    ------
    UserError
        Where the file, a table or the instrument is not valid.

    """
    described = read_study(source, where="study file")
    instrument = study_instrument(described, folder)
    with writing():
        study = Study.objects.create(
            key=described.id, source=source, last_day=described.closes, demo=demo
        )
        _load_tables(described, folder)
        _load_known(described)
        protocol_of(described).make_stages(study, described)
        study.stages.update(instrument=to_yaml(instrument))
        first = study.stages.get(position=0)
        open_stage(first, by="study new")
    return study


def open_stage(stage: Stage, *, by: str) -> None:
    """Freeze a stage and write its assignments, in one transaction.

    Raises
    ------
    UserError
        Where it is open already, or was closed.

    """
    described = read_study(stage.study.source, where="study file")
    with writing():
        hold_people()
        held = Stage.objects.select_for_update().get(pk=stage.pk)
        if held.opened_at is not None:
            raise UserError(f"the stage {held.key!r} is open already.", where=stage.study.key)
        protocol_of(described).open_stage(held, described)
        held.opened_at = timezone.now()
        held.digest = digest_of(held)
        held.save(update_fields=["opened_at", "digest"])
        log(by, "stage opened", stage=held.key, digest=held.digest)
    stage.refresh_from_db()


def digest_of(stage: Stage) -> str:
    """Return a hash of all that raters see in a stage: instrument, items, answers, orders."""
    asked = Assignment.objects.filter(stage=stage).exclude(item=None)
    items = Item.objects.filter(pk__in=asked.values("item_id")).order_by("pk")
    answers = Response.objects.filter(item__in=items).order_by("pk")
    content = [
        stage.instrument,
        list(items.values_list("item_id", "turns")),
        list(answers.values_list("response_id", "text")),
    ]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


def _load_tables(described: StudyFile, folder: Path) -> None:
    if described.items is None:
        return
    items = tables.read_table(folder / described.items, "items")
    made = Item.objects.bulk_create(
        Item(
            item_id=row["item_id"],
            topic=row["topic"],
            turns=row["turns"],
            failure_mode=row["failure_mode"],
            lang=row["lang"],
            meta=json.loads(row["meta"]) if row["meta"] else {},
        )
        for row in items.iter_rows(named=True)
    )
    if described.responses is None:
        return
    responses = tables.read_table(folder / described.responses, "responses")
    known = {item.item_id: item for item in made}
    strange = [id for id in responses["item_id"].unique(maintain_order=True) if id not in known]
    if strange:
        raise UserError(
            f"answers to {len(strange)} items that are not in the items table, such as "
            f"{strange[0]!r}.",
            where=str(described.responses),
        )
    told = responses.filter(pl.col("text").str.strip_chars().str.len_chars() > 0)
    Response.objects.bulk_create(
        Response(
            item=known[row["item_id"]],
            response_id=row["response_id"],
            sources=[row["source"]],
            text=row["text"],
        )
        for row in told.iter_rows(named=True)
    )


def _load_known(described: StudyFile) -> None:
    _known(described.training, "training")
    attention: tuple[Known, ...] = getattr(described.protocol, "attention", ())
    _known(attention, "attention")


def _known(given: tuple[Known, ...], kind: str) -> None:
    for one in given:
        item = Item.objects.create(
            item_id=f"{kind}-{one.id}", kind=kind, turns=[t.model_dump() for t in one.turns]
        )
        Response.objects.create(
            item=item,
            response_id=f"{kind}-{one.id}:answer",
            sources=[kind],
            text=one.answer,
            known=one.model_dump(mode="json", include={"expected", "tolerance", "feedback"}),
        )
