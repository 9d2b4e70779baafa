"""From a round of a panel to the next one, to its table, and to what comes out."""

from __future__ import annotations

import pytest
from django.utils import timezone

from attunement.delphi import read_round
from attunement.errors import UserError
from attunement.instruments import parse_instrument
from attunement.studies import flow, opening
from attunement.studies.closing import close_stage
from attunement.studies.models import (
    Assignment,
    Participant,
    Study,
)
from attunement.studies.opened import instrument_of
from attunement.studies.protocols import delphi_rounds as rounds
from attunement.studies.protocols.delphi_said import said_before
from attunement.studies.withdrawal import erase
from stubs import panel_study
from studies.panel_rounds import (
    LIKED,
    Make,
    both,
    decide,
    finish,
    first_round,
    give,
    page,
    second_round,
    stage,
)


def test_the_table_of_a_round_is_what_the_analysis_reads(make_panel: Make) -> None:
    make_panel()
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


def test_a_page_that_was_not_finished_does_not_count(make_panel: Make) -> None:
    make_panel()
    give(page("R001", "ease"), "ease1", "relevance", 5)
    assert rounds.round_table(stage()).height == 0
    with pytest.raises(UserError, match="nobody has finished"):
        rounds.outcome_of(stage())


def test_what_somebody_withdrew_counts_no_more(make_panel: Make) -> None:
    make_panel()
    first_round()
    erase(Participant.objects.get(code="R003"), by="R003")
    assert set(rounds.round_table(stage())["expert"]) == {"R001", "R002", "R004"}


def test_thresholds_and_the_owner_settle_the_items_of_the_next_round(make_panel: Make) -> None:
    study = make_panel()
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
    assert rounds.decided(stage())[-1].label == {"en": "Memory", "it": "Memoria"}
    assert items.version == 2
    assert stage().closed_at is not None
    assert study.stages.get(key="round-2").digest != study.stages.get(key="round-1").digest
    assert rounds.ancestors(stage(2)) == {
        **dict.fromkeys(("lq2a", "lq2b"), "lq2"),
        **{id: id for id in ("ur1", "ur3", "lq1", "lq3")},
    }


def test_the_next_round_waits_for_everybody_or_for_the_owner(make_panel: Make) -> None:
    make_panel()
    first_round()
    late = page("R004", "lq")
    Assignment.objects.filter(pk=late.pk).update(done_at=None)
    with pytest.raises(UserError, match="1 panellists have yet to finish round-1"):
        opening.open_stage(stage(2), by="owner")
    close_stage(stage(), by="owner")
    opening.open_stage(stage(2), by="owner")
    assert len(instrument_of(stage(2)).dimensions) == 7


def test_a_round_that_leaves_nothing_opens_no_other(make_panel: Make) -> None:
    make_panel()
    first_round({id: [1, 1, 1, 1] for id in panel_study.ITEMS})
    with pytest.raises(UserError, match="no item is left"):
        opening.open_stage(stage(2), by="owner")


def test_who_has_done_the_first_round_waits_for_the_second(make_panel: Make) -> None:
    make_panel()
    first_round()
    person = Participant.objects.get(code="R001")
    person.consents.create(version=1, language="en", text="x")
    finish(Assignment.objects.get(participant=person, kind="background"))
    assert flow.next_of(person).where == "waiting"
    opening.open_stage(stage(2), by="owner")
    assert flow.next_of(person).where == "page"


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


def test_a_third_round_shows_the_order_of_the_second(make_panel: Make) -> None:
    make_panel(rounds=3)
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
