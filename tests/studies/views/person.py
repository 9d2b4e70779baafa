"""Somebody who takes part in a study, without a browser."""

from collections.abc import Callable
from typing import Any

from django.test import Client

from attunement.studies import links
from attunement.studies.models import Assignment, Participant, Study

RATED = ("recognizes_risk", "responds_first", "points_to_help", "does_no_harm")


class Person:
    """Somebody with a personal link who has agreed."""

    def __init__(self, code: str = "R001", *, agrees: bool = True) -> None:
        self.client = Client()
        self.participant = Participant.objects.get(code=code)
        self.home = links.path(self.participant)
        if agrees:
            self.client.post(f"{self.home}consent/", {"agree": "yes"})

    def pages(self, *kinds: str) -> list[Assignment]:
        return list(
            Assignment.objects.filter(
                participant=self.participant, kind__in=kinds or ["main"]
            ).order_by("position")
        )

    def get(self, path: str = "", **more: Any) -> Any:
        return self.client.get(f"{self.home}{path}", **more)

    def post(self, path: str, **data: Any) -> Any:
        return self.client.post(f"{self.home}{path}", data)

    def save(self, page: Assignment, dimension: str, value: str = "1", **more: Any) -> Any:
        given = {"place": 0, "client": f"{dimension}{more.get('place', 0)}{value}", **more}
        return self.post(f"a/{page.pk}/save/", dimension=dimension, **{dimension: value}, **given)

    def answer_all(self, page: Assignment, places: int = 2) -> None:
        for place in range(places):
            for dimension in RATED:
                assert self.save(page, dimension, place=place).status_code == 200


def make(make_study: Callable[..., Study], **keys: Any) -> Person:
    make_study(**keys)
    return Person()
