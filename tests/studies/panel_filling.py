"""Simulated experts who do a round of a panel's study, by the pages' own addresses.

As a program, ``python tests/studies/panel_filling.py FOLDER R004 R005 ...``, it lets these experts
do all their pages in the study of a folder, by Django's client. What they think is fixed: the
same expert says the same of the same item. ``--owner`` makes the owner's account as well.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.test import Client

    from attunement.studies.models import Participant

READS = "R004"
"""Who looks at each page first; that takes time, and one is enough."""
UNLIKED = ("ur2", "ease1")
"""Items that most experts find hardly relevant."""


def drawn(*about: object, most: int) -> int:
    """Return a number from 0 up to ``most``, always the same for the same."""
    digest = hashlib.sha256("|".join(map(str, about)).encode()).digest()
    return int.from_bytes(digest[:8], "big") % most


def relevance(code: str, item: str, number: int) -> int:
    """Return what an expert thinks of an item in a round: 4 or 5, or for some items 1 to 3."""
    if item in UNLIKED:
        return 1 + drawn(code, item, number, most=3)
    return 4 + drawn(code, item, number, most=2)


def order(code: str, items: list[str]) -> dict[str, int]:
    """Return an expert's order of a dimension's items: as they stand, or the last one first."""
    turn = bool(items) and drawn(code, *items, most=3) == 0
    ranked = [items[-1], *items[:-1]] if turn else items
    return {item: place for place, item in enumerate(ranked, start=1)}


def is_native(code: str) -> bool:
    """Return whether an expert says that they speak Italian natively: three of four do."""
    return int(code[1:]) % 4 != 0


def overlaps(code: str, item: str, others: list[str]) -> list[str]:
    """Return the items that an expert finds an item to overlap with: most find that ur3 does."""
    if item == "ur3" and "ur1" in others and drawn(code, "overlap", most=4):
        return ["ur1"]
    return []


def answers(code: str, unit: object, place: dict[str, int], number: int) -> dict[str, list[str]]:
    """Return what a form of a unit sends."""
    id = unit.unit_id  # type: ignore[attr-defined]
    asked = {d.id: d for d in unit.instrument.dimensions}  # type: ignore[attr-defined]
    sent: dict[str, list[str]] = {}
    if "native" in asked:
        sent["native"] = [str(int(is_native(code)))]
    if "relevance" in asked:
        sent["relevance"] = [str(relevance(code, id, number))]
    if "priority" in asked:
        sent["priority"] = [str(1 + drawn(code, id, "priority", most=5))]
    if "rank" in asked:
        sent["rank"] = [str(place[id])]
    if "redundant" in asked:
        sent["redundant"] = overlaps(code, id, [o.id for o in asked["redundant"].scale.options])
    if "translation" in asked:
        sent["translation"] = [str(4 + drawn(code, id, "translation", most=2))]
    if "comment" in asked and drawn(code, id, "comment", number, most=3) == 0:
        sent["comment"] = [f"{code} on {id} in round {number}."]
    return sent


def do_all(client: Client, person: Participant) -> None:
    """Let an expert agree and do every page that is there."""
    from attunement.studies import flow, links
    from attunement.studies.asking import units_of

    home = links.path(person)
    if not person.consents.exists():
        client.post(f"{home}consent/", {"agree": "yes"})
    while (step := flow.next_of(person)).where == "page":
        page = step.assignment
        assert page is not None
        if person.code == READS:
            assert client.get(f"{home}a/{page.pk}/").status_code == 200
        units = units_of(page)
        ranked = [u.unit_id for u in units if u.instrument.dimensions[0].id == "rank"]
        number = page.stage.position + 1 if page.stage is not None else 0
        for at, unit in enumerate(units):
            sent = answers(person.code, unit, order(person.code, ranked), number)
            if sent:
                reply = client.post(f"{home}a/{page.pk}/all/", {"place": at, **sent})
                assert reply.status_code == 302, reply.content
        assert client.post(f"{home}a/{page.pk}/done/", {"seconds": "60"}).status_code == 302
        page.refresh_from_db()
        assert page.done_at is not None
    if step.where == "done":
        client.get(home)


def put_all() -> None:
    """Do all pages of everybody at once, past the pages: the same answers, for quick tests."""
    from django.utils import timezone

    from attunement.instruments import ChoiceScale, TextScale
    from attunement.studies.asking import units_of
    from attunement.studies.models import Answer, Assignment

    now, made = timezone.now(), []
    pages = Assignment.objects.filter(done_at=None, stage__closed_at=None)
    for page in pages.select_related("stage", "participant"):
        code = page.participant.code
        units = units_of(page)
        ranked = [u.unit_id for u in units if u.instrument.dimensions[0].id == "rank"]
        number = page.stage.position + 1 if page.stage is not None else 0
        for unit in units:
            sent = answers(code, unit, order(code, ranked), number)
            for id, given in sent.items():
                scale = unit.instrument.dimension(id).scale
                worded = isinstance(scale, ChoiceScale | TextScale)
                if given:
                    made.append(
                        Answer(
                            assignment=page,
                            unit_id=unit.unit_id,
                            dimension=id,
                            value=None if worded else float(given[0]),
                            labels=given if worded else None,
                            status="ok",
                            saved_at=now,
                        )
                    )
    Answer.objects.bulk_create(made)
    Assignment.objects.filter(pk__in=[p.pk for p in pages]).update(done_at=now, opened_at=now)


def main(folder: Path, codes: list[str]) -> None:
    """Let some experts do their pages in the study of a folder."""
    from attunement.studies.folder import setup

    setup(folder)
    from django.test import Client

    from attunement.studies.models import Participant

    if "--owner" in codes:
        from studies.filling import make_owner

        make_owner()
    for person in Participant.objects.filter(code__in=codes).order_by("code"):
        do_all(Client(HTTP_HOST="127.0.0.1"), person)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    main(Path(sys.argv[1]), sys.argv[2:])
