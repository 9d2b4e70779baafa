"""Agreement in the report."""

import polars as pl
import pytest

from attunement import tables
from attunement.report import rater_tables

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: four observers,
# twelve units, missing values; ordinal alpha 0.815.
OBSERVERS = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    "C": [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
}


def rated(kind: str = "human", dimension: str = "overall", replicate: int = 0) -> pl.DataFrame:
    rows = [
        {
            "unit": "response",
            "unit_id": f"u{unit}",
            "item_id": f"u{unit}",
            "source": "s",
            "rater": rater,
            "rater_kind": kind,
            "instrument": "mine@1",
            "dimension": dimension,
            "replicate": replicate,
            "value": None if value is None else float(value),
            "status": "not_sure" if value is None else "ok",
        }
        for rater, values in OBSERVERS.items()
        for unit, value in enumerate(values)
    ]
    return tables.conform(pl.DataFrame(rows), "ratings")


def test_agreement_of_people_is_krippendorffs_with_an_interval() -> None:
    ((found, raters),) = rater_tables.agreements(rated())
    assert found.estimate == pytest.approx(0.815, abs=5e-4)
    assert found.ci_low < found.estimate < found.ci_high
    assert raters == 4


def test_people_and_judges_are_never_pooled() -> None:
    both = pl.concat([rated(), rated("judge")])
    kinds = [found.group["rater_kind"] for found, _ in rater_tables.agreements(both)]
    assert kinds == ["human", "judge"]


def test_only_the_first_replicate_counts() -> None:
    again = rated(replicate=1).with_columns(value=pl.lit(1.0))
    ((found, _),) = rater_tables.agreements(pl.concat([again, rated()]))
    assert found.estimate == pytest.approx(0.815, abs=5e-4)


def test_one_rater_has_nobody_to_agree_with() -> None:
    alone = rated().filter(pl.col("rater") == "A")
    assert rater_tables.agreement(alone) is None
    assert rater_tables.size(alone) is None


def test_the_table_says_what_agreement_asks_of_a_study() -> None:
    table = rater_tables.agreement(rated())
    assert table is not None
    assert "one rater an answer reaches 0.8" in table.rows[0][-1].text
    sizes = rater_tables.size(rated())
    assert sizes is not None
    # Spearman and Brown: 0.4 of one rater gives 5 * 0.4 / (1 + 4 * 0.4) = 0.769 of five
    assert [cell.text for cell in sizes.rows[2]][:3] == ["0.4", "0.67", "0.77"]
