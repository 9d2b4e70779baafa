import math

import polars as pl

from attunement.report.cells import Cell, Lookup, Notes, estimate_cell, lowest, split


def test_a_missing_estimate_is_a_dash_with_its_reason_as_footnote() -> None:
    notes = Notes()
    row = {"estimate": math.nan, "reason": "no answer has more than 100 words", "n": 0}
    cell = estimate_cell(row, notes)
    assert (cell.text, cell.mark) == ("–", "a")
    assert notes.all() == (("a", "no answer has more than 100 words"),)


def test_the_same_reason_has_the_same_letter() -> None:
    notes = Notes()
    assert [notes.mark(r) for r in ("x", "y", None, "x")] == ["a", "b", "", "a"]


def test_letters_go_on_after_z() -> None:
    notes = Notes()
    assert [notes.mark(str(i)) for i in range(28)][-3:] == ["z", "aa", "ab"]


def test_an_estimate_has_its_interval_and_n_under_it() -> None:
    row = {"estimate": 0.5, "ci_low": 0.25, "ci_high": 0.75, "n": 1200, "reason": None}
    assert estimate_cell(row, Notes()) == Cell("0.50", ("[0.25, 0.75]", "n 1,200"))


def test_the_lowest_of_one_is_not_marked() -> None:
    assert lowest({"a": 1.0, "b": None}) == set()
    assert lowest({"a": 1.0, "b": 1.0, "c": 2.0}) == {"a", "b"}


def test_rows_beyond_the_fold_are_counted_and_named() -> None:
    rows = [(Cell(str(i)),) for i in range(200)]
    shown, folded, label = split(rows, 10, "topics")
    assert (len(shown), len(folded)) == (10, 120)
    assert label == "120 more topics; another 70 are in the CSV file"


def test_one_or_two_rows_are_not_worth_a_fold() -> None:
    shown, folded, label = split([(Cell("x"),)] * 12, 10, "topics")
    assert (len(shown), folded, label) == (12, (), "")


def test_a_lookup_reads_null_and_nan_as_absent() -> None:
    found = Lookup(pl.DataFrame({"k": ["a", "b"], "estimate": [None, math.nan]}), "k")
    assert [found.number(k) for k in "abc"] == [None, None, None]
