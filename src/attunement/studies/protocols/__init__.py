"""The protocols: for each, its stages, who gets what, and what a page asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attunement.studies.asking import Unit
from attunement.studies.config import StudyFile
from attunement.studies.models import Assignment, Stage, Study


@dataclass(frozen=True)
class ProtocolParts:
    """What the rest of the app needs of a protocol.

    Parameters
    ----------
    make_stages
        Makes the study's stages, none of them open; called once, when the study is made.
    open_stage
        Writes participants, where there are none, and the stage's assignments; called inside one
        transaction, with the stage frozen.
    units
        What an assignment of this protocol asks.
    template
        The template of its pages, which get ``assignment``, ``units`` and ``turns``.

    """

    make_stages: Callable[[Study, StudyFile], None]
    open_stage: Callable[[Stage, StudyFile], None]
    units: Callable[[Assignment], list[Unit]]
    template: str


def protocol_of(study: StudyFile) -> ProtocolParts:
    """Return the parts of a study's protocol."""
    from attunement.studies.protocols import rate

    known = {"rate": rate.PARTS}
    return known[study.protocol.type]
