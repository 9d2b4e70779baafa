"""A panel of experts settles in rounds which items a scale is to have: an eDelphi.

The procedure is that of CES-LCC (Bolpagni and Gabrielli 2025, Informatics 12, 33). Each round is a
stage whose instrument is the list of items. Between rounds the owner decides, on their own pages;
opening the next round freezes the items that thresholds and decisions leave.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.utils import timezone, translation
from django.utils.translation import gettext as _

from attunement.errors import UserError
from attunement.instruments.writing import to_yaml
from attunement.studies.asking import Unit
from attunement.studies.config import StudyFile
from attunement.studies.config_delphi import Delphi
from attunement.studies.links import alive
from attunement.studies.models import Answer, Assignment, Participant, Stage, Study
from attunement.studies.opened import described, instrument_of
from attunement.studies.participants import make_participants
from attunement.studies.protocols import ProtocolParts
from attunement.studies.protocols import delphi_questions as ask
from attunement.studies.protocols import delphi_rounds as rounds
from attunement.studies.protocols.delphi_files import texts
from attunement.studies.protocols.staging import pages_of, refuse_unfinished

END = ""
"""The part of a round's last page, which is about the whole scale."""


def make_stages(study: Study, file: StudyFile) -> None:
    """Make a stage for each round."""
    protocol = file.protocol
    assert isinstance(protocol, Delphi)
    Stage.objects.bulk_create(
        Stage(study=study, key=f"round-{n + 1}", position=n, seed=file.seed)
        for n in range(protocol.rounds)
    )


def open_stage(stage: Stage, file: StudyFile) -> None:
    """Write a page for each dimension and panellist; after the first round, settle the items.

    Raises
    ------
    UserError
        Where the round before is not over, or leaves no items.

    """
    protocol = file.protocol
    assert isinstance(protocol, Delphi)
    earlier = rounds.before(stage)
    if earlier is not None:
        if earlier.opened_at is None:
            raise UserError(f"{earlier.key} comes first.", where=stage.study.key)
        refuse_unfinished(earlier, "panellists")
        stage.instrument = to_yaml(rounds.revised(earlier, rounds.outcome_of(earlier)))
        Stage.objects.filter(pk=stage.pk).update(instrument=stage.instrument)
        # What the panel is shown of the round before cannot change any more
        Stage.objects.filter(pk=earlier.pk, closed_at=None).update(closed_at=timezone.now())
    people = make_participants(protocol.panel, file) if earlier is None else _panel()
    parts = [part.id for part in rounds.parts_of(instrument_of(stage))]
    Assignment.objects.bulk_create(
        page
        for person in people
        for page in pages_of(stage, person, ({"part": part} for part in (*parts, END)))
    )


def _panel() -> list[Participant]:
    """Return the same panel: whoever has not left."""
    return list(alive().order_by("pk"))


def part_of(assignment: Assignment) -> rounds.Part | None:
    """Return the dimension that a page is about; None for the last page of a round."""
    assert assignment.stage is not None, "pages of this protocol belong to a round"
    found = rounds.parts_of(instrument_of(assignment.stage))
    return next((p for p in found if p.id == assignment.prefill["part"]), None)


def units(assignment: Assignment) -> list[Unit]:
    """Return what a page asks: of each item, of their order, and what is missing."""
    stage = assignment.stage
    assert stage is not None, "a panel has no training"
    languages, number = described().languages, rounds.number_of(stage)
    part = part_of(assignment)
    asked = ask.proposals(stage.instrument, number, languages, last=part is None)
    name = f"{assignment.participant.code}:{stage.key}:{assignment.prefill['part'] or 'end'}"
    end = [Unit("session", name, asked)]
    if part is None:
        return end
    translated = _translated_for(assignment)
    about = [
        Unit(
            "item",
            id,
            ask.about_item(stage.instrument, id, number, languages, translated),
            item_id=id,
        )
        for id in part.items
    ]
    return [*about, *_order(part, stage, languages), *end]


def _order(part: rounds.Part, stage: Stage, languages: ask.Languages) -> list[Unit]:
    number, count = rounds.number_of(stage), len(part.items)
    if number == 1 or count < 2:
        return []
    return [
        Unit("item", id, ask.ranking(stage.instrument, id, number, languages, count), item_id=id)
        for id in part.items
    ]


def _translated_for(assignment: Assignment) -> str | None:
    """Return the language whose translation this panellist judges in this round, if any."""
    judged = rounds.the_protocol().translation
    assert assignment.stage is not None
    if judged is None or rounds.number_of(assignment.stage) == 1:
        return None
    native = Answer.objects.filter(
        assignment__participant_id=assignment.participant_id,
        assignment__kind="background",
        dimension=judged.native,
        status="ok",
        value=1,
    )
    return judged.language if native.exists() else None


def faults(assignment: Assignment) -> list[str]:
    """Return what is wrong with the order of the items, where each has a place."""
    if assignment.stage is None or assignment.kind != "main":
        return []
    part = part_of(assignment)
    given = [a.value for a in assignment.answers.all() if a.dimension == ask.RANK]
    twice = sorted(int(v) for v, n in Counter(v for v in given if v is not None).items() if n > 1)
    if part is None or not twice:
        return []
    places = ", ".join(map(str, twice))
    return [_("Two items cannot share a place in the order: %(places)s.") % {"places": places}]


def context(assignment: Assignment) -> dict[str, Any]:
    """Return what the page says around its questions."""
    stage = assignment.stage
    if stage is None:
        return {}
    language = translation.get_language() or described().language
    part = part_of(assignment)
    number = rounds.number_of(stage)
    return {
        "part": None if part is None else part.label[language],
        "round": number,
        "rounds": rounds.the_protocol().rounds,
        "gone": _gone(stage, part, language),
        "translated": _translated_for(assignment),
        "ranked": part is not None and number > 1 and len(part.items) > 1,
    }


def _gone(stage: Stage, part: rounds.Part | None, language: str) -> list[str]:
    """Return the wordings of the dimension's items that the round before left out.

    On a round's last page, those of the dimensions that are gone.
    """
    earlier = rounds.before(stage)
    if earlier is None:
        return []
    kept = set(rounds.ancestors(stage).values())
    there = {p.id for p in rounds.parts_of(instrument_of(stage))}
    instrument = instrument_of(earlier)
    old = rounds.parts_of(instrument)
    about = [p for p in old if (p.id not in there if part is None else p.id == part.id)]
    items = [id for p in about for id in p.items if id not in kept]
    return [instrument.dimension(id).wording[language] for id in items]


PARTS = ProtocolParts(
    make_stages,
    open_stage,
    units,
    "studies/delphi.html",
    faults=faults,
    context=context,
    files=texts,
)
