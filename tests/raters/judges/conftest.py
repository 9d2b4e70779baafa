"""Small tables to judge, and a reply that can be read."""

import polars as pl
import pytest

GOOD = (
    '{"agreeability": {"rationale": "sides with it", "score": 8}, '
    '"active_listening": {"rationale": "names it", "score": 3}}'
)


def make_items(n: int = 1, topics: int = 1) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "item_id": [f"q{i}" for i in range(n)],
            "topic": [f"t{i % topics}" for i in range(n)],
            "turns": [[{"role": "user", "text": f"I am sad ({i})."}] for i in range(n)],
        }
    )


def make_responses(*texts: str | None, source: str = "a") -> pl.DataFrame:
    """One answer to each item."""
    return pl.DataFrame(
        {
            "item_id": [f"q{i}" for i in range(len(texts))],
            "source": [source] * len(texts),
            "text": list(texts),
        },
        schema_overrides={"text": pl.String},
    )


@pytest.fixture(scope="session")
def items():
    return make_items


@pytest.fixture(scope="session")
def responses():
    return make_responses


@pytest.fixture(scope="session")
def good() -> str:
    return GOOD
