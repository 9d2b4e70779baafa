"""Showing candidates: all of them, in order, and nothing that somebody wrote as HTML."""

from collections.abc import Callable

import polars as pl
import pytest

from attunement import tables
from attunement.errors import UserError
from attunement.planning.planner import Plan
from attunement.respond import record, show
from attunement.respond.planned import respond
from attunement.respond.plans import Plans
from attunement.respond.sources import Existing
from stubs.rule_tagger import RuleTagger

EVIL = "<script>alert(1)</script> {{ 7 * 7 }}"


@pytest.fixture
def made(items: Callable[..., pl.DataFrame]) -> tuple[pl.DataFrame, pl.DataFrame]:
    asked = tables.conform(items("I cannot sleep.", EVIL), "items")
    given = pl.DataFrame(
        {
            "item_id": ["q0", "q0", "q0", "q1"],
            "source": ["m"] * 4,
            "candidate": [0, 1, 2, 0],
            "text": ["I see.", "Why?", "Why?", EVIL],
        }
    )
    plans = Plans("chosen", (Plan(("question",)), Plan((), "unparsed", "It said None.")), "x")
    how = {"plans": plans, "tagger": RuleTagger()}
    found = [
        respond(asked, Existing(given), "rerank", name="planned", **how),  # type: ignore[arg-type]
        respond(asked, Existing(given), "none", name="plain", n=1),
    ]
    return pl.concat([record.candidates_table(f) for f in found]), asked


def test_every_item_shows_what_each_source_made_of_it(
    made: tuple[pl.DataFrame, pl.DataFrame],
) -> None:
    first, second = show.of_items(*made)
    assert (first.item_id, second.item_id) == ("q0", "q1")
    assert first.turns == (("Person", "I cannot sleep."),)
    assert [(p.source, p.plan, p.plan_kind) for p in first.parts] == [
        ("plain", "none was made", None),
        ("planned", "question", "chosen"),
    ]
    assert second.parts[1].plan == "none: It said None"


def test_the_text_has_a_line_for_every_candidate_and_marks_the_chosen(
    made: tuple[pl.DataFrame, pl.DataFrame],
) -> None:
    text = list(show.lines(show.of_items(*made, source="planned", item="q0")))
    assert text == [
        "q0",
        "  Person: I cannot sleep.",
        "  planned, rerank; plan (chosen): question",
        "     1  0.00  inform: less similar",
        "       I see.",
        "  *  2  1.00  question: highest similarity, the first of 2 equals",
        "       Why?",
        "     3  1.00  question: as similar, later",
        "       Why?",
        "",
    ]


def test_the_page_escapes_what_people_and_models_wrote(
    made: tuple[pl.DataFrame, pl.DataFrame],
) -> None:
    html = show.page(show.of_items(*made), title="<b>run</b>", items=2, facts=[EVIL])
    assert "<script" not in html
    assert "49" not in html
    assert html.count("&lt;script&gt;") == 4  # the fact, the item, and its answer twice
    assert "&lt;b&gt;run" in html
    assert html.count('class="chosen"') == 4
    assert "The words of 2." in html
    assert "no clinical validation" in html


def test_the_page_says_how_many_items_are_not_shown(
    made: tuple[pl.DataFrame, pl.DataFrame],
) -> None:
    found = show.of_items(*made, limit=1)
    assert "1 of 2 items are shown." in show.page(found, title="x", items=2)


def test_an_item_or_source_that_is_not_there_is_refused(
    made: tuple[pl.DataFrame, pl.DataFrame],
) -> None:
    with pytest.raises(UserError, match="did you mean 'planned'"):
        show.of_items(*made, source="planed")
    with pytest.raises(UserError, match="item_id 'zz'"):
        show.of_items(*made, item="zz")
