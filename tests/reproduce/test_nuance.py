from pathlib import Path

import pytest

from attunement.reproduce import nuance


def test_table_3_comes_out_of_table_2_to_five_decimals() -> None:
    rows = nuance.table_3()
    assert len(rows) == 18
    assert max(abs(r.difference) for r in rows) < 1e-5
    best = next(r for r in rows if (r.row, r.column) == ("GPT4 Preview", "pearson"))
    assert best.computed == pytest.approx(0.830253, abs=5e-6)


def test_table_5_comes_out_of_table_4_to_five_decimals() -> None:
    rows = nuance.table_5()
    assert len(rows) == 45
    assert max(abs(r.difference) for r in rows) < 1e-5


def test_tables_6_and_7_come_out_of_table_4_to_five_decimals() -> None:
    rows = nuance.tables_6_and_7()
    assert len(rows) == 90
    assert max(abs(r.difference) for r in rows) < 1e-5
    first = next(r for r in rows if (r.row, r.column) == ("GPT3.5", "depression:relationships"))
    assert first.computed == pytest.approx(-0.198997, abs=5e-6)


def test_without_data_the_gold_standard_row_is_not_invented() -> None:
    assert {r.where for r in nuance.reproduce()} == {"Table 3", "Table 5", "Table 6", "Table 7"}


@pytest.mark.shared
def test_the_gold_standard_row_is_within_the_recorded_distances(shared: Path) -> None:
    rows = {r.column: r for r in nuance.gold_row(shared / nuance.COUNSEL_CHAT)}
    assert {c: r.n for c, r in rows.items()} == {
        "sentiment_change": 2129,
        "sentiment_slope": 2129,
        "simplicity": 1485,
        "recycling": 2129,
    }
    assert [c for c, r in rows.items() if r.agrees] == ["sentiment_slope"]
    assert all(r.note for r in rows.values())
    assert rows["sentiment_change"].computed == pytest.approx(0.7018, abs=5e-5)
    assert rows["sentiment_slope"].computed == pytest.approx(0.5003, abs=5e-5)
    assert rows["simplicity"].computed == pytest.approx(81.8, abs=0.05)
    assert rows["recycling"].computed == pytest.approx(0.0715, abs=5e-5)
