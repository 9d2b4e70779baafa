"""The table of the participants. Expected numbers: R's mean, sd and median of c(20, 30, 31, 47)."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from attunement import tables
from attunement.studies.models import Answer, Assignment, Consent, Participant, Study
from attunement.studies.opened import described
from attunement.studies.participants_table import as_frame, participants_table
from attunement.studies.withdrawal import erase, stop


def words(text: str) -> dict[str, str]:
    return {"en": text, "it": text}


BACKGROUND: list[dict[str, Any]] = [
    {
        "id": "age",
        "label": words("Age"),
        "wording": words("How old are you?"),
        "scale": {"type": "integer", "min": 18, "max": 99, "better": "neither"},
    },
    {
        "id": "work",
        "label": words("Work"),
        "wording": words("What do you do?"),
        "scale": {
            "type": "multi",
            "options": [
                {"id": "therapist", "label": words("Therapist")},
                {"id": "student", "label": words("=Student")},
            ],
        },
    },
    {
        "id": "trained",
        "label": words("Trained"),
        "wording": words("Are you trained?"),
        "scale": {"type": "boolean", "better": "neither", "not_sure": True},
    },
]
RATE = {
    "type": "rate",
    "instrument": "crisis-handling",
    "raters_per_item": 5,
}


@pytest.fixture
def people(make_study: Callable[..., Study]) -> list[Participant]:
    make_study(protocol=RATE, background=BACKGROUND)
    found = list(Participant.objects.all())
    for person in found:
        Consent.objects.create(participant=person, version=1, language="en", text="words")
    return found


def answer(person: Participant, dimension: str, **fields: Any) -> None:
    page = Assignment.objects.get(participant=person, kind="background")
    Answer.objects.create(
        assignment=page,
        unit_id=person.code,
        dimension=dimension,
        saved_at=timezone.now(),
        **{"status": "ok", **fields},
    )


def figures(question: str) -> dict[str, str]:
    return {r.level: r.figure for r in participants_table(described()) if r.question == question}


def test_numbers_have_mean_spread_median_and_range(people: list[Participant]) -> None:
    for person, age in zip(people, [20, 30, 31, 47], strict=False):
        answer(person, "age", value=age)
    assert figures("Age") == {
        "answered": "4",
        "mean (s.d.)": "32.00 (11.17)",
        "median [range]": "30.5 [20, 47]",
        "missing": "1",
    }


def test_choices_are_counted_of_those_who_answered(people: list[Participant]) -> None:
    answer(people[0], "work", labels=["therapist", "student"], value=2)
    answer(people[1], "work", labels=["therapist"], value=1)
    answer(people[2], "work", labels=[], value=0)
    assert figures("Work") == {
        "Therapist": "2 (66.7%)",
        "=Student": "1 (33.3%)",
        "none of these": "1 (33.3%)",
        "missing": "2",
    }


def test_not_sure_is_not_missing_and_not_an_answer(people: list[Participant]) -> None:
    answer(people[0], "trained", value=1)
    answer(people[1], "trained", status="not_sure")
    assert figures("Trained") == {
        "Yes": "1 (100.0%)",
        "No": "0 (0.0%)",
        "not sure": "1",
        "missing": "3",
    }


def test_one_number_has_no_spread_and_none_has_no_mean(people: list[Participant]) -> None:
    assert figures("Age")["mean (s.d.)"] == "undefined: nobody answered"
    answer(people[0], "age", value=40)
    assert figures("Age")["mean (s.d.)"] == "40.00 (undefined with one answer)"


def test_erased_people_do_not_count_and_those_who_stopped_do(people: list[Participant]) -> None:
    for person in people[:2]:
        answer(person, "age", value=30)
    erase(people[0], by="R001")
    stop(people[1], by="R002")
    assert figures("Participants") == {"agreed, answers kept": "4"}
    assert figures("Age")["answered"] == "1"


def test_no_cell_is_a_formula_to_a_spreadsheet(people: list[Participant]) -> None:
    text = tables.for_spreadsheet(as_frame(participants_table(described()))).write_csv()
    assert "Work,'=Student,0" in text
