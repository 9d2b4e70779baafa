"""Replacing somebody who leaves loses nothing and credits nobody with what they did not do."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from attunement.errors import UserError
from attunement.studies import coverage, links
from attunement.studies.models import (
    Answer,
    Assignment,
    Chat,
    Event,
    Participant,
    Stage,
    Study,
)
from attunement.studies.replacement import replace_participant
from attunement.studies.saving import save
from attunement.studies.withdrawal import erase
from studies.filling import fill

RATE = {
    "type": "rate",
    "instrument": "crisis-handling",
    "raters_per_item": 2,
    "items_per_rater": 4,
    "repeats": 1,
}
AGE = {
    "id": "age",
    "label": {"en": "Age", "it": "Età"},
    "wording": {"en": "How old are you?", "it": "Quanti anni ha?"},
    "scale": {"type": "integer", "min": 18, "max": 99, "better": "neither"},
}


@pytest.fixture
def leaver(make_study: Callable[..., Study]) -> Participant:
    """Somebody who has done the background and two of four items."""
    make_study(items=4, protocol=RATE, background=[AGE])
    return fill(people=1, share=0.5)[0]


def mains(person: Participant, **more: object) -> set[str]:
    pages = Assignment.objects.filter(participant=person, kind="main", **more)
    return {page.item.item_id for page in pages if page.item is not None}


def test_what_is_complete_stays_and_the_rest_goes_over(leaver: Participant) -> None:
    done = mains(leaver, done_at__isnull=False)
    answers = Answer.objects.filter(assignment__participant=leaver).count()
    new = replace_participant(leaver, by="owner")
    assert len(done) == 2
    assert mains(leaver) == done
    assert mains(new) == {"q0", "q1", "q2", "q3"} - done
    assert Answer.objects.filter(assignment__participant=leaver).count() == answers
    assert not Answer.objects.filter(assignment__participant=new).exists()


def test_every_item_still_gets_its_ratings(leaver: Participant) -> None:
    stage = Stage.objects.get()
    replace_participant(leaver, by="owner")
    assert [c.wanted for c in coverage.by_item(stage)] == [2, 2, 2, 2]


def test_the_new_one_gets_the_pages_around_the_work_and_a_link(leaver: Participant) -> None:
    old = links.token(leaver.nonce)
    new = replace_participant(leaver, by="owner")
    assert new.assignments.filter(kind="background").count() == 1
    assert links.find(links.token(new.nonce)) == new
    assert links.find(old) is None
    assert (new.replaces, new.code) == (leaver, "R003")


def test_an_item_comes_twice_only_where_the_new_one_sees_it_first(leaver: Participant) -> None:
    repeated = Assignment.objects.get(participant=leaver, kind="repeat").item
    assert repeated is not None
    assert repeated.item_id in mains(leaver, done_at__isnull=False)
    new = replace_participant(leaver, by="owner")
    assert not new.assignments.filter(kind="repeat").exists()


def test_a_page_that_was_begun_is_done_anew_and_its_answers_are_kept(leaver: Participant) -> None:
    page = Assignment.objects.filter(participant=leaver, kind="main", done_at=None)[0]
    page.opened_at = timezone.now()
    page.save()
    save(page, 0, "recognizes_risk", {"recognizes_risk": ["1"]}, client="half")
    new = replace_participant(leaver, by="owner")
    assert page.item is not None
    assert page.item.item_id in mains(new)
    assert Answer.objects.get(assignment=page).assignment.participant == leaver
    assert [c.wanted for c in coverage.by_item(Stage.objects.get())] == [2, 2, 2, 2]


def test_all_pages_of_whoever_had_their_answers_erased_go_over(leaver: Participant) -> None:
    erase(leaver, by="R001")
    new = replace_participant(leaver, by="owner")
    assert mains(new) == {"q0", "q1", "q2", "q3"}
    assert new.assignments.filter(kind="repeat").count() == 1


def test_nobody_is_replaced_twice_or_after_the_end(leaver: Participant) -> None:
    replace_participant(leaver, by="owner")
    with pytest.raises(UserError, match="R003 took their place"):
        replace_participant(leaver, by="owner")
    other = Participant.objects.get(code="R002")
    other.finished_at = timezone.now()
    other.save()
    with pytest.raises(UserError, match="finished"):
        replace_participant(other, by="owner")


def test_it_is_in_the_log(leaver: Participant) -> None:
    replace_participant(leaver, by="owner")
    event = Event.objects.get(action="replaced")
    assert (event.actor, event.detail["replacement"], event.detail["pages"]) == ("owner", "R003", 2)


def test_chats_and_their_questionnaire_begin_anew(make_chat: Callable[..., Study]) -> None:
    make_chat(sessions=2, memory="kept")
    leaver = Participant.objects.get(code="R001")
    before = leaver.assignments.filter(stage__isnull=False)
    first = before.order_by("position")[0]
    first.opened_at = first.done_at = timezone.now()
    first.save()
    wanted = list(before.values_list("position", flat=True))
    chats = Chat.objects.filter(assignment__participant=leaver).count()
    new = replace_participant(leaver, by="owner")
    found = new.assignments.filter(stage__isnull=False)
    assert sorted(found.values_list("position", flat=True)) == sorted(wanted)
    assert Chat.objects.filter(assignment__participant=new).count() == chats
