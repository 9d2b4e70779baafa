"""The owner's pages of a panel: what they show, what is decided on them, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from attunement.delphi import read_decisions
from attunement.errors import UserError
from attunement.instruments import parse_instrument
from attunement.studies import opening
from attunement.studies.export import export_study
from attunement.studies.models import (
    Answer,
    CommentCode,
    Event,
    PanelDecision,
    Stage,
    Study,
)
from attunement.studies.opened import instrument_of
from attunement.studies.protocols import delphi_deciding as deciding
from attunement.studies.withdrawal import erase
from studies.panel_filling import put_all


@pytest.fixture
def owner(make_panel: Callable[..., Study], client: Client) -> Client:
    """The owner of a panel of four, of whom all have done the first round."""
    make_panel()
    put_all()
    client.force_login(User.objects.create_superuser("owner", password="x"))
    return client


def stage(number: int = 1) -> Stage:
    return Stage.objects.get(key=f"round-{number}")


def path(rest: str = "") -> str:
    return f"/owner/panel/{stage().pk}/{rest}"


def decide(owner: Client, item: str, action: str, **more: Any) -> str:
    sent = {"action": action, "reason": "Said the panel.", **more}
    return owner.post(path(f"item/{item}/"), sent, follow=True).content.decode()


def split(first: str = "It sounds natural.", second: str = "It suits.") -> dict[str, str]:
    return {
        "wording-1-en": first,
        "wording-1-it": "Suona naturale.",
        "wording-2-en": second,
        "wording-2-it": "Si adatta.",
    }


def comment(item: str = "ur1") -> Answer:
    return Answer.objects.filter(unit_id=item, dimension="comment").order_by("pk")[0]


# --- what is shown


def test_pages_are_the_owner_s_only(owner: Client) -> None:
    for rest in ("", "item/ur1/", "proposals/", "file/instrument.yaml"):
        assert owner.get(path(rest)).status_code == 200
        assert Client().get(path(rest)).status_code == 302


def test_other_studies_have_no_panel(make_study: Callable[..., Study], client: Client) -> None:
    make_study()
    client.force_login(User.objects.create_superuser("owner", password="x"))
    assert client.get("/owner/panel/").status_code == 404
    assert b"/owner/panel/" not in client.get("/owner/").content


def test_an_item_shows_what_was_said_and_why_the_thresholds_drop_it(owner: Client) -> None:
    text = owner.get(path("item/ur2/")).content.decode()
    assert "<svg" in text
    assert "agreement 0.00 % is below 75 %" in text
    assert "The thresholds say: <strong>drop</strong>" in text


def test_what_panellists_write_is_escaped(owner: Client) -> None:
    Answer.objects.filter(pk=comment().pk).update(labels=["<script>alert(1)</script>"])
    text = owner.get(path("item/ur1/")).content.decode()
    assert "&lt;script&gt;alert(1)" in text
    assert "<script>alert(1)" not in text


def test_before_anybody_has_finished_the_page_says_so(
    make_panel: Callable[..., Study], client: Client
) -> None:
    make_panel()
    client.force_login(User.objects.create_superuser("owner", password="x"))
    assert "nobody has finished" in client.get(path()).content.decode()
    assert client.get(path("item/ur1/")).status_code == 404


# --- codes


def test_comments_are_coded_and_can_be_hidden(owner: Client) -> None:
    text = comment()
    sent = {"text": text.pk, f"codes-{text.pk}": " wording,  scope , wording", "hidden": text.pk}
    owner.post(path("codes/"), {**sent, "item": "ur1"})
    coded = CommentCode.objects.get(answer=text)
    assert (coded.codes, coded.hidden) == ("wording, scope", True)
    assert deciding.code_counts(stage()) == [("scope", 1), ("wording", 1)]


def test_a_text_that_is_none_is_not_coded(owner: Client) -> None:
    sent = owner.post(path("codes/"), {"text": ["9" * 5000, "-1", "²", "one"]})
    assert sent.status_code == 302
    assert not CommentCode.objects.exists()


def test_codes_go_with_what_somebody_withdraws(owner: Client) -> None:
    text = comment()
    owner.post(path("codes/"), {"text": text.pk, f"codes-{text.pk}": "wording"})
    decide(owner, "ur1", "keep", rests_on=text.pk)
    erase(text.assignment.participant, by="x")
    assert not CommentCode.objects.exists()
    assert PanelDecision.objects.get().rests_on is None


# --- decisions


def test_a_decision_keeps_its_reason_and_the_comment_behind_it(owner: Client) -> None:
    assert "Your decision on ur1 is recorded" in decide(owner, "ur1", "drop", rests_on=comment().pk)
    row = PanelDecision.objects.get()
    assert (row.action, row.item, row.reason, row.by) == ("drop", "ur1", "Said the panel.", "owner")
    log = owner.get(path("file/decisions.md")).content.decode()
    assert "the thresholds say keep, the owner drop" in log
    assert comment().labels[0] in log
    (event,) = Event.objects.filter(action="panel decision")
    assert event.detail == {"stage": "round-1", "decision": "drop ur1"}


def test_deciding_again_replaces_and_taking_back_lets_the_thresholds_decide(owner: Client) -> None:
    decide(owner, "ur1", "drop")
    decide(owner, "ur1", "keep")
    row = PanelDecision.objects.get()
    assert row.action == "keep"
    owner.post(f"/owner/panel/decision/{row.pk}/back/")
    assert not PanelDecision.objects.exists()


def seen(owner: Client, item: str) -> str:
    """The decision that the item's form shows."""
    text = owner.get(path(f"item/{item}/")).content.decode()
    found = re.search(r'name="seen" value="(\d+)"', text)
    assert found is not None
    return found[1]


def test_a_decision_of_another_tab_is_not_replaced_unseen(owner: Client) -> None:
    first = seen(owner, "ur1")
    assert "is recorded" in decide(owner, "ur1", "keep", seen=first)
    text = decide(owner, "ur1", "drop", seen=first)
    assert "what becomes of ur1 was meanwhile decided by owner: keep" in text
    assert PanelDecision.objects.get().action == "keep"
    assert "is recorded" in decide(owner, "ur1", "drop", seen=seen(owner, "ur1"))
    second = seen(owner, "ur1")
    owner.post(f"/owner/panel/decision/{second}/back/")
    assert "was meanwhile taken back" in decide(owner, "ur1", "drop", seen=second)
    again = owner.post(f"/owner/panel/decision/{second}/back/", follow=True)
    assert "does not stand any more" in again.content.decode()


def test_codes_of_another_tab_stay_where_this_one_changed_nothing(owner: Client) -> None:
    one, other = Answer.objects.filter(dimension="comment").order_by("pk")[:2]
    hide = {"text": one.pk, f"codes-{one.pk}": "names somebody", "hidden": one.pk}
    owner.post(path("codes/"), hide)
    owner.post(
        path("codes/"),
        {
            "text": [one.pk, other.pk],
            f"codes-{one.pk}": "",
            f"shown-{one.pk}": "",
            f"codes-{other.pk}": "wording",
            f"shown-{other.pk}": "",
        },
    )
    assert CommentCode.objects.get(answer=one).hidden
    assert CommentCode.objects.get(answer=other).codes == "wording"


def test_an_item_is_split_into_items_with_ids_of_their_own(owner: Client) -> None:
    decide(owner, "lq2", "split", **split())
    made = parse_instrument(owner.get(path("file/instrument.yaml")).content.decode(), where="file")
    assert [d.id for d in made.dimensions] == ["ur1", "ur3", "lq1", "lq2a", "lq2b", "lq3"]


def test_an_item_is_added_to_a_new_dimension(owner: Client) -> None:
    sent = {
        "new_dimension": "memory",
        "label-en": "Memory",
        "label-it": "Memoria",
        "wording-1-en": "It recalls.",
        "wording-1-it": "Ricorda.",
        "reason": "Nothing asks about it.",
    }
    owner.post(path("proposals/"), sent)
    text = owner.get(path("file/instrument.yaml")).content.decode()
    (new,) = [s for s in parse_instrument(text, where="file").subscales if s.id == "memory"]
    assert (new.label["it"], new.dimensions) == ("Memoria", ("memory1",))


NEW = {
    "new_dimension": "my_memory",
    "label-en": "Memory",
    "label-it": "Memoria",
    "wording-1-en": "It recalls.",
    "wording-1-it": "Ricorda.",
    "reason": "Nothing asks about it.",
}


def test_what_was_typed_stays_where_an_item_cannot_be_added(owner: Client) -> None:
    text = owner.post(path("proposals/"), {**NEW, "wording-1-it": ""}).content.decode()
    assert "has no text in Italian" in text
    assert ">It recalls.</textarea>" in text
    assert 'value="Memoria"' in text


def test_a_new_dimension_keeps_its_name_for_more_items_and_in_the_next_round(
    owner: Client,
) -> None:
    owner.post(path("proposals/"), NEW)
    more = {"dimension": "my_memory", "wording-1-en": "It asks.", "wording-1-it": "Chiede."}
    owner.post(path("proposals/"), {**more, "reason": "Said the panel."})
    decide(owner, "lq2", "split", **split())
    opening.open_stage(stage(2), by="owner")
    (new,) = [s for s in instrument_of(stage(2)).subscales if s.id == "my_memory"]
    assert (new.label["it"], new.dimensions) == ("Memoria", ("my_memory1", "my_memory2"))


@pytest.mark.parametrize(
    ("item", "action", "more", "said"),
    [
        ("ur1", "modify", {}, "the new wording is missing"),
        (
            "ur1",
            "split",
            {"wording-1-en": "One.", "wording-1-it": "Uno."},
            "the wording of the second is missing",
        ),
        (
            "lq2",
            "split",
            {**split(second="It sounds natural."), "wording-2-it": "Suona naturale."},
            "lq2a would read as lq2b does",
        ),
        (
            "ur1",
            "modify",
            {
                "wording-1-en": "the chatbot grasps  what I mean.",
                "wording-1-it": "Il chatbot coglie ciò che intendo.",
            },
            "ur1 would read as ur3 does",
        ),
        (
            "ur1",
            "modify",
            {
                "wording-1-en": "The chatbot understands what I say.",
                "wording-1-it": "Il chatbot capisce ciò che dico.",
            },
            "the wording is the one that it has",
        ),
        ("ur1", "modify", {"wording-1-en": "One."}, "has no text in Italian"),
        ("ur1", "drop", {"reason": " "}, "the reason is missing"),
        ("ur1", "drop", {"reason": "a\x00b"}, "U+0000"),
        ("ur1", "burn", {}, "no decision was chosen"),
        (
            "ur1",
            "modify",
            {"wording-1-en": "One\u202e.", "wording-1-it": "Uno."},
            "U+202E",
        ),
        ("lq2", "split", {**split(), "id-1": "lq1"}, "there is an item &#x27;lq1&#x27; already"),
        ("lq2", "split", {**split(), "id-1": "Lq 2"}, "cannot be the id of an item"),
    ],
)
def test_a_decision_that_is_not_complete_is_refused(
    owner: Client, item: str, action: str, more: dict[str, str], said: str
) -> None:
    text = decide(owner, item, action, **more)
    assert "Not done:" in text
    assert said in text
    assert not PanelDecision.objects.exists()


def test_once_the_next_round_is_open_nothing_of_this_one_is_decided(owner: Client) -> None:
    opening.open_stage(stage(2), by="owner")
    assert "round-2 is open, and its items are frozen" in decide(owner, "ur1", "drop")
    with pytest.raises(UserError, match="frozen"):
        deciding.decide(stage(), deciding.Wanted("drop", "x", item="ur1"), by="owner")
    assert "ur1" in [d.id for d in instrument_of(stage(2)).dimensions]


# --- the end


def test_the_end_shows_the_outcome_its_priorities_and_how_far_the_panel_moved(
    owner: Client,
) -> None:
    opening.open_stage(stage(2), by="owner")
    put_all()
    text = owner.get("/owner/panel/").content.decode()
    assert "What round 2 leaves" in text
    assert "priority 1" in text
    assert "How far the panel moved" in text


def test_the_export_holds_rounds_codes_decisions_and_the_outcome(
    owner: Client, tmp_path: Any
) -> None:
    decide(owner, "lq2", "split", **split(), rests_on=comment("lq2").pk)
    text = comment()
    owner.post(path("codes/"), {"text": text.pk, f"codes-{text.pk}": "wording"})
    out = tmp_path / "out"
    export_study(out)
    assert {f.name for f in out.iterdir()} >= {
        "delphi_round1.csv",
        "delphi_comments1.csv",
        "delphi_decisions1.yaml",
        "delphi_log1.md",
        "delphi_log1.csv",
        "delphi_statistics1.csv",
        "delphi_outcome.yaml",
    }
    (own,) = read_decisions(out / "delphi_decisions1.yaml")
    assert (own.action, own.item, [n.id for n in own.into]) == ("split", "lq2", ["lq2a", "lq2b"])
    assert "wording" in (out / "delphi_comments1.csv").read_text("utf-8")
