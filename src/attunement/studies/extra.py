"""More places than the study was opened with: each does what an existing one does, once more."""

from __future__ import annotations

import random
from collections import Counter

from attunement.errors import UserError
from attunement.studies.audit import log
from attunement.studies.holding import hold_people, writing
from attunement.studies.links import alive, new_participant
from attunement.studies.models import Assignment, Participant, Stage
from attunement.studies.opened import described
from attunement.studies.participants import frame_of, give_again, next_codes

MOST = 500


def add_places(count: int, *, by: str) -> list[Participant]:
    """Add places to an open study; each raises the ratings that its items get by one.

    A new place has the pages of an existing one: in a chat study one whose chatbot the fewest
    people have, else one whose items have the fewest ratings to come or complete. Answers on a page
    are in a new order, drawn from the stage's seed and the new code.

    Parameters
    ----------
    count
        How many, 1 to ``MOST``.
    by
        Who asks for it.

    Raises
    ------
    UserError
        Where the study has several stages, as who does which was settled together; or none that is
        open.

    """
    if not 1 <= count <= MOST:
        raise UserError(f"between 1 and {MOST} places can be added at once.", where="places")
    with writing():
        hold_people()
        stages = list(Stage.objects.select_for_update())
        if len(stages) != 1 or stages[0].opened_at is None or stages[0].closed_at is not None:
            raise UserError(
                "places can be added where a study has one stage, and that is open.",
                where="places",
                fix="Replace whoever leaves; their place is done by somebody else.",
            )
        made = [_copy(_model(stages[0]), stages[0]) for _ in range(count)]
        log(by, "places added", participants=[p.code for p in made])
    return made


def _model(stage: Stage) -> Participant:
    """Return the place to do once more."""
    pages = list(
        Assignment.objects.filter(stage=stage, participant__in=alive()).select_related(
            "participant"
        )
    )
    if not pages:
        raise UserError("there is no place left that a new one could be like.", where="places")
    items = Counter(page.item_id for page in pages if page.kind == "main")
    arms = Counter({page.participant_id: page.participant.arm for page in pages}.values())
    load: dict[Participant, list[int]] = {}
    for page in pages:
        if page.kind == "main":
            load.setdefault(page.participant, []).append(items[page.item_id])
    return min(load, key=lambda p: (arms[p.arm], sum(load[p]) / len(load[p]), p.pk))


def _copy(model: Participant, stage: Stage) -> Participant:
    new = new_participant(*next_codes(1))
    new.arm = model.arm
    new.save()
    rng = random.Random(f"{stage.seed} {new.code}")
    pages = list(Assignment.objects.filter(participant=model, stage=stage))
    give_again(pages, new, lambda order: rng.sample(order, len(order)))
    Assignment.objects.bulk_create(frame_of(new, described()))
    return new
