"""A panel goes through its rounds: what is asked, of whom, and what the next round is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from attunement.delphi import read_round
from attunement.errors import UserError
from attunement.instruments import parse_instrument
from attunement.studies import flow, opening
from attunement.studies.asking import missing, units_of
from attunement.studies.closing import close_stage
from attunement.studies.config import read_study
from attunement.studies.design import design_of_study
from attunement.studies.models import (
    Answer,
    Assignment,
    CommentCode,
    PanelDecision,
    Participant,
    Stage,
    Study,
)
from attunement.studies.opened import instrument_of
from attunement.studies.protocols import delphi_rounds as rounds
from attunement.studies.protocols.delphi import context, faults
from attunement.studies.protocols.delphi_said import said_before
from attunement.studies.saving import Refused, save
from attunement.studies.withdrawal import erase
from stubs import panel_study
from stubs.study_files import study_text

Make = Callable[..., Study]


@pytest.fixture
def panel(make_panel: Make) -> Make:
    return make_panel


def page(code: str, part: str, number: int = 1) -> Assignment:
    return Assignment.objects.get(
        participant__code=code, stage__key=f"round-{number}", prefill={"part": part}
    )


def stage(number: int = 1) -> Stage:
    return Stage.objects.get(key=f"round-{number}")


def asked(page: Assignment) -> list[tuple[str, list[str]]]:
    return [(u.unit_id, [d.id for d in u.instrument.dimensions]) for u in units_of(page)]


def give(page: Assignment, unit_id: str, dimension: str, *values: object) -> None:
    """Answer one question of a page."""
    for place, unit in enumerate(units_of(page)):
        if unit.unit_id == unit_id and dimension in [d.id for d in unit.instrument.dimensions]:
            client = f"{unit_id}-{dimension}-{page.changes.count()}"[-40:]
            posted = {dimension: [str(value) for value in values]}
            save(page, place, dimension, posted, client=client)
            return
    raise AssertionError(f"{unit_id} is not asked {dimension}")


def finish(page: Assignment) -> None:
    page.done_at = timezone.now()
    page.save(update_fields=["done_at"])


Views = dict[str, list[int]]
LIKED = {id: [5, 4, 5, 4] for id in panel_study.ITEMS}
"""What the four experts say of each item's relevance."""


def answered(page: Assignment, unit_id: str, dimension: str, value: float) -> Answer:
    """Return an answer that is not stored yet: storing many at once is quick."""
    return Answer(
        assignment=page,
        unit_id=unit_id,
        dimension=dimension,
        value=value,
        status="ok",
        saved_at=timezone.now(),
    )


def first_round(views: Views | None = None) -> None:
    """Let everybody do the first round; ``views`` are ratings of relevance by item."""
    said = {**LIKED, **(views or {})}
    codes = list(Participant.objects.order_by("code").values_list("code", flat=True))
    made = []
    for page in Assignment.objects.filter(stage=stage()).select_related("participant"):
        for id in [i for i in panel_study.ITEMS if part_of(i) == page.prefill["part"]]:
            value = said[id][codes.index(page.participant.code)]
            made += [answered(page, id, "relevance", value), answered(page, id, "priority", 3)]
    Answer.objects.bulk_create(made)
    Assignment.objects.filter(stage=stage()).update(done_at=timezone.now())


def part_of(item: str) -> str:
    return item.rstrip("0123456789")


def decide(action: str, item: str = "", number: int = 1, **more: Any) -> PanelDecision:
    return PanelDecision.objects.create(
        stage=stage(number), action=action, item=item, reason="The panel said so.", by="x", **more
    )


def both(english: str) -> dict[str, str]:
    return {"en": english, "it": f"{english} (it)"}


# --- the first round


def test_everybody_gets_a_page_for_each_dimension_and_one_about_the_whole(panel: Make) -> None:
    panel()
    for person in Participant.objects.all():
        found = Assignment.objects.filter(participant=person, kind="main").order_by("position")
        assert [p.prefill["part"] for p in found] == ["ur", "lq", "ease", ""]


def test_the_first_round_asks_for_relevance_priority_and_what_is_missing(panel: Make) -> None:
    panel()
    found = asked(page("R001", "lq"))
    each = ["relevance", "priority", "comment"]
    assert found[:3] == [("lq1", each), ("lq2", each), ("lq3", each)]
    assert found[3:] == [("R001:round-1:lq", ["new-items"])]
    (end,) = units_of(page("R001", ""))
    assert [d.id for d in end.instrument.dimensions] == ["new-dimensions", "remarks"]


def test_comments_and_proposals_may_be_left_out(panel: Make) -> None:
    panel()
    assert missing(page("R001", "ease")) == [(0, "relevance"), (0, "priority")]
    assert missing(page("R001", "")) == []


def test_ratings_off_the_scale_are_refused(panel: Make) -> None:
    panel()
    for wrong in (0, 6, 3.5, "often"):
        with pytest.raises(Refused):
            give(page("R001", "ur"), "ur1", "relevance", wrong)


def test_questions_are_in_the_languages_of_the_study(panel: Make) -> None:
    panel()
    instrument = units_of(page("R001", "ur"))[0].instrument
    assert instrument.languages == ("en", "it")
    assert instrument.dimension("relevance").label == {
        "en": "UR1: relevance",
        "it": "UR1: rilevanza",
    }


# --- what the analysis reads


def test_the_table_of_a_round_is_what_the_analysis_reads(panel: Make) -> None:
    panel()
    first_round({"ur2": [2, 5, 1, 4]})
    give(page("R002", "ur"), "ur2", "comment", "= Two things; in one")
    table = rounds.round_table(stage())
    assert table.height == 4 * 7
    row = table.filter(expert="R002", item="ur2").row(0, named=True)
    assert (row["dimension"], row["relevance"], row["priority"]) == ("ur", 5, 3)
    assert row["comment"] == "= Two things; in one"
    assert row["item_it"] == "Il chatbot trae conclusioni giuste."
    read = read_round(table, number=1)
    means = {s.item.id: s.value("mean") for s in read.summaries}
    assert means == {**dict.fromkeys(panel_study.ITEMS, 4.5), "ur2": 3.0}


def test_a_page_that_was_not_finished_does_not_count(panel: Make) -> None:
    panel()
    give(page("R001", "ease"), "ease1", "relevance", 5)
    assert rounds.round_table(stage()).height == 0
    with pytest.raises(UserError, match="nobody has finished"):
        rounds.outcome_of(stage())


def test_what_somebody_withdrew_counts_no_more(panel: Make) -> None:
    panel()
    first_round()
    erase(Participant.objects.get(code="R003"), by="R003")
    assert set(rounds.round_table(stage())["expert"]) == {"R001", "R002", "R004"}


# --- from a round to the next


def test_thresholds_and_the_owner_settle_the_items_of_the_next_round(panel: Make) -> None:
    study = panel()
    first_round({"ur2": [2, 5, 1, 4], "ease1": [1, 2, 1, 2], "ur3": [1, 1, 1, 1]})
    decide("keep", "ur3")
    decide("modify", "lq1", into=[{"id": "lq1", "wording": both("Its texts are clear.")}])
    decide(
        "split",
        "lq2",
        into=[
            {"id": "lq2a", "wording": both("It sounds natural.")},
            {"id": "lq2b", "wording": both("It suits the occasion.")},
        ],
    )
    decide(
        "add",
        dimension="memory",
        label={"en": "Memory", "it": "Memoria"},
        into=[{"id": "m1", "wording": both("It recalls what I said.")}],
    )
    opening.open_stage(stage(2), by="owner")
    items = instrument_of(stage(2))
    assert [d.id for d in items.dimensions] == ["ur1", "ur3", "lq1", "lq2a", "lq2b", "lq3", "m1"]
    assert items.dimension("lq1").wording["en"] == "Its texts are clear."
    assert {s.id: s.label["it"] for s in items.subscales}["memory"] == "Memoria"
    assert items.version == 2
    assert stage().closed_at is not None
    assert study.stages.get(key="round-2").digest != study.stages.get(key="round-1").digest
    assert rounds.ancestors(stage(2)) == {
        **dict.fromkeys(("lq2a", "lq2b"), "lq2"),
        **{id: id for id in ("ur1", "ur3", "lq1", "lq3")},
    }


def test_the_next_round_waits_for_everybody_or_for_the_owner(panel: Make) -> None:
    panel()
    first_round()
    late = page("R004", "lq")
    Assignment.objects.filter(pk=late.pk).update(done_at=None)
    with pytest.raises(UserError, match="1 panellists have yet to finish round-1"):
        opening.open_stage(stage(2), by="owner")
    close_stage(stage(), by="owner")
    opening.open_stage(stage(2), by="owner")
    assert len(instrument_of(stage(2)).dimensions) == 7


def test_a_round_that_leaves_nothing_opens_no_other(panel: Make) -> None:
    panel()
    first_round({id: [1, 1, 1, 1] for id in panel_study.ITEMS})
    with pytest.raises(UserError, match="no item is left"):
        opening.open_stage(stage(2), by="owner")


def test_who_has_done_the_first_round_waits_for_the_second(panel: Make) -> None:
    panel()
    first_round()
    person = Participant.objects.get(code="R001")
    person.consents.create(version=1, language="en", text="x")
    finish(Assignment.objects.get(participant=person, kind="background"))
    assert flow.next_of(person).where == "waiting"
    opening.open_stage(stage(2), by="owner")
    assert flow.next_of(person).where == "page"


# --- the second round


@pytest.fixture
def second(panel: Make) -> Study:
    """A panel whose second round has begun; ur3 was reworded, and ease1 left out."""
    study = panel()
    first_round({"ease1": [1, 1, 2, 1], "ur1": [5, 5, 4, 3]})
    give(page("R001", "ur"), "ur1", "comment", "My own words.")
    give(page("R002", "ur"), "ur1", "comment", "Another's words.")
    decide("modify", "ur3", into=[{"id": "ur3", "wording": both("It knows what I mean.")}])
    opening.open_stage(stage(2), by="owner")
    return study


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


def second_round(views: Views) -> None:
    codes = list(Participant.objects.order_by("code").values_list("code", flat=True))
    made = []
    for page in Assignment.objects.filter(stage=stage(2)).select_related("participant"):
        ids = [i for i in views if part_of(i) == page.prefill["part"]]
        for place, id in enumerate(ids, start=1):
            value = views[id][codes.index(page.participant.code)]
            made += [answered(page, id, "relevance", value), answered(page, id, "rank", place)]
    Answer.objects.bulk_create(made)
    Assignment.objects.filter(stage=stage(2)).update(done_at=timezone.now())


def test_the_outcome_is_an_instrument_with_priorities_from_the_ranking(second: Study) -> None:
    views = {id: [5, 4, 5, 5] for id in panel_study.ITEMS if id != "ease1"}
    second_round({**views, "lq3": [1, 2, 1, 1]})
    made = rounds.revised(stage(2), rounds.outcome_of(stage(2)))
    again = parse_instrument(opening.to_yaml(made), where="outcome")
    assert {d.id: d.priority for d in again.dimensions} == {
        **{f"ur{n}": str(n) for n in (1, 2, 3)},
        **{f"lq{n}": str(n) for n in (1, 2)},
    }
    assert again.version == 3


def test_stability_leaves_reworded_items_out(second: Study) -> None:
    second_round({id: LIKED[id] for id in panel_study.ITEMS if id != "ease1"})
    found = rounds.outcome_of(stage(2)).stability
    assert set(found) == {"", "ur1", "ur2", "lq1", "lq2", "lq3"}
    # ur1: 5 5 4 3, then 5 4 5 4
    assert found["ur1"].unchanged.estimate == 0.25
    assert found["lq1"].unchanged.estimate == 1.0


def test_a_third_round_shows_the_order_of_the_second(panel: Make) -> None:
    panel(rounds=3)
    first_round()
    opening.open_stage(stage(2), by="owner")
    with pytest.raises(UserError, match="4 panellists have yet to finish round-2"):
        opening.open_stage(stage(3), by="owner")
    second_round(LIKED)
    Assignment.objects.filter(stage=stage(2)).update(done_at=timezone.now())
    opening.open_stage(stage(3), by="owner")
    said = said_before(stage(3), "ur2", Participant.objects.get(code="R001"), "en")
    assert said is not None
    assert [picture.kind for picture in said.shown] == ["relevance", "rank"]
    assert [bar.count for bar in said.shown[1].bars] == [0, 4, 0]
    assert instrument_of(stage(3)).dimension("ur2").priority == "2"


def test_what_was_left_out_is_told(second: Study) -> None:
    assert context(page("R001", "ur", 2))["gone"] == []
    assert context(page("R001", "", 2))["gone"] == ["The chatbot is easy to open."]


# --- the study file


def test_a_check_counts_items_of_a_panel(panel: Make) -> None:
    panel()
    design = design_of_study()
    assert (design.participants, design.items, design.raters_an_item) == (4, 7, (4, 4))
    assert design.stages == ("round-1", "round-2")


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"translation": {"language": "it", "native": "age"}}, "'age', which is no yes-or-no"),
        ({"rounds": 1}, "from the second round on"),
        ({"thresholds": {"agreement": 175}}, "100 or less is wanted here"),
        ({"thresholds": {"agreemnt": 75}}, "did you mean 'agreement'"),
    ],
)
def test_a_study_file_that_cannot_be_is_refused(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        read_study(study_text(**panel_study.with_protocol(**keys)), where="study.yaml")


def test_a_translation_has_to_be_there(panel: Make) -> None:
    with pytest.raises(UserError, match="no translation into 'en'"):
        panel(translation={"language": "en", "native": "native"})
