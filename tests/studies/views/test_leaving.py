"""How somebody stops, withdraws or comes to the end."""

from collections.abc import Callable

from attunement.studies.closing import close_study
from attunement.studies.models import Answer, Event, Study
from studies.views.person import RATED, Person, make

ONE = {"type": "rate", "instrument": "crisis-handling", "raters_per_item": 2, "items_per_rater": 2}


def test_somebody_can_stop_and_keep_their_answers(make_study: Callable[..., Study]) -> None:
    person = make(make_study)
    page = person.pages()[0]
    person.save(page, RATED[0])
    assert "erase my answers" in person.get("stop/").content.decode()
    assert person.post("stop/", answers="keep").status_code == 200
    assert Answer.objects.count() == 1
    gone = person.get(f"a/{page.pk}/")
    assert gone.status_code == 410
    assert "You have stopped" in gone.content.decode()


def test_somebody_can_stop_and_have_their_answers_erased(
    make_study: Callable[..., Study],
) -> None:
    person = make(make_study)
    person.save(person.pages()[0], RATED[0])
    assert "have been erased" in person.post("stop/", answers="erase").content.decode()
    assert not Answer.objects.exists()
    assert Event.objects.filter(actor="R001", action="erased").exists()


def test_whoever_has_finished_can_still_withdraw_and_is_not_asked_to_stop(
    make_study: Callable[..., Study],
) -> None:
    make_study(protocol=ONE)
    person = Person()
    for page in person.pages():
        person.answer_all(page)
        for place in range(2):
            person.post(f"a/{page.pk}/done/", u=str(place))
    end = person.get()
    assert f'href="{person.home}stop/"' in end.content.decode()
    person.participant.refresh_from_db()
    assert person.participant.last_seen_at == person.participant.finished_at
    asked = person.get("stop/").content.decode()
    assert "You have finished the study" in asked
    assert person.participant.completion in asked
    assert 'value="keep"' not in asked
    person.post("stop/", answers="keep")  # nothing to stop any more
    person.participant.refresh_from_db()
    assert person.participant.withdrawn_at is None
    assert "You have withdrawn" in person.post("stop/", answers="erase").content.decode()
    assert not Answer.objects.exists()


def test_after_the_study_is_closed_answers_can_still_be_withdrawn(
    make_study: Callable[..., Study],
) -> None:
    study = make_study(protocol=ONE)
    person = Person()
    person.save(person.pages()[0], "recognizes_risk")
    close_study(study, by="owner")
    assert "withdraw my answers" in person.get().content.decode()
    assert "The study is closed" in person.get("stop/").content.decode()
    person.post("stop/", answers="erase")
    assert not Answer.objects.exists()


def test_looking_at_the_stop_page_stops_nothing(make_study: Callable[..., Study]) -> None:
    person = make(make_study)
    person.get("stop/")
    person.post("stop/", answers="whatever")
    assert person.get("consent/").status_code == 200


def finish(person: Person) -> str:
    for page in person.pages():
        person.answer_all(page)
        person.post(f"a/{page.pk}/done/", u="1")
    return str(person.get().content.decode())


def test_the_completion_code_goes_back_by_a_link(make_study: Callable[..., Study]) -> None:
    address = "https://example.org/done?cc={code}"
    person = make(make_study, completion={"code": "A&B", "redirect": address})
    assert 'href="https://example.org/done?cc=A%26B"' in finish(person)


def test_an_address_that_is_not_https_is_no_link(make_study: Callable[..., Study]) -> None:
    person = make(make_study, completion={"redirect": "javascript:alert(1)"})
    assert "javascript:" not in finish(person)


def test_the_language_changes_and_the_place_stays(make_study: Callable[..., Study]) -> None:
    person = make(make_study)
    page = person.pages()[0]
    there = f"{person.home}a/{page.pk}/?u=1"
    assert person.post("language/", language="it", next=there).headers["Location"] == there
    shown = person.client.get(there).content.decode()
    assert 'lang="it"' in shown
    assert "Avanti" in shown
    assert (
        person.post("language/", language="it", next="//evil.example").headers["Location"]
        == person.home
    )


def test_support_lines_of_the_study_s_country_come_first(make_study: Callable[..., Study]) -> None:
    person = make(make_study, country="IT")
    shown = person.get("consent/").content.decode()
    assert shown.index("Telefono Amico") < shown.index("Samaritans")
    assert 'href="tel:0223272327"' in shown
