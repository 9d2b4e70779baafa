import math

import polars as pl
import pytest
from scipy import stats

from attunement.analysis import analyze, plan
from attunement.errors import UserError
from attunement.stats.planning import items_for_mean


def one(frame: pl.DataFrame, **where: str) -> dict:
    (row,) = frame.filter([pl.col(k) == v for k, v in where.items()]).to_dicts()
    return row


def test_items_follow_from_the_largest_spread_of_the_pilot(simulate):
    tables = simulate({"a": 0.4, "b": 1.2}, n=40)
    planned = plan(*tables, width=0.5)
    row = one(planned, metric="simplicity", quantity="distance")
    assert row["n_needed"] == items_for_mean(row["sd"], 0.25).n
    assert row["width_now"] == pytest.approx(2 * stats.t.ppf(0.975, 39) * row["sd"] / math.sqrt(40))
    # Source b is the one with the larger spread.
    only = plan(
        *(t.filter(pl.col("source") != "b") if "source" in t else t for t in tables), width=0.5
    )
    assert one(only, metric="simplicity", quantity="distance")["sd"] < row["sd"]
    assert only.filter(pl.col("quantity") == "difference").height == 0


def test_a_pilot_as_large_as_planned_has_the_wanted_width(simulate):
    planned = plan(*simulate({"a": 0.8}, n=60, seed=2), width=0.5)
    n = one(planned, metric="simplicity", quantity="distance")["n_needed"]
    found = analyze(*simulate({"a": 0.8}, n=n, seed=3))
    row = one(found.distance, source="a", topic="all", metric="simplicity")
    scale = row["standardized"] / row["estimate"]
    assert (row["ci_high"] - row["ci_low"]) * scale == pytest.approx(0.5, rel=0.25)


def test_raters_follow_from_the_spread_within_answers(rating):
    rows = []
    for i in range(8):
        rows.append(rating(f"q{i}", "reference", "agreeability", float(i % 4)))
        for j, shift in enumerate((-1.0, 1.0)):
            value = float(i % 4) + shift
            rows.append(rating(f"q{i}", "a", "agreeability", value, rater=f"judge:{j}"))
    planned = plan(None, None, pl.DataFrame(rows), width=1.0)
    row = one(planned, quantity="rating")
    # Two raters at -1 and 1 have the variance 2; the reference 0, 1, 2, 3 twice has 10/7.
    sd = math.sqrt(2 / (10 / 7))
    assert row["sd"] == pytest.approx(sd)
    assert (row["counted"], row["n_now"]) == ("raters", 2)
    assert row["n_needed"] == math.ceil((2 * 1.959964 * sd) ** 2)


def test_one_judges_repeats_are_called_repeats(rating):
    rows = [rating(f"q{i}", "reference", "agreeability", float(i)) for i in range(4)]
    rows += [
        rating(f"q{i}", "a", "agreeability", i + r / 2, replicate=r)
        for i in range(4)
        for r in range(2)
    ]
    assert one(plan(None, None, pl.DataFrame(rows), width=1), quantity="rating")["counted"] == (
        "repeats"
    )


def test_a_pilot_of_one_item_does_not_say(simulate):
    planned = plan(*simulate({"a": 0.4, "b": 0.5}, n=1), width=0.5)
    row = one(planned, metric="simplicity", quantity="distance")
    assert row["n_needed"] is None
    assert "fewer than two items" in row["reason"]


@pytest.mark.parametrize("width", [0, -1, math.nan, math.inf])
def test_a_width_that_is_none_is_refused(simulate, width):
    with pytest.raises(UserError, match="wide"):
        plan(*simulate({"a": 0.4}, n=3), width=width)
