"""The one path by which anything is saved: consent apart, every answer of every phase takes it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext

from attunement.decoding import decode_json
from attunement.instruments import Dimension, SpansScale
from attunement.instruments.answers import Answer as Given
from attunement.instruments.answers import read_answers
from attunement.instruments.form import NONE_VALUE, STATUS_VALUE
from attunement.quotes import Quote, Span, locate
from attunement.studies.asking import Unit, missing, units_of
from attunement.studies.holding import Refused, hold_open_page, writing
from attunement.studies.models import Answer, Assignment, Change
from attunement.studies.opened import described
from attunement.studies.protocols import protocol_of

Posted = Mapping[str, Sequence[str]]

LONGEST_TEXT = 20_000
"""Code points of one free text; longer ones are refused rather than cut."""
MOST_SPANS = 200
MOST_SECONDS = 3_600.0
"""One save cannot add more visible time than this."""


PARTIAL: Any = "partial"
"""The status of an answer that was begun: a reason or passages, and no choice yet."""


@dataclass(frozen=True)
class Saved:
    """A save that is in the database.

    ``repeated`` says that the same save had arrived before; ``before`` and ``version`` are the
    page's versions before and after it, so that a window sees what another one saved in between.
    """

    at: str
    repeated: bool = False
    before: int = 0
    version: int = 0


def version_of(assignment: Assignment) -> int:
    """Return a number that grows with every save of a page."""
    last = Change.objects.filter(assignment=assignment).order_by("-pk").values_list("pk").first()
    return 0 if last is None else int(last[0])


def save(
    assignment: Assignment,
    place: int,
    dimension_id: str,
    posted: Posted,
    *,
    client: str,
    seconds: float = 0.0,
) -> Saved:
    """Save the answer to one question, or take it back where nothing is chosen any more.

    Parameters
    ----------
    assignment
        Of the participant who answers; that is for the caller to make sure.
    place
        Of the unit on this participant's page, from 0.
    dimension_id
        The question.
    posted
        The form's values by control name. ``<dimension>.offsets`` may hold marked passages as a
        JSON list of ``[start, end, label]`` in code points.
    client
        The sender's id for this save: the same id again is the same save.
    seconds
        How long the page was visible since the last save.

    Raises
    ------
    Refused
        Where the question is not this assignment's, the answer does not fit it, or the page takes
        nothing any more.

    """
    study = described()
    units = units_of(assignment)
    if not 0 <= place < len(units):
        raise Refused("there is no such answer on this page")
    unit = units[place]
    dimension = next((d for d in unit.instrument.dimensions if d.id == dimension_id), None)
    if dimension is None:
        raise Refused("there is no such question on this page")
    if not client or len(client) > 40 or "\x00" in client:
        raise Refused("the save has no id")
    fields = _fields(unit, dimension, posted)
    now = timezone.now()
    where: dict[str, Any] = {
        "assignment_id": assignment.pk,
        "unit_id": unit.unit_id,
        "dimension": dimension.id,
    }
    more = seconds_of(seconds)
    with writing():
        # Held from here on, so that saves of two tabs follow one another, and none a withdrawal
        page = hold_open_page(assignment.pk, client)
        if page.saved:
            return Saved(now.isoformat(), repeated=True, version=page.version)
        Assignment.objects.filter(pk=assignment.pk).update(seconds=F("seconds") + more)
        if fields is None:
            Answer.objects.filter(**where).delete()
            change = Change.objects.create(**where, client=client, saved_at=now, status="cleared")
        else:
            Answer.objects.bulk_create(
                [Answer(**where, **fields, saved_at=now)],
                update_conflicts=True,
                unique_fields=["assignment", "unit_id", "dimension"],
                update_fields=[*fields, "saved_at"],
            )
            change = Change.objects.create(**where, **fields, client=client, saved_at=now)
        version = change.pk
        follow_up = protocol_of(study).saved
        if assignment.stage_id is not None and follow_up is not None:
            follow_up(assignment, unit.unit_id, dimension.id)
            version = version_of(assignment)
        if page.done and _is_unfinished(assignment.pk, units):
            Assignment.objects.filter(pk=assignment.pk).update(done_at=None)
    return Saved(now.isoformat(), before=page.version, version=version)


def _is_unfinished(pk: int, units: list[Unit]) -> bool:
    """Return whether what had to be answered was taken back, or answers go together no more."""
    page = Assignment.objects.get(pk=pk)
    return bool(missing(page, units) or protocol_of(described()).faults(page))


def number_of(sent: str) -> int | None:
    """Return a number of a place or turn that was sent; None where it is none, or far too long."""
    return int(sent) if sent.isascii() and sent.isdigit() and len(sent) < 10 else None


def seconds_of(sent: str | float) -> float:
    """Return a visible time that was sent: 0 where it is no number, and never more than an hour."""
    try:
        seconds = float(sent)
    except ValueError:
        return 0.0
    return min(seconds, MOST_SECONDS) if seconds > 0 else 0.0  # NaN is not greater


def _fields(unit: Unit, dimension: Dimension, posted: Posted) -> dict[str, Any] | None:
    """Return the columns of an answer, None where nothing is chosen."""
    if any(len(text) > LONGEST_TEXT for texts in posted.values() for text in texts):
        raise Refused(
            gettext("A text is longer than %(most)d characters.") % {"most": LONGEST_TEXT}
        )
    if any("\x00" in text for texts in posted.values() for text in texts):
        raise Refused(gettext("A text holds a character that cannot be stored."))
    asked = unit.instrument.model_copy(
        update={
            "dimensions": (dimension.model_copy(update={"required": False}),),
            "steps": (),
            "subscales": (),
        }
    )
    marked = _marked(unit, dimension, posted)
    read = dict(posted)
    if marked is not None and isinstance(dimension.scale, SpansScale):
        for option in dimension.scale.options:
            read[f"{dimension.id}.spans.{option.id}"] = [
                span.text for span in marked if span.label == option.id
            ]
    answers, wrong = read_answers(asked, read)
    if wrong:
        why = wrong[dimension.id]
        raise Refused(gettext("This answer does not fit the question: %(why)s.") % {"why": why})
    given = answers.get(dimension.id)
    quotes = given.quotes if given is not None else ()
    # Each is looked up in the whole text: thousands of them would keep the server busy
    if len(quotes) > MOST_SPANS:
        raise Refused(_too_many_spans())
    if given is None:
        given = _begun(dimension, read, marked)
    return None if given is None else _columns(unit, dimension, given, marked)


def _too_many_spans() -> str:
    return gettext("There can be %(most)d marked passages at most.") % {"most": MOST_SPANS}


def _begun(dimension: Dimension, posted: Posted, marked: list[Span] | None) -> Given | None:
    """Return a reason or passages that came before the answer itself: they are not lost."""
    rationale = "\n".join(posted.get(f"{dimension.id}.rationale", [])).strip() or None
    lines = [line for text in posted.get(f"{dimension.id}.spans", []) for line in text.splitlines()]
    quotes = tuple(Quote(line.strip()) for line in lines if line.strip())
    if len(quotes) > MOST_SPANS:
        raise Refused(_too_many_spans())
    if rationale is None and not quotes and not marked:
        return None
    return Given(dimension.id, PARTIAL, quotes=quotes, rationale=rationale)


def _columns(
    unit: Unit, dimension: Dimension, given: Given, marked: list[Span] | None
) -> dict[str, Any]:
    spans = marked
    if spans is None:
        spans = locate(given.quotes, unit.text or "")
        if len(spans) > MOST_SPANS:  # one letter is in a text ten thousand times
            raise Refused(_too_many_spans())
    labels: Sequence[str] | None = given.labels
    value = given.value
    if isinstance(dimension.scale, SpansScale) and given.status == "ok":
        labels = [s.label for s in spans if s.label is not None]
        value = float(len(spans))
    if labels is not None:
        labels = [unit.aliases.get(label, label) for label in labels]
    wants = "spans" in dimension.evidence or isinstance(dimension.scale, SpansScale)
    return {
        "value": value,
        "labels": labels,
        "status": given.status,
        "spans": [span.as_row() for span in spans] if wants else None,
        "rationale": given.rationale,
    }


def _marked(unit: Unit, dimension: Dimension, posted: Posted) -> list[Span] | None:
    """Return passages that were sent with their places, None where they were sent as words."""
    sent = posted.get(f"{dimension.id}.offsets")
    if not sent or unit.text is None:
        return None
    try:
        rows = decode_json(sent[0])
    except ValueError:
        raise Refused("the marked passages cannot be read") from None
    if not isinstance(rows, list) or len(rows) > MOST_SPANS:
        raise Refused(_too_many_spans())
    scale = dimension.scale
    known = {o.id for o in scale.options} if isinstance(scale, SpansScale) else {None}
    spans = []
    for row in rows:
        if not isinstance(row, list) or len(row) != 3:
            raise Refused("the marked passages cannot be read")
        start, end, label = row
        if type(start) is not int or type(end) is not int or label not in known:
            raise Refused("the marked passages cannot be read")
        if not 0 <= start < end <= len(unit.text):
            raise Refused("a marked passage lies outside the text")
        spans.append(Span(start, end, unit.text[start:end], label))
    return sorted(spans, key=lambda s: (s.start or 0, s.end or 0))


def posted_of(answer: Answer, unit: Unit) -> dict[str, list[str]]:
    """Return the form's values for an answer: the reverse of reading it."""
    id = answer.dimension
    values: dict[str, list[str]] = {}
    dimension = next((d for d in unit.instrument.dimensions if d.id == id), None)
    if dimension is None:
        return values
    backward = {label: alias for alias, label in unit.aliases.items()}
    scale = dimension.scale
    if answer.status == PARTIAL:
        pass
    elif answer.status != "ok":
        values[id] = values[f"{id}.status"] = [STATUS_VALUE + answer.status]
    elif isinstance(scale, SpansScale):
        values[id] = [] if answer.spans else [NONE_VALUE]
    elif answer.labels is not None:
        values[id] = [backward.get(label, label) for label in answer.labels] or [NONE_VALUE]
    elif answer.value is not None:
        values[id] = [f"{answer.value:g}"]
    if answer.rationale is not None:
        values[f"{id}.rationale"] = [answer.rationale]
    if answer.spans is not None:
        placed = [s for s in answer.spans if s["start"] is not None]
        rows = [[s["start"], s["end"], s["label"]] for s in placed]
        values[f"{id}.offsets"] = [json.dumps(rows)]
        for span in answer.spans:
            labeled = isinstance(scale, SpansScale)
            name = f"{id}.spans.{span['label']}" if labeled else f"{id}.spans"
            before = values.get(name, [])
            values[name] = ["\n".join([*before, span["text"]])]
    return values
