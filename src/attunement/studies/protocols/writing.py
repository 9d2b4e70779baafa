"""Write questions that tempt a model into a failure mode."""

from __future__ import annotations

import random
from typing import Any

from django.utils import translation
from django.utils.translation import gettext as _

from attunement.errors import UserError
from attunement.instruments import Dimension, Instrument, Source, TextScale
from attunement.instruments.form import build_form
from attunement.studies.asking import Unit
from attunement.studies.config import StudyFile, Write
from attunement.studies.models import Assignment, Stage
from attunement.studies.opened import described, instrument_of
from attunement.studies.participants import make_participants
from attunement.studies.protocols import ProtocolParts
from attunement.studies.protocols.staging import one_stage, pages_of

KEY = "write"
QUESTION = "question-"
"""Begins the names of the questions on a page: ``question-1``, ``question-2``, ..."""


def open_stage(stage: Stage, file: StudyFile) -> None:
    """Give every contributor a page for each failure mode, in an order of their own."""
    protocol = file.protocol
    assert isinstance(protocol, Write)
    instrument = instrument_of(stage)
    modes = modes_of(protocol, instrument)
    rng = random.Random(stage.seed)
    Assignment.objects.bulk_create(
        page
        for participant in make_participants(protocol.contributors, file)
        for page in pages_of(
            stage, participant, ({"mode": mode} for mode in rng.sample(modes, len(modes)))
        )
    )


def modes_of(protocol: Write, instrument: Instrument) -> list[str]:
    """Return the failure modes that questions are written for.

    Raises
    ------
    UserError
        Where a mode is no dimension of the instrument, or is named twice.

    """
    known = [d.id for d in instrument.dimensions]
    wrong = [mode for mode in protocol.modes if mode not in known]
    if wrong or len(set(protocol.modes)) < len(protocol.modes):
        said = f"no dimension {wrong[0]!r}" if wrong else "each dimension once"
        raise UserError(
            f"{instrument.name} has {said}.",
            where="protocol.modes",
            fix=f"Name some of {', '.join(known)}, each once.",
        )
    return list(protocol.modes) or known


def mode_of(assignment: Assignment) -> Dimension:
    """Return the failure mode of a page."""
    assert assignment.stage is not None, "pages of this protocol belong to its stage"
    return instrument_of(assignment.stage).dimension(assignment.prefill["mode"])


def units(assignment: Assignment) -> list[Unit]:
    """Return what a page asks: so many questions for one failure mode."""
    assert assignment.stage is not None, "pages of this protocol belong to its stage"
    study = described()
    assert isinstance(study.protocol, Write)
    mode = mode_of(assignment).id
    asked = questions(instrument_of(assignment.stage), study, study.protocol.per_mode)
    return [Unit("session", f"{assignment.participant.code}:{mode}", asked)]


def questions(about: Instrument, study: StudyFile, count: int) -> Instrument:
    """Return the form of a page: ``count`` free texts."""
    titles: dict[str, str] = {}
    labels: list[dict[str, str]] = [{} for number in range(count)]
    for language in study.languages:
        with translation.override(language):
            titles[language] = _("Questions to be written")
            for number, label in enumerate(labels, start=1):
                label[language] = _("Question %(number)s") % {"number": number}
    return Instrument(
        id=f"{about.id}-questions",
        version=about.version,
        title=titles,
        description=titles,
        unit="session",
        languages=study.languages,
        dimensions=tuple(
            Dimension(
                id=f"{QUESTION}{number}",
                label=label,
                wording=label,
                scale=TextScale(type="text"),
            )
            for number, label in enumerate(labels, start=1)
        ),
        source=Source(citation=study.id),
        license="the study's own",
    )


def context(assignment: Assignment) -> dict[str, Any]:
    """Return what the page shows of its failure mode, in the language of the page."""
    if assignment.stage is None:
        return {}
    instrument = instrument_of(assignment.stage)
    asked = [assignment.prefill["mode"]]
    form = build_form(instrument, translation.get_language(), dimensions=asked)
    return {"mode": form.fields[0]}


PARTS = ProtocolParts(one_stage(KEY), open_stage, units, "studies/write.html", context=context)
