"""A spec that points to a stub server, and small tables of items."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from attunement.inspect_bridge import ModelSpec, Settings


@pytest.fixture
def spec_for() -> Callable[..., ModelSpec]:
    def make(server: Any, name: str = "m", **settings: Any) -> ModelSpec:
        chosen = {"backoff_s": 0.01, "max_retries": 1, **settings}
        return ModelSpec(
            name,
            f"openai-api/stub/{name}",
            base_url=server.base_url,
            settings=Settings(**chosen),
            price_in=1.0,
            price_out=2.0,
        )

    return make


@pytest.fixture
def items() -> Callable[..., pl.DataFrame]:
    def make(*questions: str) -> pl.DataFrame:
        return pl.DataFrame(
            {
                "item_id": [f"q{i}" for i in range(len(questions))],
                "turns": [[{"role": "user", "text": q}] for q in questions],
            }
        )

    return make
