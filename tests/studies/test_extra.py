"""More places than a study was opened with."""

from collections import Counter
from collections.abc import Callable

import pytest

from attunement.errors import UserError
from attunement.studies import coverage, flow
from attunement.studies.closing import close_stage
from attunement.studies.extra import add_places
from attunement.studies.models import Assignment, Chat, Participant, Stage, Study

RATE = {
    "type": "rate",
    "instrument": "crisis-handling",
    "raters_per_item": 2,
    "items_per_rater": 2,
}


def test_new_places_spread_over_the_items(make_study: Callable[..., Study]) -> None:
    make_study(items=4, protocol=RATE)
    made = add_places(2, by="owner")
    assert [p.code for p in made] == ["R005", "R006"]
    assert [c.wanted for c in coverage.by_item(Stage.objects.get())] == [3, 3, 3, 3]


def test_a_new_place_has_every_answer_of_its_items_once(make_study: Callable[..., Study]) -> None:
    make_study(items=4, protocol=RATE)
    new = add_places(1, by="owner")[0]
    for page in Assignment.objects.filter(participant=new, kind="main"):
        assert page.item is not None
        assert sorted(page.order) == [f"{page.item.item_id}-alpha", f"{page.item.item_id}-beta"]
    assert flow.next_of(new).where == "consent"


def test_new_participants_get_the_chatbot_that_fewest_have(
    make_chat: Callable[..., Study],
) -> None:
    bot = {"model": "m", "base_url": "http://127.0.0.1:9/v1"}
    make_chat(bots={"one": bot, "other": bot}, participants=2, sessions=2)
    add_places(4, by="owner")
    assert Counter(Participant.objects.values_list("arm", flat=True)) == {"one": 3, "other": 3}
    of_new = Chat.objects.filter(assignment__participant__code="R003")
    assert sorted(of_new.values_list("number", flat=True)) == [1, 2]


@pytest.mark.parametrize("count", [0, -1, 501])
def test_a_number_that_is_none_adds_nothing(make_study: Callable[..., Study], count: int) -> None:
    make_study()
    with pytest.raises(UserError, match="between 1 and 500"):
        add_places(count, by="owner")


def test_nothing_is_added_to_a_closed_stage(make_study: Callable[..., Study]) -> None:
    make_study()
    close_stage(Stage.objects.get(), by="owner")
    with pytest.raises(UserError, match="one stage"):
        add_places(1, by="owner")


def test_nothing_is_added_where_stages_hang_together(make_study: Callable[..., Study]) -> None:
    make_study(protocol={"type": "filter-choose-annotate", "raters": 2, "annotators_per_item": 1})
    with pytest.raises(UserError, match="one stage"):
        add_places(1, by="owner")
