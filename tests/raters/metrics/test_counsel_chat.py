"""The metrics on CounselChat's answers: the gold-standard row of the paper's Table 2.

Expected values: the row as repeated independently from the published formulas (simplicity 81.8,
sentiment change 0.7018, slope 0.5003, recycling 0.0715); the paper prints 86.8, 0.7017, 0.5003 and
0.0725.
"""

import csv
import sys
from pathlib import Path

import polars as pl
import pytest

from attunement.raters.metrics import score

pytestmark = pytest.mark.shared
METRICS = ["sentiment_change", "sentiment_slope", "simplicity", "recycling"]


def load(shared: Path, name: str) -> pl.DataFrame:
    csv.field_size_limit(sys.maxsize)
    with (shared / "data" / "counsel-chat" / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return pl.DataFrame(
        {
            "item_id": [r["questionID"] for r in rows],
            "source": "therapist",
            "candidate": range(len(rows)),
            "text": [r["answerText"] for r in rows],
            "question": [r["questionText"] for r in rows],
        }
    )


@pytest.fixture(scope="module")
def paper(shared: Path) -> pl.DataFrame:
    return score(load(shared, "20200325_counsel_chat.csv"), metrics=METRICS, variant="paper")


@pytest.mark.parametrize(
    ("metric", "mean", "decimals", "n"),
    [
        ("sentiment_change", 0.7018, 4, 2129),
        ("sentiment_slope", 0.5003, 4, 2129),
        ("simplicity", 81.8, 1, 1485),
        ("recycling", 0.0715, 4, 2129),
    ],
)
def test_paper_repeats_the_gold_standard_row(
    paper: pl.DataFrame, metric: str, mean: float, decimals: int, n: int
) -> None:
    values = paper.filter(pl.col("dimension") == metric)["value"].drop_nulls()
    assert len(values) == n
    assert round(float(values.mean()), decimals) == mean  # type: ignore[arg-type]


@pytest.mark.parametrize("variant", ["standard", "paper"])
@pytest.mark.parametrize("name", ["20200325_counsel_chat.csv", "counselchat-data.csv"])
def test_no_row_is_lost_in_either_layout(shared: Path, name: str, variant: str) -> None:
    responses = load(shared, name)
    ratings = score(responses, metrics=METRICS, variant=variant)  # type: ignore[arg-type]
    assert ratings.height == responses.height * len(METRICS)
    assert ratings["status"].is_in(["ok", "not_applicable"]).all()
    gap = ratings.filter(pl.col("value").is_null())
    assert gap["rationale"].null_count() == 0
    assert (ratings.filter(pl.col("status") == "ok")["value"].is_finite()).all()
