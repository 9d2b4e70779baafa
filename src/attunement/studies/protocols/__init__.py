"""The protocols: for each, its stages, who gets what, and what a page asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse

from attunement.studies.asking import Unit
from attunement.studies.config import StudyFile
from attunement.studies.models import Assignment, Participant, Stage, Study

Show = Callable[[HttpRequest, Participant, Assignment], HttpResponse | None]


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
    show
        Answers for a page that is no form, such as a chat; None for a page that is one.
    ready
        Whether a page can be left, once no question on it lacks an answer.
    faults
        What speaks against leaving such a page all the same, in the person's language.
    saved
        Called in the transaction of every save, with the page, the unit's id and the dimension's:
        what follows from an answer for others on the page.
    context
        What else the template of such a page gets.
    paged
        Whether the page's units come one a screen.
    files
        What an export holds beside the tables, by the file's name.

    """

    make_stages: Callable[[Study, StudyFile], None]
    open_stage: Callable[[Stage, StudyFile], None]
    units: Callable[[Assignment], list[Unit]]
    template: str
    show: Show | None = None
    ready: Callable[[Assignment], bool] = lambda assignment: True
    faults: Callable[[Assignment], list[str]] = lambda assignment: []
    saved: Callable[[Assignment, str, str], None] | None = None
    context: Callable[[Assignment], dict[str, Any]] = lambda assignment: {}
    paged: Callable[[Assignment], bool] = lambda assignment: False
    files: Callable[[], dict[str, str]] = dict


def protocol_of(study: StudyFile) -> ProtocolParts:
    """Return the parts of a study's protocol."""
    from attunement.studies.protocols import chatting, delphi, filtering, rate, writing

    known = {
        "rate": rate.PARTS,
        "filter-choose-annotate": filtering.PARTS,
        "chat-then-rate": chatting.PARTS,
        "write": writing.PARTS,
        "delphi": delphi.PARTS,
    }
    return known[study.protocol.type]
