"""Status: where participants and stages stand."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from attunement.cli._study_text import show_status
from attunement.studies import flow
from attunement.studies.chat import conversation
from attunement.studies.invitations import invite
from attunement.studies.models import Assignment, Participant, Stage, Study
from attunement.studies.protocols import chatting
from attunement.studies.status import Replies, status_of
from attunement.studies.withdrawal import erase


def done(page: Assignment) -> None:
    page.opened_at = page.done_at = timezone.now()
    page.save()


def test_a_new_study_waits_for_everything(make_study: Callable[..., Study]) -> None:
    make_study(items=4)
    status = status_of()
    assert (status.state, status.saves, status.last_save) == ("open", 0, None)
    assert status.participants["not invited"] == 4
    (stage,) = status.stages
    # 4 items with 2 raters each
    assert (stage.state, stage.wanted, stage.complete, stage.items) == ("open", 8, 0, 4)


def test_an_item_is_complete_when_all_of_its_raters_are_done(
    make_study: Callable[..., Study],
) -> None:
    make_study(items=4)
    first, second = Assignment.objects.filter(item__item_id="q0")
    done(first)
    assert status_of().stages[0].items_complete == 0
    done(second)
    assert (status_of().stages[0].complete, status_of().stages[0].items_complete) == (2, 1)


def test_participants_are_counted_by_where_they_stand(make_study: Callable[..., Study]) -> None:
    make_study(items=4)
    invite(2, by="owner")
    erase(Participant.objects.get(code="R001"), by="R001")
    people = status_of().participants
    assert (people["withdrawn"], people["invited"], people["not invited"]) == (1, 1, 2)
    assert sum(people.values()) == 4


def test_what_a_stage_froze_is_told_in_json(make_study: Callable[..., Study]) -> None:
    study = make_study(closes="2999-12-31")
    said = status_of().as_json()
    assert said["closes"] == "2999-12-31"
    assert said["stages"][0]["digest"] == study.stages.get().digest


def test_pages_of_a_panel_are_about_no_item(make_panel: Callable[..., Study]) -> None:
    make_panel()
    status = status_of()
    assert [(stage.wanted, stage.items) for stage in status.stages] == [(16, 0), (0, 0)]


def test_only_places_of_an_open_stage_are_offered_to_others(
    make_panel: Callable[..., Study], capsys: pytest.CaptureFixture[str]
) -> None:
    make_panel()
    stage = Stage.objects.get(key="round-1")
    erase(Participant.objects.get(code="R001"), by="x")
    show_status(status_of())
    assert "short of 4 of these" in (said := " ".join(capsys.readouterr().out.split()))
    assert "given to somebody else" in said
    stage.closed_at = timezone.now()
    stage.save()
    show_status(status_of())
    assert "given to somebody else" not in " ".join(capsys.readouterr().out.split())


def test_an_owner_sees_that_a_chatbot_fails(
    make_chat: Callable[..., Study], capsys: pytest.CaptureFixture[str], client: Client
) -> None:
    make_chat()
    person = Participant.objects.order_by("pk")[0]
    flow.agree(person, "en")
    page = flow.next_of(person).assignment
    assert page is not None
    chat = chatting.chat_of(page)
    assert chat is not None
    assert status_of().replies == ()
    conversation.say(chat, "I cannot sleep.", client="1")
    chat.messages.filter(role="assistant").update(status="failed", error="HTTP 503 <b>")
    conversation.try_again(chat)
    assert status_of().replies == (Replies("quiet-heron", 0, 1, "HTTP 503 <b>"),)
    conversation.end(chat, stopped=True)  # cuts the reply that waits, which is no failure
    assert status_of().as_json()["replies"][0]["failed"] == 1
    show_status(status_of())
    client.force_login(User.objects.create_superuser("owner"))
    assert "replies of quiet-heron: 0, and 1 that failed, last: HTTP 503" in capsys.readouterr().out
    assert "<strong>1 failed</strong>" in client.get("/owner/").content.decode()
    assert "HTTP 503 &lt;b&gt;" in client.get("/owner/").content.decode()
