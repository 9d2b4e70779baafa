"""Filter, choose, annotate: who sees what, what can be chosen, and what is annotated."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from django.test import Client
from django.utils import timezone
from typer.testing import CliRunner

from attunement import tables
from attunement.cli import app as cli
from attunement.errors import UserError
from attunement.studies import links, opening, saving
from attunement.studies.asking import missing, units_of, values_of
from attunement.studies.export import export_study
from attunement.studies.models import (
    Answer,
    Assignment,
    Change,
    Event,
    Item,
    Participant,
    Response,
    Stage,
    Study,
)
from attunement.studies.withdrawal import erase, stop

ANSWERS = {
    "alpha": "That sounds tiring. How long has it been?",
    "beta": "That sounds  tiring.\nHow long has it been? ",
    "gamma": "Try tea.",
    "delta": "Same.",
}
OFFSETS = "dialogue_acts.offsets"
Make = Callable[..., Study]
_ids = itertools.count()


@pytest.fixture
def make(db: None, tmp_path: Path) -> Make:
    """Return a function that opens a study with the answers above to each of its items."""

    def opened(*, items: int = 2, answers: dict[str, str] = ANSWERS, **keys: Any) -> Study:
        asked = [
            {"item_id": f"q{n}", "turns": [{"role": "user", "text": f"I lie awake, night {n}."}]}
            for n in range(items)
        ]
        told = [
            {"response_id": f"q{n}-{name}", "item_id": f"q{n}", "source": name, "text": text}
            for n in range(items)
            for name, text in answers.items()
        ]
        for kind, rows in (("items", asked), ("responses", told)):
            table = tables.conform(pl.DataFrame(rows), kind)  # type: ignore[arg-type]
            tables.write_table(table, tmp_path / f"{kind}.parquet", kind)  # type: ignore[arg-type]
        study = {
            "id": "small",
            "title": {"en": "Small study", "it": "Piccolo studio"},
            "languages": ["en", "it"],
            "contact": "study@example.org",
            "consent": {"text": {"en": "You will read.", "it": "Leggerà."}},
            "items": "items.parquet",
            "responses": "responses.parquet",
            "protocol": {"type": "filter-choose-annotate", **keys},
        }
        return opening.make_study(yaml.safe_dump(study), tmp_path)

    return opened


def put(page: Assignment, place: int, dimension: str, *values: str, **more: list[str]) -> None:
    """Answer one question of a page."""
    posted = {dimension: list(values), **{f"{dimension}.{k}": v for k, v in more.items()}}
    saving.save(page, place, dimension, posted, client=str(next(_ids)))


def filter_page(page: Assignment, kept: set[str], chosen: list[str]) -> None:
    """Filter all answers of a page, choose, and finish it; ids without their item."""
    ids = [id.partition("-")[2] for id in page.order]
    for place, id in enumerate(ids):
        put(page, place, "keep", "1" if id in kept else "0")
    put(page, len(ids), "choice", *([f"answer-{ids.index(c) + 1}" for c in chosen] or ["none:"]))
    finish(page)


def finish(page: Assignment) -> Any:
    """Send the page off, as its rater would."""
    home = links.path(page.participant)
    client = Client()
    client.post(f"{home}consent/", {"agree": "yes"})
    return client.post(f"{home}a/{page.pk}/done/")


def pages(stage: str) -> list[Assignment]:
    return list(Assignment.objects.filter(stage__key=stage).select_related("participant", "item"))


def stage(key: str) -> Stage:
    return Stage.objects.get(key=key)


def test_equal_answers_are_one_answer_of_all_their_sources(make: Make) -> None:
    make(items=1)
    assert [(r.response_id, r.sources, r.merged) for r in Response.objects.order_by("pk")] == [
        ("q0-alpha", ["alpha", "beta"], ["q0-beta"]),
        ("q0-gamma", ["gamma"], []),
        ("q0-delta", ["delta"], []),
    ]


def test_equal_answers_to_different_items_stay_apart(make: Make) -> None:
    make(items=2)
    assert Response.objects.filter(text="Same.").count() == 2


def test_each_item_is_filtered_by_as_many_raters_as_asked(make: Make) -> None:
    make(items=3, raters=3, raters_per_item=2)
    found = pages("filter")
    assert sorted(p.item.item_id for p in found if p.item) == ["q0", "q0", "q1", "q1", "q2", "q2"]
    assert len({p.participant.code for p in found}) == 3
    assert all(len(p.order) == 3 for p in found)


def test_a_page_asks_of_each_answer_whether_it_stays_and_then_for_the_best(make: Make) -> None:
    make(items=1)
    page = pages("filter")[0]
    asked = [(u.kind, [d.id for d in u.instrument.dimensions]) for u in units_of(page)]
    answer = ("response", ["keep", "consistency", "specificity"])
    assert asked == [answer, answer, answer, ("item", ["choice"])]
    assert {u.instrument.name for u in units_of(page)} == {"socio-emotional@1"}
    for place in range(3):
        put(page, place, "keep", "0")
    assert missing(page) == [(3, "choice")]


def test_choices_are_stored_as_responses_and_shown_as_places(make: Make) -> None:
    make(items=1)
    page = pages("filter")[0]
    put(page, 1, "keep", "1")
    put(page, 3, "choice", "answer-2")
    stored = Answer.objects.get(dimension="choice")
    assert (stored.unit_id, stored.labels, stored.value) == ("q0", [page.order[1]], 1.0)
    page = pages("filter")[0]
    assert values_of(units_of(page)[3], page)["choice"] == ["answer-2"]


def test_choosing_none_is_an_answer(make: Make) -> None:
    make(items=1)
    page = pages("filter")[0]
    filter_page(page, kept={"alpha"}, chosen=[])
    page.refresh_from_db()
    assert page.done_at is not None
    assert Answer.objects.get(dimension="choice").labels == []


def test_an_answer_that_is_eliminated_leaves_the_choice(make: Make) -> None:
    make(items=1)
    page = pages("filter")[0]
    for place in range(3):
        put(page, place, "keep", "1")
    put(page, 3, "choice", "answer-1", "answer-2")
    put(page, 0, "keep", "0")
    assert Answer.objects.get(dimension="choice").labels == [page.order[1]]
    # With nothing left, that none is good enough is still for the rater to say
    put(page, 1, "keep", "0")
    assert not Answer.objects.filter(dimension="choice").exists()
    history = Change.objects.filter(dimension="choice").order_by("pk")
    assert list(history.values_list("status", "value")) == [
        ("ok", 2.0),
        ("ok", 1.0),
        ("cleared", None),
    ]


def test_a_page_cannot_be_left_with_a_choice_that_was_not_kept(make: Make) -> None:
    make(items=1)
    page = pages("filter")[0]
    for place in range(3):
        put(page, place, "keep", "0")
    put(page, 3, "choice", "answer-2")
    said = finish(page).content.decode()
    page.refresh_from_db()
    assert "You chose answers that you did not keep: 2." in said
    assert page.done_at is None


def test_a_page_cannot_be_left_with_more_than_may_be_chosen(make: Make) -> None:
    make(items=1, choose=1)
    page = pages("filter")[0]
    for place in range(3):
        put(page, place, "keep", "1")
    put(page, 3, "choice", "answer-1", "answer-2")
    assert "Choose 1 answer at most." in finish(page).content.decode()


def test_an_item_with_one_answer_has_a_choice_too(make: Make) -> None:
    make(items=1, answers={"alpha": "Yes.", "beta": "Yes."})
    filter_page(pages("filter")[0], kept={"alpha"}, chosen=["alpha"])
    assert Answer.objects.get(dimension="choice").labels == ["q0-alpha"]


def test_no_page_says_which_response_or_whose_it_is(make: Make) -> None:
    make(items=1)
    page = pages("filter")[0]
    home = links.path(page.participant)
    client = Client()
    client.post(f"{home}consent/", {"agree": "yes"})
    said = client.get(f"{home}a/{page.pk}/").content.decode()
    assert "Try tea." in said
    assert not [name for name in ANSWERS if name in said]


def filter_all(kept: set[str], *chosen: list[str]) -> None:
    """Filter every page; the n-th page of an item gets the n-th choice."""
    seen: dict[str, int] = {}
    for page in pages("filter"):
        assert page.item is not None
        nth = seen[page.item.item_id] = seen.get(page.item.item_id, -1) + 1
        filter_page(page, kept, chosen[nth])


def test_the_union_of_the_choices_is_annotated(make: Make) -> None:
    make(items=1, raters=3, raters_per_item=2, annotators_per_item=3)
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
    make: Make, leave: Callable[..., None], annotated: list[str]
) -> None:
    make(items=1, raters=3, raters_per_item=2, annotators_per_item=1)
    filter_all({"alpha", "gamma"}, ["alpha"], ["gamma"])
    leave(pages("filter")[0].participant, by="owner")
    opening.open_stage(stage("annotate"), by="owner")
    assert [sorted(p.order) for p in pages("annotate")] == [annotated]


def test_annotation_waits_for_those_who_filter_unless_the_stage_is_closed(make: Make) -> None:
    make(items=1)
    filter_page(pages("filter")[0], kept={"alpha"}, chosen=["alpha"])
    with pytest.raises(UserError, match="1 raters have yet to finish 1 pages"):
        opening.open_stage(stage("annotate"), by="owner")
    Stage.objects.filter(key="filter").update(closed_at="2026-01-01T00:00Z")
    opening.open_stage(stage("annotate"), by="owner")
    assert {tuple(p.order) for p in pages("annotate")} == {("q0-alpha",)}


def test_choices_are_closed_once_they_are_annotated(make: Make) -> None:
    make(items=1)
    filter_all({"alpha"}, ["alpha"], ["alpha"])
    opening.open_stage(stage("annotate"), by="owner")
    page = pages("filter")[0]
    answer = Client().post(
        f"{links.path(page.participant)}a/{page.pk}/save/",
        {"place": "0", "dimension": "keep", "keep": "0", "client": "late"},
    )
    assert answer.status_code == 404


def test_drawn_items_are_marked_whether_or_not_anything_was_chosen(make: Make) -> None:
    make(items=4, annotate_items=2)
    filter_all({"alpha"}, [], [])
    opening.open_stage(stage("annotate"), by="owner")
    drawn = [i.item_id for i in Item.objects.order_by("pk") if i.meta.get("annotate")]
    assert len(drawn) == 2
    said = Event.objects.get(action="items drawn for annotation").detail
    assert said == {"items": drawn, "answers": 0}
    assert pages("annotate") == []


def test_only_drawn_items_are_annotated(make: Make) -> None:
    make(items=4, annotate_items=2, annotators_per_item=1)
    filter_all({"alpha"}, ["alpha"], ["alpha"])
    opening.open_stage(stage("annotate"), by="owner")
    drawn = {i.item_id for i in Item.objects.all() if i.meta.get("annotate")}
    assert {p.item.item_id for p in pages("annotate") if p.item} == drawn


def annotate(make: Make) -> Assignment:
    make(items=1)
    filter_all({"alpha"}, ["alpha"], ["alpha"])
    opening.open_stage(stage("annotate"), by="owner")
    return pages("annotate")[0]


def test_dialogue_acts_are_proposed_and_are_no_answer_until_confirmed(make: Make) -> None:
    page = annotate(make)
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


def test_the_history_tells_a_confirmed_proposal_from_a_corrected_one(make: Make) -> None:
    page = annotate(make)
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


def test_texts_in_a_language_without_rules_are_not_marked_beforehand(make: Make) -> None:
    make(items=1)
    Item.objects.update(lang="de")
    filter_all({"alpha"}, ["alpha"], ["alpha"])
    opening.open_stage(stage("annotate"), by="owner")
    assert not any(unit.prefill for page in pages("annotate") for unit in units_of(page))


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"annotators_per_item": 4, "raters": 3}, "cannot give each item 4 different"),
        ({"annotate_items": 3}, "3 items cannot be drawn from 2"),
        ({"instrument": "crisis-handling"}, "has no step 'annotate'"),
    ],
)
def test_numbers_and_instruments_that_do_not_fit_are_refused(
    make: Make, keys: dict[str, Any], said: str
) -> None:
    with pytest.raises(UserError, match=said):
        make(**keys)


def test_the_choice_is_asked_in_the_languages_of_the_instrument(make: Make) -> None:
    make(items=1, choose=2)
    choice = units_of(pages("filter")[0])[3].instrument.dimensions[0]
    assert set(choice.wording) == {"en", "it"}
    assert choice.wording["en"].endswith("Choose up to 2.")


def test_people_who_have_filtered_wait_until_annotation_opens(make: Make) -> None:
    make(items=1)
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


def test_the_export_of_a_whole_study_is_scored_as_it_stands(make: Make, tmp_path: Path) -> None:
    make(items=1, raters=2, annotators_per_item=2)
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


def test_the_exported_history_holds_what_was_proposed(make: Make, tmp_path: Path) -> None:
    page = annotate(make)
    put(page, 0, "dialogue_acts", offsets=values_of(units_of(page)[0], page)[OFFSETS])
    export_study(tmp_path / "out")
    history = pl.read_parquet(tmp_path / "out" / "history.parquet").filter(
        (pl.col("dimension") == "dialogue_acts") & (pl.col("rater") == page.participant.code)
    )
    assert history["status"].to_list() == ["proposed", "ok"]
    assert history["spans"][0].to_list() == history["spans"][1].to_list()
    ratings = pl.read_parquet(tmp_path / "out" / "ratings.parquet")
    assert "proposed" not in ratings["status"]
