"""Filter and choose: who sees which answers, and what can be chosen."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from attunement.errors import UserError
from attunement.studies import links
from attunement.studies.asking import missing, units_of, values_of
from attunement.studies.models import (
    Answer,
    Change,
    Response,
)
from studies.filter_pages import (
    ANSWERS,
    Make,
    filter_page,
    finish,
    pages,
    put,
)


def test_equal_answers_are_one_answer_of_all_their_sources(make_filtering: Make) -> None:
    make_filtering(items=1)
    assert [(r.response_id, r.sources, r.merged) for r in Response.objects.order_by("pk")] == [
        ("q0-alpha", ["alpha", "beta"], ["q0-beta"]),
        ("q0-gamma", ["gamma"], []),
        ("q0-delta", ["delta"], []),
    ]


def test_equal_answers_to_different_items_stay_apart(make_filtering: Make) -> None:
    make_filtering(items=2)
    assert Response.objects.filter(text="Same.").count() == 2


def test_each_item_is_filtered_by_as_many_raters_as_asked(make_filtering: Make) -> None:
    make_filtering(items=3, raters=3, raters_per_item=2)
    found = pages("filter")
    assert sorted(p.item.item_id for p in found if p.item) == ["q0", "q0", "q1", "q1", "q2", "q2"]
    assert len({p.participant.code for p in found}) == 3
    assert all(len(p.order) == 3 for p in found)


def test_a_page_asks_of_each_answer_whether_it_stays_and_then_for_the_best(
    make_filtering: Make,
) -> None:
    make_filtering(items=1)
    page = pages("filter")[0]
    asked = [(u.kind, [d.id for d in u.instrument.dimensions]) for u in units_of(page)]
    answer = ("response", ["keep", "consistency", "specificity"])
    assert asked == [answer, answer, answer, ("item", ["choice"])]
    assert {u.instrument.name for u in units_of(page)} == {"socio-emotional@1"}
    for place in range(3):
        put(page, place, "keep", "0")
    assert missing(page) == [(3, "choice")]


def test_choices_are_stored_as_responses_and_shown_as_places(make_filtering: Make) -> None:
    make_filtering(items=1)
    page = pages("filter")[0]
    put(page, 1, "keep", "1")
    put(page, 3, "choice", "answer-2")
    stored = Answer.objects.get(dimension="choice")
    assert (stored.unit_id, stored.labels, stored.value) == ("q0", [page.order[1]], 1.0)
    page = pages("filter")[0]
    assert values_of(units_of(page)[3], page)["choice"] == ["answer-2"]


def test_choosing_none_is_an_answer(make_filtering: Make) -> None:
    make_filtering(items=1)
    page = pages("filter")[0]
    filter_page(page, kept={"alpha"}, chosen=[])
    page.refresh_from_db()
    assert page.done_at is not None
    assert Answer.objects.get(dimension="choice").labels == []


def test_an_answer_that_is_eliminated_leaves_the_choice(make_filtering: Make) -> None:
    make_filtering(items=1)
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


def test_a_page_cannot_be_left_with_a_choice_that_was_not_kept(make_filtering: Make) -> None:
    make_filtering(items=1)
    page = pages("filter")[0]
    for place in range(3):
        put(page, place, "keep", "0")
    put(page, 3, "choice", "answer-2")
    said = finish(page).content.decode()
    page.refresh_from_db()
    assert "You chose answers that you did not keep: 2." in said
    assert page.done_at is None


def test_a_page_cannot_be_left_with_more_than_may_be_chosen(make_filtering: Make) -> None:
    make_filtering(items=1, choose=1)
    page = pages("filter")[0]
    for place in range(3):
        put(page, place, "keep", "1")
    put(page, 3, "choice", "answer-1", "answer-2")
    assert "Choose 1 answer at most." in finish(page).content.decode()


def test_a_finished_page_with_more_than_may_be_chosen_is_to_be_done_again(
    make_filtering: Make,
) -> None:
    make_filtering(items=1, choose=1)
    page = pages("filter")[0]
    for place in range(3):
        put(page, place, "keep", "1")
    put(page, 3, "choice", "answer-1")
    finish(page)
    page.refresh_from_db()
    assert page.done_at is not None
    put(page, 3, "choice", "answer-1", "answer-2")
    page.refresh_from_db()
    assert page.done_at is None


def test_an_item_with_one_answer_has_a_choice_too(make_filtering: Make) -> None:
    make_filtering(items=1, answers={"alpha": "Yes.", "beta": "Yes."})
    filter_page(pages("filter")[0], kept={"alpha"}, chosen=["alpha"])
    assert Answer.objects.get(dimension="choice").labels == ["q0-alpha"]


def test_no_page_says_which_response_or_whose_it_is(make_filtering: Make) -> None:
    make_filtering(items=1)
    page = pages("filter")[0]
    home = links.path(page.participant)
    client = Client()
    client.post(f"{home}consent/", {"agree": "yes"})
    said = client.get(f"{home}a/{page.pk}/").content.decode()
    assert "Try tea." in said
    assert not [name for name in ANSWERS if name in said]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"annotators_per_item": 4, "raters": 3}, "cannot give each item 4 different"),
        ({"annotate_items": 3}, "3 items cannot be drawn from 2"),
        ({"instrument": "crisis-handling"}, "has no step 'annotate'"),
    ],
)
def test_numbers_and_instruments_that_do_not_fit_are_refused(
    make_filtering: Make, keys: dict[str, Any], said: str
) -> None:
    with pytest.raises(UserError, match=said):
        make_filtering(**keys)


def test_the_choice_is_asked_in_the_languages_of_the_instrument(make_filtering: Make) -> None:
    make_filtering(items=1, choose=2)
    choice = units_of(pages("filter")[0])[3].instrument.dimensions[0]
    assert set(choice.wording) == {"en", "it"}
    assert choice.wording["en"].endswith("Choose up to 2.")
