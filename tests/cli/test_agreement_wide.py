"""``attunement agreement --wide``: a column for each rater, and which column names the items."""

import math

import pytest

from attunement.stats.agreement import alpha
from stubs.agreement import VALUES, found, refused, run, write


def test_a_wide_table_gives_the_same(tmp_path):
    named = "item_id,ann,bo,cy\n" + "".join(
        f"{i}," + ",".join("" if math.isnan(v) else str(int(v)) for v in row) + "\n"
        for i, row in enumerate(VALUES)
    )
    bare = "".join(line.partition(",")[2] + "\n" for line in named.splitlines())
    expected = alpha(VALUES).estimate
    with_items = found(write(tmp_path, named), "--wide")
    assert with_items["results"][0]["estimate"] == expected
    assert with_items["notes"] == [
        "Column 'item_id' names the items; the other 3 columns are raters."
    ]
    without = found(write(tmp_path, bare, "bare.csv"), "--wide")
    assert without["results"][0]["estimate"] == expected
    assert without["notes"] == ["All 3 columns are raters; each row is an item."]


WIDE = "".join(f"{i},{i % 3},{i % 2}\n" for i in range(1, 13))


def test_a_first_column_that_counts_the_rows_names_the_items(tmp_path):
    path = write(tmp_path, "Case no.,ann,bo\n" + WIDE)
    counted = found(path, "--wide")
    named = found(write(tmp_path, "item_id,ann,bo\n" + WIDE, "named.csv"), "--wide")
    assert counted["results"] == named["results"]
    assert "if it is a rater, --id none says so" in counted["notes"][1]
    assert found(path, "--wide", "--id", "none")["results"] != named["results"]


@pytest.mark.parametrize("first", [range(1, 6), range(301, 289, -1)])
def test_a_column_that_may_number_the_items_is_warned_of(tmp_path, first):
    rows = "".join(f"{n},{i % 3},{i % 2}\n" for i, n in enumerate(first))
    result = run(write(tmp_path, "Case no.,ann,bo\n" + rows), "--wide")
    said = " ".join(result.stderr.split())
    assert said.startswith("Warning: Column 'Case no.' was read as a rater")
    assert "--id 'Case no.'" in said


def test_any_column_may_name_the_items(tmp_path):
    rows = "".join(f"{i % 3},{i % 2},{7 * i}\n" for i in range(1, 13))
    path = write(tmp_path, "ann,bo,number\n" + rows)
    named = found(write(tmp_path, "item_id,ann,bo\n" + WIDE, "named.csv"), "--wide")
    assert found(path, "--wide", "--id", "number")["results"] == named["results"]
    assert "did you mean 'number'?" in refused(path, "--wide", "--id", "numbr")
    assert "Add --wide" in refused(path, "--id", "number")
