"""Items, responses and raters of a study as their tables."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import polars as pl
from django.db.models import QuerySet, Sum

from attunement import tables
from attunement.studies.config import ChatThenRate, StudyFile, Write
from attunement.studies.credit import owners_of
from attunement.studies.export_ratings import ASKED, RATED
from attunement.studies.known import agrees
from attunement.studies.links import is_dead
from attunement.studies.models import Answer, Assignment, Item, Participant, Response
from attunement.studies.participants import language_of
from attunement.studies.saving import PARTIAL
from attunement.studies.transcripts import transcripts
from attunement.studies.withdrawal import KEPT
from attunement.studies.written import written_items


def items_table(study: StudyFile) -> pl.DataFrame:
    """Return the items that were shown, talked or written in the study, known ones left out."""
    if isinstance(study.protocol, ChatThenRate):
        return transcripts(study)[0]
    return written_items() if isinstance(study.protocol, Write) else _shown_items()


def responses_table(study: StudyFile) -> pl.DataFrame:
    """Return the responses that were shown, a row for each source of one; or those of chats."""
    if isinstance(study.protocol, ChatThenRate | Write):
        return transcripts(study)[1]
    rows = [
        {
            "response_id": id,
            "item_id": response.item.item_id,
            "source": source,
            "candidate": 0,
            "text": response.text,
        }
        for response in _responses(("main",))
        for id, source in owners_of(response)
    ]
    return tables.conform(pl.DataFrame(rows), "responses") if rows else tables.empty("responses")


def known_table() -> pl.DataFrame:
    """Return training and attention items: their texts, and what is right on each question."""
    rows = [
        {
            "kind": response.item.kind,
            "unit_id": response.response_id,
            "turns": json.dumps(response.item.turns, ensure_ascii=False),
            "text": response.text,
            "dimension": dimension,
            "expected": json.dumps(expected, ensure_ascii=False),
            "tolerance": float((response.known or {}).get("tolerance", 0.0)),
        }
        for response in _responses(("training", "attention"))
        for dimension, expected in (response.known or {}).get("expected", {}).items()
    ]
    names = ("kind", "unit_id", "turns", "text", "dimension", "expected")
    return pl.DataFrame(
        rows, schema={**dict.fromkeys(names, pl.String()), "tolerance": pl.Float64()}
    )


def raters_table() -> pl.DataFrame:
    """Return who took part: their answers about themselves, times, and the consent they gave.

    Everybody who agreed to take part, by the code that stands for them, but for those who withdrew
    what they gave; their addresses, links and completion codes are not in it. ``minutes`` is the
    visible time on the pages of the work; ``checks`` and ``checks_failed`` count questions of
    attention items.
    """
    agreed = Participant.objects.filter(consents__isnull=False)
    people = list(agreed.filter(KEPT).order_by("code").distinct())
    answers = _asked(people)
    seconds = dict(
        Assignment.objects.filter(kind__in=(*RATED, "attention"))
        .values_list("participant_id")
        .annotate(Sum("seconds"))
    )
    checks = _checks(people)
    rows = [
        {
            "rater": person.code,
            "kind": "human",
            "attributes": json.dumps(
                {
                    **answers.get(person.pk, {}),
                    **_about(person),
                    "checks": len(checks.get(person.pk, [])),
                    "checks_failed": checks.get(person.pk, []).count(False),
                    "minutes": round(seconds.get(person.pk, 0.0) / 60, 3),
                },
                ensure_ascii=False,
            ),
        }
        for person in people
    ]
    return pl.DataFrame(rows, schema=tables.SCHEMAS["raters"])


def _shown_items() -> pl.DataFrame:
    gold = {
        response.item_id: response.text
        for response in _responses(("main",))
        if tables.REFERENCE in response.sources
    }
    rows = [
        {
            "item_id": item.item_id,
            "topic": item.topic,
            "turns": item.turns,
            "reference": gold.get(item.pk),
            "failure_mode": item.failure_mode,
            "lang": item.lang,
            "meta": json.dumps(item.meta, ensure_ascii=False) if item.meta else None,
        }
        for item in Item.objects.filter(kind="main").order_by("pk")
    ]
    return pl.DataFrame(rows, schema=tables.SCHEMAS["items"])


def _responses(kinds: Iterable[str]) -> QuerySet[Response]:
    return Response.objects.filter(item__kind__in=list(kinds)).select_related("item").order_by("pk")


def _asked(people: Iterable[Participant]) -> dict[int, dict[str, Any]]:
    """Return each participant's background and closing answers, by question."""
    found: dict[int, dict[str, Any]] = {}
    answers = Answer.objects.filter(
        assignment__kind__in=ASKED, assignment__participant__in=list(people)
    ).exclude(status=PARTIAL)
    for answer in answers.order_by("pk").select_related("assignment"):
        said: Any = answer.value if answer.labels is None else ", ".join(answer.labels)
        if answer.status != "ok":
            said = answer.status
        found.setdefault(answer.assignment.participant_id, {})[answer.dimension] = said
    return found


def _checks(people: Iterable[Participant]) -> dict[int, list[bool]]:
    """Return whether each participant's answers on attention items are right."""
    known = {r.response_id: r.known or {} for r in _responses(("attention",))}
    answers = Answer.objects.filter(
        assignment__kind="attention", assignment__participant__in=list(people)
    ).exclude(status=PARTIAL)
    found: dict[int, list[bool]] = {}
    for answer in answers.select_related("assignment"):
        truth = known.get(answer.unit_id, {})
        if answer.dimension in truth.get("expected", {}):
            right = agrees(answer, truth["expected"][answer.dimension], truth.get("tolerance", 0.0))
            found.setdefault(answer.assignment.participant_id, []).append(right)
    return found


def _about(person: Participant) -> dict[str, Any]:
    consent = person.consents.order_by("pk").last()
    assert consent is not None, "only people who agreed are asked for"
    return {
        "language": language_of(person),
        "arm": person.arm or None,
        "consent_version": consent.version,
        "consented_at": _time(consent.at),
        "started_at": _time(person.started_at),
        "finished_at": _time(person.finished_at),
        "left": is_dead(person),
    }


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(timespec="seconds")
