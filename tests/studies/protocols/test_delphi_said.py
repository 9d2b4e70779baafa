"""The second round of a panel: what it asks, and what it shows of the first."""

from __future__ import annotations

import pytest

from attunement.studies.models import (
    Answer,
    Assignment,
    CommentCode,
    Participant,
    Study,
)
from attunement.studies.protocols import delphi_rounds as rounds
from attunement.studies.protocols.delphi import context, faults
from attunement.studies.protocols.delphi_said import said_before
from attunement.studies.saving import Refused
from studies.panel_rounds import (
    asked,
    finish,
    give,
    page,
    stage,
)


def test_the_second_round_asks_for_relevance_overlaps_and_an_order(second: Study) -> None:
    found = asked(page("R001", "ur", 2))
    assert found[0] == ("ur1", ["relevance", "redundant", "comment"])
    assert found[3:6] == [(id, ["rank"]) for id in ("ur1", "ur2", "ur3")]


def test_only_native_speakers_judge_the_translation(second: Study) -> None:
    about = Assignment.objects.get(participant__code="R002", kind="background")
    give(about, "R002", "native", 1)
    give(Assignment.objects.get(participant__code="R003", kind="background"), "R003", "native", 0)
    for code, judges in (("R001", False), ("R002", True), ("R003", False)):
        _, found = asked(page(code, "ur", 2))[0]
        assert ("translation" in found, "suggestion" in found) == (judges, judges)


def test_two_items_cannot_share_a_place(second: Study) -> None:
    at = page("R001", "ur", 2)
    for id, place in (("ur1", 2), ("ur2", 2), ("ur3", 1)):
        give(at, id, "rank", place)
    assert faults(page("R001", "ur", 2)) == ["Two items cannot share a place in the order: 2."]
    give(at, "ur1", "rank", 3)
    assert faults(page("R001", "ur", 2)) == []
    with pytest.raises(Refused):
        give(at, "ur1", "rank", 4)


def test_an_item_overlaps_with_others_of_the_round_only(second: Study) -> None:
    at = page("R001", "ur", 2)
    give(at, "ur1", "redundant", "ur2", "lq1")
    for wrong in ("ur1", "ease1"):  # itself, and one that is not in the round any more
        with pytest.raises(Refused):
            give(at, "ur1", "redundant", wrong)
    finish(at)
    row = rounds.round_table(stage(2)).filter(expert="R001")
    assert row["redundant_with"].to_list() == ["ur2;lq1", "no", "no"]


def test_everybody_sees_the_panel_s_answers_and_their_own(second: Study) -> None:
    person = Participant.objects.get(code="R001")
    said = said_before(stage(2), "ur1", person, "en")
    assert said is not None
    relevance = said.shown[0]
    assert [bar.count for bar in relevance.bars] == [0, 0, 1, 1, 2]
    assert (relevance.n, relevance.median, relevance.agree, relevance.own) == (4, 4.5, 3, 5)
    assert sorted(said.comments) == ["Another's words.", "My own words."]
    assert (said.own_comment, said.before) == ("My own words.", None)
    reworded = said_before(stage(2), "ur3", person, "it")
    assert reworded is not None
    assert reworded.before == "Il chatbot coglie ciò che intendo."


def test_a_comment_that_the_owner_hides_is_not_shown_to_the_panel(second: Study) -> None:
    hidden = Answer.objects.get(unit_id="ur1", dimension="comment", labels=["Another's words."])
    CommentCode.objects.create(answer=hidden, hidden=True, by="owner")
    said = said_before(stage(2), "ur1", Participant.objects.get(code="R001"), "en")
    assert said is not None
    assert said.comments == ("My own words.",)


def test_what_was_left_out_is_told(second: Study) -> None:
    assert context(page("R001", "ur", 2))["gone"] == []
    assert context(page("R001", "", 2))["gone"] == ["The chatbot is easy to open."]
