"""Threads that do the same at once, on the database that the tests run on: nothing twice."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections
from django.test import Client

from attunement import own_file
from attunement.errors import UserError
from attunement.studies import extra, flow, invitations, links, opening, saving
from attunement.studies.holding import writing
from attunement.studies.models import Answer, Assignment, Change, Participant
from attunement.studies.replacement import replace_participant
from attunement.studies.withdrawal import erase
from stubs.study_files import study_text, write_tables

pytestmark = pytest.mark.slow

PROTOCOL = {
    "type": "rate",
    "instrument": "crisis-handling",
    "raters_per_item": 4,
    "items_per_rater": 4,
}


@pytest.fixture
def people(transactional_db: None, tmp_path: Path) -> list[Participant]:
    write_tables(tmp_path, 20)
    opening.make_study(study_text(protocol=PROTOCOL), tmp_path)
    return list(Participant.objects.order_by("pk"))


def at_once(*actions: Callable[[], Any]) -> list[Any]:
    """Do things in threads that begin together; a refusal in words is a result, a fault is not."""
    results: list[Any] = [None] * len(actions)
    start = threading.Barrier(len(actions))

    def run(place: int) -> None:
        start.wait()
        try:
            results[place] = actions[place]()
        except Exception as error:
            results[place] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(actions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    faults = [r for r in results if isinstance(r, Exception) and not isinstance(r, UserError)]
    assert faults == []
    return results


def again(person: Participant) -> Participant:
    return Participant.objects.get(pk=person.pk)


def test_nothing_is_left_of_somebody_who_withdraws_while_answers_come(
    people: list[Participant],
) -> None:
    for person in people[:4]:
        flow.agree(person, "en")
        page = Assignment.objects.filter(participant=person, kind="main")[0]
        client = Client()

        def saves(
            dimension: str, client: Client = client, page: Assignment = page
        ) -> Callable[[], object]:
            sent = {"place": "0", "dimension": dimension, dimension: "1", "client": dimension}
            url = f"{links.path(page.participant)}a/{page.pk}/save/"
            return lambda: client.post(url, sent)

        dimensions = [d.id for d in saving.units_of(page)[0].instrument.dimensions][:4]
        at_once(*map(saves, dimensions), lambda who=person: erase(who, by="owner"))  # type: ignore[misc]
        assert not Answer.objects.filter(assignment__participant=person).exists()
        assert not Change.objects.filter(assignment__participant=person).exists()


def test_the_same_save_from_many_places_is_one(people: list[Participant]) -> None:
    page = Assignment.objects.filter(participant=people[0], kind="main")[0]
    dimension = saving.units_of(page)[0].instrument.dimensions[0].id

    def save() -> bool:
        return saving.save(page, 0, dimension, {dimension: ["1"]}, client="one", seconds=1).repeated

    assert sorted(at_once(*[save] * 6)) == [False, *[True] * 5]
    page.refresh_from_db()
    assert page.seconds == 1


def test_codes_and_places_are_given_once(people: list[Participant]) -> None:
    def replaces(person: Participant) -> Callable[[], Participant]:
        return lambda: replace_participant(person, by="owner")

    def invites() -> list[Participant]:
        return invitations.invite(3, by="owner")

    def adds() -> list[Participant]:
        return extra.add_places(2, by="owner")

    replaced = people[-3:]
    given: Sequence[Any] = at_once(*map(replaces, replaced), adds, adds, invites, invites, invites)
    assert len({p.code for p in given[:3]} | {p.code for ps in given[3:5] for p in ps}) == 7
    assert len({p.code for ps in given[5:] for p in ps}) == 9


def test_an_address_gets_one_place(people: list[Participant]) -> None:
    def invites() -> object:
        return invitations.invite_addresses(["a@example.org"], by="owner")

    refused = [r for r in at_once(*[invites] * 4) if isinstance(r, UserError)]
    assert len(refused) == 3
    assert Participant.objects.filter(address="a@example.org").count() == 1


def test_somebody_is_replaced_and_finished_once(people: list[Participant]) -> None:
    one, other = people[:2]

    def finishes() -> str:
        person = again(one)
        flow.finish(person)
        return person.completion

    assert len(set(at_once(*[finishes] * 4))) == 1
    at_once(*[lambda: replace_participant(again(other), by="owner")] * 3)
    assert Participant.objects.filter(replaces=other).count() == 1


def test_only_one_process_writes_to_a_file_at_a_time(
    people: list[Participant], tmp_path: Path
) -> None:
    turn = tmp_path / f"{connection.settings_dict['NAME']}-turn"  # SQLite's is a whole path

    def is_free() -> bool:
        with own_file.open_own(turn) as file:
            return own_file.hold(file)

    with writing():
        with writing():  # the same turn
            flow.agree(people[0], "en")
        within = is_free()
    assert (within, is_free()) == (connection.vendor != "sqlite", True)
    assert people[0].consents.count() == 1


def test_whoever_may_write_the_database_may_take_their_turn(tmp_path: Path) -> None:
    database, turn = tmp_path / "some.sqlite3", tmp_path / "some.sqlite3-turn"
    database.touch()
    database.chmod(0o660)
    for _ in range(2):
        with own_file.open_beside(turn, database) as file:
            assert own_file.hold(file)
    assert turn.stat().st_mode & 0o777 == 0o660
    turn.unlink()
    database.unlink()
    with pytest.raises(FileNotFoundError):
        own_file.open_beside(turn, database)
    assert list(tmp_path.glob("some*")) == []
