"""Add, Modify, Drop on rounds small enough to decide by hand."""

import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from pydantic import ValidationError

from attunement.delphi import (
    OwnerDecision,
    PanelRound,
    Thresholds,
    as_markdown,
    decide,
    decisions_table,
    instrument_of,
    items_from,
    motivation,
    priorities,
    read_decisions,
    read_round,
    statistics_table,
)
from attunement.errors import UserError
from attunement.instruments import parse_instrument
from attunement.instruments.writing import to_yaml


def panel(*rows: tuple[Any, ...], round_: int = 2) -> PanelRound:
    """A summarized round: id, agreement, mean, iqr, flags, points."""
    names = ("item", "agree_pct", "mean", "iqr")
    columns = {
        name if name == "item" else f"relevance_{name}": [row[i] for row in rows]
        for i, name in enumerate(names)
    }
    columns["dimension"] = [row[0][0] for row in rows]
    columns["item_en"] = [f"Sentence {row[0]}." for row in rows]
    columns["redundancy_flags"] = [row[4] for row in rows]
    columns["borda_points"] = [row[5] for row in rows]
    frame = pl.DataFrame(
        {k: [None if x is None else str(x) for x in v] for k, v in columns.items()}
    )
    return read_round(frame, number=round_)


GOOD = (90, 4.5, 1)
FOUR = panel(
    ("A1", *GOOD, 0, 30),
    ("A2", 90, 4.2, 1, 5, 20),
    ("A3", 90, 4.4, 1, 4, 25),
    ("A4", *GOOD, 0, 10),
)


def owner(action: str, item: str | None = "A1", **more: Any) -> OwnerDecision:
    content = {"action": action, "item": item, "reason": "Because.", **more}
    return OwnerDecision.model_validate(content)


@pytest.mark.parametrize(
    ("values", "rules"),
    [
        ((75, 3, 1.99), ["passed"]),
        ((74.99, 4, 1), ["agreement"]),
        ((80, 2.99, 1), ["mean"]),
        ((80, 4, 2), ["iqr"]),
        ((50, 2, 3), ["agreement", "mean", "iqr"]),
    ],
)
def test_each_threshold_drops_and_says_so(values: tuple[float, ...], rules: list[str]) -> None:
    (decision,) = decide(panel(("A1", *values, 0, 1)), minimum=0).decisions
    assert [r.rule for r in decision.reasons] == rules
    assert decision.action == ("keep" if rules == ["passed"] else "drop")
    if rules != ["passed"]:
        assert all(r.threshold in (75, 3, 2) and r.value in values for r in decision.reasons)


def test_thresholds_can_be_others() -> None:
    strict = Thresholds(agreement=95, mean=4.6, iqr=0.5)
    rules = [r.rule for r in decide(FOUR, thresholds=strict).decisions[0].reasons]
    assert rules == ["agreement", "mean", "iqr"]


def test_flags_above_the_third_quartile_drop_an_item() -> None:
    # By hand: 0 0 4 5, the quartile at place 3.25 is 4.25; only A2 has more.
    outcome = decide(FOUR, minimum=0)
    assert outcome.redundancy is not None
    assert outcome.redundancy.estimate == 4.25
    assert [i.id for i in outcome.with_action("drop")] == ["A2"]
    assert "5 flags of redundancy, more than 4.25" in outcome.decisions[1].reasons[0].text


def test_flags_of_a_first_round_do_not_count() -> None:
    first = panel(("A1", *GOOD, 9, 1), ("A2", *GOOD, 0, 2), round_=1)
    outcome = decide(first, minimum=0)
    assert outcome.redundancy is None
    assert outcome.with_action("drop") == ()


def test_a_number_of_flags_can_be_given_or_switched_off() -> None:
    dropped = decide(FOUR, thresholds=Thresholds(redundancy=3), minimum=0).with_action("drop")
    assert [i.id for i in dropped] == ["A2", "A3"]
    assert decide(FOUR, thresholds=Thresholds(redundancy=math.inf)).with_action("drop") == ()


def test_the_minimum_keeps_the_higher_mean() -> None:
    outcome = decide(FOUR, thresholds=Thresholds(redundancy=3), minimum=3)
    assert [i.id for i in outcome.items] == ["A1", "A3", "A4"]
    kept = outcome.decisions[2]
    assert [r.rule for r in kept.reasons] == ["redundancy", "minimum"]
    assert "4.40" in kept.reasons[1].text


def test_the_minimum_brings_back_nothing_that_failed_on_relevance() -> None:
    outcome = decide(panel(("A1", *GOOD, 0, 2), ("A2", 50, 4, 1, 0, 1), ("B1", 50, 4, 1, 0, 1)))
    assert [i.id for i in outcome.items] == ["A1"]
    assert outcome.lost_dimensions == ("B",)
    assert outcome.warnings[:2] == (
        "No item of B is left: the dimension goes.",
        "A has 1 of at least 3 items: new ones are needed.",
    )


def test_a_quartile_of_no_flags_is_warned_of() -> None:
    rows = [(f"A{i}", *GOOD, int(i == 1), i) for i in range(1, 7)]
    outcome = decide(panel(*rows))
    assert [i.id for i in outcome.with_action("drop")] == ["A1"]
    assert any("a single expert's flag drops" in w for w in outcome.warnings)


def test_an_item_without_ratings_is_not_decided_and_stays_in() -> None:
    outcome = decide(panel(("A1", None, None, None, 0, 1), ("A2", *GOOD, 0, 2)), minimum=0)
    first = outcome.decisions[0]
    assert first.action == "undecided"
    assert {r.rule for r in first.reasons} == {"missing"}
    assert len(outcome.items) == 2
    assert any("The owner has to decide" in w for w in outcome.warnings)


def test_priorities_go_by_points_among_those_that_stay() -> None:
    assert priorities(decide(FOUR, minimum=0)) == {"A1": 1, "A3": 2, "A4": 3}


def test_the_owner_counts_over_the_thresholds_and_is_marked() -> None:
    outcome = decide(
        FOUR,
        minimum=0,
        owner=[
            owner("drop", "A1", comment="Says nothing."),
            owner("keep", "A2"),
            owner("modify", "A3", into=[{"wording": {"en": "Better."}}]),
            owner("split", "A4", into=[{"wording": {"en": "One."}}, {"wording": {"en": "Two."}}]),
            owner("add", None, dimension="N", into=[{"id": "N1", "wording": {"en": "New."}}]),
        ],
    )
    assert [(d.action, d.by, d.by_rule) for d in outcome.decisions[:2]] == [
        ("drop", "owner", "keep"),
        ("keep", "owner", "drop"),
    ]
    assert [d.departs for d in outcome.decisions] == [True, True, False, False]
    assert [i.id for i in outcome.items] == ["A2", "A3", "A4a", "A4b", "N1"]
    assert outcome.decisions[0].reasons[-1].text == "Says nothing."
    # The reworded item keeps its points; those that were never ranked have no place.
    assert priorities(outcome) == {"A2": 2, "A3": 1}


def test_additions_and_splits_count_for_the_minimum() -> None:
    new = owner("add", None, dimension="A", into=[{"id": "A9", "wording": {"en": "New."}}])
    outcome = decide(FOUR, thresholds=Thresholds(redundancy=3), owner=[new])
    assert [i.id for i in outcome.with_action("drop")] == ["A2", "A3"]


@pytest.mark.parametrize(
    ("decisions", "says"),
    [
        ([owner("drop", "A7")], "which the round does not have"),
        ([owner("drop"), owner("keep")], "twice"),
        (
            [owner("add", None, dimension="A", into=[{"id": "A1", "wording": {"en": "x"}}])],
            "two items of the outcome are called 'A1'",
        ),
    ],
)
def test_the_owner_decides_once_on_what_is_there(decisions: list[OwnerDecision], says: str) -> None:
    with pytest.raises(UserError, match=says):
        decide(FOUR, owner=decisions)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- {action: drop, item: A1}", "decision 1: reason: Field required"),
        ("- {action: drop, reason: x}", "'drop' names an item only"),
        ("- {action: split, item: A1, reason: x}", "'split' has 0 items under 'into'"),
        ("- {action: burn, item: A1, reason: x}", "decision 1: action"),
        ("- {action: keep, item: A1, reason: x, why: y}", "why: Extra inputs"),
        ("- [", "no YAML"),
        ("word", "valid list"),
    ],
)
def test_a_file_of_decisions_says_what_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "owner.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as error:
        read_decisions(file)
    assert says in str(error.value)


def test_the_outcome_is_an_instrument_that_reads_back_the_same() -> None:
    written = instrument_of(decide(FOUR, minimum=0), id="mine", title="Mine")
    text = to_yaml(written.instrument)
    again = parse_instrument(text, where="mine.yaml")
    assert again == written.instrument
    assert [(d.id, d.priority) for d in again.dimensions] == [("a1", "1"), ("a3", "2"), ("a4", "3")]
    assert [s.dimensions for s in again.subscales] == [("a1", "a3", "a4")]
    assert written.warnings == ()


def test_an_instrument_that_was_reviewed_is_written_as_its_next_version() -> None:
    items, base = items_from("ces-lcc")
    assert base is not None
    rows = [(i.id, i.dimension, "e1", 2 if i.id == "crr3" else 5) for i in items]
    frame = pl.DataFrame(
        [[str(v) for v in r] for r in rows],
        schema=["item", "dimension", "expert", "relevance"],
        orient="row",
    )
    outcome = decide(read_round(frame, items=items))
    again = instrument_of(outcome, base=base).instrument
    assert (again.id, again.version, len(again.dimensions)) == ("ces-lcc", base.version + 1, 26)
    assert again.dimension("ur1") == base.dimension("ur1")
    # An addition in one language leaves that language only, in every text.
    new = owner("add", None, dimension="ur", into=[{"id": "ur4", "wording": {"en": "New."}}])
    written = instrument_of(decide(read_round(frame, items=items), owner=[new]), base=base)
    assert written.instrument.languages == ("en",)
    assert any("'it'" in w for w in written.warnings)


def test_no_instrument_without_words_or_items() -> None:
    bare = pl.DataFrame({"item": ["A1"], "expert": ["e"], "relevance": ["5"]})
    with pytest.raises(UserError, match="has no wording"):
        instrument_of(decide(read_round(bare)))
    nothing = pl.DataFrame({"item": ["A1"], "expert": ["e"], "relevance": ["1"]})
    with pytest.raises(UserError, match="no item is left"):
        instrument_of(decide(read_round(nothing)))


def test_a_wording_that_no_instrument_can_hold_is_an_error_that_says_so() -> None:
    steering = pl.DataFrame(
        {"item": ["A1"], "expert": ["e"], "relevance": ["5"], "item_en": ["a\x1b[31mb"]}
    )
    with pytest.raises(UserError, match="make no instrument: the text holds"):
        instrument_of(decide(read_round(steering)))


def test_the_log_is_laid_out_by_dimension_with_motivations() -> None:
    outcome = decide(
        panel(("A1", *GOOD, 0, 1), ("A2", 50, 4, 1, 0, 2), ("B1", 50, 4, 3, 0, 2)),
        owner=[owner("add", None, dimension="N", into=[{"id": "N1", "wording": {"en": "New."}}])],
    )
    page = as_markdown(outcome)
    assert "| A | Nothing | Nothing | - “Sentence A2.” (% Agree Relevance) |" in page
    assert "| B | Nothing | Nothing | - The entire dimension (% Agree Relevance, IQR" in page
    assert "| N [New] | - “New.” (Owner) | Nothing | Nothing |" in page
    assert motivation(outcome.decisions[1].reasons) == "% Agree Relevance"


def test_no_cell_of_a_table_is_a_formula_or_breaks_the_page() -> None:
    wicked = "=HYPERLINK(1) | <b>[x](y)"
    change = owner("modify", "A1", reason=wicked, into=[{"wording": {"en": wicked}}])
    outcome = decide(FOUR, owner=[change])
    rows = decisions_table(outcome)
    assert rows["into"][0].startswith("'=")
    assert all(
        not str(v).startswith(("=", "+", "-", "@"))
        for table in (rows, statistics_table(outcome))
        for column in table.select(pl.col(pl.String)).get_columns()
        for v in column.drop_nulls()
    )
    page = as_markdown(outcome)
    assert "<b>" not in page
    assert "\\|" in page


def test_no_comment_behind_a_departure_is_markup() -> None:
    wicked = "<script>x</script> ![i](http://x.example/i.png)"
    drop = owner("drop", "A1", reason=wicked, comment=wicked)
    page = as_markdown(decide(FOUR, owner=[drop]))
    (line,) = [line for line in page.splitlines() if "the owner drop" in line]
    assert "<script>" not in line
    assert "![i]" not in line


def test_the_log_counts_one_item_as_one() -> None:
    page = as_markdown(decide(panel(("A1", *GOOD, 0, 2), ("A2", 50, 4, 1, 0, 1))))
    assert "Of 2 items 1 stays and 1 goes; the refined scale has 1 item." in page


def test_names_that_an_instrument_can_have_stay_as_they_are() -> None:
    split = [{"id": f"a_1{x}", "wording": {"en": f"Part {x}."}} for x in "ab"]
    more = owner("add", None, dimension="my_part", into=[{"id": "M_1", "wording": {"en": "New."}}])
    outcome = decide(FOUR, owner=[owner("split", "A1", into=split), more])
    made = instrument_of(outcome).instrument
    assert {"a_1a", "a_1b", "m-1"} <= {d.id for d in made.dimensions}
    assert "my_part" in {s.id for s in made.subscales}


def test_a_new_dimension_is_called_what_the_owner_calls_it() -> None:
    def new(id: str, **keys: Any) -> OwnerDecision:
        return owner("add", None, dimension="M", into=[{"id": id, "wording": {"en": id}}], **keys)

    outcome = decide(FOUR, owner=[new("M1", label={"en": "Memory"}), new("M2")])
    names = {s.id: s.label for s in instrument_of(outcome).instrument.subscales}
    assert names == {"a": {"en": "A"}, "m": {"en": "Memory"}}
    with pytest.raises(ValidationError, match="which only 'add' makes"):
        owner("drop", "A1", label={"en": "Memory"})


def test_the_log_says_that_few_experts_decided() -> None:
    rows = [(f"A{i}", f"e{e}", "5") for i in (1, 2) for e in (1, 2, 3)]
    frame = pl.DataFrame(rows, schema=["item", "expert", "relevance"], orient="row")
    assert "3 experts rated, fewer than 10" in as_markdown(decide(read_round(frame)))
