"""Small models and tables that the metric tests share."""

from collections.abc import Sequence

import pytest


class ListedEmotions:
    """An emotion model that reads its labels from the text: "joy 0.9, love 0.4"."""

    name = "listed-1"
    labels = ("anger", "joy", "love")

    def __init__(self) -> None:
        self.asked: list[str] = []

    def rank(self, texts: Sequence[str]) -> list[list[tuple[str, float]]]:
        self.asked += texts
        ranked = []
        for text in texts:
            pairs = [p.split() for p in text.split(",") if len(p.split()) == 2]
            ranked.append([(label, float(weight)) for label, weight in pairs])
        return ranked


@pytest.fixture
def listed_emotions() -> ListedEmotions:
    return ListedEmotions()
