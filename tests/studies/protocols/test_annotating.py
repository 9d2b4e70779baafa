"""What is annotated once answers are chosen, what is proposed for it, and what comes of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from django.test import Client
from django.utils import timezone
from typer.testing import CliRunner

from attunement.cli import app as cli
from attunement.errors import UserError
from attunement.studies import links, opening
from attunement.studies.asking import missing, units_of, values_of
from attunement.studies.export import export_study
from attunement.studies.models import (
    Adjudication,
    Answer,
    Assignment,
    Change,
    Event,
    Item,
    Participant,
    Stage,
)
from attunement.studies.withdrawal import erase, stop
from studies.filter_pages import (
    OFFSETS,
    Make,
    annotate,
    filter_all,
    filter_page,
    finish,
    pages,
    put,
    stage,
)


def test_the_union_of_the_choices_is_annotated(make_filtering: Make) -> None:
    make_filtering(items=1, raters=3, raters_per_item=2, annotators_per_item=3)
    # Two raters of three have the item: the third annotates what she did not choose
    filter_all({"alpha", "gamma", "delta"}, ["alpha"], ["alpha", "gamma"])
    opening.open_stage(stage("annotate"), by="owner")
    found = pages("annotate")
    assert [sorted(p.order) for p in found] == [["q0-alpha", "q0-gamma"]] * 3
    asked = units_of(found[0])
    assert [d.id for d in asked[0].instrument.dimensions][:3] == [
        "dialogue_acts",
        "emotions",
        "usefulness",
    ]


@pytest.mark.parametrize(
    ("leave", "annotated"), [(stop, ["q0-alpha", "q0-gamma"]), (erase, ["q0-gamma"])]
)
def test_a_choice_counts_when_its_rater_stops_and_not_when_they_withdraw_it(
    make_filtering: Make, leave: Callable[..., None], annotated: list[str]
) -> None:
    make_filtering(items=1, raters=3, raters_per_item=2, annotators_per_item=1)
    filter_all({"alpha", "gamma"}, ["alpha"], ["gamma"])
    leave(pages("filter")[0].participant, by="owner")
    opening.open_stage(stage("annotate"), by="owner")
    assert [sorted(p.order) for p in pages("annotate")] == [annotated]


def test_annotation_waits_for_those_who_filter_unless_the_stage_is_closed(
    make_filtering: Make,
) -> None:
    make_filtering(items=1)
    filter_page(pages("filter")[0], kept={"alpha"}, chosen=["alpha"])
    with pytest.raises(UserError, match="1 raters have yet to finish filter: 1 pages"):
        opening.open_stage(stage("annotate"), by="owner")
    Stage.objects.filter(key="filter").update(closed_at="2026-01-01T00:00Z")
    opening.open_stage(stage("annotate"), by="owner")
    assert {tuple(p.order) for p in pages("annotate")} == {("q0-alpha",)}


def test_choices_are_closed_once_they_are_annotated(make_filtering: Make) -> None:
    make_filtering(items=1)
    filter_all({"alpha"}, ["alpha"], ["alpha"])
    opening.open_stage(stage("annotate"), by="owner")
    page = pages("filter")[0]
    answer = Client().post(
        f"{links.path(page.participant)}a/{page.pk}/save/",
        {"place": "0", "dimension": "keep", "keep": "0", "client": "late"},
    )
    assert answer.status_code == 404


def test_drawn_items_are_marked_whether_or_not_anything_was_chosen(make_filtering: Make) -> None:
    make_filtering(items=4, annotate_items=2)
    filter_all({"alpha"}, [], [])
    opening.open_stage(stage("annotate"), by="owner")
    drawn = [i.item_id for i in Item.objects.order_by("pk") if i.meta.get("annotate")]
    assert len(drawn) == 2
    said = Event.objects.get(action="items drawn for annotation").detail
    assert said == {"items": drawn, "answers": 0}
    assert pages("annotate") == []


def test_only_drawn_items_are_annotated(make_filtering: Make) -> None:
    make_filtering(items=4, annotate_items=2, annotators_per_item=1)
    filter_all({"alpha"}, ["alpha"], ["alpha"])
    opening.open_stage(stage("annotate"), by="owner")
    drawn = {i.item_id for i in Item.objects.all() if i.meta.get("annotate")}
    assert {p.item.item_id for p in pages("annotate") if p.item} == drawn


def test_dialogue_acts_are_proposed_and_are_no_answer_until_confirmed(make_filtering: Make) -> None:
    page = annotate(make_filtering)
    unit = units_of(page)[0]
    marks = json.loads(values_of(unit, page)[OFFSETS][0])
    assert unit.text is not None
    # The tagger's own tests say what it proposes; here it is that it arrives, in code points
    assert [unit.text[start:end] for start, end, _ in marks] == [
        "That sounds tiring.",
        "How long has it been?",
    ]
    assert (0, "dialogue_acts") in missing(page)
    assert not Answer.objects.filter(dimension="dialogue_acts").exists()
    assert "Some questions still need an answer" in finish(page).content.decode()


def test_the_history_tells_a_confirmed_proposal_from_a_corrected_one(make_filtering: Make) -> None:
    page = annotate(make_filtering)
    marks = values_of(units_of(page)[0], page)[OFFSETS]
    put(page, 0, "dialogue_acts", offsets=marks)

    def history() -> list[tuple[str, Any]]:
        rows = Change.objects.filter(assignment=page, dimension="dialogue_acts").order_by("pk")
        return list(rows.values_list("status", "spans"))

    (proposed, before), (status, confirmed) = history()
    assert (proposed, status) == ("proposed", "ok")
    assert confirmed == before
    put(page, 0, "dialogue_acts", offsets=['[[0, 19, "inform"]]'])
    assert history()[-1][1] != before


def test_texts_in_a_language_without_rules_are_not_marked_beforehand(make_filtering: Make) -> None:
    make_filtering(items=1)
    Item.objects.update(lang="de")
    filter_all({"alpha"}, ["alpha"], ["alpha"])
    opening.open_stage(stage("annotate"), by="owner")
    assert not any(unit.prefill for page in pages("annotate") for unit in units_of(page))


def test_people_who_have_filtered_wait_until_annotation_opens(make_filtering: Make) -> None:
    make_filtering(items=1)
    filter_all({"alpha"}, ["alpha"], ["alpha"])
    person = pages("filter")[0].participant
    said = Client().get(links.path(person)).content.decode()
    assert "Thank you so far" in said
    opening.open_stage(stage("annotate"), by="owner")
    page = Assignment.objects.get(participant=person, stage__key="annotate")
    assert Client().get(links.path(person)).headers["Location"].endswith(f"/a/{page.pk}/")
    assert Participant.objects.filter(finished_at=None).count() == Participant.objects.count()


BEST = {
    "emotions": "none:",
    "usefulness": "3",
    "fluency": "3",
    "style_consistency": "1",
    "emotional_tone": "3",
    "dialogue_strategy": "3",
    "role_consistency": "1",
}


def test_the_export_of_a_whole_study_is_scored_as_it_stands(
    make_filtering: Make, tmp_path: Path
) -> None:
    make_filtering(items=1, raters=2, annotators_per_item=2)
    first, second = pages("filter")
    filter_page(first, kept={"alpha", "gamma"}, chosen=["alpha"])
    filter_page(second, kept={"alpha"}, chosen=[])
    opening.open_stage(stage("annotate"), by="owner")
    for page in pages("annotate"):
        put(page, 0, "dialogue_acts", offsets=values_of(units_of(page)[0], page)[OFFSETS])
        for dimension, value in BEST.items():
            put(page, 0, dimension, value)
        assert missing(page) == []
    Assignment.objects.update(done_at=timezone.now())
    export_study(tmp_path / "out")

    answer = CliRunner().invoke(
        cli, ["socemo", str(tmp_path / "out"), "--json", "--replicates", "0"]
    )
    assert answer.exit_code == 0, answer.output
    said = json.loads(answer.stdout)
    found = {(r["name"], r["group"].get("source")): r["estimate"] for r in said["results"]}
    # One context. alpha and beta gave one text: both kept it, one of two chose it, all is best
    for source in ("alpha", "beta"):
        assert [found[n, source] for n in ("filter", "top3", "socemo")] == [1.0, 0.5, 1.0]
    assert [found[n, "gamma"] for n in ("filter", "top3", "socemo")] == [0.5, 0.0, 0.0]
    assert [found[n, "delta"] for n in ("filter", "top3", "socemo")] == [0.0, 0.0, 0.0]
    assert said["contexts"] == ["q0"]


def test_a_choice_that_was_settled_has_all_its_sources(
    make_filtering: Make, tmp_path: Path
) -> None:
    """alpha and beta say the same; raters differ on which answer is best."""
    make_filtering(items=1)
    filter_all({"alpha", "gamma"}, ["alpha"], ["gamma"])
    Adjudication.objects.create(
        stage=stage("filter"),
        unit_id="q0",
        dimension="choice",
        value=1,
        labels=["q0-alpha"],
        by="o",
    )
    export_study(tmp_path / "out")
    columns = ("unit", "unit_id", "item_id", "value", "labels")
    (settled,) = pl.read_parquet(tmp_path / "out" / "adjudications.parquet").select(columns).rows()
    assert settled == ("item", "q0", "q0", 1.0, ["q0-alpha", "q0-beta"])
    ratings = pl.read_parquet(tmp_path / "out" / "ratings.parquet").filter(dimension="choice")
    assert settled in ratings.select(columns).rows()


def test_the_exported_history_holds_what_was_proposed(make_filtering: Make, tmp_path: Path) -> None:
    page = annotate(make_filtering)
    put(page, 0, "dialogue_acts", offsets=values_of(units_of(page)[0], page)[OFFSETS])
    export_study(tmp_path / "out")
    history = pl.read_parquet(tmp_path / "out" / "history.parquet").filter(
        (pl.col("dimension") == "dialogue_acts") & (pl.col("rater") == page.participant.code)
    )
    assert history["status"].to_list() == ["proposed", "ok"]
    assert history["spans"][0].to_list() == history["spans"][1].to_list()
    ratings = pl.read_parquet(tmp_path / "out" / "ratings.parquet")
    assert "proposed" not in ratings["status"]
