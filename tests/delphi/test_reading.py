"""Tables from elsewhere: what is read of them, and what is refused."""

import math
from typing import Any

import polars as pl
import pytest

from attunement.delphi import Scale, counts_behind, read_round, stability
from attunement.delphi.items import items_of_table
from attunement.errors import UserError


def raw(*rows: tuple[Any, ...], columns: str = "expert item dimension relevance") -> pl.DataFrame:
    texts = [[None if v is None else str(v) for v in row] for row in rows]
    return pl.DataFrame(texts, schema=columns.split(), orient="row")


SMALL = raw(
    ("e1", "A1", "A", 5),
    ("e1", "A2", "A", 2),
    ("e1", "B1", "B", 4),
    ("e2", "A1", "A", 4),
    ("e2", "A2", "A", 3),
    ("e2", "B1", "B", ""),
)


def test_a_raw_table_is_summarized_by_item() -> None:
    found = read_round(SMALL)
    assert [i.id for i in found.items] == ["A1", "A2", "B1"]
    assert found.dimensions == ("A", "B")
    assert [s.value("agreement") for s in found.summaries] == [1, 0, 1]
    assert [s.value("mean") for s in found.summaries] == [4.5, 2.5, 4]
    last = found.summaries[2].results["mean"]
    assert (last.n, last.n_missing) == (1, 1)
    assert found.number == 1


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (("e3", "A1", "A", "high"), "'high' is not a number"),
        (("e3", "A1", "A", 6), "6 is not a whole number from 1 to 5"),
        (("e3", "A1", "A", 0), "0 is not a whole number from 1 to 5"),
        (("e3", "A1", "A", 3.5), "3.5 is not a whole number"),
        (("e3", "A1", "A", "inf"), "'inf' is not a number"),
        (("e1", "A1", "A", 3), "expert 'e1' answers item 'A1' 2 times"),
        (("", "A1", "A", 3), "the row names no expert"),
        (("e3", "", "A", 3), "the row names no item"),
    ],
)
def test_a_wrong_cell_is_named(row: tuple[Any, ...], says: str) -> None:
    with pytest.raises(UserError) as error:
        read_round(pl.concat([SMALL, raw(row)]), "panel.csv")
    assert says in str(error.value)
    assert "panel.csv" in str(error.value.where)


def test_a_missing_column_names_the_nearest() -> None:
    with pytest.raises(UserError, match="is it 'relevence'"):
        read_round(SMALL.rename({"relevance": "relevence"}))
    with pytest.raises(UserError, match="no rows"):
        read_round(SMALL.clear())


def test_an_expert_without_any_answer_is_counted_and_named() -> None:
    silent = raw(*(("e3", i, i[0], None) for i in ("A1", "A2", "B1")))
    found = read_round(pl.concat([SMALL, silent]))
    assert any("1 of 3 experts rated no item" in w and "e3" in w for w in found.warnings)
    assert found.summaries[0].results["mean"].n_missing == 1


def test_an_item_is_of_one_dimension() -> None:
    with pytest.raises(UserError, match="'A1' is of 'A' in one row and of 'B' here"):
        read_round(pl.concat([SMALL, raw(("e3", "A1", "B", 3))]))


def test_an_expert_may_rate_translations_only() -> None:
    only = later(("e3", "A1", "A", "", "", "", 5, "", ""))
    found = read_round(pl.concat([SECOND, only])).summaries[0]
    assert found.value("translation_agreement") == 1
    assert found.value("translation_agreement_of_panel") == pytest.approx(2 / 3)


def test_two_items_are_few_and_said_to_be() -> None:
    found = read_round(SMALL.filter(pl.col("dimension") == "A"))
    assert any("2 items" in w for w in found.warnings)


def test_another_scale_is_another_scale() -> None:
    high = raw(("e1", "A1", "A", 7), ("e2", "A1", "A", 5))
    found = read_round(high, scale=Scale(1, 7, 6))
    assert found.summaries[0].value("agreement") == 0.5
    with pytest.raises(ValueError, match="lowest value that agrees"):
        Scale(1, 5, 6)


LATER = "expert item dimension relevance rank redundant_with translation comment suggestion"


def later(*rows: tuple[Any, ...]) -> pl.DataFrame:
    return raw(*rows, columns=LATER)


SECOND = later(
    ("e1", "A1", "A", 5, 1, "", 4, "Good.", ""),
    ("e1", "A2", "A", 4, 2, "A1", 2, "", "Meglio cosi"),
    ("e2", "A1", "A", 4, 2, "no", "", "", ""),
    ("e2", "A2", "A", 5, 1, "A1; A3", "", "=1+1", ""),
    ("e1", "A3", "A", 3, 3, "", 5, "", ""),
    ("e2", "A3", "A", 3, 3, "yes", "", "", ""),
)


def test_ranks_flags_translation_and_comments_are_read() -> None:
    found = read_round(SECOND)
    first, second, third = found.summaries
    assert found.number == 2
    assert [s.value("borda_points") for s in found.summaries] == [5, 5, 2]
    assert [s.value("redundancy_flags") for s in found.summaries] == [0, 2, 1]
    assert dict(second.overlaps) == {"A1": 2, "A3": 1}
    assert dict(third.overlaps) == {}
    assert first.comments == ("Good.",)
    assert second.suggestions == ("Meglio cosi",)
    # One of two rated the translation of A1, and agreed.
    assert first.value("translation_agreement") == 1
    assert first.value("translation_agreement_of_panel") == 0.5


def test_a_rank_that_the_dimension_does_not_have_is_refused() -> None:
    wrong = SECOND.with_columns(
        pl.when(pl.col("rank") == "3").then(pl.lit("4")).otherwise(pl.col("rank")).alias("rank")
    )
    with pytest.raises(UserError, match="rank 4 is none in A"):
        read_round(wrong)


def test_half_a_ranking_is_left_out_and_said() -> None:
    half = SECOND.with_columns(
        pl.when((pl.col("expert") == "e2") & (pl.col("item") == "A3"))
        .then(None)
        .otherwise(pl.col("rank"))
        .alias("rank")
    )
    found = read_round(half)
    assert [s.value("borda_points") for s in found.summaries] == [3, 2, 1]
    assert any("1 experts ranked only some" in w for w in found.warnings)


def test_an_item_cannot_be_redundant_with_itself_and_unknown_names_are_said() -> None:
    def flag(word: str) -> pl.DataFrame:
        return SECOND.with_columns(
            pl.when(pl.col("item") == "A3")
            .then(pl.lit(word))
            .otherwise(None)
            .alias("redundant_with")
        )

    with pytest.raises(UserError, match="redundant with itself"):
        read_round(flag("A3"))
    found = read_round(flag("the first one"))
    assert found.summaries[2].value("redundancy_flags") == 2
    assert any("'the first one'" in w for w in found.warnings)


def test_a_table_of_two_rounds_gives_either_and_their_stability() -> None:
    both = pl.concat(
        [
            SMALL.with_columns(pl.lit("1").alias("round")),
            SMALL.with_columns(
                pl.lit("2").alias("round"),
                pl.when(pl.col("item") == "A2")
                .then(pl.lit("3"))
                .otherwise(pl.col("relevance"))
                .alias("relevance"),
            ),
        ]
    )
    first, second = read_round(both, number=1), read_round(both)
    assert (first.number, second.number) == (1, 2)
    found = stability(first, second)
    # By hand: of A1 2 of 2, of A2 1 of 2, of B1 1 of 1 ratings are unchanged.
    assert {k: s.unchanged.estimate for k, s in found.items()} == {
        "A1": 1,
        "A2": 0.5,
        "B1": 1,
        "": 0.8,
    }
    with pytest.raises(UserError, match="no round 3; it has 1, 2"):
        read_round(both, number=3)


def test_rounds_that_share_nobody_cannot_be_compared() -> None:
    other = SMALL.with_columns(pl.col("expert") + "x")
    with pytest.raises(UserError, match="share no expert"):
        stability(read_round(SMALL), read_round(other))


PRINTED = pl.DataFrame(
    {
        "dimension": ["A", "A"],
        "item": ["The first sentence.", "The second sentence."],
        "relevance_agree_pct": ["62.50", "33.30"],
        "relevance_mean": ["3.69", "4"],
        "relevance_sd": ["1.14", ""],
        "relevance_iqr": ["1.25", "NA"],
    }
)


def test_a_printed_table_gets_ids_and_intervals_where_the_panel_is_known() -> None:
    found = read_round(PRINTED, panel=16)
    first, second = found.summaries
    assert [i.id for i in found.items] == ["A1", "A2"]
    assert first.item.wording == {"en": "The first sentence."}
    assert first.results["agreement"].ci_low == pytest.approx(0.38641, abs=1e-5)  # Wilson, 10 of 16
    assert 3 < first.results["mean"].ci_low < 3.69
    assert "no share of 16" in str(second.results["agreement"].reason)
    assert math.isnan(second.value("iqr"))
    alone = read_round(PRINTED).summaries[0].results["agreement"]
    assert alone.reason == "the table does not say how many rated"


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("relevance_mean", "5.2", "5.2 is not between 1 and 5"),
        ("relevance_agree_pct", "101", "101 is not between 0 and 100"),
        ("relevance_iqr", "wide", "'wide' is not a number"),
    ],
)
def test_a_printed_value_that_cannot_be_is_refused(column: str, value: str, says: str) -> None:
    wrong = PRINTED.with_columns(pl.Series(column, [value, value]))
    with pytest.raises(UserError) as error:
        read_round(wrong, "printed.csv")
    assert says in error.value.what
    assert "row 1" in str(error.value.where)


def test_items_need_a_name_each_of_their_own() -> None:
    table = pl.DataFrame({"item": ["A1", "A1"], "dimension": ["A", "A"]})
    with pytest.raises(UserError, match="'A1' stands there 2 times"):
        items_of_table(table, "items.csv")
    with pytest.raises(UserError, match="no column names the items"):
        items_of_table(pl.DataFrame({"sentence": ["x"]}), "items.csv")


def test_items_that_were_named_have_to_hold_those_of_the_round() -> None:
    named = items_of_table(
        pl.DataFrame({"item": ["A1", "A2"], "dimension": ["A", "A"], "item_en": ["One.", "Two."]}),
        "items.csv",
    )
    with pytest.raises(UserError, match="'B1' is none of those"):
        read_round(SMALL, items=named)
    found = read_round(SMALL.filter(pl.col("dimension") == "A"), items=named)
    assert [i.text for i in found.items] == ["One.", "Two."]


def test_printed_statistics_say_how_many_stand_behind_them() -> None:
    # CES-LCC, UR1's translation: 73.33 % of 15 panellists are 11, mean 4.73, sd 0.47. Eleven
    # ratings, eight 5 and three 4, have mean 4.727 and sd 0.467; with twelve nothing has.
    assert counts_behind(4.73, 0.47, agree=11, least=10) == [(11, 11)]
    # T2's relevance in round 2 is printed as 75.00 %; its other statistics are those of 11 of 15.
    found = counts_behind(4.13, 0.83, least=8, median=4, iqr=1.5, ends=(3, 5))
    assert found == [(11, 15)]
