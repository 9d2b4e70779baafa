"""The questions that contributors wrote, as an items table."""

from __future__ import annotations

import json

import polars as pl

from attunement import tables
from attunement.studies.models import Answer
from attunement.studies.opened import described
from attunement.studies.participants import language_of
from attunement.studies.protocols.writing import KEY, QUESTION, mode_of


def written_items() -> pl.DataFrame:
    """Return an item for each question that was written, by contributor and failure mode.

    ``failure_mode`` is the dimension that the question aims at, ``meta`` holds the contributor's
    code and ``"validated": false``: nobody has checked yet that the question does what it is for.
    Questions on pages that were not finished are in it too, and ``meta`` says so; so are those of
    people who stopped and left what they wrote.
    """
    found = (
        Answer.objects.filter(
            assignment__stage__key=KEY,
            status="ok",
            dimension__startswith=QUESTION,
        )
        .select_related("assignment__participant", "assignment__stage")
        .prefetch_related("assignment__participant__consents")
        .order_by("assignment__participant__code", "assignment__position", "dimension")
    )
    rows = []
    for answer in found:
        page = answer.assignment
        person, mode = page.participant, mode_of(page).id
        number = answer.dimension.removeprefix(QUESTION)
        meta = {
            "contributor": person.code,
            "validated": False,
            "finished": page.done_at is not None,
            "study": described().id,
        }
        rows.append(
            {
                "item_id": f"{person.code}-{mode}-{number}",
                "turns": [{"role": "user", "text": "\n".join(answer.labels or [])}],
                "failure_mode": mode,
                "lang": language_of(person),
                "meta": json.dumps(meta),
            }
        )
    return tables.conform(pl.DataFrame(rows), "items") if rows else tables.empty("items")
