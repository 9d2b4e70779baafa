"""Tables with known effects: each source's distance from the reference is chosen."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest

from attunement.analysis import Analysis, analyze

METRICS = {
    "sentiment_change": (0.0, 0.3),
    "sentiment_slope": (0.0, 0.5),
    "simplicity": (65.0, 10.0),
    "recycling": (0.1, 0.04),
    "agreeability": (7.0, 1.0),
    "active_listening": (7.0, 1.0),
}
JUDGED = ("agreeability", "active_listening")


def make_rating(
    item: str, source: str, dimension: str, value: float | None, **more: object
) -> dict[str, Any]:
    judged = dimension in JUDGED
    return {
        "unit": "response",
        "unit_id": f"{item}/{source}/0",
        "item_id": item,
        "source": source,
        "rater": "judge:m" if judged else "metric:standard",
        "rater_kind": "judge" if judged else "metric",
        "instrument": "nuance-judges@1" if judged else "nuance@1",
        "dimension": dimension,
        "replicate": 0,
        "value": value,
        "status": "not_applicable" if value is None else "ok",
        **more,
    }


def make_tables(
    sources: Mapping[str, float],
    *,
    n: int = 60,
    topics: int = 3,
    therapist: float | None = 0.8,
    bias: Mapping[str, float] | None = None,
    seed: int = 1,
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return items, responses and ratings.

    A source's value is the reference's plus normal noise with the given share of the reference's
    standard deviation, plus its bias in the same unit.
    """
    rng = np.random.default_rng(seed)
    every = dict(sources) | ({} if therapist is None else {"therapist": therapist})
    bias = bias or {}
    items, responses, ratings = [], [], []
    for i in range(n):
        item = f"q{i}"
        turns = [{"role": "user", "text": "What now?"}]
        items.append({"item_id": item, "topic": f"topic {i % topics}", "turns": turns})
        gold = {m: rng.normal(center, spread) for m, (center, spread) in METRICS.items()}
        for source in ("reference", *every):
            responses.append({"item_id": item, "source": source, "text": "Tell me more."})
            for metric, (_, spread) in METRICS.items():
                value = gold[metric]
                if source != "reference":
                    value += spread * (rng.normal(0, every[source]) + bias.get(source, 0))
                ratings.append(make_rating(item, source, metric, float(value)))
            if source != "reference":
                consistency = float(np.clip(rng.normal(1 - every[source] / 3, 0.1), 0, 1))
                ratings.append(make_rating(item, source, "emotion_consistency", consistency))
    return pl.DataFrame(items), pl.DataFrame(responses), pl.DataFrame(ratings)


@pytest.fixture(scope="session")
def simulate() -> Callable[..., tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]]:
    return make_tables


@pytest.fixture(scope="session")
def rating() -> Callable[..., dict[str, Any]]:
    return make_rating


@pytest.fixture(scope="session")
def clear() -> Analysis:
    """One source that is truly closer than another, and than the therapists."""
    return analyze(*make_tables({"near": 0.3, "far": 1.2}))
