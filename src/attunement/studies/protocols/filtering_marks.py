"""Dialogue acts that are marked before a rater sees the answer, for the rater to correct."""

from __future__ import annotations

from django.utils import timezone

from attunement.instruments import Instrument, SpansScale
from attunement.models.dialogue_act import ACTS, LANGUAGES, dialogue_acts
from attunement.studies.models import Assignment, Change, Response
from attunement.studies.saving import MOST_SPANS

MARKED = "dialogue_acts"
"""The dimension that is filled in beforehand."""
PROPOSED = "proposed"
"""The status in the history of what was marked beforehand; it is never an answer."""


def propose(pages: list[Assignment], instrument: Instrument, language: str) -> None:
    """Mark dialogue acts beforehand, where the instrument asks for them.

    What was proposed stays in the history, so that it can be told what a rater changed.
    """
    if not _marks_acts(instrument):
        return
    ids = {id for page in pages for id in page.order}
    rows = Response.objects.filter(response_id__in=ids).select_related("item")
    marks = {r.response_id: _marks(r, language) for r in rows}
    texts = {r.response_id: r.text for r in rows}
    now = timezone.now()
    proposed = []
    for page in pages:
        page.prefill = {id: {MARKED: marks[id]} for id in page.order if marks[id]}
        proposed += [
            Change(
                assignment=page,
                unit_id=id,
                dimension=MARKED,
                status=PROPOSED,
                spans=[
                    {"start": i, "end": j, "text": texts[id][i:j], "label": label}
                    for i, j, label in marks[id]
                ],
                client=f"{PROPOSED}-{place}",
                saved_at=now,
            )
            for place, id in enumerate(page.order)
            if marks[id]
        ]
    Assignment.objects.bulk_update(pages, ["prefill"])
    Change.objects.bulk_create(proposed)


def _marks_acts(instrument: Instrument) -> bool:
    for dimension in instrument.dimensions:
        if dimension.id == MARKED and isinstance(dimension.scale, SpansScale):
            return set(ACTS) <= {option.id for option in dimension.scale.options}
    return False


def _marks(response: Response, language: str) -> list[tuple[int, int, str]]:
    """Return the passages of an answer with their dialogue acts, none where it has too many."""
    lang = (response.item.lang or language).partition("-")[0]
    if lang not in LANGUAGES:
        return []
    turns = response.item.turns
    before = turns[-1]["text"] if turns and turns[-1]["role"] == "user" else None
    found = dialogue_acts(response.text, lang=lang, after=before)
    return [(s.start, s.end, s.label) for s in found] if len(found) <= MOST_SPANS else []
