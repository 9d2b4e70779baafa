"""Pages of a study in which answers are filtered, chosen and annotated, done as raters do them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from django.test import Client

from attunement.studies import links, opening, saving
from attunement.studies.models import Assignment, Stage, Study

Make = Callable[..., Study]

ANSWERS = {
    "alpha": "That sounds tiring. How long has it been?",
    "beta": "That sounds  tiring.\nHow long has it been? ",
    "gamma": "Try tea.",
    "delta": "Same.",
}
"""What is said to every item, by source; the first two say the same."""
OFFSETS = "dialogue_acts.offsets"
_ids = itertools.count()


def put(page: Assignment, place: int, dimension: str, *values: str, **more: list[str]) -> None:
    """Answer one question of a page."""
    posted = {dimension: list(values), **{f"{dimension}.{k}": v for k, v in more.items()}}
    saving.save(page, place, dimension, posted, client=str(next(_ids)))


def filter_page(page: Assignment, kept: set[str], chosen: list[str]) -> None:
    """Filter all answers of a page, choose, and finish it; ids without their item."""
    ids = [id.partition("-")[2] for id in page.order]
    for place, id in enumerate(ids):
        put(page, place, "keep", "1" if id in kept else "0")
    put(page, len(ids), "choice", *([f"answer-{ids.index(c) + 1}" for c in chosen] or ["none:"]))
    finish(page)


def finish(page: Assignment) -> Any:
    """Send the page off, as its rater would."""
    home = links.path(page.participant)
    client = Client()
    client.post(f"{home}consent/", {"agree": "yes"})
    return client.post(f"{home}a/{page.pk}/done/")


def pages(stage: str) -> list[Assignment]:
    """Return the pages of a stage."""
    return list(Assignment.objects.filter(stage__key=stage).select_related("participant", "item"))


def stage(key: str) -> Stage:
    """Return a stage by its key."""
    return Stage.objects.get(key=key)


def filter_all(kept: set[str], *chosen: list[str]) -> None:
    """Filter every page; the n-th page of an item gets the n-th choice."""
    seen: dict[str, int] = {}
    for page in pages("filter"):
        assert page.item is not None
        nth = seen[page.item.item_id] = seen.get(page.item.item_id, -1) + 1
        filter_page(page, kept, chosen[nth])


def annotate(make: Make) -> Assignment:
    """Open a study, filter it, and return a page on which the one answer chosen is annotated."""
    make(items=1)
    filter_all({"alpha"}, ["alpha"], ["alpha"])
    opening.open_stage(stage("annotate"), by="owner")
    return pages("annotate")[0]
