"""A table of systems' numbers comes back as it was written, or one's own is read."""

import math
from pathlib import Path

import pytest

from attunement import tables
from attunement.errors import UserError
from attunement.raters.metrics.system_table import read_system_table, system_table
from attunement.stats.result import Result

RESULTS = [
    Result(
        "corpus", 12.5, 30, "corpus BLEU", 10.0, 15.0, 0.9, 2,
        {"source": "a", "metric": "bleu"}, "bleu|eff:no",
    ),
    Result("corpus", math.nan, 0, "corpus BLEU", n_missing=3,
           group={"source": "b", "metric": "bleu"}, reason="no values"),
]  # fmt: skip


@pytest.mark.parametrize("name", ["systems.csv", "systems.parquet", "systems.jsonl"])
def test_it_comes_back_as_it_was_written(tmp_path: Path, name: str) -> None:
    tables.write_frame(system_table(RESULTS), tmp_path / name)
    first, second = read_system_table(tmp_path / name)
    assert first == RESULTS[0]
    assert math.isnan(second.estimate)
    assert (second.n, second.n_missing, second.reason) == (0, 3, "no values")
    assert "NaN" not in (tmp_path / name).read_bytes().decode(errors="ignore")


def test_a_table_of_ones_own_needs_three_columns(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text("source,metric,estimate\na,wit,3\nb,wit,\n")
    a, b = read_system_table(file)
    assert (a.estimate, a.group, a.method) == (3, {"source": "a", "metric": "wit"}, "as given")
    assert math.isnan(b.estimate)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("source,estimate\na,1\n", "no column 'metric'"),
        ("source,metric,estimate\n", "no rows"),
        ("source,metric,estimate\na,wit,much\n", "wrong type"),
        ("source,metric,estimate\n,wit,1\n", "is empty"),
        ("source,metric,estimate\na,wit,1\na,wit,2\n", "'wit' of 'a' stands there more than once"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "own.csv"
    file.write_text(text)
    with pytest.raises(UserError, match=message):
        read_system_table(file)
