"""How a small panel goes through its rounds: what the experts say, and what the owner decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from attunement.studies.asking import units_of
from attunement.studies.models import Answer, Assignment, PanelDecision, Participant, Stage, Study
from attunement.studies.saving import save
from stubs import panel_study

Make = Callable[..., Study]
Views = dict[str, list[int]]


def page(code: str, part: str, number: int = 1) -> Assignment:
    """Return an expert's page of a round on a dimension, or on the whole."""
    return Assignment.objects.get(
        participant__code=code, stage__key=f"round-{number}", prefill={"part": part}
    )


def stage(number: int = 1) -> Stage:
    """Return the stage of a round."""
    return Stage.objects.get(key=f"round-{number}")


def asked(page: Assignment) -> list[tuple[str, list[str]]]:
    """Return the units of a page, and what is asked about each."""
    return [(u.unit_id, [d.id for d in u.instrument.dimensions]) for u in units_of(page)]


def give(page: Assignment, unit_id: str, dimension: str, *values: object) -> None:
    """Answer one question of a page."""
    for place, unit in enumerate(units_of(page)):
        if unit.unit_id == unit_id and dimension in [d.id for d in unit.instrument.dimensions]:
            client = f"{unit_id}-{dimension}-{page.changes.count()}"[-40:]
            posted = {dimension: [str(value) for value in values]}
            save(page, place, dimension, posted, client=client)
            return
    raise AssertionError(f"{unit_id} is not asked {dimension}")


def finish(page: Assignment) -> None:
    """Send a page off."""
    page.done_at = timezone.now()
    page.save(update_fields=["done_at"])


LIKED = {id: [5, 4, 5, 4] for id in panel_study.ITEMS}
"""What the four experts say of each item's relevance."""


def answered(page: Assignment, unit_id: str, dimension: str, value: float) -> Answer:
    """Return an answer that is not stored yet: storing many at once is quick."""
    return Answer(
        assignment=page,
        unit_id=unit_id,
        dimension=dimension,
        value=value,
        status="ok",
        saved_at=timezone.now(),
    )


def part_of(item: str) -> str:
    """Return the dimension of an item."""
    return item.rstrip("0123456789")


def decide(action: str, item: str = "", number: int = 1, **more: Any) -> PanelDecision:
    """Let the owner decide on an item."""
    return PanelDecision.objects.create(
        stage=stage(number), action=action, item=item, reason="The panel said so.", by="x", **more
    )


def both(english: str) -> dict[str, str]:
    """Return a wording in both languages."""
    return {"en": english, "it": f"{english} (it)"}


def first_round(views: Views | None = None) -> None:
    """Let everybody do the first round; ``views`` are ratings of relevance by item."""
    do_round(1, {**LIKED, **(views or {})}, lambda place: ("priority", 3))


def second_round(views: Views) -> None:
    """Let everybody do the second round, ranking each dimension's items as they stand."""
    do_round(2, views, lambda place: ("rank", place))


def do_round(number: int, views: Views, also: Callable[[int], tuple[str, float]]) -> None:
    """Rate the items of a round, and say what else is asked of the item at each place."""
    codes = list(Participant.objects.order_by("code").values_list("code", flat=True))
    made = []
    for page in Assignment.objects.filter(stage=stage(number)).select_related("participant"):
        ids = [i for i in views if part_of(i) == page.prefill["part"]]
        for place, id in enumerate(ids, start=1):
            value = views[id][codes.index(page.participant.code)]
            made += [answered(page, id, "relevance", value), answered(page, id, *also(place))]
    Answer.objects.bulk_create(made)
    Assignment.objects.filter(stage=stage(number)).update(done_at=timezone.now())
