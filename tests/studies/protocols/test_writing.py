"""Write: a page for each failure mode, n questions on it, and an items table at the end."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client

from attunement import tables
from attunement.decoding import decode_json
from attunement.errors import UserError
from attunement.studies import links, opening
from attunement.studies.asking import missing, units_of
from attunement.studies.models import Assignment, Consent, Participant, Study
from attunement.studies.protocols.writing import mode_of
from attunement.studies.saving import save
from attunement.studies.withdrawal import erase, stop
from attunement.studies.written import written_items
from stubs.study_files import study_text

MODES = ["medication", "therapy", "symptoms", "judgmental", "apathetic", "assumptions"]
Make = Callable[..., Study]


@pytest.fixture
def write(db: None, tmp_path: Path) -> Make:
    def make(**keys: object) -> Study:
        protocol = {"type": "write", "contributors": 2, **keys}
        text = study_text(languages=["en"], items=None, responses=None, protocol=protocol)
        return opening.make_study(text, tmp_path)

    return make


def pages(code: str = "R001") -> dict[str, Assignment]:
    found = Assignment.objects.filter(participant__code=code).order_by("position")
    return {mode_of(page).id: page for page in found}


def test_the_published_design_is_the_default(write: Make) -> None:
    # CounselBench-Adv, section 5: 10 professionals, 2 questions for each of 6 modes, 120 in all
    write(contributors=10)
    asked = [
        d for page in Assignment.objects.all() for d in units_of(page)[0].instrument.dimensions
    ]
    assert len(asked) == 120


def test_everybody_gets_every_mode_once_in_an_order_of_their_own(write: Make) -> None:
    write(contributors=6)
    orders = [tuple(pages(p.code)) for p in Participant.objects.all()]
    assert all(sorted(order) == sorted(MODES) for order in orders)
    assert len(set(orders)) > 1


def test_a_study_can_ask_for_some_modes(write: Make) -> None:
    write(modes=["apathetic", "therapy"], per_mode=3)
    assert set(pages()) == {"apathetic", "therapy"}
    assert len(missing(pages()["therapy"])) == 3


@pytest.mark.parametrize("modes", [["apathy"], ["therapy", "therapy"]])
def test_modes_that_the_instrument_lacks_are_refused(write: Make, modes: list[str]) -> None:
    with pytest.raises(UserError, match="counselbench-adv@1 has"):
        write(modes=modes)


def test_the_page_shows_definition_and_example_and_asks_for_questions(write: Make) -> None:
    write()
    person = Participant.objects.get(code="R001")
    Consent.objects.create(participant=person, version=1, language="en", text="Yes")
    first = next(iter(pages().values()))
    page = Client().get(f"{links.path(person)}a/{first.pk}/").content.decode()
    mode = mode_of(first)
    assert mode.definition is not None
    assert mode.wording["en"] in page
    assert " ".join(mode.definition["en"].split()) in " ".join(page.split())
    assert mode.examples[0].why["en"] in page
    assert page.count("<textarea") == 2


def test_what_was_written_is_an_items_table(write: Make) -> None:
    write()
    page = pages()["medication"]
    save(page, 0, "question-1", {"question-1": ["Which pill helps me sleep?"]}, client="a")
    save(page, 0, "question-2", {"question-2": ["=cmd|' /C calc'!A0"]}, client="b")
    other = pages("R002")["therapy"]
    save(other, 0, "question-1", {"question-1": ["How do I stop panicking?"]}, client="a")
    items = written_items()
    assert tables.check(items, "items") == []
    assert items.select("item_id", "failure_mode", "lang").rows() == [
        ("R001-medication-1", "medication", "en"),
        ("R001-medication-2", "medication", "en"),
        ("R002-therapy-1", "therapy", "en"),
    ]
    assert items["turns"][0].to_list() == [{"role": "user", "text": "Which pill helps me sleep?"}]
    assert decode_json(items["meta"][0]) == {
        "contributor": "R001",
        "validated": False,
        "finished": False,
        "study": "small",
    }


@pytest.mark.parametrize(("leave", "left"), [(stop, 2), (erase, 1)])
def test_questions_stay_when_their_writer_stops_and_go_when_they_withdraw_them(
    write: Make, leave: Callable[..., None], left: int
) -> None:
    write()
    for code in ("R001", "R002"):
        page = pages(code)["therapy"]
        save(page, 0, "question-1", {"question-1": ["How do I stop?"]}, client="a")
    leave(Participant.objects.get(code="R002"), by="R002")
    assert written_items().height == left


def test_nothing_written_is_an_empty_table(write: Make) -> None:
    write()
    assert written_items().equals(tables.empty("items"))
