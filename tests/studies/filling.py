"""Fills a study with simulated answers, by the path that people's answers take.

As a program, ``python tests/studies/filling.py FOLDER``, it fills the study of a folder and makes
the owner's account ``owner`` with the password ``a long password``: for browsers and screenshots.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from attunement.instruments import (
    BooleanScale,
    ChoiceScale,
    Dimension,
    NumberScale,
    SpansScale,
)
from attunement.instruments.form import NONE_VALUE

if TYPE_CHECKING:
    from attunement.studies.asking import Unit
    from attunement.studies.models import Participant

OWNER, PASSWORD = "owner", "a long password"
NOISE = 0.25
"""How far a rater's view of a unit is off, as a share of the scale: enough to differ at times."""


def fill(
    *,
    seed: int = 1,
    people: int | None = None,
    share: float = 1.0,
    careless: Sequence[str] = (),
) -> list[Participant]:
    """Let participants answer page after page, and return them.

    Parameters
    ----------
    seed
        The same seed gives the same answers.
    people
        How many take part, in order of their codes; by default all.
    share
        How much of their pages each does, 0 to 1; whoever does all is finished.
    careless
        Codes of those who answer everything alike, and quickly; others pass every attention check
        that wants a number.

    """
    from attunement.studies import flow
    from attunement.studies.models import Consent, Participant
    from attunement.studies.opened import described

    rng = np.random.default_rng(seed)
    consent = described().consent
    found = list(Participant.objects.order_by("code")[:people])
    for person in found:
        language = described().language
        Consent.objects.create(
            participant=person,
            version=consent.version,
            language=language,
            text=consent.text[language],
        )
        pages = list(flow.pages_of(person))
        wanted = round(share * len(pages))
        for page in pages[:wanted]:
            _do(page, rng, careless=person.code in careless)
        _seen(person)
        if flow.next_of(person).where == "done":
            flow.finish(person)
    return found


def _seen(person: Participant) -> None:
    from django.utils import timezone

    person.invited_at = person.started_at = person.last_seen_at = timezone.now()
    person.save(update_fields=["invited_at", "started_at", "last_seen_at"])


def _do(page, rng: np.random.Generator, *, careless: bool) -> None:  # type: ignore[no-untyped-def]
    from django.utils import timezone

    from attunement.studies.asking import units_of
    from attunement.studies.saving import save

    page.opened_at = timezone.now()
    page.save(update_fields=["opened_at"])
    units = units_of(page)
    known = page.item.responses.first().known if page.kind == "attention" else {}
    expected = known.get("expected", {})
    seconds = 0.4 if careless else float(rng.gamma(4.0, 12.0))
    for place, unit in enumerate(units):
        for number, dimension in enumerate(unit.instrument.dimensions):
            at = 0.0 if careless else _view(unit, dimension, rng)
            answer = posted(dimension, at)
            if dimension.id in expected and not careless:
                answer = {dimension.id: [f"{expected[dimension.id]:g}"]}
            save(
                page,
                place,
                dimension.id,
                answer,
                client=f"{place}-{number}",
                seconds=seconds / (len(units) * len(unit.instrument.dimensions)),
            )
    page.refresh_from_db()
    page.done_at = timezone.now()
    page.save(update_fields=["done_at"])


def _view(unit: Unit, dimension: Dimension, rng: np.random.Generator) -> float:
    """Return where on the scale, 0 to 1, a rater sees a unit: its own place, and noise."""
    own = np.random.default_rng(list(f"{unit.unit_id}/{dimension.id}".encode())).random()
    return float(np.clip(own + rng.normal(0, NOISE), 0, 1))


def posted(dimension: Dimension, at: float) -> dict[str, list[str]]:
    """Return what the form sends for an answer at a place of the scale, 0 to 1."""
    scale = dimension.scale
    if isinstance(scale, NumberScale):
        value = scale.min + at * (scale.max - scale.min)
        given = [f"{round(value) if scale.type == 'integer' else round(value, 2):g}"]
    elif isinstance(scale, BooleanScale):
        given = [str(int(at >= 0.5))]
    elif isinstance(scale, SpansScale):
        given = [NONE_VALUE]
    elif isinstance(scale, ChoiceScale):
        options = [o.id for o in scale.options]
        given = [options[min(int(at * len(options)), len(options) - 1)]]
    else:
        given = [f"What I noticed, {at:.2f}."]
    answer = {dimension.id: given}
    if "rationale" in dimension.evidence:
        answer[f"{dimension.id}.rationale"] = [f"It read as {at:.2f} to me."]
    return answer


def make_owner() -> None:
    """Make the owner's account."""
    from django.contrib.auth.models import User

    User.objects.create_superuser(OWNER, password=PASSWORD)


def main(folder: Path, share: float, careless: Sequence[str]) -> None:
    """Fill the study of a folder, and make its owner."""
    from attunement.studies.folder import setup

    setup(folder)
    make_owner()
    fill(share=share, careless=careless)


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 1.0, sys.argv[3:])
