"""An analysis as it is kept: its frames, its file, and the results and tests in it."""

import math

import polars as pl
import pytest

from attunement.analysis import SCHEMAS, Analysis
from attunement.errors import UserError


def test_an_analysis_is_written_and_read_back_whole(clear, tmp_path):
    path = clear.write(tmp_path)
    back = Analysis.read(tmp_path)
    assert path.name == "analysis.json"
    assert back.as_json() == clear.as_json()
    for name in SCHEMAS:
        assert getattr(back, name).equals(getattr(clear, name)), name
    assert {p.name for p in clear.write_tables(tmp_path)} == {f"{n}.csv" for n in SCHEMAS}


def test_a_file_that_is_no_analysis_is_refused(tmp_path):
    with pytest.raises(UserError, match="no analysis there"):
        Analysis.read(tmp_path)
    (tmp_path / "analysis.json").write_text('{"frames": 3}')
    with pytest.raises(UserError, match="not an analysis"):
        Analysis.read(tmp_path)


def test_results_and_tests_are_flat_and_repeatable(clear):
    results, tests = clear.results(), clear.tests()
    assert {r.name for r in results} == {
        "mean",
        "distance",
        "rank_distance",
        "similarity",
        "difference",
        "equivalence",
        "refusal_rate",
        "disclaimer_rate",
    }
    assert all(r.signature for r in results)
    assert all(t.signature for t in tests)
    undefined = [r for r in results if math.isnan(r.estimate)]
    assert undefined
    assert all(r.reason for r in undefined)
    assert all(t.reason for t in tests if math.isnan(t.p_value))
    assert {t.name for t in tests} >= {"pearson", "meng", "wilcoxon", "tost"}


def test_every_frame_has_its_columns_and_no_nan(clear):
    for name, schema in SCHEMAS.items():
        frame = getattr(clear, name)
        assert frame.schema == schema, name
        for column in frame.select(pl.col(pl.Float64)):
            assert not column.is_nan().any(), (name, column.name)
