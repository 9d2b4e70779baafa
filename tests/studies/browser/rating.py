"""A study in which answers are rated, for the tests of its page: texts, words and seats."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stubs.study_files import words, write_texts
from studies.browser import pages

Serve = Callable[..., Any]
Visit = Callable[..., Any]

TEXT = "Café talk 👋🏽 helps.\r\nI hear how tired you are 😴, and I would stay close tonight."
QUESTION = "I lie awake every night, and nobody knows."
BEFORE: dict[str, Any] = {
    "background": [
        {
            "id": "years",
            "label": words("Years", "Anni"),
            "wording": words("For how many years?", "Da quanti anni?"),
            "scale": {"type": "integer", "min": 0, "max": 60, "better": "neither"},
        },
        {
            "id": "role",
            "label": words("Role", "Ruolo"),
            "wording": words("What do you do?", "Che cosa fa?"),
            "scale": {
                "type": "choice",
                "options": [
                    {"id": "care", "label": words("I care", "Curo")},
                    {"id": "teach", "label": words("I teach", "Insegno")},
                ],
            },
        },
    ],
    "training": [
        {
            "id": "practice-4710",
            "turns": [{"role": "user", "text": "I failed my exam."}],
            "answer": "Study harder.",
            "expected": {"empathy": 1},
            "feedback": words("It gives an order.", "Dà un ordine."),
        }
    ],
}
"""What is asked before the work, and what is rated for practice."""
WORDS: dict[str, Any] = {
    "title": words("How do these answers sound?", "Come suonano queste risposte?"),
    "consent": {
        "text": words(
            "You will read questions and answers.\n\nTaking part is voluntary.",
            "Leggerà domande e risposte.\n\nPartecipare è volontario.",
        )
    },
    "warning": words("Some texts speak of sleepless nights.", "Si parla di notti insonni."),
    "country": "IT",
    **BEFORE,
}


def texts(folder: Path) -> None:
    """Write one item with two answers, the text of which has characters that count twice."""
    write_texts(folder, {"q": QUESTION}, {"q": {"alpha": TEXT, "beta": TEXT}})


def protocol(instrument: str = "counselbench-eval", **more: Any) -> dict[str, Any]:
    """Return the protocol of one rater who sees everything."""
    return {"type": "rate", "instrument": instrument, **{"raters_per_item": 1, **more}}


def begin(person: Any, link: str) -> Any:
    """Open a personal link, agree, and return the page."""
    pages.begin(person.page, link, ".work, form[action$='begin/']")
    return person.page


@dataclass
class Seat:
    """A participant of a study that tests share."""

    served: Any
    code: str

    def answers(self) -> list[dict[str, Any]]:
        return [answer for answer in self.served.answers() if answer["code"] == self.code]

    def changes(self) -> int:
        """Return how many saves there were."""
        found = self.served.rows(
            "SELECT count(*) AS n FROM studies_change c "
            "JOIN studies_assignment a ON a.id = c.assignment_id "
            "JOIN studies_participant p ON p.id = a.participant_id WHERE p.code = ?",
            self.code,
        )
        return int(found[0]["n"])


Open = Callable[[], tuple[Seat, Any, Any]]
"""Opens the first answer for somebody: their seat, their browser, and the page."""


def spans_of(study: Any, dimension: str) -> list[str]:
    """Return the passages that are saved for a question, after checking their places."""
    found = [a for a in study.answers() if a["dimension"] == dimension]
    spans = json.loads(found[0]["spans"]) if found else []
    assert all(TEXT[s["start"] : s["end"]] == s["text"] for s in spans)
    return [s["text"] for s in spans]
